/* What is wrong when. Each rule looks at the rows of one tick and reports; how long something must hold is the table's
 * business (alarm.c). Margins below are hysteresis: assumed, one or two steps of the sensor in question. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"
#include "model/alarm_private.h"

#define TEMPERATURE_HYSTERESIS_C    2.0
#define INLET_HYSTERESIS_C          1.0
#define HUMIDITY_HYSTERESIS_PERCENT 2.0
#define POWER_HYSTERESIS            0.02 /* of the limit */
#define LIMIT_TOLERANCE_C           2.0 /* the governor holds its limit to about a degree, so being that close is no alarm */
#define WARRANTY_NOTICE_S           (90 * 86400.0)
#define WARRANTY_NOTICE_RATIO       0.1

/* A few words about a number and its limit, the same in any locale. Skipped where nothing is wrong, which is nearly
 * always. */
static const char *words(char out[EL_EVENT_TEXT], enum el_alarm_verdict verdict, const char *what, double value,
                         const char *unit, double limit)
{
    char v[EL_NUM_MAX] = "", l[EL_NUM_MAX] = "";

    out[0] = '\0';
    if (verdict != EL_ALARM_WRONG)
        return out;
    if (isfinite(value))
        el_num_fixed(v, llround(value * 10), 1);
    if (isfinite(limit))
        el_num_fixed(l, llround(limit * 10), 1);
    snprintf(out, EL_EVENT_TEXT, "%s%s%s%s%s%s%s%s%s", what, v[0] ? ": " : "", v, v[0] ? " " : "", v[0] ? unit : "",
             l[0] ? ", limit " : "", l, l[0] ? " " : "", l[0] ? unit : "");
    return out;
}

/* Above a limit; once active, until it is `hysteresis` below. */
static void above(const struct el_alarm_step *st, const struct el_alarm_about *about, double value, double limit,
                  double hysteresis, const char *what, const char *unit)
{
    char text[EL_EVENT_TEXT];
    double bound = el_alarm_is_active(st, about) ? limit - hysteresis : limit;
    enum el_alarm_verdict verdict = !isfinite(limit)   ? EL_ALARM_WELL
                                    : !isfinite(value) ? EL_ALARM_UNKNOWN
                                    : value >= bound   ? EL_ALARM_WRONG
                                                       : EL_ALARM_WELL;

    el_alarm_report(st, about, verdict, value, limit, words(text, verdict, what, value, unit, limit));
}

static void flag(const struct el_alarm_step *st, const struct el_alarm_about *about, bool wrong, const char *text)
{
    el_alarm_report(st, about, wrong ? EL_ALARM_WRONG : EL_ALARM_WELL, NAN, NAN, text);
}

static double reading(const struct el_reading *r, double scale)
{
    return el_reading_usable(r) ? (double)r->value / scale : NAN;
}

/* --- drives */

static void drive_temperature(const struct el_alarm_step *st, const struct el_slot *t, struct el_alarm_about about)
{
    double value = reading(&t->temp_mc[0], 1000), limit = el_nvme_kelvin_c(t->identify.wctemp_k);
    bool governed = el_snapshot_cards(st->s)[t->card].governed;

    if (governed && isfinite(t->decision.limit_c) && t->decision.limit_c > 0)
        limit = fmin(limit, t->decision.limit_c + LIMIT_TOLERANCE_C); /* fmin skips an unknown WCTEMP */
    about.id = EL_ALARM_DRIVE_TEMPERATURE;
    if (isfinite(limit))
        above(st, &about, value, limit, TEMPERATURE_HYSTERESIS_C, "drive hot", "C");
    else
        flag(st, &about, t->smart.critical_warning & 1u << 1, "drive warns of its temperature");
    about.id = EL_ALARM_DRIVE_TEMPERATURE_CRITICAL;
    above(st, &about, value, el_nvme_kelvin_c(t->identify.cctemp_k), TEMPERATURE_HYSTERESIS_C, "drive critically hot",
          "C");
}

/* The drive's own word first, then our judgement where it stays silent: firmware in failure mode reports no warning. */
static void drive_health(const struct el_alarm_step *st, const struct el_slot *t, struct el_alarm_about about)
{
    const struct el_nvme_smart *smart = &t->smart;
    char text[EL_EVENT_TEXT];
    enum el_alarm_verdict verdict;
    bool capacitor_weak = t->stamp[EL_READ_OCP].quality == EL_GOOD && t->logs.ocp.capacitor_health_percent < 100;
    bool spare_low = smart->available_spare_threshold <= 100 && /* more is no percentage */
                     smart->available_spare < smart->available_spare_threshold;
    bool worn = smart->percentage_used >= 100 ||
                (t->rated_endurance_bytes > 0 && el_nvme_written_bytes(smart) >= t->rated_endurance_bytes);

    about.id = EL_ALARM_SPARE;
    verdict = smart->critical_warning & 1u << 0 || spare_low ? EL_ALARM_WRONG : EL_ALARM_WELL;
    el_alarm_report(
        st, &about, verdict, smart->available_spare, smart->available_spare_threshold,
        words(text, verdict, "spare blocks low", smart->available_spare, "%", smart->available_spare_threshold));
    about.id = EL_ALARM_RELIABILITY;
    flag(st, &about, smart->critical_warning & 1u << 2, "drive reports degraded reliability");
    about.id = EL_ALARM_READ_ONLY;
    flag(st, &about, smart->critical_warning & (1u << 3 | 1u << 5), "drive or its persistent memory is read-only");
    about.id = EL_ALARM_PLP_FAILING;
    flag(st, &about, smart->critical_warning & 1u << 4 || capacitor_weak, "power loss protection failed");
    about.id = EL_ALARM_ENDURANCE;
    verdict = worn ? EL_ALARM_WRONG : EL_ALARM_WELL;
    el_alarm_report(st, &about, verdict, smart->percentage_used, 100,
                    words(text, verdict, "rated endurance used", smart->percentage_used, "%", 100));
}

/* A counter that fell was reset: its new value is the new baseline, never a difference. */
static void growth(const struct el_alarm_step *st, struct el_alarm_about about, enum el_alarm_id id, bool known,
                   el_u128 before, el_u128 now, const char *what)
{
    char text[EL_EVENT_TEXT];
    bool grew = known && now > before;

    about.id = id;
    if (grew)
        el_alarm_report(st, &about, EL_ALARM_WRONG, (double)now, NAN,
                        words(text, EL_ALARM_WRONG, what, (double)(now - before), "more", NAN));
    else
        flag(st, &about, false, "");
}

static void drive_counters(const struct el_alarm_step *st, const struct el_slot *t, struct el_alarm_about about,
                           struct el_alarm_baseline *b)
{
    growth(st, about, EL_ALARM_MEDIA_ERRORS, b->known, b->media_errors, t->smart.media_errors, "media errors");
    growth(st, about, EL_ALARM_ACTUATOR_MISMATCH, b->known, b->mismatches, t->action.mismatches,
           "actuator did not hold what was set");
    growth(st, about, EL_ALARM_BUDGET_ESCAPE, b->known, b->escape_bytes, t->action.escape_bytes,
           "bytes passed by the budget");
    b->media_errors = t->smart.media_errors;
    b->mismatches = t->action.mismatches;
    b->escape_bytes = t->action.escape_bytes;
    b->known = true;
}

/* Another serial, or the counter of swaps: new baselines, and what was wrong with the old drive is over. */
static void drive_replaced(const struct el_alarm_step *st, const struct el_slot *t, struct el_alarm_about about,
                           struct el_alarm_baseline *b)
{
    bool other = b->serial[0] && t->identify.serial[0] && strcmp(b->serial, t->identify.serial) != 0;
    char text[EL_EVENT_TEXT];

    if (other || t->replaced > b->replaced) {
        snprintf(text, sizeof text, "drive %.40s replaced by %.40s", b->serial[0] ? b->serial : t->last_serial,
                 t->identify.serial);
        about.id = EL_ALARM_DRIVE_REPLACED;
        el_alarm_happened(st, &about, text);
        el_alarm_clear_slot(st, about.slot);
        b->known = false;
    }
    b->replaced = t->replaced;
    if (t->identify.serial[0])
        el_text_copy(b->serial, sizeof b->serial, t->identify.serial);
}

/* While a drive is silent nothing is known: what was active stays active. */
static void drive_unknown(const struct el_alarm_step *st, struct el_alarm_about about)
{
    static const enum el_alarm_id ids[] = {EL_ALARM_DRIVE_TEMPERATURE,
                                           EL_ALARM_DRIVE_TEMPERATURE_CRITICAL,
                                           EL_ALARM_SPARE,
                                           EL_ALARM_RELIABILITY,
                                           EL_ALARM_READ_ONLY,
                                           EL_ALARM_PLP_FAILING,
                                           EL_ALARM_ENDURANCE,
                                           EL_ALARM_MEDIA_ERRORS,
                                           EL_ALARM_THROTTLED_LONG,
                                           EL_ALARM_ACTUATOR_MISMATCH,
                                           EL_ALARM_BUDGET_ESCAPE};

    for (size_t i = 0; i < EL_ARRAY_SIZE(ids); i++) {
        about.id = ids[i];
        el_alarm_report(st, &about, EL_ALARM_UNKNOWN, NAN, NAN, "");
    }
}

static void drive(const struct el_alarm_step *st, uint32_t row)
{
    const struct el_slot *t = &el_snapshot_slots(st->s)[row];
    struct el_alarm_about about = {.card = (int32_t)t->card, .slot = (int32_t)row, .index = -1};
    struct el_alarm_baseline *b = el_alarm_baseline(st, row);
    bool lost = t->state == EL_SLOT_STALE || t->state == EL_SLOT_FAILED || t->state == EL_SLOT_GONE;
    char text[EL_EVENT_TEXT];

    text[0] = '\0';
    if (lost)
        snprintf(text, sizeof text, "drive %s%s%s", el_slot_state_name(t->state), t->reason[0] ? ": " : "", t->reason);
    about.id = EL_ALARM_DRIVE_LOST;
    flag(st, &about, lost, text);
    if (!b || t->state == EL_SLOT_EMPTY || t->state == EL_SLOT_GONE || t->state == EL_SLOT_UNBOUND)
        return;
    if (t->state != EL_SLOT_UP || t->stamp[EL_READ_SMART].quality != EL_GOOD) {
        drive_unknown(st, about);
        return;
    }
    drive_replaced(st, t, about, b);
    drive_temperature(st, t, about);
    drive_health(st, t, about);
    drive_counters(st, t, about, b);
    about.id = EL_ALARM_THROTTLED_LONG;
    flag(st, &about,
         el_snapshot_cards(st->s)[t->card].governed && t->decision.cap_ratio < 1 && t->decision.cap_ratio > 0,
         "drive capped for a long time");
}

/* --- cards */

static void out_of_range(const struct el_alarm_step *st, const struct el_alarm_about *about, double value, double lo,
                         double hi, double hysteresis, const char *what, const char *unit)
{
    double margin = el_alarm_is_active(st, about) ? hysteresis : 0;
    bool cold = isfinite(lo) && value < lo + margin, hot = isfinite(hi) && value > hi - margin;
    enum el_alarm_verdict verdict = !isfinite(value) ? EL_ALARM_UNKNOWN : cold || hot ? EL_ALARM_WRONG : EL_ALARM_WELL;
    char text[EL_EVENT_TEXT];

    el_alarm_report(st, about, verdict, value, hot ? hi : lo, words(text, verdict, what, value, unit, hot ? hi : lo));
}

static void card(const struct el_alarm_step *st, uint32_t row)
{
    const struct el_card *c = &el_snapshot_cards(st->s)[row];
    struct el_alarm_about about = {.card = (int32_t)row, .slot = -1, .index = -1};
    bool failsafe = c->governed && c->failsafe != EL_FAILSAFE_NONE && c->failsafe_reason != EL_CONSTRAINT_STARTUP;
    char text[EL_EVENT_TEXT] = "";

    about.id = EL_ALARM_FAILSAFE;
    if (failsafe)
        snprintf(text, sizeof text, "failsafe %s: %s", el_failsafe_name(c->failsafe),
                 el_constraint_name(c->failsafe_reason));
    flag(st, &about, failsafe, text);
    about.id = EL_ALARM_AIR_FAILING;
    flag(st, &about, c->governed && c->air_failing, "the card sheds heat worse than its air should allow");
    about.id = EL_ALARM_INLET_OUT_OF_RANGE;
    out_of_range(st, &about, c->inlet_mc.origin == EL_MEASURED ? reading(&c->inlet_mc, 1000) : NAN, c->inlet_min_c,
                 c->inlet_max_c, INLET_HYSTERESIS_C, "inlet air out of range", "C");
    about.id = EL_ALARM_HUMIDITY_OUT_OF_RANGE;
    out_of_range(st, &about, reading(&c->humidity_ppm, 1e4), 100 * c->humidity_min_ratio, 100 * c->humidity_max_ratio,
                 HUMIDITY_HYSTERESIS_PERCENT, "humidity out of range", "%");
    about.id = EL_ALARM_SWITCH_TEMPERATURE;
    above(st, &about, reading(&c->switch_mc, 1000), c->has_switch ? c->switch_limit_c : NAN, TEMPERATURE_HYSTERESIS_C,
          "switch hot", "C");
    about.id = EL_ALARM_CARD_POWER;
    above(st, &about, reading(&c->power_mw, 1000), c->card_limit_w, c->card_limit_w * POWER_HYSTERESIS, "card power",
          "W");
    about.id = EL_ALARM_WARRANTY;
    flag(st, &about,
         c->warranty_seconds_remaining < WARRANTY_NOTICE_S ||
             c->warranty_endurance_remaining_ratio < WARRANTY_NOTICE_RATIO, /* false for NAN */
         "warranty or warranted endurance is about to end");
}

/* --- links, fans, the daemon */

static uint64_t hash(const char *text)
{
    uint64_t h = el_hash(EL_HASH_START, text, strlen(text));

    return h ? h : 1;
}

/* Both ends of a link see that it is slow: only the lower one, which knows its slot, reports it. */
static bool lower_end_speaks(const struct el_snapshot *s, const struct el_link *port)
{
    for (uint32_t i = 0; i < s->links.count; i++) {
        const struct el_link *l = &el_snapshot_links(s)[i];

        if (el_link_is_lower_end(l) && l->known && l->degraded && strcmp(l->parent, port->address) == 0)
            return true;
    }
    return false;
}

static void link_degraded(const struct el_alarm_step *st, uint32_t row)
{
    const struct el_link *l = &el_snapshot_links(st->s)[row];
    struct el_alarm_about about = {.id = EL_ALARM_LINK_DEGRADED,
                                   .card = (int32_t)l->card,
                                   .slot = l->slot,
                                   .index = (int32_t)row,
                                   .key = hash(l->address)};
    bool degraded = l->known && l->degraded && !lower_end_speaks(st->s, l);
    char text[EL_EVENT_TEXT] = "";

    if (degraded)
        snprintf(text, sizeof text, "link of %s: x%u %u%s GT/s, expected x%u %u%s GT/s", l->address, l->current_width,
                 l->current_mts / 1000, l->current_mts % 1000 ? ".5" : "", el_link_wanted_width(l),
                 el_link_wanted_mts(l) / 1000, el_link_wanted_mts(l) % 1000 ? ".5" : "");
    flag(st, &about, degraded, text);
}

/* 0 rpm alone is no failure, as some fans rest. The chip's own word, a speed below its minimum, or no answer is. */
static void fan(const struct el_alarm_step *st, uint32_t row)
{
    const struct el_sensor *s = &el_snapshot_sensors(st->s)[row];
    struct el_alarm_about about = {
        .id = EL_ALARM_FAN_FAILED, .card = s->card, .slot = -1, .index = (int32_t)row, .key = hash(s->name)};
    bool slow = el_reading_usable(&s->value) && s->limit_min != INT64_MIN && s->value.value < s->limit_min;
    bool silent = s->role == EL_ROLE_FAN && s->value.quality == EL_FAILED;
    bool wrong = s->alarm || s->fault || slow || silent;
    char text[EL_EVENT_TEXT] = "";

    if (s->kind != EL_SENSOR_FAN)
        return;
    if (wrong)
        snprintf(text, sizeof text, "fan %.60s: %s", s->name,
                 silent ? "no answer"
                 : slow ? "too slow"
                        : "its chip says so");
    flag(st, &about, wrong, text);
}

void el_alarm_rules(const struct el_alarm_step *st)
{
    const struct el_alarm_about config = {.id = EL_ALARM_CONFIG_RELOAD_FAILED, .card = -1, .slot = -1, .index = -1};

    flag(st, &config, !st->s->daemon.config_ok, el_alarm_why_refused(st));
    for (uint32_t i = 0; i < st->s->cards.count; i++)
        card(st, i);
    for (uint32_t i = 0; i < st->s->slots.count; i++)
        drive(st, i);
    for (uint32_t i = 0; i < st->s->links.count; i++)
        link_degraded(st, i);
    for (uint32_t i = 0; i < st->s->sensors.count; i++)
        fan(st, i);
}
