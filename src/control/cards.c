#include "control/cards.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "control/card_setup.h"
#include "control/cards_act.h"
#include "control/endurance.h"

#define ASK_US                                                                                                         \
    (60 * EL_USEC_PER_SEC) /* actuators come and go (an io controller switched on or off) without any event */
#define AGAIN_US     (2 * EL_USEC_PER_SEC) /* for want of memory or descriptors not all was learnt: once more */
#define ESCAPE_RATIO 1.25                  /* measured over budget: more is no jitter of the budget's own period */

static void loops_free(struct el_cards *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        el_governor_free(c->loop[i].governor);
    free(c->loop);
}

/* Which sensors fill which reading of a card row. */
static const struct {
    enum el_sensor_role role;
    enum el_sensor_kind kind;
    size_t of_card;
} readings[EL_CARD_READINGS] = {
    {EL_ROLE_INLET, EL_SENSOR_TEMPERATURE, offsetof(struct el_card, inlet_mc)},
    {EL_ROLE_AIRFLOW, EL_SENSOR_AIRFLOW, offsetof(struct el_card, airflow_mlfm)},
    {EL_ROLE_HUMIDITY, EL_SENSOR_HUMIDITY, offsetof(struct el_card, humidity_ppm)},
    {EL_ROLE_CARD_POWER, EL_SENSOR_POWER, offsetof(struct el_card, power_mw)},
    {EL_ROLE_SWITCH, EL_SENSOR_TEMPERATURE, offsetof(struct el_card, switch_mc)},
};
enum { READING_INLET = 0 };

/* A sensor of the card itself goes before one of the whole board. */
static void take_sensor(struct el_card_loop *l, const struct el_sensor *sensors, uint32_t row)
{
    const struct el_sensor *s = &sensors[row];

    for (size_t i = 0; i < EL_ARRAY_SIZE(readings); i++)
        if (s->role == readings[i].role && s->kind == readings[i].kind && (s->card >= 0 || l->sensor[i] < 0))
            l->sensor[i] = (int32_t)row;
    if (s->kind == EL_SENSOR_FAN && s->role == EL_ROLE_FAN && l->tachos < EL_CARD_FANS_MAX)
        l->tacho[l->tachos++] = row;
}

static void find_sensors(struct el_cards *c, const struct el_world *w)
{
    const struct el_sensor *s = el_snapshot_sensors(w->s);

    for (uint32_t k = 0; k < c->n; k++) {
        memset(c->loop[k].sensor, -1, sizeof c->loop[k].sensor);
        memset(c->loop[k].fan, 0, sizeof c->loop[k].fan);
        c->loop[k].tachos = 0;
    }
    for (uint32_t i = 0; i < w->s->sensors.count; i++)
        for (uint32_t k = 0; k < c->n; k++)
            if (s[i].card < 0 || s[i].card == (int32_t)k)
                take_sensor(&c->loop[k], s, i);
}

int el_cards_remap(struct el_cards *c, const struct el_world *w, const struct el_remap *r)
{
    uint32_t n = w->s->cards.count;
    struct el_card_loop *fresh = calloc(n ? n : 1, sizeof *fresh);

    if (!fresh) { /* rows of cards that were known stay where they are */
        find_sensors(c, w);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t old = r->card[i].old;

        if (old >= 0 && (uint32_t)old < c->n) {
            fresh[i] = c->loop[old];
            c->loop[old] = (struct el_card_loop){0};
        }
        fresh[i].stale_facts = true;
    }
    loops_free(c);
    c->loop = fresh;
    c->n = n;
    find_sensors(c, w);
    return el_card_fans_take_up(c->hands, w);
}

void el_cards_free(struct el_cards *c)
{
    loops_free(c);
    free(c->learnt);
    el_profiles_free(c->profiles);
    *c = (struct el_cards){0};
}

void el_cards_reconfigure(struct el_cards *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        c->loop[i].stale_facts = true;
    if (!c->settings->governor.use_fans) /* given back now; taken anew when they are allowed again */
        for (uint32_t i = 0; i < c->n; i++)
            memset(c->loop[i].fan, 0, sizeof c->loop[i].fan);
}

void el_cards_save(const struct el_cards *c, struct el_buf *out)
{
    for (uint32_t i = 0; i < c->n; i++) {
        size_t n = c->loop[i].governor ? el_governor_save(c->loop[i].governor, NULL, 0) : 0;

        if (!n || el_buf_reserve(out, n + 1) < 0)
            continue;
        el_governor_save(c->loop[i].governor, out->data + out->len, n + 1);
        out->len += n;
        out->data[out->len] = '\0';
    }
}

/* Its profile's years from the day the settings name, and what its profile promises of its links. */
static void refresh_card(struct el_cards *c, struct el_world *w, struct el_card *card)
{
    const struct el_card_profile *p = el_profiles_card(c->profiles, card->profile);
    const struct el_slot *slots = &el_snapshot_slots(w->s)[card->first_slot];
    struct el_card_settings cs;

    el_card_settings_of(c->settings, card, slots, &cs);
    (void)el_endurance_warranty(card, slots, cs.warranty_start, p ? p->warranty_years : NAN,
                                w->s->realtime_us); /* a bad date was refused with the file */
    if (p)
        el_card_links(p, &el_snapshot_links(w->s)[card->first_link], card->links);
}

void el_cards_refresh(struct el_cards *c, struct el_world *w)
{
    for (uint32_t i = 0; i < w->s->cards.count; i++)
        refresh_card(c, w, &el_snapshot_cards(w->s)[i]);
}

/* ---- facts ---- */

/* What can be done to a drive: no command is sent for it. What holds something of ours counts in any case: its loss
 * shows as a mismatch, and a cap never has two actuators. */
static uint32_t ask_usable(struct el_cards *c, const struct el_world *w, const struct el_drive *d, uint32_t row)
{
    bool confused = el_world_shares_serial(w, row);
    uint32_t usable = 0, ours = 0;
    char why[128];

    for (int a = 0; a < EL_ACTUATOR_FAN; a++) {
        if (!confused && c->dev.ops->actuator_usable &&
            c->dev.ops->actuator_usable(c->dev.dev, (enum el_actuator)a, d->key, why, sizeof why) == 0)
            usable |= 1u << a;
        if (d->hand[a] && el_actuate_moved(c->hands, d->hand[a]))
            ours |= 1u << a;
    }
    if ((ours & 1u << EL_ACTUATOR_IO_MAX) && !(ours & 1u << EL_ACTUATOR_IO_BUDGET))
        usable &= ~(1u << EL_ACTUATOR_IO_BUDGET);
    return usable | ours;
}

/* A drive was identified: what can be done to it, and what an earlier run left on it. */
static void learn_drive(struct el_cards *c, struct el_world *w, struct el_drive *d, uint32_t row, int64_t now_us)
{
    struct el_actuate_target t;
    int adopted;

    for (int a = 0; d->swapped && a < EL_ACTUATOR_COUNT; a++) {
        if (d->hand[a])
            el_actuate_doubt(c->hands, d->hand[a], EL_DOUBT_REPLACED);
        d->hand[a] = NULL;
    }
    d->inherited = d->inherited && !d->swapped;
    d->swapped = false;
    d->asked_us = now_us;
    el_card_drive_target(w, row, &t);
    adopted = t.serial[0] ? el_actuate_adopt(c->hands, &t, true, d->hand) : 0;
    d->inherited |= adopted != 0;
    d->fresh = adopted < 0; /* again in the next round */
    d->usable = el_snapshot_slots(w->s)[row].action.usable = ask_usable(c, w, d, row);
}

/* True when something can be used now that could not before, or the other way round. */
static bool learn_again(struct el_cards *c, struct el_world *w, struct el_drive *d, uint32_t row, int64_t now_us)
{
    uint32_t card = el_snapshot_slots(w->s)[row].card, before = d->usable;

    d->asked_us = now_us;
    d->usable = ask_usable(c, w, d, row);
    for (int a = 0; a < EL_ACTUATOR_FAN; a++)
        if ((d->usable ^ before) & 1u << a)
            el_world_say(w, EL_SEVERITY_INFO, (int32_t)card, (int32_t)row, "%s can %s be used",
                         el_actuator_name((enum el_actuator)a), d->usable & 1u << a ? "now" : "no longer");
    el_snapshot_slots(w->s)[row].action.usable = d->usable; /* events may have moved the block */
    return d->usable != before;
}

static void learn_drives(struct el_cards *c, struct el_world *w, struct el_drive_set *ds, uint32_t row, int64_t now_us)
{
    const struct el_card *card = &el_snapshot_cards(w->s)[row];
    uint32_t first = card->first_slot, slots = card->slots;

    for (uint32_t i = first; i < first + slots; i++)
        if (ds->drive[i].fresh) {
            learn_drive(c, w, &ds->drive[i], i, now_us);
            c->loop[row].stale_facts = true;
        }
}

void el_cards_ask(struct el_cards *c, struct el_world *w, struct el_drive_set *ds, int64_t now_us)
{
    for (uint32_t i = 0; i < ds->n && ds->n == w->s->slots.count; i++) {
        struct el_drive *d = &ds->drive[i];
        uint32_t card = el_snapshot_slots(w->s)[i].card;

        if (card < c->n && d->asked_us && now_us - d->asked_us >= ASK_US && learn_again(c, w, d, i, now_us))
            c->loop[card].stale_facts = true;
    }
}

static void learn_card(struct el_cards *c, struct el_world *w, struct el_drive_set *ds, uint32_t row)
{
    struct el_card *card = &el_snapshot_cards(w->s)[row];
    struct el_slot *slots = &el_snapshot_slots(w->s)[card->first_slot];
    struct el_card_loop *l = &c->loop[row];
    struct el_card_facts f = {.card = card, .slots = slots};
    struct el_card_settings cs;
    uint32_t fans[EL_CARD_FANS_MAX];

    el_card_settings_of(c->settings, card, slots, &cs);
    if (cs.profile[0])
        el_text_copy(card->profile, sizeof card->profile, cs.profile);
    f.profile = el_profiles_card(c->profiles, card->profile);
    for (uint32_t i = 0; i < EL_MIN(card->slots, (uint32_t)EL_CARD_SLOTS_MAX); i++) {
        f.drive[i] = el_profiles_drive(c->profiles, slots[i].profile, slots[i].identify.model);
        f.usable[i] = ds->drive[card->first_slot + i].usable;
        slots[i].rated_endurance_bytes = f.drive[i] ? f.drive[i]->rated_endurance_bytes : 0;
        if (slots[i].rated_endurance_bytes == 0 && f.profile) /* cards are rated as a whole: an equal part each */
            slots[i].rated_endurance_bytes = f.profile->rated_endurance_bytes / card->slots;
        slots[i].decision.limit_c = el_card_slot_limit(&cs, &slots[i], f.drive[i]);
    }
    f.fans = el_card_fans(w, row, fans);
    f.inlet_sensor = l->sensor[READING_INLET] >= 0;
    el_card_limits(c->settings, &f, card);
    refresh_card(c, w, card);
    el_card_setup(c->settings, &f, &c->facts);
    if (l->governor && el_governor_card(l->governor)->slots < c->facts.slots)
        l->governor = el_governor_free(l->governor); /* the card has grown, and learns afresh */
    if (l->governor) {
        el_governor_reconfigure(l->governor, &c->facts);
    } else {
        l->governor = el_governor_new(&el_law_element, &c->facts);
        if (l->governor && c->learnt)
            el_governor_load(l->governor, c->learnt);
    }
    l->stale_facts = false;
    l->again_us = !l->governor || el_profiles_lacked(c->profiles) ? c->in.now_us + AGAIN_US : 0;
}

/* ---- gathering ---- */

static void gather_sensors(struct el_cards *c, struct el_world *w, uint32_t row)
{
    struct el_card *card = &el_snapshot_cards(w->s)[row];
    const struct el_sensor *s = el_snapshot_sensors(w->s);
    const struct el_card_loop *l = &c->loop[row];

    for (size_t i = 0; i < EL_ARRAY_SIZE(readings); i++)
        *(struct el_reading *)(void *)((char *)card + readings[i].of_card) =
            l->sensor[i] >= 0 ? s[l->sensor[i]].value : (struct el_reading){0};
    c->in.inlet_mc = card->inlet_mc;
    c->in.airflow_mlfm = card->airflow_mlfm;
    c->in.card_power_mw = card->power_mw;
    c->in.switch_mc = card->switch_mc;
    memset(c->in.fan_rpm, 0, sizeof c->in.fan_rpm);
    for (uint32_t i = 0; i < l->tachos; i++)
        c->in.fan_rpm[i] = s[l->tacho[i]].value;
}

/* What the hands have done, into the row. */
static bool collect_hands(struct el_cards *c, struct el_slot *slot, struct el_drive *d)
{
    struct el_slot_action *a = &slot->action;
    struct el_actuate_status s;
    bool failed = false;

    a->mismatches = a->failures = 0;
    a->cap_ratio_in_force = NAN;
    a->power_state_in_force = -1;
    for (int k = 0; k < EL_ACTUATOR_COUNT; k++) {
        if (!d->hand[k])
            continue;
        el_actuate_exchange(c->hands, d->hand[k], el_card_is_hot(slot, c->settings),
                            d->identify ? EL_DOUBT_SOME : EL_DOUBT_NONE, &s);
        a->lowered[k] = s.lowered;
        a->raised[k] = s.raised;
        a->mismatches += s.mismatches;
        a->failures += s.failures;
        a->last_us = EL_MAX(a->last_us, s.last_us);
        if (s.known && el_actuator_is_cap((enum el_actuator)k))
            a->cap_ratio_in_force = s.in_force.cap.ratio;
        if (s.known && k == EL_ACTUATOR_POWER_STATE)
            a->power_state_in_force = s.in_force.power_state;
        failed |= s.failed;
        if (c->acting && !d->identify &&
            !(el_actuator_is_cap((enum el_actuator)k) &&
              s.known)) /* the governor sees itself that a cap is not in force */
            el_actuate_again(c->hands, d->hand[k], c->in.now_us);
    }
    return failed;
}

/* Bytes that went past a budget which the kernel says is in force. */
static void note_escape(struct el_slot *slot, const struct el_slot_io *before, const struct el_governor_slot *g)
{
    const struct el_slot_io *now = &slot->io;
    double dt = (double)(now->time_us - before->time_us) / EL_USEC_PER_SEC, used, bytes;

    if (!now->valid || !before->valid || dt <= 0 || !(slot->action.cap_ratio_in_force < 1) ||
        !(slot->decision.budget_w > 0))
        return;
    double rb = (double)(now->read_bytes - before->read_bytes), wb = (double)(now->write_bytes - before->write_bytes);
    used = (rb * g->read_j_per_byte + wb * g->write_j_per_byte +
            (double)(now->read_ops - before->read_ops) * g->read_j_per_op +
            (double)(now->write_ops - before->write_ops) * g->write_j_per_op) /
           dt;
    bytes = rb + wb;
    if (used > slot->decision.budget_w * ESCAPE_RATIO && bytes > 0)
        slot->action.escape_bytes += (uint64_t)(bytes * (1 - slot->decision.budget_w / used));
}

static void gather_slot(const struct el_slot *slot, struct el_governor_slot_input *in)
{
    *in = (struct el_governor_slot_input){
        .present = el_slot_pollable(slot) && strcmp(slot->ctrl_state, "dead") != 0,
        .temp_mc = slot->temp_mc[0],
        .read_bytes = slot->io.read_bytes,
        .write_bytes = slot->io.write_bytes,
        .read_ops = slot->io.read_ops,
        .write_ops = slot->io.write_ops,
        .io_valid = slot->io.valid,
        .power_mw = slot->power_mw,
    };
    memcpy(in->sensor_mc, &slot->temp_mc[1], sizeof in->sensor_mc);
}

static void gather_hands(struct el_cards *c, struct el_slot *slot, struct el_drive *d, const struct el_governor_slot *g,
                         struct el_governor_slot_input *in)
{
    in->actuator_failed = collect_hands(c, slot, d) && c->acting;
    if (g && slot->io.time_us != d->io_before.time_us) {
        note_escape(slot, &d->io_before, g);
        d->io_before = slot->io;
    }
    in->cap_ratio_in_force = slot->action.cap_ratio_in_force;
}

void el_cards_observe(struct el_cards *c, struct el_world *w, const struct el_drive_set *ds, uint32_t row,
                      int64_t now_us)
{
    const struct el_slot *slot = &el_snapshot_slots(w->s)[row];
    uint32_t card = slot->card, i = row - el_snapshot_cards(w->s)[card].first_slot;
    bool sound = card < c->n && i < EL_CARD_SLOTS_MAX && ds->n == w->s->slots.count;

    if (!sound || !c->loop[card].governor || c->settings->governor.mode == EL_MODE_OBSERVE ||
        ds->drive[row].failures) /* what was read before may have grown too old: el_cards_step comes after that */
        return;
    c->in.now_us = now_us;
    if (!el_governor_begun(c->loop[card].governor, now_us))
        gather_sensors(c, w, card);
    gather_slot(slot, &c->in.slot[i]);
    el_governor_observe(c->loop[card].governor, &c->in, i);
}

/* ---- spreading ---- */

static void spread_card(struct el_cards *c, struct el_world *w, uint32_t row)
{
    struct el_card *card = &el_snapshot_cards(w->s)[row];
    const struct el_decision *d = &c->decision;
    struct el_card_loop *l = &c->loop[row];

    card->failsafe = d->failsafe;
    card->failsafe_reason = d->failsafe_reason;
    card->failsafe_entries += d->failsafe != EL_FAILSAFE_NONE && l->failsafe_was == EL_FAILSAFE_NONE;
    l->failsafe_was = d->failsafe;
    card->air_failing = d->air_failing;
    card->power_estimate_w = d->card_power_estimate_w;
    card->sink_resistance_c_per_w = d->sink_resistance_c_per_w;
    card->unknown_heat_w = d->unknown_heat_w;
    card->airflow_estimate_lfm = d->airflow_estimate_lfm;
    card->airflow_wish_lfm = d->airflow_wish_lfm;
    card->switch_headroom_c = d->switch_headroom_c;
    card->fan_pwm_ratio = d->fan_pwm_ratio;
}

/* Only look: nothing is decided, but limits and headroom are shown. */
static void observe_slot(struct el_slot *slot)
{
    double limit = slot->decision.limit_c;
    struct el_decision nothing;

    el_decision_clear(&nothing, 1);
    slot->decision = nothing.slot[0];
    slot->decision.limit_c = limit;
    if (slot->temp_mc[0].quality == EL_GOOD)
        slot->decision.headroom_c = limit - (double)slot->temp_mc[0].value / 1000;
}

static void step_card(struct el_cards *c, struct el_world *w, struct el_drive_set *ds, uint32_t row, int64_t now_us)
{
    struct el_card *card = &el_snapshot_cards(w->s)[row];
    struct el_slot *slots;
    struct el_drive *drives = &ds->drive[card->first_slot];
    struct el_card_loop *l = &c->loop[row];
    const struct el_governor_card *told;
    uint32_t n = EL_MIN(card->slots, (uint32_t)EL_CARD_SLOTS_MAX);

    c->in.now_us = now_us;
    learn_drives(c, w, ds, row, now_us);
    if (l->stale_facts || (l->again_us && now_us >= l->again_us))
        learn_card(c, w, ds, row);
    card = &el_snapshot_cards(w->s)[row]; /* an event may have moved the block */
    slots = &el_snapshot_slots(w->s)[card->first_slot];
    told = l->governor ? el_governor_card(l->governor) : NULL; /* its prices and abilities */
    gather_sensors(c, w, row);
    for (uint32_t i = 0; i < n; i++) {
        gather_slot(&slots[i], &c->in.slot[i]);
        gather_hands(c, &slots[i], &drives[i], told ? &told->slot[i] : NULL, &c->in.slot[i]);
    }
    card->governed = l->governor && c->settings->governor.mode != EL_MODE_OBSERVE;
    if (!card->governed) {
        for (uint32_t i = 0; i < card->slots; i++)
            observe_slot(&slots[i]);
        return;
    }
    el_text_copy(card->law, sizeof card->law, el_governor_law_name(l->governor));
    el_governor_step(l->governor, &c->in, &c->decision);
    spread_card(c, w, row);
    for (uint32_t i = 0; i < n; i++) {
        slots[i].decision = c->decision.slot[i];
        el_cards_act_drive(c, w, &drives[i], card->first_slot + i, &told->slot[i]);
    }
    el_cards_act_fans(c, w, row);
    el_actuate_go(c->hands);
}

void el_cards_doubt(struct el_cards *c, struct el_drive_set *ds)
{
    for (uint32_t i = 0; i < ds->n; i++)
        for (int k = 0; ds->drive[i].identify && k < EL_ACTUATOR_COUNT; k++)
            if (ds->drive[i].hand[k])
                el_actuate_doubt(c->hands, ds->drive[i].hand[k], EL_DOUBT_SOME);
}

void el_cards_step(struct el_cards *c, struct el_world *w, struct el_drive_set *ds, bool paused, int64_t now_us)
{
    enum el_mode mode = c->settings->governor.mode;
    bool acting = mode == EL_MODE_ENFORCE && !paused;

    c->assert_all = acting && !c->acting;
    c->acting = acting;
    el_actuate_set_acting(c->hands, acting ? el_card_kinds(c->settings) : 0);
    if (ds->n != w->s->slots.count)
        return; /* no memory for the drives found: looked for again in the next round, until then caps stay */
    for (uint32_t i = 0; i < c->n; i++) {
        struct el_card *card = &el_snapshot_cards(w->s)[i];

        card->mode = mode;
        card->paused = paused;
        step_card(c, w, ds, i, now_us);
    }
}
