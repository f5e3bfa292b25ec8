#include "governor/stripes.h"

#include "base/base.h"

uint32_t el_stripe_leader(const struct el_governor_card *card, uint32_t i)
{
    if (card->slot[i].array < 0 || card->array_level[card->slot[i].array] != EL_ARRAY_STRIPE)
        return i;
    for (uint32_t k = 0; k < i; k++)
        if (card->slot[k].array == card->slot[i].array)
            return k;
    return i;
}

void el_stripes_join(const struct el_governor_card *card, struct el_pace_wish *w)
{
    for (uint32_t i = 0; i < card->slots; i++) {
        struct el_pace_wish *l = &w[el_stripe_leader(card, i)];

        if (l == &w[i])
            continue;
        l->hold_w = EL_MIN(l->hold_w, w[i].hold_w);
        l->guard_w = EL_MIN(l->guard_w, w[i].guard_w);
        l->share_w = EL_MIN(l->share_w, w[i].share_w);
        l->excess_c = EL_MAX(l->excess_c, w[i].excess_c);
        l->floor_w = EL_MAX(l->floor_w, w[i].floor_w);
        l->used_w = EL_MAX(l->used_w, w[i].used_w);
    }
    for (uint32_t i = 0; i < card->slots; i++)
        w[i] = w[el_stripe_leader(card, i)];
}
