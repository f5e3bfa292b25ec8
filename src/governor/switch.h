/* The limit on the PCIe switch of a card. The switch stands on the same heatsink as the drives: its temperature is the
 * sink's and a distance that is learnt, and so is how far it moves when the sink moves. What the drives may draw
 * together is what brings it to its limit within a horizon. Pure; fixed size. */
#pragma once

#include <stdbool.h>

#include "governor/observer.h"

struct el_switch {
    double offset_c;            /* above the sink; NAN = no reading yet */
    double gain;                /* degrees of the switch for one of the sink */
    double then_c, then_sink_c; /* when the gain was last learnt */
    double then_s;
    double allowed_w; /* smoothed */
    int64_t read_us;
};

void el_switch_init(struct el_switch *s);
/* One step. Returns the host watts at declared prices that all drives may draw together, never below 0; INFINITY when
 * nothing binds: no limit, or no reading yet. `headroom_c` gets limit less estimate, or stays. A sensor that falls
 * silent leaves the model at work. */
double el_switch_step(struct el_switch *s, const struct el_observer *o, const struct el_governor_card *card,
                      const struct el_governor_input *in, double *headroom_c);
