/* Power states of a drive, where the I/O budget cannot act or is not enough. A state is a step of watts: between two of
 * them the mean is met by error diffusion, each state being kept for a while. Only operational states that save power
 * are known here (see el_governor_slot). Pure; fixed size. */
#pragma once

#include <stdbool.h>

#include "governor/governor.h"

struct el_power {
    uint32_t state;    /* index into the slot's states; 0 = full power */
    double since_s;    /* in this state */
    double error_w;    /* watts that the states chosen so far owe */
    double helpless_s; /* for so long caps were not enough (positive) or enough again (negative) */
    bool used;         /* a state was chosen once: the drive's own is no longer left alone */
};

/* What the states have to do. */
struct el_power_need {
    bool capped;      /* a cap is asked for */
    bool obeyed;      /* what the drive does keeps to it */
    bool at_floor;    /* and cannot go lower */
    double allowed_w; /* whole drive: settles it at its limit */
    double excess_c;  /* where the present power leads soon, above the limit */
};

/* One step. The NVMe power state that should be in force, or -1: leave alone. */
int32_t el_power_step(struct el_power *p, const struct el_governor_slot *slot, const struct el_power_need *need,
                      double dt_s);
