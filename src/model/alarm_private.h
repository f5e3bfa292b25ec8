/* Between the alarm table (alarm.c: memory, hold times, events) and its rules (alarm_rules.c: what is wrong when). */
#pragma once

#include "model/alarm.h"

/* Counters of a slot when last seen: alarms on growth compare with them. */
struct el_alarm_baseline {
    uint32_t card_number, slot_number;
    bool known;
    char serial[61];
    el_u128 media_errors;
    uint64_t mismatches, escape_bytes, replaced;
};

struct el_alarm_step {
    struct el_alarm_table *table;
    const struct el_snapshot *s;
    el_alarm_emit *emit;
    void *ctx;
};

/* One thing that may be wrong: which alarm, about what. Rows as in struct el_alarm. */
struct el_alarm_about {
    enum el_alarm_id id;
    int32_t card, slot, index;
    uint64_t key; /* tells things of one card and slot apart, and stays the same over rediscoveries: hash of an address
                     or name, or 0 */
};

enum el_alarm_verdict {
    EL_ALARM_WELL,    /* the condition does not hold */
    EL_ALARM_UNKNOWN, /* cannot be told now: an active alarm stays, none is raised */
    EL_ALARM_WRONG,
};

/* `text` goes into the event when the alarm is raised, and is shown while it lasts where there is no number (NAN). */
void el_alarm_report(const struct el_alarm_step *st, const struct el_alarm_about *about, enum el_alarm_verdict verdict,
                     double value, double limit, const char *text);
bool el_alarm_is_active(const struct el_alarm_step *st, const struct el_alarm_about *about);
/* Something that happened and is over. */
void el_alarm_happened(const struct el_alarm_step *st, const struct el_alarm_about *about, const char *text);
/* Ends every alarm of a slot, because another drive is in it. */
void el_alarm_clear_slot(const struct el_alarm_step *st, int32_t slot);
/* NULL: out of memory. */
struct el_alarm_baseline *el_alarm_baseline(const struct el_alarm_step *st, uint32_t slot);

const char *el_alarm_why_refused(const struct el_alarm_step *st);
void el_alarm_rules(const struct el_alarm_step *st);
