/* Between the files of the catalog: guards, getters and sub labels that rows name. */
#pragma once

#include "model/catalog.h"

enum el_guard {
    EL_GUARD_NONE,
    EL_GUARD_UP, /* the drive is up; so for all down to SECURITY, which follow enum el_read */
    EL_GUARD_SMART,
    EL_GUARD_IDENTIFY,
    EL_GUARD_ERROR_LOG,
    EL_GUARD_FIRMWARE,
    EL_GUARD_SELF_TEST,
    EL_GUARD_ENDURANCE,
    EL_GUARD_SANITIZE,
    EL_GUARD_OCP,
    EL_GUARD_SECURITY,
    EL_GUARD_GOVERNED, /* a governor looks after the card */
    EL_GUARD_SWITCH,   /* the card has one */
    EL_GUARD_LINK,     /* speed and width are known */
};

/* The row's own bytes: what `offset` counts from. */
const void *el_catalog_row(const struct el_catalog_context *c, enum el_metric_scope scope, uint32_t row);

/* Getters: a field as it stands (catalog_read.c), or a value worked out (catalog_work.c). One line each, same
 * signature. */
/* clang-format off */
#define EL_READERS(X) \
    X(u8) X(u32) X(u64) X(u128) X(flag) X(reading) X(reading_origin) X(double) X(us) X(realtime) X(boottime) \
    X(state) X(bit) X(kelvin) X(one) X(ps_u32) X(ps_flag) X(sensor) X(process) X(process_us) X(snapshot_age) \
    X(snapshot_stale) X(drives) X(agentx) X(snmp_waiting) X(occupied) X(up) X(drive_info) X(group_warning) \
    X(endurance_used) X(wear_remaining) X(card_endurance_used) X(budget) X(actions) X(pci_power) X(aer) \
    X(alarms) X(error_status) X(firmware_slot) X(self_test_running) X(self_test_progress) X(self_test_result) \
    X(sanitize) X(sanitize_progress) X(capacitor) X(series) X(io_bytes) X(io_operations) X(read_faults) \
    X(wear_low) X(wear_high) X(aer_total) X(percent) X(throttle) X(namespace_used)
/* clang-format on */
#define EL_READER_DECLARE(name) el_metric_read el_read_##name;
EL_READERS(EL_READER_DECLARE)
#undef EL_READER_DECLARE

/* The head of a getter's definition. */
#define EL_READER(name)                                                                                                \
    struct el_value el_read_##name(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row,        \
                                   uint32_t sub)

/* Sub labels (catalog_subs.c). */
/* clang-format off */
#define EL_SUBS(X) \
    X(slot_state) X(process) X(reject) X(warning) X(group_warning) X(sensor) X(bound) X(level) X(ps) X(basis) \
    X(window) X(constraint) X(actuator) X(direction) X(mode) X(failsafe) X(origin) X(kind) X(pci_power) \
    X(aer_severity) X(aer_error) X(severity) X(command) X(firmware_slot) X(sanitize) X(block_area) X(detected) \
    X(most_least) X(io) X(log) X(fault) X(correction)
/* clang-format on */
#define EL_SUB_DECLARE(name) extern const struct el_sub el_sub_##name;
EL_SUBS(EL_SUB_DECLARE)
#undef EL_SUB_DECLARE

static const struct el_value el_absent = {.kind = EL_VALUE_ABSENT};

static inline struct el_value el_unsigned(uint64_t v)
{
    return (struct el_value){.kind = EL_VALUE_UNSIGNED, .u64 = v};
}

static inline struct el_value el_fixed(int64_t v, uint32_t decimals)
{
    return (struct el_value){.kind = EL_VALUE_FIXED, .decimals = decimals, .i64 = v};
}

/* Rounded to `decimals`; absent unless finite. */
struct el_value el_rounded(double v, uint32_t decimals);
