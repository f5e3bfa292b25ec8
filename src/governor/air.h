/* Whether the air still does its work, from temperatures alone: how warm the heatsink stands above the inlet for the
 * power that goes into it. A fan that dies, a filter that fills, a blank that is left out: the resistance rises. Pure;
 * fixed size. */
#pragma once

#include "governor/observer.h"

#define EL_AIR_STATES 3

/* What the rise over the inlet usually is: an offset for heat that nobody declared, so many degrees for each watt, and
 * as many more while the watts move, as the sink is slower or faster than declared. */
struct el_air_usual {
    double x[EL_AIR_STATES], p[EL_AIR_STATES][EL_AIR_STATES]; /* learnt, and its covariance */
    double first_c_per_w;                                     /* rise over flow at first: the scale of what x may be */
};

struct el_air {
    double flow_w, inlet_c;         /* heat into the sink, and the air, as slow as the sink */
    double resistance_c_per_w;      /* apparent: rise over flow; NAN = not known yet */
    double gain[EL_CARD_SLOTS_MAX]; /* of host watts as first learnt: later filters move between gain and power error */
    struct el_air_usual usual;
    double usual_lfm;      /* measured airflow, slowly; 0 = no sensor */
    double known_s;        /* how long has been learnt; judged from 10 minutes on */
    double rise_s, flow_s; /* sums of both over the first minutes */
    double error_c;        /* rise beyond the usual one, smoothed */
    double wander;         /* usual square of what evidence counts */
    double worse;          /* evidence that it does worse */
    double lfm;            /* inferred; NAN = not known yet */
    uint32_t drives;       /* that are counted, ... */
    bool watts;            /* ... and whether the card's power is measured: else what was learnt is of another card */
    bool failing;
};

void el_air_init(struct el_air *a);
/* One step. `steered`: the fans were driven elsewhere lately, so what changes is our own doing. */
void el_air_step(struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                 const struct el_governor_input *in, bool steered);
/* The airflow that would let drives draw `excess_c` more above the inlet than they may now. */
double el_air_wish(const struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                   double excess_c);
