/* The law of elementd: estimate, predict, share, pace. Each has its own file; here they are put together. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "governor/governor.h"
#include "governor/observer.h"
#include "governor/pace.h"
#include "governor/risk.h"
#include "governor/share.h"

#ifndef HOLD_S
#define HOLD_S  15.0 /* horizon of the settled cap */
#endif
#ifndef REACT_S
#define REACT_S 7.0  /* from a jump of demand until a lower cap acts: sensor lag, grain, period, actuator */
#endif
#ifndef GUARD_C
#define GUARD_C 0.42  /* what a jump of demand may pass the limit by */
#endif

struct element {
    struct el_governor_card card;
    struct el_observer observer;
    struct el_risk risk[EL_CARD_SLOTS_MAX];
    struct el_pace pace[EL_CARD_SLOTS_MAX]; /* of a stripe, its first member's counts for all */
};

static int element_init(void *state, const struct el_governor_card *card)
{
    struct element *e = state;

    e->card = *card;
    el_observer_init(&e->observer, card);
    for (uint32_t i = 0; i < card->slots; i++)
    {    el_pace_init(&e->pace[i], card->slot[i].full_w - card->slot[i].idle_w); el_risk_init(&e->risk[i]);}
    return 0;
}

static void element_reconfigure(void *state, const struct el_governor_card *card)
{
    struct element *e = state;

    for (uint32_t i = e->card.slots; i < card->slots; i++)
        el_pace_init(&e->pace[i], card->slot[i].full_w - card->slot[i].idle_w);
    e->card = *card;
}

/* What each drive could do for itself: its own temperatures and nothing else. */
static void slot_wish(struct element *e, uint32_t i, struct el_pace_wish *w)
{
    const struct el_governor_slot *s = &e->card.slot[i];
    const struct el_node *n = &e->observer.node[i];
    struct el_pace *p = &e->pace[i];
    double limit = s->limit_c - e->card.margin_c;

    *w = (struct el_pace_wish){.hold_w = INFINITY, .share_w = INFINITY, .guard_w = INFINITY, .used_w = n->host_w};
    p->full_w = EL_MAX(p->full_w, n->host_w * 1.02);
    w->floor_w = s->floor_ratio * p->full_w;
    if (!n->read_us)
        return;
    el_risk_step(&e->risk[i], n->x[EL_X_TEMP] - limit, e->observer.dt_s);
    limit -= e->risk[i].margin_c;
    w->hold_w = el_observer_headroom(&e->observer, &e->card, i, limit, HOLD_S, 1);
    w->guard_w = el_observer_headroom(&e->observer, &e->card, i, limit + GUARD_C, REACT_S, 0);
    w->excess_c = el_observer_predict(&e->observer, &e->card, i, EL_MIN(p->cap_w, p->full_w), HOLD_S) - limit;
}

/* The first member of the stripe that drive i belongs to; i itself when it belongs to none. */
static uint32_t leader(const struct el_governor_card *card, uint32_t i)
{
    if (card->slot[i].array < 0 || card->array_level[card->slot[i].array] != EL_ARRAY_STRIPE)
        return i;
    for (uint32_t k = 0; k < i; k++)
        if (card->slot[k].array == card->slot[i].array)
            return k;
    return i;
}

/* Members of a stripe go at the pace of the slowest: what the others could do more would only be heat. */
static void share_stripes(struct element *e, struct el_pace_wish *w)
{
    for (uint32_t i = 0; i < e->card.slots; i++) {
        struct el_pace_wish *l = &w[leader(&e->card, i)];

        if (l == &w[i])
            continue;
        l->hold_w = EL_MIN(l->hold_w, w[i].hold_w);
        l->guard_w = EL_MIN(l->guard_w, w[i].guard_w);
        l->share_w = EL_MIN(l->share_w, w[i].share_w);
        l->excess_c = EL_MAX(l->excess_c, w[i].excess_c);
        l->floor_w = EL_MAX(l->floor_w, w[i].floor_w);
        l->used_w = EL_MAX(l->used_w, w[i].used_w);
    }
    for (uint32_t i = 0; i < e->card.slots; i++)
        w[i] = w[leader(&e->card, i)];
}

/* What the card's watts and its switch leave for host I/O; INFINITY = no such limit. */
static double total_host_w(const struct element *e)
{
    double total = isfinite(e->card.card_limit_w) ? (e->card.card_limit_w - e->observer.overhead_w) / e->observer.scale : INFINITY;

    return total;
}

/* The card's watts, dealt by demand: what a drive leaves unused goes to those that can use it. */
static void share_power(struct element *e, struct el_pace_wish *w)
{
    struct el_share_unit unit[EL_CARD_SLOTS_MAX];
    double share[EL_CARD_SLOTS_MAX], total = total_host_w(e);
    uint32_t n = 0, of[EL_CARD_SLOTS_MAX];

    if (!isfinite(total))
        return;
    for (uint32_t i = 0; i < e->card.slots; i++) {
        const struct el_pace *p = &e->pace[i];
        double able = EL_MIN(w[i].hold_w, p->full_w);
        bool pressed = w[i].used_w > 0.92 * EL_MIN(p->cap_w, p->full_w);

        if (leader(&e->card, i) != i) {
            of[i] = of[leader(&e->card, i)];
            unit[of[i]].count++;
            continue;
        }
        of[i] = n;
        unit[n++] = (struct el_share_unit){.want_w = EL_MAX(0, pressed ? able : EL_MIN(able, 1.15 * w[i].used_w)), .cap_w = p->cap_w,
                                           .floor_w = w[i].floor_w, .weight = e->card.slot[i].weight, .count = 1, .pressed = pressed};
    }
    el_share(n, unit, total, EL_MAX(0.2, 0.01 * e->card.card_limit_w), share);
    for (uint32_t i = 0; i < e->card.slots; i++)
        if (e->observer.node[i].read_us)
            w[i].share_w = EL_MIN(w[i].share_w, share[of[i]]);
}

static void slot_decide(struct element *e, uint32_t i, const struct el_pace_wish *w, struct el_slot_decision *d)
{
    const struct el_node *n = &e->observer.node[i];
    struct el_pace *p = &e->pace[i];

    d->limit_c = e->card.slot[i].limit_c - e->card.margin_c;
    if (leader(&e->card, i) == i)
        el_pace_step(p, w, e->card.write_budget_per_hour, e->observer.dt_s);
    else
        *p = e->pace[leader(&e->card, i)];
    d->cap_ratio = isinf(p->cap_w) ? 1 : EL_MIN(p->cap_w / p->full_w, 0.999);
    d->budget_w = EL_MIN(p->cap_w, p->full_w);
    if (d->cap_ratio < 1)
        d->constraint = w->share_w < w->hold_w ? isfinite(e->card.card_limit_w) ? EL_CONSTRAINT_CARD_POWER : EL_CONSTRAINT_ARRAY
                                               : EL_CONSTRAINT_DRIVE_TEMPERATURE;
    if (!n->read_us)
        return;
    d->temp_estimate_c = n->x[EL_X_TEMP];
    d->headroom_c = d->limit_c - n->x[EL_X_TEMP];
    d->power_estimate_w = el_observer_power(&e->observer, &e->card, i);
}

static void element_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct element *e = state;
    struct el_pace_wish wish[EL_CARD_SLOTS_MAX];

    el_observer_step(&e->observer, &e->card, in);
    for (uint32_t i = 0; i < e->card.slots; i++)
        slot_wish(e, i, &wish[i]);
    share_stripes(e, wish);
    share_power(e, wish);
    for (uint32_t i = 0; i < e->card.slots; i++)
        slot_decide(e, i, &wish[i], &out->slot[i]);
    out->card_power_estimate_w = e->observer.host_w + e->observer.overhead_w;
    out->unknown_heat_w = e->observer.unknown_w;
    out->sink_resistance_c_per_w = e->observer.resistance_c_per_w;
}

const struct el_governor_law el_law_element = {
    .name = "element",
    .state_size = sizeof(struct element),
    .init = element_init,
    .step = element_step,
    .reconfigure = element_reconfigure,
};
