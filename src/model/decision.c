#include "model/decision.h"

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
