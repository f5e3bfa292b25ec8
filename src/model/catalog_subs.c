/* The values of sub labels, by index. */
#include "model/catalog_private.h"
#include "model/device.h"

#define LIST(sub, label_, ...)                                                                                         \
    static const char *sub##_value(uint32_t i)                                                                         \
    {                                                                                                                  \
        static const char *const values[] = {__VA_ARGS__};                                                             \
        return values[i];                                                                                              \
    }                                                                                                                  \
    const struct el_sub el_sub_##sub = {label_, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),           \
                                        sub##_value}

/* The names of an enumeration. */
#define NAMES(sub, label_, count, function)                                                                            \
    static const char *sub##_value(uint32_t i)                                                                         \
    {                                                                                                                  \
        return function(i);                                                                                            \
    }                                                                                                                  \
    const struct el_sub el_sub_##sub = {label_, count, sub##_value}

static const char *number(uint32_t i)
{
    static const char *const numbers[] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10",
                                          "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21",
                                          "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32"};

    return numbers[i];
}

static const char *number_from_1(uint32_t i)
{
    return number(i + 1);
}

static const char *sensor_value(uint32_t i)
{
    return i ? number(i) : "composite";
}

const struct el_sub el_sub_ps = {"ps", EL_NVME_POWER_STATES, number};
const struct el_sub el_sub_sensor = {"sensor", EL_SLOT_SENSORS, sensor_value};
const struct el_sub el_sub_level = {"level", 2, number_from_1};
const struct el_sub el_sub_firmware_slot = {"firmware_slot", 7, number_from_1};
const struct el_sub el_sub_aer_error = {"error", 1 + EL_AER_ERRORS, NULL}; /* by the kernel's names */

NAMES(slot_state, "state", EL_SLOT_STATE_COUNT, el_slot_state_name);
NAMES(reject, "reason", EL_REJECT_COUNT, el_http_reject_name);
NAMES(constraint, "constraint", EL_CONSTRAINT_COUNT, el_constraint_name);
NAMES(actuator, "actuator", EL_ACTUATOR_COUNT, el_actuator_name);
NAMES(mode, "mode", EL_MODE_COUNT, el_mode_name);
NAMES(failsafe, "level", EL_FAILSAFE_COUNT, el_failsafe_name);
NAMES(origin, "source", EL_ASSUMED + 1, el_origin_name);
NAMES(severity, "severity", EL_SEVERITY_CRITICAL + 1, el_severity_name);
NAMES(log, "log", EL_READ_COUNT, el_read_name);
NAMES(fault, "reason", EL_FAULT_COUNT, el_read_fault_name);
NAMES(command, "command", EL_ADMIN_KIND_COUNT, el_admin_kind_name);
LIST(process, "process", "elementd", "elementd-exporter");
LIST(warning, "warning", "available_spare", "temperature", "reliability", "read_only", "volatile_backup", "pmr");
LIST(group_warning, "warning", "available_spare", "reliability", "read_only");
LIST(bound, "bound", "over", "under");
LIST(basis, "basis", "rated_bytes", "percentage_used");
LIST(window, "window", "1d", "30d");
LIST(direction, "direction", "lower", "raise");
LIST(io, "direction", "read", "write");
LIST(kind, "kind", "current", "max");
LIST(pci_power, "state", "D0", "D1", "D2", "D3hot", "D3cold", "unknown");
LIST(aer_severity, "severity", "correctable", "nonfatal", "fatal");
LIST(correction, "severity", "correctable", "uncorrectable");
LIST(sanitize, "state", "never", "done", "running", "failed", "done_without_deallocation");
LIST(block_area, "area", "user", "system");
LIST(detected, "kind", "detected", "corrected");
LIST(most_least, "extent", "max", "min");
