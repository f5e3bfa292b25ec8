#include "model/scenario.h"

#include "base/base.h"

const char *el_scenario_kind_name(enum el_scenario_kind k)
{
    static const char *const names[] = {
        "inlet",        "airflow",      "workload",         "sensor-stuck",     "sensor-jump",
        "sensor-lost",  "sensor-lying", "drive-hung",       "drive-gone",       "drive-swapped",
        "drive-reset",  "fan-dead",     "link-downtrained", "actuator-refused", "actuator-ignored",
        "drive-locked",
    };

    return (unsigned)k < EL_ARRAY_SIZE(names) ? names[k] : "unknown";
}
