#include "governor/safety.h"

#include <math.h>

#include "base/base.h"

void el_safety_screen(struct el_safety *s, const struct el_governor_card *card, const struct el_governor_input *in,
                      struct el_governor_input *clean)
{
    *clean = *in;
    for (uint32_t i = 0; i < card->slots; i++) {
        struct el_reading *r = &clean->slot[i].temp_mc;

        if (r->quality == EL_GOOD && (r->value < -40000 || r->value > 125000))
            r->quality = EL_IMPLAUSIBLE;
    }
    s->last_us = in->now_us;
}

void el_safety_bound(struct el_safety *s, const struct el_governor_card *card, const struct el_governor_input *clean,
                     const struct el_decision *previous, struct el_decision *d)
{
    for (uint32_t i = 0; i < card->slots; i++) {
        if (!clean->slot[i].present || clean->slot[i].temp_mc.quality == EL_GOOD)
            continue;
        d->slot[i].cap_ratio = EL_MIN(d->slot[i].cap_ratio, previous->slot[i].cap_ratio);
        d->slot[i].constraint = EL_CONSTRAINT_STALE_SENSOR;
        d->failsafe = EL_FAILSAFE_HOLD;
        d->failsafe_reason = EL_CONSTRAINT_STALE_SENSOR;
    }
}
