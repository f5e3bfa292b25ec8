/* The law of elementd: estimate, predict, share, pace. Each has its own file; here they are put together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "governor/air.h"
#include "governor/fans.h"
#include "governor/governor.h"
#include "governor/observer.h"
#include "governor/pace.h"
#include "governor/power.h"
#include "governor/risk.h"
#include "governor/share.h"
#include "governor/stripes.h"
#include "governor/switch.h"

#define HOLD_S       9.0    /* a cap brings a drive to its limit within this */
#define REACT_S      7.0    /* from a jump of demand until a lower cap acts: sensor lag, grain, period, actuator */
#define WATTS_SLACK  0.01   /* of a shared total that may be left open before a cap moves: watts are exact, */
#define SWITCH_SLACK 0.03   /* the switch is slow */
#define STATE_S      40.0   /* a power state is kept about this long */
#define SETTLED_S    120.0  /* by then a drive stands where its power takes it */
#define TREND_S      300.0  /* of what is allowed: when a cap will lift */
#define TREND_LEAST  0.1    /* of full power in TREND_S: less is noise of the readings, and nothing is foreseen */
#define MEAN_S       60.0   /* card watts are held in the mean of about a minute, ... */
#define MEAN_MOST    0.0125 /* ... by aiming no further than this share of the limit beside it */
#define GUARD_C      0.5    /* what a jump of demand may pass the limit by */
#define DOUBT        0.5    /* kept below the limit for each degree by which the forecast is in more doubt than ... */
#define USUAL_C      0.5    /* ... this: a drive of which little is known drifts down until a reading's step tells, */
#define DOUBT_MOST_C 2.5    /* a blind one so far; then the safety layer keeps the distance */

static const struct el_ahead at_once = {.s = 0, .keep = 1};

struct limit { /* the lowest of a drive's own limits, as a limit on its composite */
    double limit_c;
    enum el_constraint why;
};

struct element_slot {
    struct el_risk risk;
    struct el_power power;
    struct el_pace pace; /* of a stripe, its first member's counts for all */
    double asked_w;      /* what the host asks for, as last seen without a cap in its way */
    double hold_w, hold_slope;
};

struct element {
    const struct el_governor_card *card;
    struct el_observer observer;
    struct el_air air;
    struct el_fans fans;
    struct el_switch hub;
    struct el_ahead second, react, hold, state, settled; /* see the times above */
    double trend;                                        /* what a step counts in a mean of TREND_S */
    bool watts_bind;
    double watts_bias;          /* what bursts leave unused of the card's watts, made up for; W */
    struct element_slot slot[]; /* one per slot of the card; the observer's nodes follow */
};

static int element_init(void *state, const struct el_governor_card *card)
{
    struct element *e = state;

    e->card = card;
    el_observer_init(&e->observer, (struct el_node *)&e->slot[card->slots], card);
    e->second = el_observer_ahead(&e->observer, 1);
    e->react = el_observer_ahead(&e->observer, REACT_S);
    e->hold = el_observer_ahead(&e->observer, HOLD_S);
    e->state = el_observer_ahead(&e->observer, STATE_S);
    e->settled = el_observer_ahead(&e->observer, SETTLED_S);
    el_air_init(&e->air);
    el_fans_init(&e->fans);
    el_switch_init(&e->hub);
    for (uint32_t i = 0; i < card->slots; i++) {
        el_pace_init(&e->slot[i].pace, card->slot[i].full_w - card->slot[i].idle_w);
        el_risk_init(&e->slot[i].risk);
    }
    return 0;
}

/* A single sensor with a limit of its own stands a learnt distance from the composite. */
static struct limit slot_limit(const struct element *e, uint32_t i)
{
    const struct el_node *n = &e->observer.node[i];
    struct limit l = {.limit_c = e->card->slot[i].limit_c - e->card->margin_c, .why = EL_CONSTRAINT_DRIVE_TEMPERATURE};

    if (e->observer.inlet_c > e->card->inlet_max_c + 0.5)
        l.why = EL_CONSTRAINT_INLET;
    else if (e->air.failing)
        l.why = EL_CONSTRAINT_AIRFLOW;
    for (int j = 0; j < EL_NODE_SENSORS; j++) {
        double own = n->sensor[j] < 0
                         ? NAN
                         : e->card->slot[i].sensor_limit_c[n->sensor[j]] - e->card->margin_c - n->x[EL_X_OFFSET + j];

        if (own < l.limit_c)
            l = (struct limit){.limit_c = own, .why = EL_CONSTRAINT_SENSOR_TEMPERATURE};
    }
    return l;
}

/* What each drive could do for itself: its own temperatures and nothing else. */
static void slot_wish(struct element *e, uint32_t i, struct limit l, struct el_pace_wish *w)
{
    const struct el_governor_slot *s = &e->card->slot[i];
    const struct el_node *n = &e->observer.node[i];
    struct el_pace *p = &e->slot[i].pace;

    *w = (struct el_pace_wish){.hold_w = INFINITY, .share_w = INFINITY, .guard_w = INFINITY, .used_w = n->host_w};
    if (n->io_known)
        p->full_w = EL_MAX(p->full_w, n->host_w * 1.02);
    w->floor_w = s->floor_ratio * p->full_w;
    if (!n->read_us)
        return;
    if (!el_node_blind(n))
        el_risk_step(&e->slot[i].risk, n->x[EL_X_TEMP] - l.limit_c, el_observer_doubt(&e->observer, i, at_once),
                     e->observer.dt_s);
    l.limit_c -= e->slot[i].risk.margin_c +
                 DOUBT * (EL_MIN(el_observer_doubt(&e->observer, i, e->hold), DOUBT_MOST_C) - USUAL_C);
    w->hold_w = el_observer_headroom(&e->observer, e->card, i, l.limit_c, e->hold, e->second);
    w->guard_w = el_observer_headroom(&e->observer, e->card, i, l.limit_c + GUARD_C, e->react, at_once);
    w->excess_c = el_observer_predict(&e->observer, e->card, i, EL_MIN(p->cap_w, p->full_w), e->hold) - l.limit_c;
}

/* Watts that all drives share, dealt by demand: what a drive leaves unused goes to those that can use it. */
static void share_total(struct element *e, double total, double slack, struct el_pace_wish *w)
{
    struct el_share_unit unit[EL_CARD_SLOTS_MAX];
    double share[EL_CARD_SLOTS_MAX];
    uint32_t n = 0, of[EL_CARD_SLOTS_MAX];

    for (uint32_t i = 0; i < e->card->slots; i++) {
        const struct el_pace *p = &e->slot[i].pace;
        double able = EL_MIN(w[i].hold_w, p->full_w);
        bool pressed = w[i].used_w > 0.92 * EL_MIN(p->cap_w, p->full_w);

        if (el_stripe_leader(e->card, i) != i) {
            of[i] = of[el_stripe_leader(e->card, i)];
            unit[of[i]].count++;
            continue;
        }
        of[i] = n;
        unit[n++] = (struct el_share_unit){.want_w = EL_MAX(0, pressed ? able : EL_MIN(able, 1.15 * w[i].used_w)),
                                           .cap_w = p->cap_w,
                                           .floor_w = w[i].floor_w,
                                           .weight = e->card->slot[i].weight,
                                           .count = 1,
                                           .pressed = pressed};
    }
    el_share(n, unit, total, slack, share);
    for (uint32_t i = 0; i < e->card->slots; i++)
        if (e->observer.node[i].read_us)
            w[i].share_w = EL_MIN(w[i].share_w, share[of[i]]);
}

/* Why, and until when as far as the trend of what is allowed tells. */
static void slot_why(struct element *e, uint32_t i, const struct el_pace_wish *w, enum el_constraint own,
                     enum el_constraint shared, int64_t now_us, struct el_slot_decision *d)
{
    double full = e->slot[i].pace.full_w, hold = EL_MIN(w->hold_w, full), slope;

    slope = e->slot[i].hold_w > 0 ? (hold - e->slot[i].hold_w) / EL_MAX(e->observer.dt_s, 0.1) : 0; /* the first */
    e->slot[i].hold_w = hold;
    e->slot[i].hold_slope += e->trend * (slope - e->slot[i].hold_slope);
    if (e->slot[i].pace.cap_w >= full * 0.999)
        e->slot[i].asked_w = e->observer.node[i].host_w;
    if (d->cap_ratio >= 1 && e->slot[i].power.state == 0)
        return;
    d->constraint = w->share_w < w->hold_w ? shared : own;
    if (d->constraint == own && el_stripe_leader(e->card, i) != i)
        d->constraint = EL_CONSTRAINT_ARRAY;
    if (w->share_w >= w->hold_w && (hold >= full || e->slot[i].hold_slope * TREND_S > TREND_LEAST * full))
        d->lift_us =
            now_us + (int64_t)((hold < full ? (full - hold) / e->slot[i].hold_slope : e->card->period_s) * 1e6);
    if (w->used_w > 0.92 * e->slot[i].pace.cap_w && e->slot[i].asked_w > 0)
        d->withheld_ratio = EL_CLAMP(1 - e->observer.node[i].host_w / e->slot[i].asked_w, 0, 1);
}

/* Caps first; where they cannot act or are not enough, the drive's power states. */
static void slot_power(struct element *e, uint32_t i, const struct el_pace_wish *w, const struct el_governor_input *in,
                       struct el_slot_decision *d)
{
    const struct el_governor_slot *s = &e->card->slot[i];
    const struct el_node *n = &e->observer.node[i];
    double limit = d->limit_c - e->slot[i].risk.margin_c, host;
    struct el_power_need need;

    if (!s->can_power_state || !n->read_us || el_node_blind(n))
        return;
    host = EL_MIN(el_observer_headroom(&e->observer, e->card, i, limit, e->state, at_once), w->share_w);
    need = (struct el_power_need){
        .capped = d->cap_ratio < 1,
        .obeyed = !in->slot[i].actuator_failed && n->host_w < 1.15 * d->budget_w + 0.25,
        .at_floor = d->budget_w < 1.05 * w->floor_w,
        .allowed_w = s->idle_w + n->x[EL_X_GAIN] * host + n->x[EL_X_POWER] + n->burst_w,
        .excess_c = el_observer_predict(&e->observer, e->card, i, n->host_w, e->hold) - limit,
    };
    d->power_state = el_power_step(&e->slot[i].power, s, &need, e->observer.dt_s);
}

static void slot_decide(struct element *e, uint32_t i, const struct el_pace_wish *w, struct el_slot_decision *d)
{
    const struct el_node *n = &e->observer.node[i];
    struct el_pace *p = &e->slot[i].pace;
    uint32_t leader = el_stripe_leader(e->card, i);

    if (leader == i)
        el_pace_step(p, w, e->card->write_budget_per_hour, e->observer.dt_s);
    else
        el_stripe_follow(&e->observer, &e->slot[leader].pace, leader, p, i);
    d->limit_c = e->card->slot[i].limit_c - e->card->margin_c;
    d->cap_ratio = isinf(p->cap_w) || !e->card->slot[i].can_cap ? 1 : EL_MIN(p->cap_w / p->full_w, 0.999);
    d->budget_w = EL_MIN(p->cap_w, p->full_w);
    if (!n->read_us || el_node_blind(n))
        return;
    d->temp_estimate_c = n->x[EL_X_TEMP];
    d->headroom_c = d->limit_c - n->x[EL_X_TEMP];
    d->power_estimate_w = el_observer_power(&e->observer, e->card, i);
}

/* How far the warmest drive would settle above its limit if nobody were capped. */
static double unthrottled_excess(const struct element *e)
{
    double most = -INFINITY;

    for (uint32_t i = 0; i < e->card->slots; i++) {
        const struct el_pace *p = &e->slot[i].pace;
        const struct el_node *n = &e->observer.node[i];
        double w =
            isfinite(p->cap_w) && n->host_w > 0.92 * p->cap_w ? EL_MAX(e->slot[i].asked_w, n->host_w) : n->host_w;

        if (n->read_us && !el_node_blind(n))
            most = EL_MAX(most, el_observer_predict(&e->observer, e->card, i, w, e->settled) -
                                    e->card->slot[i].limit_c + e->card->margin_c);
    }
    return most;
}

static void card_decide(struct element *e, const struct el_governor_input *in, struct el_decision *out)
{
    double excess = unthrottled_excess(e);

    el_air_step(&e->air, &e->observer, e->card, in, e->card->fans && el_fans_steered(&e->fans));
    if (e->card->fans)
        out->fan_pwm_ratio = el_fans_step(&e->fans, e->card->preference, excess, e->observer.dt_s);
    out->card_power_estimate_w = e->observer.scale * e->observer.host_w + e->observer.overhead_w;
    out->unknown_heat_w = e->observer.unknown_w;
    out->sink_resistance_c_per_w = e->air.resistance_c_per_w;
    out->airflow_estimate_lfm = e->air.lfm;
    out->air_failing = e->air.failing;
    out->airflow_wish_lfm = el_air_wish(&e->air, &e->observer, e->card, excess);
}

static bool share_binds(const struct element *e, const struct el_pace_wish *w)
{
    for (uint32_t i = 0; i < e->card->slots; i++)
        if (isfinite(w[i].share_w) && w[i].used_w > 0.92 * e->slot[i].pace.cap_w)
            return true;
    return false;
}

/* Host watts that the card's own limit leaves, INFINITY without one. Demand moves faster than caps can follow, and what
 * is left unused while they do is gone: aim a little higher until the mean is the limit. */
static double card_host_w(struct element *e)
{
    const struct el_observer *o = &e->observer;
    double limit = e->card->card_limit_w, now = o->scale * o->host_w + o->overhead_w;

    if (!isfinite(limit))
        return INFINITY;
    if (e->watts_bind && o->card_w_us) /* without a sensor there is no mean to hold */
        e->watts_bias =
            EL_CLAMP(e->watts_bias + o->dt_s / MEAN_S * (limit - now), -MEAN_MOST * limit, MEAN_MOST * limit);
    return (limit + e->watts_bias - o->overhead_w) / o->scale;
}

static void element_begin(void *state, const struct el_governor_input *in)
{
    struct element *e = state;

    for (uint32_t i = 0; i < e->card->slots; i++)
        e->observer.node[i].may_w = EL_MIN(e->slot[i].pace.cap_w, e->slot[i].pace.full_w);
    el_observer_begin(&e->observer, e->card, in);
}

static void element_observe(void *state, const struct el_governor_input *in, uint32_t slot)
{
    struct element *e = state;

    el_observer_see(&e->observer, e->card, in, slot);
}

static void element_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct element *e = state;
    struct el_pace_wish wish[EL_CARD_SLOTS_MAX];
    struct limit limit[EL_CARD_SLOTS_MAX];
    double watts, by_switch, slack;
    enum el_constraint shared;
    uint32_t slots = e->card->slots;

    el_observer_end(&e->observer, e->card, in);
    e->trend = 1 - exp(-e->observer.dt_s / TREND_S);
    for (uint32_t i = 0; i < slots; i++) {
        limit[i] = slot_limit(e, i);
        slot_wish(e, i, limit[i], &wish[i]);
    }
    el_stripes_join(e->card, &e->observer, wish);
    watts = card_host_w(e);
    by_switch = el_switch_step(&e->hub, &e->observer, e->card, in, &out->switch_headroom_c);
    slack = watts < by_switch ? WATTS_SLACK : SWITCH_SLACK;
    shared = watts < by_switch ? EL_CONSTRAINT_CARD_POWER : EL_CONSTRAINT_SWITCH_TEMPERATURE;
    if (isfinite(EL_MIN(watts, by_switch)))
        share_total(e, EL_MIN(watts, by_switch),
                    EL_MAX(0.2, slack * (EL_MIN(watts, by_switch) + e->observer.overhead_w)), wish);
    for (uint32_t i = 0; i < slots; i++) {
        slot_decide(e, i, &wish[i], &out->slot[i]);
        slot_power(e, i, &wish[i], in, &out->slot[i]);
        slot_why(e, i, &wish[i], limit[i].why, shared, in->now_us, &out->slot[i]);
    }
    e->watts_bind = watts < by_switch && share_binds(e, wish);
    card_decide(e, in, out);
}

/* Whole numbers only: no locale can touch them. A drive without a serial goes by its slot. */
static size_t element_save(const void *state, char *out, size_t size)
{
    const struct element *e = state;
    size_t used = 0;

    for (uint32_t i = 0; i < e->card->slots; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "slot%u", i);
        if (!e->observer.node[i].read_us)
            continue;
        used += (size_t)snprintf(
            out && used < size ? out + used : NULL, out && used < size ? size - used : 0,
            "drive %s gain_permille %d margin_mc %d\n", e->card->slot[i].serial[0] ? e->card->slot[i].serial : name,
            (int)lround(e->observer.node[i].x[EL_X_GAIN] * 1000), (int)lround(e->slot[i].risk.margin_c * 1000));
    }
    return used;
}

static void element_load(void *state, const char *text)
{
    struct element *e = state;

    for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL) {
        char serial[62], name[16];
        int gain, margin;

        if (sscanf(text, "drive %61s gain_permille %d margin_mc %d", serial, &gain, &margin) != 3)
            continue;
        for (uint32_t i = 0; i < e->card->slots; i++) {
            (void)snprintf(name, sizeof(name), "slot%u", i);
            if (strcmp(serial, e->card->slot[i].serial[0] ? e->card->slot[i].serial : name) != 0)
                continue;
            e->observer.node[i].x[EL_X_GAIN] = EL_CLAMP(gain * 1e-3, 0.5, 1.8);
            e->slot[i].risk.margin_c = EL_CLAMP(margin * 1e-3, 0, 0.8);
        }
    }
}

const struct el_governor_law el_law_element = {
    .name = "element",
    .state_size = sizeof(struct element),
    .slot_size = sizeof(struct element_slot) + sizeof(struct el_node),
    .init = element_init,
    .begin = element_begin,
    .observe = element_observe,
    .step = element_step,
    .save = element_save,
    .load = element_load,
};
