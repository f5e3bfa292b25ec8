#include "governor/safety.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

#define AGE_HOT_S    10.0 /* within NEAR_C of the limit a reading may be this old ... */
#define AGE_COOL_S   60.0 /* ... and this old below: cool drives are polled seldom */
#define NEAR_C       8.0
#define BELOW_AIR_C  10.0  /* a drive cannot be colder than the air by more than the air's sensor can err */
#define BLIND_HOLD_S 20.0  /* failsafe: hold the cap, ... */
#define REDUCE_S     300.0 /* ... then reduce it, then the floor */
#define RISE_C_S     0.5   /* what an unread drive may be doing (as Oxide's hubris assumes) ... */
#define RISE_MAX_C   4.0   /* ... at most, as its cap is held */
#define REDUCE       0.65
#define REDUCE_LATE  0.45
#define AMONG        0.9  /* of a blind drive among others that see */
#define FOLLOW       0.2  /* of a blind drive's cap: smaller moves of its neighbours' are not followed */
#define PEAK_S       60.0 /* by then what host watts have warmed has gone */
#define STEP_MOST_C  3.0  /* more is one sensor's matter, not the heat of all */
#define OTHERS       3u   /* drives that can tell of the heat of all, at least: one may have a burst of its own */
#define STARTUP_S    60.0
#define OBEY_S       20.0 /* a cap may take this long to bite: queued work, slow actuators */
/* What neighbours give of their caps for a drive that cannot be capped: PI with the sink's time constant, chosen on
 * plants 5001..5360 with a cap ignored on each. Half the way to critical costs them less, and bursts pass critical
 * then. */
#define PAY_AIM     0.25 /* of the way from warning to critical is where such a drive may stand */
#define PAY_LEAD    2.0  /* where its temperature is going: against its mean of PAY_SLOW_S */
#define PAY_SLOW_S  20.0
#define PAY_PER_C   0.3
#define PAY_PER_C_S 0.0022
#define PAY_HOT     4.0  /* as much faster above: bursts keep their distance from critical */
#define PAY_STEP    0.12 /* smaller moves are not worth a write, */
#define PAY_WRITE_S 20.0 /* nor sooner ones downwards */
#define PAY_BACK_S  60.0 /* given back within this, when it obeys again */
#define FAN_SPIN_S  15.0

static double seconds(int64_t from_us, int64_t to_us)
{
    return (double)(to_us - from_us) * 1e-6;
}

/* Caps that are read back wrong, refused, or run over by the drive's own counters. */
static void slot_obeys(struct el_safety_slot *s, const struct el_governor_slot_input *in,
                       const struct el_slot_decision *last, int64_t now_us)
{
    bool over = last->cap_ratio < 1 && in->io_valid && s->work.host_w > 1.15 * last->budget_w + 0.25;
    bool differs = isfinite(in->cap_ratio_in_force) && in->cap_ratio_in_force > last->cap_ratio + 0.02;

    if (!s->obeyed_us || !(over || differs || in->actuator_failed))
        s->obeyed_us = now_us;
    s->disobeys = seconds(s->obeyed_us, now_us) > OBEY_S;
}

/* What a drive tells of the heat that all share: what its host watts warm comes at once and goes slowly. */
static void tell(struct el_safety_slot *s, double k)
{
    double c = s->present && s->doubt == EL_CONSTRAINT_NONE && s->trusted_us ? s->trusted_c : NAN,
           w = EL_MAX(s->work.host_w, s->peak_w + k * (s->work.host_w - s->peak_w));

    s->step_c = isfinite(c - s->seen_c) ? EL_CLAMP(c - s->seen_c, -STEP_MOST_C, STEP_MOST_C) : NAN;
    s->step_w = w - s->peak_w;
    s->seen_c = c;
    s->peak_w = w;
}

static void hear_others(struct el_safety *s, uint32_t slots, double k)
{
    double c = 0, w = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < slots; i++) {
        tell(&s->slot[i], k);
        if (isfinite(s->slot[i].step_c)) {
            c += s->slot[i].step_c;
            w += s->slot[i].step_w;
            n++;
        }
    }
    for (uint32_t i = 0; i < slots; i++) {
        struct el_safety_slot *x = &s->slot[i];
        bool own = isfinite(x->step_c);

        if (n - own >= OTHERS) {
            x->others_c += (c - (own ? x->step_c : 0)) / (n - own);
            x->others_w += (w - (own ? x->step_w : 0)) / (n - own);
        }
    }
}

static enum el_constraint why_doubted(enum el_belief b)
{
    return b == EL_BELIEVE                               ? EL_CONSTRAINT_NONE
           : b == EL_DOUBT_STALE || b == EL_DOUBT_ABSENT ? EL_CONSTRAINT_STALE_SENSOR
                                                         : EL_CONSTRAINT_FAILED_SENSOR;
}

static void slot_trust(struct el_safety_slot *s, enum el_belief belief, const struct el_governor_slot_input *clean,
                       double full_w, double slow, const struct el_slot_decision *last, bool tried, int64_t now_us)
{
    enum el_constraint doubt = why_doubted(belief);

    if (doubt != EL_CONSTRAINT_NONE && s->doubt == EL_CONSTRAINT_NONE) {
        s->doubt_us = now_us;
        if (!tried)
            s->hold = last->cap_ratio;
        if (belief == EL_DOUBT_STUCK) /* nothing has been known since it moved last */
            s->hold = EL_CLAMP(s->still.moved_w / full_w, s->hold / 2, 1);
    }
    s->doubt = doubt;
    if (doubt == EL_CONSTRAINT_NONE) {
        s->trusted_c = (double)clean->temp_mc.value * 1e-3;
        s->slow_c = s->trusted_us ? s->slow_c + slow * (s->trusted_c - s->slow_c) : s->trusted_c;
        s->trusted_us = now_us;
    }
}

void el_safety_screen(struct el_safety *safety, const struct el_governor_card *card, uint32_t i,
                      const struct el_decision *last, struct el_governor_input *clean)
{
    struct el_safety_slot *s = &safety->slot[i];
    struct el_governor_slot_input *in = &clean->slot[i];
    const struct el_governor_slot *c = &card->slot[i];
    struct el_screen_load load = safety->load;
    double least = isfinite(load.inlet_c) ? load.inlet_c - BELOW_AIR_C : NAN, age;
    enum el_belief belief;
    bool tried = false;

    if (in->present != s->present) { /* another drive, or none: nothing that was known of it holds */
        *s = (struct el_safety_slot){.present = in->present,
                                     .seen_c = NAN,
                                     .shown_us = clean->now_us,
                                     .doubt_us = clean->now_us,
                                     .hold = 1,
                                     .doubt = EL_CONSTRAINT_STARTUP};
    }
    if (!in->present)
        return;
    in->io_valid = el_work_step(&s->work, c, in, clean->now_us);
    age = s->trusted_us && s->trusted_c < c->limit_c - NEAR_C ? AGE_COOL_S : EL_MAX(AGE_HOT_S, 5 * card->period_s);
    belief = el_screen_step(&s->composite, &in->temp_mc, clean->now_us, least, age);
    if (belief == EL_BELIEVE) {
        load.host_w = s->work.host_w;
        load.limit_c = c->limit_c;
        load.peak_w = s->peak_w;
        load.others_c = s->others_c;
        load.others_w = s->others_w;
        tried = s->life == EL_LIFE_TRIED;
        s->life = el_screen_stuck(&s->composite, &s->still, clean->now_us, &load, &safety->pace);
        if (s->life == EL_LIFE_TRIED && !tried)
            s->hold = last->slot[i].cap_ratio;
        if (s->life == EL_LIFE_STUCK) {
            in->temp_mc.quality = EL_IMPLAUSIBLE;
            belief = EL_DOUBT_STUCK;
        }
    }
    for (int k = 0; k < 8; k++)
        if (in->sensor_mc[k].quality != EL_ABSENT)
            el_screen_step(&s->sensor[k], &in->sensor_mc[k], clean->now_us, least, age);
    slot_trust(s, belief, in, c->full_w - c->idle_w, safety->slow, &last->slot[i], tried, clean->now_us);
}

static void fans_check(struct el_safety *s, const struct el_governor_card *card, const struct el_governor_input *in,
                       const struct el_decision *last)
{
    s->fan_failed = false;
    for (uint32_t f = 0; f < 8; f++) {
        bool still = el_reading_usable(&in->fan_rpm[f]) && in->fan_rpm[f].value <= 60 && !(last->fan_pwm_ratio < 0.2);

        if (!still || !s->fan_turned_us[f])
            s->fan_turned_us[f] = in->now_us;
        s->fan_failed = s->fan_failed || seconds(s->fan_turned_us[f], in->now_us) > FAN_SPIN_S;
    }
}

/* Host watts are those of the step before: all is smoothed over many. */
static struct el_screen_load shared_load(const struct el_safety *s, const struct el_governor_card *card,
                                         const struct el_governor_input *clean, const struct el_decision *last)
{
    struct el_screen_load l = {.inlet_c = NAN, .card_rest_w = NAN, .air_failing = last->air_failing};

    for (uint32_t i = 0; i < card->slots; i++) {
        l.card_host_w += s->slot[i].work.host_w;
        l.drives += s->slot[i].present;
    }
    if (el_reading_usable(&clean->inlet_mc))
        l.inlet_c = (double)clean->inlet_mc.value * 1e-3;
    if (el_reading_usable(&clean->card_power_mw))
        l.card_rest_w = (double)clean->card_power_mw.value * 1e-3 - l.card_host_w;
    return l;
}

void el_safety_begin(struct el_safety *s, const struct el_governor_card *card, const struct el_decision *last,
                     struct el_governor_input *clean)
{
    int64_t now_us = clean->now_us;
    double dt = s->last_us ? EL_CLAMP(seconds(s->last_us, now_us), 0, 60) : card->period_s;

    s->pace = el_screen_pace(dt);
    s->slow = 1 - exp(-dt / PAY_SLOW_S);
    if (!s->start_us)
        s->start_us = EL_MAX(now_us, 1);
    el_screen_step(&s->inlet, &clean->inlet_mc, now_us, NAN, AGE_COOL_S);
    el_screen_step(&s->sw, &clean->switch_mc, now_us, NAN, AGE_COOL_S);
    s->inlet_reported = s->inlet_reported || el_reading_usable(&clean->inlet_mc);
    hear_others(s, card->slots, 1 - exp(-card->period_s / PEAK_S));
    s->load = shared_load(s, card, clean, last);
    fans_check(s, card, clean, last);
    s->last_us = now_us;
}

/* How far a drive whose temperature is not known has come: by the clock, and by what it may have warmed since. `seen`:
 * the air is known to do its work, so the clock alone does not end it. */
static enum el_failsafe slot_level(const struct el_safety_slot *s, const struct el_governor_slot *card, int64_t now_us,
                                   bool seen)
{
    double blind = seconds(s->doubt_us, now_us),
           hot = s->trusted_c + EL_MIN(RISE_C_S * EL_MAX(seconds(s->trusted_us, now_us) - AGE_HOT_S, 0), RISE_MAX_C);

    if (s->doubt == EL_CONSTRAINT_NONE)
        return EL_FAILSAFE_NONE;
    if (!s->trusted_us || (blind > REDUCE_S && !seen) ||
        (blind > AGE_HOT_S && isfinite(card->critical_c) && hot >= card->critical_c))
        return EL_FAILSAFE_FLOOR;
    return blind > BLIND_HOLD_S || (blind > AGE_HOT_S && hot > card->limit_c + RISE_MAX_C / 2) ? EL_FAILSAFE_REDUCE
                                                                                               : EL_FAILSAFE_HOLD;
}

static void lower(struct el_slot_decision *d, double cap, enum el_constraint why)
{
    if (cap >= d->cap_ratio)
        return;
    d->budget_w *= cap / d->cap_ratio;
    d->cap_ratio = cap;
    d->constraint = why;
    d->lift_us = 0;
}

static void raise_failsafe(struct el_decision *d, enum el_failsafe level, enum el_constraint why)
{
    if (level > d->failsafe) {
        d->failsafe = level;
        d->failsafe_reason = why;
    }
}

/* Mean cap of the drives whose temperatures are known: what the same sink and air let them do. 0: nobody can tell. */
static double seen_cap(const struct el_safety *s, const struct el_governor_card *card, const struct el_decision *d)
{
    double sum = 0, n = 0;

    for (uint32_t i = 0; i < card->slots; i++)
        if (s->slot[i].present && s->slot[i].doubt == EL_CONSTRAINT_NONE) {
            sum += d->slot[i].cap_ratio;
            n++;
        }
    return n > 0 && !d->air_failing && !s->fan_failed ? sum / n : 0;
}

/* A blind drive among drives that see may go on at a part of what they may do, and of what it did when it was last
 * known; alone it goes down to its floor in steps. */
static double blind_cap(const struct el_safety_slot *s, double blind_s, double seen, double last)
{
    double cap = s->hold * (blind_s > REDUCE_S / 2 ? REDUCE_LATE : REDUCE);

    if (seen > 0) {
        cap = EL_MIN(s->hold, seen) * AMONG;
        if (last <= s->hold * AMONG && fabs(cap - last) < FOLLOW * last) /* not worth a write */
            cap = last;
    }
    return cap;
}

static void slot_bound(const struct el_safety_slot *s, const struct el_governor_slot *card, int64_t now_us, double seen,
                       const struct el_slot_decision *last, struct el_decision *all, struct el_slot_decision *d)
{
    enum el_failsafe level = slot_level(s, card, now_us, seen > 0);
    double blind = seconds(s->doubt_us, now_us);
    enum el_constraint why = s->trusted_us ? s->doubt : EL_CONSTRAINT_STARTUP;

    raise_failsafe(all, level, why);
    if (level == EL_FAILSAFE_HOLD)
        lower(d, EL_MAX(card->floor_ratio, EL_MIN(s->hold, last->cap_ratio)), why);
    else if (level == EL_FAILSAFE_REDUCE)
        lower(d, EL_MAX(card->floor_ratio, blind_cap(s, blind, seen, last->cap_ratio)), why);
    else if (level == EL_FAILSAFE_FLOOR)
        lower(d, card->floor_ratio, why);
    else if (s->life == EL_LIFE_TRIED)
        lower(d, EL_CLAMP(s->still.tried_w / (card->full_w - card->idle_w), card->floor_ratio, last->cap_ratio),
              EL_CONSTRAINT_FAILED_SENSOR);
    else if (s->life == EL_LIFE_SUSPECT)
        lower(d, last->cap_ratio, EL_CONSTRAINT_FAILED_SENSOR);
}

/* How far above what may be a drive that cannot be capped is, or soon will be. */
static double runaway_c(const struct el_safety_slot *s, const struct el_governor_slot *card)
{
    double warning = isfinite(card->warning_c) ? card->warning_c : card->limit_c,
           critical = isfinite(card->critical_c) ? card->critical_c : warning + NEAR_C;

    if (!s->present || !s->disobeys)
        return -INFINITY;
    if (!s->trusted_us)
        return 1;
    return s->trusted_c + PAY_LEAD * (s->trusted_c - s->slow_c) - warning - PAY_AIM * EL_MAX(critical - warning, 0);
}

/* A drive that cannot be capped is heat like any other to its neighbours, and they to it, through the sink and the air:
 * they give way as far as keeps it from its critical temperature, and no further. */
static void neighbours_pay(struct el_safety *s, const struct el_governor_card *card, double dt, struct el_decision *d)
{
    double excess = -INFINITY, pay;

    for (uint32_t i = 0; i < card->slots; i++)
        excess = EL_MAX(excess, runaway_c(&s->slot[i], &card->slot[i]));
    if (isfinite(excess)) {
        s->debt = EL_CLAMP(s->debt + PAY_PER_C_S * excess * (excess > 0 ? PAY_HOT : 1) * dt, 0, 1);
        pay = EL_CLAMP(s->debt + PAY_PER_C * excess, 0, 1);
    } else {
        s->debt = EL_MAX(0, s->debt - dt / PAY_BACK_S);
        pay = EL_MIN(s->pay, s->debt);
    }
    s->paid_s += dt;
    if (pay > s->pay + PAY_STEP || (pay < s->pay - PAY_STEP && s->paid_s > PAY_WRITE_S) || pay <= 0 || pay >= 1) {
        s->pay = pay;
        s->paid_s = 0;
    }
    for (uint32_t i = 0; i < card->slots && s->pay > 0; i++)
        if (s->slot[i].present && !s->slot[i].disobeys)
            lower(&d->slot[i], EL_MAX(card->slot[i].floor_ratio, (1 - s->pay) * d->slot[i].cap_ratio),
                  EL_CONSTRAINT_ACTUATOR);
    if (s->pay > 0)
        raise_failsafe(d, EL_FAILSAFE_REDUCE, EL_CONSTRAINT_ACTUATOR);
}

/* Nothing is known yet: half power for a minute at most, until every drive and a required inlet sensor have reported.
 */
static void startup_bound(const struct el_safety *s, const struct el_governor_card *card, int64_t now_us,
                          struct el_decision *d)
{
    bool waiting = isnan(card->inlet_assumed_c) && !s->inlet_reported;

    for (uint32_t i = 0; i < card->slots; i++)
        waiting = waiting || (s->slot[i].present && !s->slot[i].trusted_us);
    if (!waiting)
        return;
    raise_failsafe(d, EL_FAILSAFE_HOLD, EL_CONSTRAINT_STARTUP);
    if (seconds(s->start_us, now_us) > STARTUP_S)
        return;
    raise_failsafe(d, EL_FAILSAFE_REDUCE, EL_CONSTRAINT_STARTUP);
    for (uint32_t i = 0; i < card->slots; i++)
        lower(&d->slot[i], EL_MAX(card->slot[i].floor_ratio, 0.5), EL_CONSTRAINT_STARTUP);
}

void el_safety_bound(struct el_safety *s, const struct el_governor_card *card, const struct el_governor_input *clean,
                     const struct el_decision *last, struct el_decision *d)
{
    double dt = card->period_s, seen = seen_cap(s, card, d);

    startup_bound(s, card, clean->now_us, d);
    for (uint32_t i = 0; i < card->slots; i++)
        if (s->slot[i].present) {
            slot_obeys(&s->slot[i], &clean->slot[i], &last->slot[i], clean->now_us);
            slot_bound(&s->slot[i], &card->slot[i], clean->now_us, seen, &last->slot[i], d, &d->slot[i]);
        }
    neighbours_pay(s, card, dt, d);
    if (s->fan_failed)
        raise_failsafe(d, EL_FAILSAFE_HOLD, EL_CONSTRAINT_AIRFLOW);
    if (card->fans && (s->fan_failed || d->failsafe >= EL_FAILSAFE_REDUCE))
        d->fan_pwm_ratio = 1;
}
