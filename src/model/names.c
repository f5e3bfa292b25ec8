/* Names of the enumerations, as metrics, SNMP, JSON and people see them. */
#include "model/device.h"
#include "model/snapshot.h"

#define NAME_FUNCTION(function, type, ...)                                                                             \
    const char *function(enum type v)                                                                                  \
    {                                                                                                                  \
        static const char *const names[] = {__VA_ARGS__};                                                              \
        return (unsigned)v < EL_ARRAY_SIZE(names) ? names[(unsigned)v] : "unknown";                                    \
    }

NAME_FUNCTION(el_slot_state_name, el_slot_state, "empty", "up", "stale", "failed", "gone", "unbound")
NAME_FUNCTION(el_read_name, el_read, "smart", "identify", "error", "firmware", "self_test", "endurance", "sanitize",
              "ocp", "security")
NAME_FUNCTION(el_read_fault_name, el_read_fault, "refused", "timeout", "io", "page")
NAME_FUNCTION(el_link_role_name, el_link_role, "root_port", "switch_upstream", "switch_downstream", "drive")
NAME_FUNCTION(el_sensor_kind_name, el_sensor_kind, "temperature", "fan", "pwm", "voltage", "current", "power",
              "humidity", "airflow")
NAME_FUNCTION(el_sensor_role_name, el_sensor_role, "none", "inlet", "switch", "card_power", "fan", "humidity",
              "airflow")
NAME_FUNCTION(el_severity_name, el_severity, "info", "warning", "critical")
NAME_FUNCTION(el_actuator_name, el_actuator, "io_budget", "io_max", "power_state", "hctm", "fan")
NAME_FUNCTION(el_admin_kind_name, el_admin_kind, "identify", "get_log_page", "get_features", "set_features",
              "security_receive")
