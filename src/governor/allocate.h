/* Sharing watts: how much host I/O power each drive of a card gets. Pure. */
#pragma once

#include <stdint.h>

/* Weighted max-min: each of `n` gets min(want, level * weight), at least its floor, so that the sum meets `total`. When
 * the floors alone pass `total`, everyone gets the floor. `want`, `floor`, `weight` > 0; writes `give`. Returns the
 * level, INFINITY when `total` binds nobody. */
double el_allocate(uint32_t n, const double *want, const double *floor, const double *weight, double total,
                   double *give);
