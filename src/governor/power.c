#include "governor/power.h"

#include <math.h>

#include "base/base.h"

#define HELPLESS_S 20.0  /* caps get this long to be enough, */
#define HELPED_S   120.0 /* and have to be for this long before the states are given back */
#define DWELL_S    50.0
#define HURRY_S    8.0 /* towards less power, when it gets too hot */
#define HURRY_C    0.5

static void choose(struct el_power *p, uint32_t state)
{
    p->state = state;
    p->since_s = 0;
    p->used = true;
}

/* The state closest to what is allowed and what is owed; the rest is owed next time. */
static void diffuse(struct el_power *p, const struct el_governor_slot *slot, double allowed_w)
{
    double want = allowed_w + p->error_w, span = slot->power_state_w[0] - slot->power_state_w[slot->power_states - 1];
    uint32_t best = 0;

    for (uint32_t k = 1; k < slot->power_states; k++)
        if (fabs(slot->power_state_w[k] - want) < fabs(slot->power_state_w[best] - want))
            best = k;
    p->error_w = EL_CLAMP(want - slot->power_state_w[best], -span / 2, span / 2);
    if (best != p->state)
        choose(p, best);
    p->since_s = 0;
}

int32_t el_power_step(struct el_power *p, const struct el_governor_slot *slot, const struct el_power_need *need,
                      double dt_s)
{
    bool floor = need->capped && need->at_floor;
    bool helpless = !slot->can_cap || (need->capped && !need->obeyed) || (floor && need->excess_c > HURRY_C);
    bool helped = !helpless && !floor; /* at its floor a cap has nothing to give back */

    if (!slot->can_power_state || slot->power_states < 2)
        return -1;
    p->since_s += dt_s;
    if (helpless)
        p->helpless_s = EL_CLAMP(p->helpless_s + dt_s, 0, HELPLESS_S);
    else if (helped)
        p->helpless_s -= dt_s;
    if (!p->used && p->helpless_s < HELPLESS_S && slot->can_cap)
        return -1;
    if (p->helpless_s < -HELPED_S) {
        if (p->state)
            choose(p, 0);
        p->error_w = 0;
    } else if (need->excess_c > HURRY_C && p->state + 1 < slot->power_states && p->since_s >= HURRY_S) {
        choose(p, p->state + 1);
    } else if (p->since_s >= DWELL_S && isfinite(need->allowed_w)) {
        diffuse(p, slot, need->allowed_w);
    }
    return p->used ? slot->power_state_id[p->state] : -1;
}
