#include "rivals/rivals.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

void rival_init(struct rival *r, const struct el_governor_card *card)
{
    memset(r, 0, sizeof(*r));
    r->card = *card;
    for (uint32_t i = 0; i < card->slots; i++)
        r->slot[i].temp_c = NAN;
}

static void slot_read(struct rival_slot *s, const struct el_governor_slot *card,
                      const struct el_governor_slot_input *in, double dt)
{
    const uint64_t now[4] = {in->read_bytes, in->write_bytes, in->read_ops, in->write_ops};
    const double price[4] = {card->read_j_per_byte, card->write_j_per_byte, card->read_j_per_op, card->write_j_per_op};
    double sum = 0;

    for (int k = 0; k < 4; k++)
        sum += now[k] > s->count[k] ? (double)(now[k] - s->count[k]) * price[k] : 0;
    memcpy(s->count, now, sizeof(now));
    s->host_w = dt > 0 ? sum / dt : 0;
    if (el_reading_usable(&in->temp_mc)) {
        double t = (double)in->temp_mc.value * 1e-3;

        s->trend_c = isnan(s->temp_c) ? 0 : t - s->temp_c;
        s->temp_c = t;
    }
}

void rival_read(struct rival *r, const struct el_governor_input *in)
{
    r->dt_s = r->last_us ? (double)(in->now_us - r->last_us) * 1e-6 : 0;
    r->last_us = in->now_us;
    for (uint32_t i = 0; i < r->card.slots; i++)
        slot_read(&r->slot[i], &r->card.slot[i], &in->slot[i], r->dt_s);
}

double rival_limit(const struct rival *r, uint32_t slot)
{
    return r->card.slot[slot].limit_c - r->card.margin_c;
}

void rival_cap(struct el_slot_decision *d, const struct el_governor_slot *s, double ratio)
{
    double full = s->full_w - s->idle_w;

    d->cap_ratio = ratio >= 1 ? 1 : EL_MAX(ratio, s->floor_ratio);
    d->budget_w = d->cap_ratio * full;
    d->constraint = ratio >= 1 ? EL_CONSTRAINT_NONE : EL_CONSTRAINT_DRIVE_TEMPERATURE;
}
