#include "model/alarm.h"

#include "base/base.h"

/* id, severity, name, title, seconds the condition must hold before it is raised, and be gone before it is cleared. Times are
 * assumed: long enough that one odd reading raises nothing, short against the minutes a person needs. */
static const struct el_alarm_kind kinds[] = {
    {EL_ALARM_DRIVE_TEMPERATURE, EL_SEVERITY_WARNING, "drive_temperature", "Drive above its warning temperature or limit", 10, 30},
    {EL_ALARM_DRIVE_TEMPERATURE_CRITICAL, EL_SEVERITY_CRITICAL, "drive_temperature_critical", "Drive above its critical temperature", 0, 30},
    {EL_ALARM_FAILSAFE, EL_SEVERITY_CRITICAL, "failsafe", "Governor in failsafe", 0, 30},
    {EL_ALARM_THROTTLED_LONG, EL_SEVERITY_WARNING, "throttled_long", "Drive capped for a long time", 900, 60},
    {EL_ALARM_ENDURANCE, EL_SEVERITY_WARNING, "endurance", "Rated endurance used up", 0, 0},
    {EL_ALARM_SPARE, EL_SEVERITY_CRITICAL, "spare", "Available spare below its threshold", 0, 60},
    {EL_ALARM_MEDIA_ERRORS, EL_SEVERITY_WARNING, "media_errors", "Media errors growing", 0, 3600},
    {EL_ALARM_DRIVE_LOST, EL_SEVERITY_CRITICAL, "drive_lost", "Drive gone or silent", 0, 0},
    {EL_ALARM_DRIVE_REPLACED, EL_SEVERITY_INFO, "drive_replaced", "Drive replaced", 0, 0},
    {EL_ALARM_LINK_DEGRADED, EL_SEVERITY_WARNING, "link_degraded", "PCIe link below what it should be", 10, 30},
    {EL_ALARM_AIR_FAILING, EL_SEVERITY_WARNING, "air_failing", "Airflow failing", 60, 120},
    {EL_ALARM_PLP_FAILING, EL_SEVERITY_CRITICAL, "plp_failing", "Power loss protection failed", 0, 60},
    {EL_ALARM_EXPORTER_RESTARTED, EL_SEVERITY_INFO, "exporter_restarted", "Exporter restarted", 0, 0},
    {EL_ALARM_RELIABILITY, EL_SEVERITY_CRITICAL, "reliability", "Drive reliability degraded", 0, 60},
    {EL_ALARM_READ_ONLY, EL_SEVERITY_CRITICAL, "read_only", "Drive is read-only", 0, 60},
    {EL_ALARM_FAN_FAILED, EL_SEVERITY_CRITICAL, "fan_failed", "Fan failed", 10, 30},
    {EL_ALARM_INLET_OUT_OF_RANGE, EL_SEVERITY_WARNING, "inlet_out_of_range", "Inlet air outside the card's range", 60, 120},
    {EL_ALARM_HUMIDITY_OUT_OF_RANGE, EL_SEVERITY_WARNING, "humidity_out_of_range", "Humidity outside the card's range", 300, 300},
    {EL_ALARM_SWITCH_TEMPERATURE, EL_SEVERITY_CRITICAL, "switch_temperature", "Card switch above its limit", 10, 30},
    {EL_ALARM_CARD_POWER, EL_SEVERITY_WARNING, "card_power", "Card above its power limit", 30, 60},
    {EL_ALARM_ACTUATOR_MISMATCH, EL_SEVERITY_WARNING, "actuator_mismatch", "Actuator does not hold what was set", 0, 600},
    {EL_ALARM_BUDGET_ESCAPE, EL_SEVERITY_WARNING, "budget_escape", "I/O passes by the budget", 0, 600},
    {EL_ALARM_CONFIG_RELOAD_FAILED, EL_SEVERITY_WARNING, "config_reload_failed", "Settings file refused", 0, 0},
    {EL_ALARM_WARRANTY, EL_SEVERITY_WARNING, "warranty", "Warranty or rated endurance about to end", 0, 86400},
};

const struct el_alarm_kind *el_alarm_kind(enum el_alarm_id id)
{
    for (size_t i = 0; i < EL_ARRAY_SIZE(kinds); i++)
        if (kinds[i].id == id)
            return &kinds[i];
    return NULL;
}
