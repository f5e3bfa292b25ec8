/* Names of the enumerations, as metrics, SNMP, JSON and people see them. */
#include "model/catalog.h"
#include "model/device.h"
#include "model/scenario.h"

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
NAME_FUNCTION(el_quality_name, el_quality, "absent", "good", "stale", "implausible", "failed")
NAME_FUNCTION(el_origin_name, el_origin, "measured", "estimated", "assumed")
NAME_FUNCTION(el_constraint_name, el_constraint, "none", "drive temperature", "drive sensor temperature", "card power",
              "switch temperature", "inlet", "airflow", "array", "stale sensor", "failed sensor", "actuator",
              "start-up")
NAME_FUNCTION(el_failsafe_name, el_failsafe, "none", "hold", "reduce", "floor")
NAME_FUNCTION(el_mode_name, el_mode, "observe", "advise", "enforce")
NAME_FUNCTION(el_scenario_kind_name, el_scenario_kind, "inlet", "airflow", "workload", "sensor-stuck", "sensor-jump",
              "sensor-lost", "sensor-lying", "drive-hung", "drive-gone", "drive-swapped", "drive-reset", "fan-dead",
              "link-downtrained", "actuator-refused", "actuator-ignored", "drive-locked")
NAME_FUNCTION(el_metric_type_name, el_metric_type, "gauge", "counter", "info", "states")
NAME_FUNCTION(el_metric_scope_name, el_metric_scope, "daemon", "exporter", "card", "slot", "namespace", "link",
              "sensor", "alarm")
NAME_FUNCTION(el_http_reject_name, el_http_reject, "connections", "timeout", "bad_request", "method", "not_found",
              "unauthorized")
