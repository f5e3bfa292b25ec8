/* Watts that a card's drives share, held by moving as few caps as possible: when the sum is off, the drive that is
 * furthest from its fair part moves, and the others keep what they have. Fairness comes out over time, at a fraction of
 * the writes. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct el_share_unit { /* a drive, or a stripe whose `count` members move together; watts are per member */
    double want_w;     /* what it would use if it were let */
    double cap_w;      /* in force; INFINITY = none */
    double floor_w, weight;
    uint32_t count;
    bool pressed; /* its cap is what holds it */
};

/* `share` gets what each unit may have: INFINITY = the total binds nobody, its cap = stay. Sums stay within 1.5
 * `slack_w` of `total_w`. */
void el_share(uint32_t n, const struct el_share_unit *u, double total_w, double slack_w, double *share);
