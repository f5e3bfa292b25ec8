/* Background work seen in the card's measured power: a drive that begins to collect garbage draws watts that no host
 * I/O explains, at once and seconds before any temperature tells. The jump says when and how much; whose it is, the
 * readings of all drives say together, as it is one drive's: each is given the part that is its by what they showed
 * since. Pure; fixed size. */
#pragma once

#include <stdint.h>

#define EL_BURSTS 6 /* that may go on at once */

struct el_observer;
struct el_node;

struct el_burst {
    double watts, age_s;
    double temp_c, shown_c; /* what it makes by now of a drive's temperature, and of what is read of it */
};

struct el_bursts {
    struct el_burst burst[EL_BURSTS];
    uint32_t count;
    double noise_w;              /* mean change from reading to reading that host I/O does not explain */
    double card_w, host_w;       /* at the last reading that was judged, ... */
    double moved_w, unsettled_s; /* ... and how much host I/O has changed since, up and down */
};

/* A reading of the card's power, after the host's I/O was priced: bursts begin and end. */
void el_burst_watch(struct el_observer *o, uint32_t slots, double card_w);
/* 1 = what moves in the drives' power without host I/O is heard here, 0 = the temperatures have to tell. */
double el_burst_heard(const struct el_bursts *b);
/* A reading of drive `n`, found in [lo, hi), where `mean` and `variance` were believed of it. */
void el_burst_hear(const struct el_observer *o, struct el_node *n, double mean, double variance, double lo, double hi);
/* After all readings of a step: what they say of whose bursts they are, in the drives' power and temperatures. */
void el_burst_share(struct el_observer *o, uint32_t slots);
