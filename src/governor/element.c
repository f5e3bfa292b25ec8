/* The law of elementd: estimate, predict, share, pace. Each has its own file; here they are put together. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "governor/allocate.h"
#include "governor/governor.h"
#include "governor/observer.h"
#include "governor/pace.h"

#define HOLD_S  25.0 /* horizon of the settled cap */
#define REACT_S 5.0  /* from a jump of demand until a lower cap acts: sensor lag, grain, period, actuator */
#define GUARD_C 0.3  /* what a jump of demand may pass the limit by */

struct element {
    struct el_governor_card card;
    struct el_observer observer;
    struct el_pace pace[EL_CARD_SLOTS_MAX];
};

static int element_init(void *state, const struct el_governor_card *card)
{
    struct element *e = state;

    e->card = *card;
    el_observer_init(&e->observer, card);
    for (uint32_t i = 0; i < card->slots; i++)
        el_pace_init(&e->pace[i], card->slot[i].full_w - card->slot[i].idle_w);
    return 0;
}

static void element_reconfigure(void *state, const struct el_governor_card *card)
{
    struct element *e = state;

    for (uint32_t i = e->card.slots; i < card->slots; i++)
        el_pace_init(&e->pace[i], card->slot[i].full_w - card->slot[i].idle_w);
    e->card = *card;
}

static void slot_step(struct element *e, uint32_t i, struct el_slot_decision *d)
{
    const struct el_governor_slot *s = &e->card.slot[i];
    const struct el_node *n = &e->observer.node[i];
    struct el_pace *p = &e->pace[i];
    double limit = s->limit_c - e->card.margin_c, cap;
    struct el_pace_wish w = {.used_w = n->host_w, .floor_w = s->floor_ratio * p->full_w};

    d->limit_c = limit;
    if (!n->read_us)
        return;
    p->full_w = EL_MAX(p->full_w, n->host_w * 1.02);
    cap = EL_MIN(p->cap_w, p->full_w);
    w.hold_w = el_observer_headroom(&e->observer, &e->card, i, limit, HOLD_S, 1);
    w.guard_w = el_observer_headroom(&e->observer, &e->card, i, limit + GUARD_C, REACT_S, 0);
    w.excess_c = el_observer_predict(&e->observer, &e->card, i, cap, HOLD_S) - limit;
    el_pace_step(p, &w, e->card.write_budget_per_hour, e->observer.dt_s);
    d->cap_ratio = isinf(p->cap_w) ? 1 : EL_MIN(p->cap_w / p->full_w, 0.999);
    d->budget_w = EL_MIN(p->cap_w, p->full_w);
    if (d->cap_ratio < 1)
        d->constraint = EL_CONSTRAINT_DRIVE_TEMPERATURE;
    d->temp_estimate_c = n->t_c;
    d->headroom_c = limit - n->t_c;
    d->power_estimate_w = el_observer_power(&e->observer, &e->card, i);
}

static void element_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct element *e = state;
    double sum = e->card.switch_w;

    el_observer_step(&e->observer, &e->card, in);
    for (uint32_t i = 0; i < e->card.slots; i++) {
        slot_step(e, i, &out->slot[i]);
        sum += isfinite(out->slot[i].power_estimate_w) ? out->slot[i].power_estimate_w : 0;
    }
    out->card_power_estimate_w = sum;
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
