#include "model/scenario.h"

#include <math.h>
#include <string.h>

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

void el_scenario_clear(struct el_scenario *s)
{
    memset(s, 0, sizeof *s);
    s->inlet_c = s->airflow_lfm = s->hours = s->limit_c = s->card_watts = s->switch_limit_c = s->margin_c = NAN;
}
