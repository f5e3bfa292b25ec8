#include "model/alarm.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "model/alarm_private.h"

/* id, severity, name, title, seconds the condition must hold before the raise, and be gone before the clear. The times
 * are assumed: long enough that one odd reading raises nothing, short against the minutes a person needs. */
static const struct el_alarm_kind kinds[] = {
    {EL_ALARM_DRIVE_TEMPERATURE, EL_SEVERITY_WARNING, "drive_temperature",
     "Drive above its warning temperature or limit", 10, 30},
    {EL_ALARM_DRIVE_TEMPERATURE_CRITICAL, EL_SEVERITY_CRITICAL, "drive_temperature_critical",
     "Drive above its critical temperature", 6, 30},
    {EL_ALARM_FAILSAFE, EL_SEVERITY_CRITICAL, "failsafe", "Governor in failsafe", 0, 30},
    {EL_ALARM_THROTTLED_LONG, EL_SEVERITY_WARNING, "throttled_long", "Drive capped for a long time", 900, 60},
    {EL_ALARM_ENDURANCE, EL_SEVERITY_WARNING, "endurance", "Rated endurance used up", 0, 0},
    {EL_ALARM_SPARE, EL_SEVERITY_CRITICAL, "spare", "Available spare below its threshold", 0, 60},
    {EL_ALARM_MEDIA_ERRORS, EL_SEVERITY_WARNING, "media_errors", "Media errors growing", 0, 3600},
    {EL_ALARM_DRIVE_LOST, EL_SEVERITY_CRITICAL, "drive_lost", "Drive gone or silent", 0, 10},
    {EL_ALARM_DRIVE_REPLACED, EL_SEVERITY_INFO, "drive_replaced", "Drive replaced", 0, 0},
    {EL_ALARM_LINK_DEGRADED, EL_SEVERITY_WARNING, "link_degraded", "PCIe link below what it should be", 10, 30},
    {EL_ALARM_AIR_FAILING, EL_SEVERITY_WARNING, "air_failing", "Airflow failing", 60, 120},
    {EL_ALARM_PLP_FAILING, EL_SEVERITY_CRITICAL, "plp_failing", "Power loss protection failed", 0, 60},
    {EL_ALARM_EXPORTER_RESTARTED, EL_SEVERITY_INFO, "exporter_restarted", "Exporter restarted", 0, 0},
    {EL_ALARM_RELIABILITY, EL_SEVERITY_CRITICAL, "reliability", "Drive reliability degraded", 0, 60},
    {EL_ALARM_READ_ONLY, EL_SEVERITY_CRITICAL, "read_only", "Drive is read-only", 0, 60},
    {EL_ALARM_FAN_FAILED, EL_SEVERITY_CRITICAL, "fan_failed", "Fan failed", 10, 30},
    {EL_ALARM_INLET_OUT_OF_RANGE, EL_SEVERITY_WARNING, "inlet_out_of_range", "Inlet air outside the card's range", 60,
     120},
    {EL_ALARM_HUMIDITY_OUT_OF_RANGE, EL_SEVERITY_WARNING, "humidity_out_of_range", "Humidity outside the card's range",
     300, 300},
    {EL_ALARM_SWITCH_TEMPERATURE, EL_SEVERITY_CRITICAL, "switch_temperature", "Card switch above its limit", 10, 30},
    {EL_ALARM_CARD_POWER, EL_SEVERITY_WARNING, "card_power", "Card above its power limit", 30, 60},
    {EL_ALARM_ACTUATOR_MISMATCH, EL_SEVERITY_WARNING, "actuator_mismatch", "Actuator does not hold what was set", 0,
     600},
    {EL_ALARM_BUDGET_ESCAPE, EL_SEVERITY_WARNING, "budget_escape", "I/O passes by the budget", 0, 600},
    {EL_ALARM_CONFIG_RELOAD_FAILED, EL_SEVERITY_WARNING, "config_reload_failed", "Settings file refused", 0, 0},
    {EL_ALARM_WARRANTY, EL_SEVERITY_WARNING, "warranty", "Warranty or rated endurance about to end", 0, 86400},
};

const struct el_alarm_kind *el_alarm_kind(enum el_alarm_id id)
{
    for (size_t i = 0; i < EL_ARRAY_SIZE(kinds); i++)
        if (kinds[i].id == id)
            return &kinds[i];
    return NULL;
}

/* A condition under watch. Cards and slots are known by their stable numbers: rows move on a rediscovery. */
struct watch {
    struct el_alarm alarm;
    uint32_t card_number, slot_number; /* UINT32_MAX: of no card, of no slot */
    uint64_t key;
    int64_t wrong_since_us, wrong_last_us;
    bool active;
    bool seen;     /* this tick: wrong, or unknown while active */
    bool reported; /* this tick: what it is about is still there */
};

struct el_alarm_table {
    struct watch *watch;
    uint32_t n;
    struct el_alarm_baseline *baseline;
    uint32_t baselines;
    char refused[EL_EVENT_TEXT];
};

void el_alarm_refused(struct el_alarm_table *t, const char *why)
{
    snprintf(t->refused, sizeof t->refused, "settings refused, the old ones stand: %.*s", (int)strcspn(why, "\n"), why);
}

const char *el_alarm_why_refused(const struct el_alarm_step *st)
{
    return st->table->refused;
}

struct el_alarm_table *el_alarm_table_new(void)
{
    return calloc(1, sizeof(struct el_alarm_table));
}

struct el_alarm_table *el_alarm_table_free(struct el_alarm_table *t)
{
    if (t) {
        free(t->watch);
        free(t->baseline);
    }
    free(t);
    return NULL;
}

static uint32_t card_number(const struct el_snapshot *s, int32_t card)
{
    return card < 0 ? UINT32_MAX : el_snapshot_cards(s)[card].number;
}

static uint32_t slot_number(const struct el_snapshot *s, int32_t slot)
{
    return slot < 0 ? UINT32_MAX : el_snapshot_slots(s)[slot].number;
}

/* The row that this number has now; -1: about none, or it is no longer there. */
static int32_t card_row(const struct el_snapshot *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->cards.count; i++)
        if (el_snapshot_cards(s)[i].number == number)
            return (int32_t)i;
    return -1;
}

static int32_t slot_row(const struct el_snapshot *s, int32_t card, uint32_t number)
{
    for (uint32_t i = 0; i < s->slots.count && card >= 0; i++)
        if ((int32_t)el_snapshot_slots(s)[i].card == card && el_snapshot_slots(s)[i].number == number)
            return (int32_t)i;
    return -1;
}

static struct watch *find(const struct el_alarm_step *st, const struct el_alarm_about *about)
{
    for (uint32_t i = 0; i < st->table->n; i++) {
        struct watch *w = &st->table->watch[i];

        if (w->alarm.id == about->id && w->key == about->key && w->card_number == card_number(st->s, about->card) &&
            w->slot_number == slot_number(st->s, about->slot))
            return w;
    }
    return NULL;
}

bool el_alarm_is_active(const struct el_alarm_step *st, const struct el_alarm_about *about)
{
    const struct watch *w = find(st, about);

    return w && w->active;
}

static void emit(const struct el_alarm_step *st, const struct el_alarm *a, bool raised, const char *text)
{
    struct el_event e = {
        .realtime_us = st->s->realtime_us,
        .kind = a->id,
        .severity = raised ? a->severity : EL_SEVERITY_INFO,
        .card = a->card,
        .slot = a->slot,
        .raised = raised,
    };

    el_text_copy(e.text, sizeof e.text, text);
    st->emit(st->ctx, &e);
}

static struct watch *add(const struct el_alarm_step *st, const struct el_alarm_about *about)
{
    struct watch *w = el_row_append(&st->table->watch, &st->table->n, sizeof *w);

    if (!w)
        return NULL;
    *w = (struct watch){
        .alarm = {.id = about->id, .severity = el_alarm_kind(about->id)->severity},
        .card_number = card_number(st->s, about->card),
        .slot_number = slot_number(st->s, about->slot),
        .key = about->key,
        .wrong_since_us = st->s->time_us,
    };
    return w;
}

static int64_t seconds_us(double s)
{
    return (int64_t)(s * EL_USEC_PER_SEC);
}

void el_alarm_report(const struct el_alarm_step *st, const struct el_alarm_about *about, enum el_alarm_verdict verdict,
                     double value, double limit, const char *text)
{
    struct watch *w = find(st, about);
    int64_t now = st->s->time_us;

    if (!w && verdict == EL_ALARM_WRONG)
        w = add(st, about);
    if (!w)
        return;
    w->reported = true;
    w->alarm.card = about->card;
    w->alarm.slot = about->slot;
    w->alarm.index = about->index;
    w->seen = verdict == EL_ALARM_WRONG || (verdict == EL_ALARM_UNKNOWN && w->active);
    if (!w->seen)
        return;
    w->wrong_last_us = now;
    if (verdict == EL_ALARM_UNKNOWN)
        return;
    w->alarm.value = value;
    w->alarm.limit = limit;
    if (w->active && isnan(value) && text[0]) /* from stale to failed, from hold to reduce */
        el_text_copy(w->alarm.text, sizeof w->alarm.text, text);
    if (w->active || now - w->wrong_since_us < seconds_us(el_alarm_kind(about->id)->raise_after_s))
        return;
    w->active = true;
    w->alarm.since_us = now;
    w->alarm.since_realtime_us = st->s->realtime_us;
    el_text_copy(w->alarm.text, sizeof w->alarm.text, text);
    emit(st, &w->alarm, true, text);
}

void el_alarm_happened(const struct el_alarm_step *st, const struct el_alarm_about *about, const char *text)
{
    const struct el_alarm a = {
        .id = about->id, .severity = el_alarm_kind(about->id)->severity, .card = about->card, .slot = about->slot};

    emit(st, &a, true, text);
}

static void clear(const struct el_alarm_step *st, struct watch *w)
{
    char text[EL_EVENT_TEXT];

    if (w->active) {
        if (!w->reported) { /* of a drive that is gone, the slot it left: whoever saw the raise must find the clear
                               there too */
            w->alarm.card = card_row(st->s, w->card_number);
            w->alarm.slot = slot_row(st->s, w->alarm.card, w->slot_number);
            w->alarm.index = -1;
        }
        snprintf(text, sizeof text, "over: %.*s", EL_EVENT_TEXT - 8, w->alarm.text);
        emit(st, &w->alarm, false, text);
    }
    *w = st->table->watch[--st->table->n];
}

void el_alarm_clear_slot(const struct el_alarm_step *st, int32_t slot)
{
    uint32_t card = card_number(st->s, (int32_t)el_snapshot_slots(st->s)[slot].card), number = slot_number(st->s, slot);

    for (uint32_t i = st->table->n; i-- > 0;) {
        struct watch *w = &st->table->watch[i];

        if (w->card_number != card || w->slot_number != number || w->alarm.id == EL_ALARM_DRIVE_LOST)
            continue;
        w->reported = true;
        clear(st, w);
    }
}

struct el_alarm_baseline *el_alarm_baseline(const struct el_alarm_step *st, uint32_t slot)
{
    struct el_alarm_table *t = st->table;
    uint32_t card = card_number(st->s, (int32_t)el_snapshot_slots(st->s)[slot].card);
    uint32_t number = el_snapshot_slots(st->s)[slot].number;
    struct el_alarm_baseline *b;

    if (slot < t->baselines && t->baseline[slot].card_number == card && t->baseline[slot].slot_number == number)
        return &t->baseline[slot]; /* the usual case: nothing has moved */
    for (uint32_t i = 0; i < t->baselines; i++)
        if (t->baseline[i].card_number == card && t->baseline[i].slot_number == number)
            return &t->baseline[i];
    b = el_row_append(&t->baseline, &t->baselines, sizeof *b);
    if (b)
        *b = (struct el_alarm_baseline){.card_number = card, .slot_number = number};
    return b;
}

void el_alarm_table_step(struct el_alarm_table *t, const struct el_snapshot *s, el_alarm_emit *emit_, void *ctx)
{
    const struct el_alarm_step st = {.table = t, .s = s, .emit = emit_, .ctx = ctx};

    for (uint32_t i = 0; i < t->n; i++)
        t->watch[i].seen = t->watch[i].reported = false;
    el_alarm_rules(&st);
    for (uint32_t i = t->n; i-- > 0;) {
        struct watch *w = &t->watch[i];

        if (!w->reported || (!w->seen && (!w->active || s->time_us - w->wrong_last_us >=
                                                            seconds_us(el_alarm_kind(w->alarm.id)->clear_after_s))))
            clear(&st, w);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct el_alarm *x = a, *y = b;
    int64_t d = (int64_t)x->id - y->id;

    d = d ? d : (int64_t)x->card - y->card;
    d = d ? d : (int64_t)x->slot - y->slot;
    d = d ? d : (int64_t)x->index - y->index;
    return (d > 0) - (d < 0);
}

uint32_t el_alarm_table_active(const struct el_alarm_table *t, struct el_alarm *out, uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        if (t->watch[i].active) {
            if (n < max)
                out[n] = t->watch[i].alarm;
            n++;
        }
    if (n > 1)
        qsort(out, EL_MIN(n, max), sizeof *out, by_place);
    return n;
}
