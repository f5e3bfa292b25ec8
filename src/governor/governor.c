/* The governor that runs: screen, law, bound, and the book-keeping that every law would otherwise repeat. */
#include "governor/governor.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "governor/safety.h"

#define RETRY_US    (5 * EL_USEC_PER_SEC)
#define RETRIES_MAX 4 /* 80 s between tries at most, while the drive is below its warning temperature */

struct el_governor {
    const struct el_governor_law *law;
    struct el_governor_card card;
    struct el_safety *safety; /* behind the state */
    uint32_t room;            /* slots there is memory for */
    struct el_decision last;  /* what was asked for */
    int64_t asserted_us[EL_CARD_SLOTS_MAX];
    uint8_t retries[EL_CARD_SLOTS_MAX]; /* of a cap that is not in force: each waits twice as long */
    struct el_governor_input clean;     /* of the step under way; of its slots only those the card has */
    bool begun, observed[EL_CARD_SLOTS_MAX];
    _Alignas(max_align_t) unsigned char state[];
};

/* Whatever the configuration says, the core sees numbers it can divide by. */
static double sane(double v, double lo, double hi, double otherwise)
{
    return isfinite(v) ? EL_CLAMP(v, lo, hi) : otherwise;
}

static void slot_sane(struct el_governor_slot *s, uint32_t arrays)
{
    s->idle_w = sane(s->idle_w, 0, 100, 2.5);
    s->full_w = sane(s->full_w, s->idle_w + 0.1, 200, s->idle_w + 5.5);
    s->limit_c = sane(s->limit_c, -40, 150, sane(s->warning_c, -40, 150, 70));
    s->weight = sane(s->weight, 0.01, 100, 1);
    s->floor_ratio = sane(s->floor_ratio, 0.05, 1, 0.05);
    s->read_j_per_byte = sane(s->read_j_per_byte, 0, 1, 9e-10);
    s->write_j_per_byte = sane(s->write_j_per_byte, 0, 1, 1.5e-9);
    s->read_j_per_op = sane(s->read_j_per_op, 0, 1, 1e-6);
    s->write_j_per_op = sane(s->write_j_per_op, 0, 1, 2e-6);
    s->power_states = EL_MIN(s->power_states, 8U);
    if (s->array < 0 || (uint32_t)s->array >= arrays)
        s->array = -1;
}

static void card_sane(struct el_governor_card *c)
{
    c->arrays = EL_MIN(c->arrays, (uint32_t)EL_CARD_SLOTS_MAX);
    c->margin_c = sane(c->margin_c, -2, 30, 0);
    c->period_s = sane(c->period_s, 0.1, 60, 2);
    c->write_budget_per_hour = sane(c->write_budget_per_hour, 10, 3600, 120);
    c->switch_w = sane(c->switch_w, 0, 100, 5);
    c->sink_r400_c_per_w = sane(c->sink_r400_c_per_w, 0.01, 10, 0.4);
    c->sink_r_exponent = sane(c->sink_r_exponent, 0, 1, 0.55);
    c->sink_c_j_per_k = sane(c->sink_c_j_per_k, 10, 1e5, 225);
    c->drive_r_c_per_w = sane(c->drive_r_c_per_w, 0.1, 20, 1.75);
    c->drive_c_j_per_k = sane(c->drive_c_j_per_k, 1, 1000, 12);
    c->airflow_assumed_lfm = sane(c->airflow_assumed_lfm, 1, 5000, 400);
    for (uint32_t i = 0; i < c->slots; i++)
        slot_sane(&c->slot[i], c->arrays);
}

/* Only the slots it has: the rest of the room is never touched. */
static void take_card(struct el_governor *g, const struct el_governor_card *card)
{
    uint32_t slots = EL_MIN(card->slots, g->room);

    memcpy(&g->card, card, offsetof(struct el_governor_card, slot) + slots * sizeof card->slot[0]);
    g->card.slots = slots;
    card_sane(&g->card);
}

static size_t aligned(size_t n)
{
    return (n + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
}

struct el_governor *el_governor_new(const struct el_governor_law *law, const struct el_governor_card *card)
{
    uint32_t slots = EL_MIN(card->slots, (uint32_t)EL_CARD_SLOTS_MAX);
    size_t state = aligned(law->state_size + slots * law->slot_size);
    struct el_governor *g = calloc(1, sizeof(*g) + state + sizeof *g->safety + slots * sizeof g->safety->slot[0]);

    if (!g)
        return NULL;
    g->law = law;
    g->room = slots;
    g->safety = (struct el_safety *)(void *)(g->state + state);
    take_card(g, card);
    el_decision_clear(&g->last, slots);
    if (law->init(g->state, &g->card) < 0) {
        free(g);
        return NULL;
    }
    return g;
}

struct el_governor *el_governor_free(struct el_governor *g)
{
    free(g);
    return NULL;
}

/* A law that miscalculates must not reach an actuator: no number that is not one, nothing below the floor. */
static void slot_finite(const struct el_governor_slot *card, const struct el_slot_decision *last,
                        struct el_slot_decision *d)
{
    double full = card->full_w - card->idle_w;

    if (!isfinite(d->cap_ratio))
        d->cap_ratio = EL_MIN(last->cap_ratio, 0.5);
    d->cap_ratio = EL_CLAMP(d->cap_ratio, card->floor_ratio, 1.0);
    if (!isfinite(d->budget_w) || d->cap_ratio >= 1 || d->budget_w <= 0)
        d->budget_w = d->cap_ratio * full;
}

/* A power state below full power throttles as a cap does, and has a constraint as a cap has. */
static bool saves(const struct el_governor_slot *card, int32_t power_state)
{
    return card->power_states > 1 && power_state >= 0 && power_state != card->power_state_id[0];
}

static void slot_book(struct el_governor *g, uint32_t i, const struct el_governor_input *in, struct el_slot_decision *d)
{
    const struct el_slot_decision *last = &g->last.slot[i];
    const struct el_safety_slot *s = &g->safety->slot[i];
    bool hot = s->trusted_c >= g->card.slot[i].warning_c,
         run_over = s->disobeys || (hot && in->now_us - s->obeyed_us > RETRY_US),
         held = !(fabs(in->slot[i].cap_ratio_in_force - d->cap_ratio) > 0.02) && !(run_over && d->cap_ratio < 1);

    if (d->cap_ratio >= 1 && !saves(&g->card.slot[i], d->power_state) && d->constraint < EL_CONSTRAINT_STALE_SENSOR)
        d->constraint = EL_CONSTRAINT_NONE;
    d->since_us = d->constraint == EL_CONSTRAINT_NONE ? 0
                  : d->constraint == last->constraint ? last->since_us
                                                      : in->now_us;
    if (d->constraint == EL_CONSTRAINT_NONE)
        d->lift_us = 0;
    d->sensor_valid = in->slot[i].temp_mc.quality == EL_GOOD;
    d->write = d->cap_ratio != last->cap_ratio;
    if (held) {
        g->retries[i] = 0;
    } else if (!d->write && in->now_us - g->asserted_us[i] > (hot ? RETRY_US : RETRY_US << g->retries[i])) {
        d->write = true; /* a reset forgot it, somebody else moved it, it never took or is run over */
        g->retries[i] = (uint8_t)EL_MIN(g->retries[i] + 1, RETRIES_MAX);
    }
    if (d->write)
        g->asserted_us[i] = in->now_us;
}

bool el_governor_begun(const struct el_governor *g, int64_t now_us)
{
    return g->begun && g->clean.now_us == now_us;
}

/* Once in a step. One that was begun at another time was never made: it is forgotten. */
static void begin(struct el_governor *g, const struct el_governor_input *in)
{
    const size_t rest = offsetof(struct el_governor_input, inlet_mc);

    if (el_governor_begun(g, in->now_us))
        return;
    g->begun = true;
    memset(g->observed, 0, sizeof g->observed);
    g->clean.now_us = in->now_us;
    memcpy((char *)&g->clean + rest, (const char *)in + rest, sizeof *in - rest);
    el_safety_begin(g->safety, &g->card, &g->last, &g->clean);
    if (g->law->begin)
        g->law->begin(g->state, &g->clean);
}

void el_governor_observe(struct el_governor *g, const struct el_governor_input *in, uint32_t slot)
{
    begin(g, in);
    if (slot >= g->card.slots || g->observed[slot])
        return;
    g->observed[slot] = true;
    g->clean.slot[slot] = in->slot[slot];
    el_safety_screen(g->safety, &g->card, slot, &g->last, &g->clean);
    if (g->law->observe)
        g->law->observe(g->state, &g->clean, slot);
}

static void observe_rest(struct el_governor *g, const struct el_governor_input *in)
{
    begin(g, in);
    for (uint32_t i = 0; i < g->card.slots; i++) {
        el_governor_observe(g, in, i);
        g->clean.slot[i].cap_ratio_in_force = in->slot[i].cap_ratio_in_force;
        g->clean.slot[i].actuator_failed = in->slot[i].actuator_failed;
    }
    g->begun = false;
}

void el_governor_step(struct el_governor *g, const struct el_governor_input *in, struct el_decision *out)
{
    observe_rest(g, in);
    el_decision_clear(out, g->card.slots);
    g->law->step(g->state, &g->clean, out);
    for (uint32_t i = 0; i < g->card.slots; i++)
        slot_finite(&g->card.slot[i], &g->last.slot[i], &out->slot[i]);
    el_safety_bound(g->safety, &g->card, &g->clean, &g->last, out);
    out->air_failing = out->air_failing || g->safety->fan_failed; /* before any temperature tells */
    for (uint32_t i = 0; i < g->card.slots; i++)
        slot_book(g, i, &g->clean, &out->slot[i]);
    if (!isfinite(out->fan_pwm_ratio))
        out->fan_pwm_ratio = NAN;
    out->fan_write = g->card.fans > 0 && isfinite(out->fan_pwm_ratio) && out->fan_pwm_ratio != g->last.fan_pwm_ratio;
    out->card_limit_w = g->card.card_limit_w;
    memcpy(&g->last, out, offsetof(struct el_decision, slot) + out->slots * sizeof out->slot[0]);
}

void el_governor_reconfigure(struct el_governor *g, const struct el_governor_card *card)
{
    take_card(g, card);
}

const struct el_governor_card *el_governor_card(const struct el_governor *g)
{
    return &g->card;
}

const char *el_governor_law_name(const struct el_governor *g)
{
    return g->law->name;
}

size_t el_governor_save(const struct el_governor *g, char *out, size_t size)
{
    if (size)
        out[0] = '\0';
    return g->law->save ? g->law->save(g->state, out, size) : 0;
}

void el_governor_load(struct el_governor *g, const char *text)
{
    if (g->law->load && text)
        g->law->load(g->state, text);
}
