/* Getters of the SNMP columns, named in the tables. Each is an el_snmp_getter. */
#pragma once

#include "exporter/snmp_table.h"

/* Any field of that kind: `offset` and `size` say where. */
el_snmp_getter el_snmp_get_text, el_snmp_get_date; /* char array; realtime microseconds, 0 = none */
el_snmp_getter el_snmp_get_uint;                   /* unsigned of 1, 2, 4 or 8 bytes; times scale unless that is 0 */
el_snmp_getter el_snmp_get_nonzero;                /* the same, where 0 means unknown */
el_snmp_getter el_snmp_get_wide;                   /* el_u128 times scale, ending at the largest Counter64 */
el_snmp_getter el_snmp_get_enum;                   /* 0, 1, ... shown as 1, 2, ...: 0 is kept for unknown */
el_snmp_getter el_snmp_get_bool;                   /* TruthValue */
el_snmp_getter el_snmp_get_reading, el_snmp_get_reading_bool, el_snmp_get_origin; /* struct el_reading */
el_snmp_getter el_snmp_get_real, el_snmp_get_positive; /* double times scale, NAN = none; the latter: 0 = none too */
el_snmp_getter el_snmp_get_kelvin;                     /* uint16_t as NVMe reports it */
el_snmp_getter el_snmp_get_since, el_snmp_get_until;   /* int64_t BOOTTIME, 0 = none, to seconds */
el_snmp_getter el_snmp_get_not_negative;               /* int32_t */
el_snmp_getter el_snmp_get_limit;                      /* int64_t, INT64_MIN and INT64_MAX = none */
el_snmp_getter el_snmp_get_card_name, el_snmp_get_slot_of; /* int32_t row of the snapshot */

/* One column each. */
el_snmp_getter el_snmp_get_age, el_snmp_get_uptime, el_snmp_get_stale;
el_snmp_getter el_snmp_get_slot_name, el_snmp_get_slot_state, el_snmp_get_slot_up, el_snmp_get_slot_uptime,
    el_snmp_get_io;
el_snmp_getter el_snmp_get_nvme_version, el_snmp_get_warning;
el_snmp_getter el_snmp_get_sensor_number, el_snmp_get_sensor_name, el_snmp_get_sensor_temp, el_snmp_get_sensor_quality,
    el_snmp_get_sensor_threshold;
el_snmp_getter el_snmp_get_aer, el_snmp_get_sensor_card, el_snmp_get_budget, el_snmp_get_writes, el_snmp_get_alarm_name;

/* Which rows of a table exist. */
bool el_snmp_identify_known(const struct el_snmp_at *at);
bool el_snmp_smart_known(const struct el_snmp_at *at);
bool el_snmp_link_known(const struct el_snmp_at *at);
bool el_snmp_decided(const struct el_snmp_at *at);

/* What a reading is worth in this view: an old snapshot has no good readings. */
enum el_quality el_snmp_quality(const struct el_snmp_view *v, const struct el_reading *r);

/* "lqd4500-0 slot 3", "lqd4500-0 slot 3 composite". */
bool el_snmp_slot_text(const struct el_snmp_view *v, const struct el_slot *t, const char *what,
                       struct el_snmp_value *out);
bool el_snmp_sensor_text(const struct el_snmp_view *v, const struct el_slot *t, uint32_t sensor, const char *what,
                         struct el_snmp_value *out);
