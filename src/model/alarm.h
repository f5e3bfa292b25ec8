/* The alarm table: each condition once, with hysteresis and severity. Evaluated once per tick beside the governor; SNMP
 * notifications, the active-alarm table, the page and (by the same ids) the Prometheus alerts all use it. */
#pragma once

#include "model/snapshot.h"

/* Numbers are the SNMP notification numbers: never reuse or renumber, append only. */
enum el_alarm_id {
    EL_ALARM_NONE = 0,
    EL_ALARM_DRIVE_TEMPERATURE = 1,      /* above its warning threshold or limit */
    EL_ALARM_DRIVE_TEMPERATURE_CRITICAL, /* above its critical threshold */
    EL_ALARM_FAILSAFE,                   /* the governor of a card is in failsafe */
    EL_ALARM_THROTTLED_LONG,             /* capped for longer than the set time */
    EL_ALARM_ENDURANCE,                  /* rated bytes or percentage used exceeded */
    EL_ALARM_SPARE,                      /* available spare below its threshold */
    EL_ALARM_MEDIA_ERRORS,               /* media errors growing */
    EL_ALARM_DRIVE_LOST,                 /* gone, failed or stale */
    EL_ALARM_DRIVE_REPLACED,             /* event only: another serial in the slot */
    EL_ALARM_LINK_DEGRADED,
    EL_ALARM_AIR_FAILING,
    EL_ALARM_PLP_FAILING,        /* volatile memory backup failed */
    EL_ALARM_EXPORTER_RESTARTED, /* raised by the exporter itself */
    EL_ALARM_RELIABILITY,        /* critical warning: NVM subsystem reliability degraded */
    EL_ALARM_READ_ONLY,          /* media or persistent memory region read-only */
    EL_ALARM_FAN_FAILED,
    EL_ALARM_INLET_OUT_OF_RANGE,
    EL_ALARM_HUMIDITY_OUT_OF_RANGE,
    EL_ALARM_SWITCH_TEMPERATURE,
    EL_ALARM_CARD_POWER,
    EL_ALARM_ACTUATOR_MISMATCH,
    EL_ALARM_BUDGET_ESCAPE,
    EL_ALARM_CONFIG_RELOAD_FAILED,
    EL_ALARM_WARRANTY, /* warranty or rated endurance about to end */
    EL_ALARM_COUNT
};

struct el_alarm_kind {
    enum el_alarm_id id;
    enum el_severity severity;
    const char *name;  /* "drive_temperature": label of metrics and alerts */
    const char *title; /* "Drive above its warning temperature" */
    double raise_after_s,
        clear_after_s; /* how long the condition must hold before the raise, or be gone before the clear */
};
/* NULL for an unknown id. */
const struct el_alarm_kind *el_alarm_kind(enum el_alarm_id id);

/* What the evaluation remembers between ticks: what is active, since when, and the baselines of counters. Opaque; one
 * per daemon. */
struct el_alarm_table;
struct el_alarm_table *el_alarm_table_new(void);
struct el_alarm_table *el_alarm_table_free(struct el_alarm_table *t);
void el_alarm_refused(struct el_alarm_table *t, const char *why); /* the settings, last: its first line */

/* Evaluates one tick over the rows of `s`, of which everything but alarms and events is filled. Changes are handed to
 * `emit` as events. */
typedef void el_alarm_emit(void *ctx, const struct el_event *e);
void el_alarm_table_step(struct el_alarm_table *t, const struct el_snapshot *s, el_alarm_emit *emit, void *ctx);

/* The active ones, in order of id, card, slot, index: copied to `out` (at most `max`); returns how many there are. */
uint32_t el_alarm_table_active(const struct el_alarm_table *t, struct el_alarm *out, uint32_t max);
