/* Getters of the SNMP columns, named in the tables. Each is an el_snmp_getter. */
#pragma once

#include "exporter/snmp_table.h"

/* A metric of the catalog: `offset` is its id. */
el_snmp_getter el_snmp_get_metric;        /* sub index `size`, scaled by 10^`scale` */
el_snmp_getter el_snmp_get_metric_flag;   /* TruthValue */
el_snmp_getter el_snmp_get_metric_sensor; /* sub index: number of the sensor x (size / 256) + size % 256 */
el_snmp_getter el_snmp_get_metric_mega;   /* sub index `size`, divided by 10^6 */

/* Any field of that kind: `offset` and `size` say where. */
el_snmp_getter el_snmp_get_text, el_snmp_get_date; /* char array; realtime microseconds, 0 = none */
el_snmp_getter el_snmp_get_uint;                   /* unsigned of 1, 2, 4 or 8 bytes */
el_snmp_getter el_snmp_get_nonzero;                /* the same, where 0 means unknown */
el_snmp_getter el_snmp_get_enum;                   /* 0, 1, ... shown as 1, 2, ...: 0 is kept for unknown */
el_snmp_getter el_snmp_get_bool;                   /* TruthValue */
el_snmp_getter el_snmp_get_reading, el_snmp_get_origin, el_snmp_get_quality; /* struct el_reading */
el_snmp_getter el_snmp_get_real;                                             /* double times scale, NAN = none */
el_snmp_getter el_snmp_get_since, el_snmp_get_until;       /* int64_t BOOTTIME, 0 = none, to seconds */
el_snmp_getter el_snmp_get_not_negative;                   /* int32_t */
el_snmp_getter el_snmp_get_limit;                          /* int64_t, INT64_MIN and INT64_MAX = none */
el_snmp_getter el_snmp_get_card_name, el_snmp_get_slot_of; /* int32_t row of the snapshot */

/* One column each. */
el_snmp_getter el_snmp_get_nothing; /* "" */
el_snmp_getter el_snmp_get_age, el_snmp_get_uptime, el_snmp_get_stale;
el_snmp_getter el_snmp_get_slot_name, el_snmp_get_slot_state, el_snmp_get_slot_uptime, el_snmp_get_nvme_version,
    el_snmp_get_warning;
el_snmp_getter el_snmp_get_sensor_number, el_snmp_get_sensor_name, el_snmp_get_sensor_quality;
el_snmp_getter el_snmp_get_aer, el_snmp_get_sensor_card, el_snmp_get_writes, el_snmp_get_alarm_name;

/* What a reading is worth in this view: an old snapshot has no good readings. */
enum el_quality el_snmp_quality(const struct el_snmp_view *v, const struct el_reading *r);

/* "lqd4500-0 slot 3", "lqd4500-0 slot 3 composite". */
bool el_snmp_slot_text(const struct el_snmp_view *v, const struct el_slot *t, const char *what,
                       struct el_snmp_value *out);
bool el_snmp_sensor_text(const struct el_snmp_view *v, const struct el_slot *t, uint32_t sensor, const char *what,
                         struct el_snmp_value *out);
