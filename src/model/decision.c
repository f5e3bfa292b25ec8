#include "model/decision.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

static const char *name_of(const char *const *names, size_t n, unsigned i)
{
    return i < n ? names[i] : "unknown";
}

const char *el_constraint_name(enum el_constraint c)
{
    static const char *const names[] = {
        [EL_CONSTRAINT_NONE] = "none",
        [EL_CONSTRAINT_DRIVE_TEMPERATURE] = "drive temperature",
        [EL_CONSTRAINT_SENSOR_TEMPERATURE] = "drive sensor temperature",
        [EL_CONSTRAINT_CARD_POWER] = "card power",
        [EL_CONSTRAINT_SWITCH_TEMPERATURE] = "switch temperature",
        [EL_CONSTRAINT_INLET] = "inlet",
        [EL_CONSTRAINT_AIRFLOW] = "airflow",
        [EL_CONSTRAINT_ARRAY] = "array",
        [EL_CONSTRAINT_STALE_SENSOR] = "stale sensor",
        [EL_CONSTRAINT_FAILED_SENSOR] = "failed sensor",
        [EL_CONSTRAINT_ACTUATOR] = "actuator",
        [EL_CONSTRAINT_STARTUP] = "start-up",
        [EL_CONSTRAINT_OPERATOR] = "operator",
    };

    return name_of(names, EL_ARRAY_SIZE(names), c);
}

const char *el_failsafe_name(enum el_failsafe f)
{
    static const char *const names[] = {"none", "hold", "reduce", "floor"};

    return name_of(names, EL_ARRAY_SIZE(names), f);
}

const char *el_mode_name(enum el_mode m)
{
    static const char *const names[] = {"observe", "advise", "enforce"};

    return name_of(names, EL_ARRAY_SIZE(names), m);
}

void el_decision_clear(struct el_decision *d, uint32_t slots)
{
    memset(d, 0, sizeof(*d));
    d->slots = EL_MIN(slots, (uint32_t)EL_CARD_SLOTS_MAX);
    for (uint32_t i = 0; i < EL_CARD_SLOTS_MAX; i++) {
        struct el_slot_decision *s = &d->slot[i];

        s->cap_ratio = 1;
        s->power_state = -1;
        s->limit_c = s->headroom_c = s->temp_estimate_c = s->power_estimate_w = NAN;
    }
    d->fan_pwm_ratio = d->card_power_estimate_w = d->card_limit_w = d->sink_resistance_c_per_w = NAN;
    d->unknown_heat_w = d->airflow_estimate_lfm = d->airflow_wish_lfm = d->switch_headroom_c = NAN;
}
