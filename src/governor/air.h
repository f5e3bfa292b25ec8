/* Whether the air still does its work, from temperatures alone: how warm the heatsink stands above the inlet for the
 * power that goes into it. A fan that dies, a filter that fills, a blank that is left out: the resistance rises. Pure;
 * fixed size. */
#pragma once

#include "governor/observer.h"

struct el_air {
    double flow_w;             /* heat into the sink, as slow as the sink */
    double resistance_c_per_w; /* apparent: rise over flow; NAN = not known yet */
    double usual_c_per_w;      /* what it was, slowly */
    double usual_lfm;          /* measured airflow, slowly; 0 = no sensor */
    double known_s;
    double worse; /* evidence that it does worse */
    double lfm;   /* inferred; NAN = not known yet */
    bool failing;
};

void el_air_init(struct el_air *a);
/* One step. `steered`: the fans were driven elsewhere lately, so what changes is our own doing. */
void el_air_step(struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                 const struct el_governor_input *in, bool steered);
/* The airflow that would let drives draw `excess_c` more above the inlet than they may now. */
double el_air_wish(const struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                   double excess_c);
