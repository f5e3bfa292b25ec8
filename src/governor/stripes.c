#include "governor/stripes.h"

#include <math.h>

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

/* Watts of the leader that move as many bytes as one watt of drive i. */
static double leader_w(const struct el_observer *o, uint32_t leader, uint32_t i)
{
    double ratio = o->node[i].bytes_per_j / o->node[leader].bytes_per_j;

    return isfinite(ratio) && ratio > 0 ? EL_CLAMP(ratio, 0.2, 5) : 1;
}

static void scale(struct el_pace_wish *w, double by)
{
    w->hold_w *= by;
    w->guard_w *= by;
    w->share_w *= by;
    w->floor_w *= by;
    w->used_w *= by;
}

void el_stripes_join(const struct el_governor_card *card, const struct el_observer *o, struct el_pace_wish *w)
{
    for (uint32_t i = 0; i < card->slots; i++) {
        uint32_t leader = el_stripe_leader(card, i);
        struct el_pace_wish *l = &w[leader];

        if (leader == i)
            continue;
        scale(&w[i], leader_w(o, leader, i));
        l->hold_w = EL_MIN(l->hold_w, w[i].hold_w);
        l->guard_w = EL_MIN(l->guard_w, w[i].guard_w);
        l->share_w = EL_MIN(l->share_w, w[i].share_w);
        l->excess_c = EL_MAX(l->excess_c, w[i].excess_c);
        l->floor_w = EL_MAX(l->floor_w, w[i].floor_w);
        l->used_w = EL_MAX(l->used_w, w[i].used_w);
    }
    for (uint32_t i = 0; i < card->slots; i++) {
        uint32_t leader = el_stripe_leader(card, i);

        w[i] = w[leader];
        if (leader != i)
            scale(&w[i], 1 / leader_w(o, leader, i));
    }
}

void el_stripe_follow(const struct el_observer *o, const struct el_pace *first, uint32_t leader, struct el_pace *p,
                      uint32_t i)
{
    if (first->quiet_s > 0 && isinf(first->cap_w) == isinf(p->cap_w))
        return;
    p->cap_w = first->cap_w / leader_w(o, leader, i);
    p->quiet_s = 0;
}
