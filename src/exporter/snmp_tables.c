/* The columns of ELEMENT-MIB: number, name, type, and where the value comes from. mibs/ELEMENT-MIB.txt says what each
 * means. */
#include "exporter/snmp_get.h"

#define FIELD(T, f)       offsetof(struct T, f), sizeof(((struct T *)0)->f)
#define TEXT(T, f)        el_snmp_get_text, FIELD(T, f)
#define DATE(T, f)        el_snmp_get_date, FIELD(T, f)
#define UINT(T, f)        el_snmp_get_uint, FIELD(T, f)
#define SCALED(T, f, s)   el_snmp_get_uint, FIELD(T, f), s
#define NONZERO(T, f)     el_snmp_get_nonzero, FIELD(T, f)
#define WIDE(T, f, s)     el_snmp_get_wide, FIELD(T, f), s
#define ENUM(T, f)        el_snmp_get_enum, FIELD(T, f)
#define BOOL(T, f)        el_snmp_get_bool, FIELD(T, f)
#define READ(T, f)        el_snmp_get_reading, FIELD(T, f)
#define REAL(T, f, s)     el_snmp_get_real, FIELD(T, f), s
#define POSITIVE(T, f, s) el_snmp_get_positive, FIELD(T, f), s
#define CALL(g)           el_snmp_get_##g
#define CALLA(g, a)       el_snmp_get_##g, a
#define CALLF(g, T, f)    el_snmp_get_##g, FIELD(T, f)

static const struct el_snmp_column system_columns[] = {
    {1, "elSnapshotSeq", EL_SNMP_COUNTER, UINT(el_snapshot, seq)},
    {2, "elSnapshotTime", EL_SNMP_TEXT, DATE(el_snapshot, realtime_us)},
    {3, "elSnapshotAge", EL_SNMP_GAUGE, CALL(age)},
    {4, "elSnapshotPeriod", EL_SNMP_GAUGE, UINT(el_snapshot, period_ms)},
    {5, "elVersion", EL_SNMP_TEXT, TEXT(el_snapshot, daemon.version)},
    {6, "elBackend", EL_SNMP_TEXT, TEXT(el_snapshot, daemon.backend)},
    {7, "elMode", EL_SNMP_INTEGER, ENUM(el_snapshot, daemon.mode)},
    {8, "elReady", EL_SNMP_INTEGER, BOOL(el_snapshot, daemon.ready)},
    {9, "elConfigOk", EL_SNMP_INTEGER, BOOL(el_snapshot, daemon.config_ok)},
    {10, "elTicks", EL_SNMP_COUNTER, UINT(el_snapshot, daemon.ticks)},
    {11, "elTicksLate", EL_SNMP_COUNTER, UINT(el_snapshot, daemon.ticks_late)},
    {12, "elEventsLost", EL_SNMP_COUNTER, UINT(el_snapshot, daemon.events_lost)},
    {13, "elEventNext", EL_SNMP_COUNTER, UINT(el_snapshot, event_next)},
    {14, "elCards", EL_SNMP_GAUGE, UINT(el_snapshot, cards.count)},
    {15, "elSlots", EL_SNMP_GAUGE, UINT(el_snapshot, slots.count)},
    {16, "elAlarmsActive", EL_SNMP_GAUGE, UINT(el_snapshot, alarms.count)},
};

static const struct el_snmp_column exporter_columns[] = {
    {1, "elExporterVersion", EL_SNMP_TEXT, TEXT(el_snmp_self, version)},
    {2, "elExporterUptime", EL_SNMP_TICKS, CALL(uptime)},
    {3, "elExporterSnapshotStale", EL_SNMP_INTEGER, CALL(stale)},
    {4, "elExporterAgentX", EL_SNMP_INTEGER, ENUM(el_snmp_self, agentx)},
    {5, "elExporterEntity", EL_SNMP_INTEGER, ENUM(el_snmp_self, entity)},
    {6, "elExporterNotifications", EL_SNMP_COUNTER, UINT(el_snmp_self, notifications)},
    {7, "elExporterNotificationsSuppressed", EL_SNMP_COUNTER, UINT(el_snmp_self, suppressed)},
    {8, "elExporterLastNotified", EL_SNMP_COUNTER, UINT(el_snmp_self, last_notified)},
};

static const struct el_snmp_column card_columns[] = {
    {2, "elCardName", EL_SNMP_TEXT, TEXT(el_card, name)},
    {3, "elCardTitle", EL_SNMP_TEXT, TEXT(el_card, title)},
    {4, "elCardProfile", EL_SNMP_TEXT, TEXT(el_card, profile)},
    {5, "elCardAddress", EL_SNMP_TEXT, TEXT(el_card, address)},
    {6, "elCardSerial", EL_SNMP_TEXT, TEXT(el_card, serial)},
    {7, "elCardSlots", EL_SNMP_GAUGE, UINT(el_card, slots)},
    {8, "elCardHasSwitch", EL_SNMP_INTEGER, BOOL(el_card, has_switch)},
    {9, "elCardInlet", EL_SNMP_INTEGER, READ(el_card, inlet_mc)},
    {10, "elCardInletOrigin", EL_SNMP_INTEGER, CALLF(origin, el_card, inlet_mc)},
    {11, "elCardAirflow", EL_SNMP_GAUGE, READ(el_card, airflow_mlfm)},
    {12, "elCardAirflowOrigin", EL_SNMP_INTEGER, CALLF(origin, el_card, airflow_mlfm)},
    {13, "elCardHumidity", EL_SNMP_GAUGE, READ(el_card, humidity_ppm)},
    {14, "elCardPower", EL_SNMP_GAUGE, READ(el_card, power_mw)},
    {15, "elCardPowerOrigin", EL_SNMP_INTEGER, CALLF(origin, el_card, power_mw)},
    {16, "elCardSwitchTemperature", EL_SNMP_INTEGER, READ(el_card, switch_mc)},
    {17, "elCardPowerLimit", EL_SNMP_GAUGE, REAL(el_card, card_limit_w, 1e3)},
    {18, "elCardSwitchLimit", EL_SNMP_INTEGER, REAL(el_card, switch_limit_c, 1e3)},
    {19, "elCardInletMin", EL_SNMP_INTEGER, REAL(el_card, inlet_min_c, 1e3)},
    {20, "elCardInletMax", EL_SNMP_INTEGER, REAL(el_card, inlet_max_c, 1e3)},
    {21, "elCardAirflowMin", EL_SNMP_GAUGE, REAL(el_card, airflow_min_lfm, 1e3)},
    {22, "elCardHumidityMin", EL_SNMP_GAUGE, REAL(el_card, humidity_min_ratio, 1e6)},
    {23, "elCardHumidityMax", EL_SNMP_GAUGE, REAL(el_card, humidity_max_ratio, 1e6)},
};

static const struct el_snmp_column slot_columns[] = {
    {2, "elSlotNumber", EL_SNMP_GAUGE, UINT(el_slot, number)},
    {3, "elSlotName", EL_SNMP_TEXT, CALL(slot_name)},
    {4, "elSlotState", EL_SNMP_INTEGER, CALL(slot_state)},
    {5, "elSlotUp", EL_SNMP_INTEGER, CALL(slot_up)},
    {6, "elSlotReason", EL_SNMP_TEXT, TEXT(el_slot, reason)},
    {7, "elSlotController", EL_SNMP_TEXT, TEXT(el_slot, controller)},
    {8, "elSlotAddress", EL_SNMP_TEXT, TEXT(el_slot, address)},
    {9, "elSlotLabel", EL_SNMP_TEXT, TEXT(el_slot, label)},
    {10, "elSlotTransport", EL_SNMP_TEXT, TEXT(el_slot, transport)},
    {11, "elSlotDriver", EL_SNMP_TEXT, TEXT(el_slot, driver)},
    {12, "elSlotProfile", EL_SNMP_TEXT, TEXT(el_slot, profile)},
    {13, "elSlotLastSerial", EL_SNMP_TEXT, TEXT(el_slot, last_serial)},
    {14, "elSlotReplaced", EL_SNMP_COUNTER, UINT(el_slot, replaced)},
    {15, "elSlotLastSuccess", EL_SNMP_TEXT, DATE(el_slot, last_success_realtime_us)},
    {16, "elSlotUpTime", EL_SNMP_GAUGE, CALL(slot_uptime)},
    {17, "elSlotPolls", EL_SNMP_COUNTER, UINT(el_slot, polls)},
    {18, "elSlotPollErrors", EL_SNMP_COUNTER, UINT(el_slot, poll_errors)},
    {19, "elSlotPollDuration", EL_SNMP_GAUGE, UINT(el_slot, poll_duration_us)},
    {20, "elSlotPollPeriod", EL_SNMP_GAUGE, UINT(el_slot, poll_period_ms)},
    {21, "elSlotReadBytes", EL_SNMP_COUNTER64, CALLF(io, el_slot, io.read_bytes)},
    {22, "elSlotWriteBytes", EL_SNMP_COUNTER64, CALLF(io, el_slot, io.write_bytes)},
    {23, "elSlotReadOps", EL_SNMP_COUNTER64, CALLF(io, el_slot, io.read_ops)},
    {24, "elSlotWriteOps", EL_SNMP_COUNTER64, CALLF(io, el_slot, io.write_ops)},
};

static const struct el_snmp_column identity_columns[] = {
    {1, "elIdentityModel", EL_SNMP_TEXT, TEXT(el_slot, identify.model)},
    {2, "elIdentitySerial", EL_SNMP_TEXT, TEXT(el_slot, identify.serial)},
    {3, "elIdentityFirmware", EL_SNMP_TEXT, TEXT(el_slot, identify.firmware)},
    {4, "elIdentitySubsystem", EL_SNMP_TEXT, TEXT(el_slot, identify.subnqn)},
    {5, "elIdentityVendor", EL_SNMP_GAUGE, UINT(el_slot, identify.vid)},
    {6, "elIdentityVersion", EL_SNMP_TEXT, CALL(nvme_version)},
    {7, "elIdentityCapacity", EL_SNMP_COUNTER64, WIDE(el_slot, identify.total_capacity_bytes, 1)},
    {8, "elIdentityWarningTemperature", EL_SNMP_INTEGER, CALLF(kelvin, el_slot, identify.wctemp_k)},
    {9, "elIdentityCriticalTemperature", EL_SNMP_INTEGER, CALLF(kelvin, el_slot, identify.cctemp_k)},
    {10, "elIdentityPowerStates", EL_SNMP_GAUGE, UINT(el_slot, identify.power_states)},
    {11, "elIdentityNamespaces", EL_SNMP_GAUGE, UINT(el_slot, identify.namespaces)},
};

static const struct el_snmp_column health_columns[] = {
    {1, "elHealthCriticalWarning", EL_SNMP_TEXT, CALL(warning)},
    {2, "elHealthTemperature", EL_SNMP_INTEGER, READ(el_slot, temp_mc[0])},
    {3, "elHealthSpare", EL_SNMP_GAUGE, UINT(el_slot, smart.available_spare)},
    {4, "elHealthSpareThreshold", EL_SNMP_GAUGE, UINT(el_slot, smart.available_spare_threshold)},
    {5, "elHealthUsed", EL_SNMP_GAUGE, UINT(el_slot, smart.percentage_used)},
    {6, "elHealthDataRead", EL_SNMP_COUNTER64, WIDE(el_slot, smart.data_units_read, 512000)},
    {7, "elHealthDataWritten", EL_SNMP_COUNTER64, WIDE(el_slot, smart.data_units_written, 512000)},
    {8, "elHealthHostReads", EL_SNMP_COUNTER64, WIDE(el_slot, smart.host_reads, 1)},
    {9, "elHealthHostWrites", EL_SNMP_COUNTER64, WIDE(el_slot, smart.host_writes, 1)},
    {10, "elHealthBusyTime", EL_SNMP_COUNTER64, WIDE(el_slot, smart.busy_minutes, 60)},
    {11, "elHealthPowerCycles", EL_SNMP_COUNTER64, WIDE(el_slot, smart.power_cycles, 1)},
    {12, "elHealthPowerOnTime", EL_SNMP_COUNTER64, WIDE(el_slot, smart.power_on_hours, 3600)},
    {13, "elHealthUnsafeShutdowns", EL_SNMP_COUNTER64, WIDE(el_slot, smart.unsafe_shutdowns, 1)},
    {14, "elHealthMediaErrors", EL_SNMP_COUNTER64, WIDE(el_slot, smart.media_errors, 1)},
    {15, "elHealthErrorLogEntries", EL_SNMP_COUNTER64, WIDE(el_slot, smart.error_log_entries, 1)},
    {16, "elHealthWarningTime", EL_SNMP_COUNTER64, SCALED(el_slot, smart.warning_minutes, 60)},
    {17, "elHealthCriticalTime", EL_SNMP_COUNTER64, SCALED(el_slot, smart.critical_minutes, 60)},
    {18, "elHealthLightThrottles", EL_SNMP_COUNTER, UINT(el_slot, smart.tmt_transitions[0])},
    {19, "elHealthHeavyThrottles", EL_SNMP_COUNTER, UINT(el_slot, smart.tmt_transitions[1])},
    {20, "elHealthLightThrottleTime", EL_SNMP_COUNTER, UINT(el_slot, smart.tmt_seconds[0])},
    {21, "elHealthHeavyThrottleTime", EL_SNMP_COUNTER, UINT(el_slot, smart.tmt_seconds[1])},
    {22, "elHealthPower", EL_SNMP_GAUGE, READ(el_slot, power_mw)},
    {23, "elHealthPowerState", EL_SNMP_GAUGE, READ(el_slot, power_state)},
    {24, "elHealthWriteCache", EL_SNMP_INTEGER, CALLF(reading_bool, el_slot, write_cache)},
};

static const struct el_snmp_column drive_sensor_columns[] = {
    {2, "elDriveSensorNumber", EL_SNMP_GAUGE, CALL(sensor_number)},
    {3, "elDriveSensorName", EL_SNMP_TEXT, CALL(sensor_name)},
    {4, "elDriveSensorTemperature", EL_SNMP_INTEGER, CALL(sensor_temp)},
    {5, "elDriveSensorQuality", EL_SNMP_INTEGER, CALL(sensor_quality)},
    {6, "elDriveSensorOver", EL_SNMP_INTEGER, CALLA(sensor_threshold, 0)},
    {7, "elDriveSensorUnder", EL_SNMP_INTEGER, CALLA(sensor_threshold, 1)},
};

static const struct el_snmp_column link_columns[] = {
    {4, "elLinkAddress", EL_SNMP_TEXT, TEXT(el_link, address)},
    {5, "elLinkParent", EL_SNMP_TEXT, TEXT(el_link, parent)},
    {6, "elLinkUp", EL_SNMP_INTEGER, BOOL(el_link, up)},
    {7, "elLinkDegraded", EL_SNMP_INTEGER, BOOL(el_link, degraded)},
    {8, "elLinkSpeed", EL_SNMP_GAUGE, NONZERO(el_link, current_mts)},
    {9, "elLinkWidth", EL_SNMP_GAUGE, NONZERO(el_link, current_width)},
    {10, "elLinkSpeedMax", EL_SNMP_GAUGE, NONZERO(el_link, max_mts)},
    {11, "elLinkWidthMax", EL_SNMP_GAUGE, NONZERO(el_link, max_width)},
    {12, "elLinkSpeedExpected", EL_SNMP_GAUGE, NONZERO(el_link, expected_mts)},
    {13, "elLinkWidthExpected", EL_SNMP_GAUGE, NONZERO(el_link, expected_width)},
    {14, "elLinkPathRate", EL_SNMP_COUNTER64, NONZERO(el_link, path_bottleneck_bytes_per_s)},
    {15, "elLinkPowerLimit", EL_SNMP_GAUGE, NONZERO(el_link, slot_power_limit_mw)},
    {16, "elLinkPowerState", EL_SNMP_TEXT, TEXT(el_link, power_state)},
    {17, "elLinkCorrectableErrors", EL_SNMP_COUNTER64, CALLA(aer, EL_AER_CORRECTABLE)},
    {18, "elLinkNonfatalErrors", EL_SNMP_COUNTER64, CALLA(aer, EL_AER_NONFATAL)},
    {19, "elLinkFatalErrors", EL_SNMP_COUNTER64, CALLA(aer, EL_AER_FATAL)},
};

static const struct el_snmp_column board_sensor_columns[] = {
    {2, "elBoardSensorName", EL_SNMP_TEXT, TEXT(el_sensor, name)},
    {3, "elBoardSensorLabel", EL_SNMP_TEXT, TEXT(el_sensor, label)},
    {4, "elBoardSensorKind", EL_SNMP_INTEGER, ENUM(el_sensor, kind)},
    {5, "elBoardSensorRole", EL_SNMP_INTEGER, ENUM(el_sensor, role)},
    {6, "elBoardSensorCard", EL_SNMP_TEXT, CALL(sensor_card)},
    {7, "elBoardSensorValue", EL_SNMP_INTEGER, READ(el_sensor, value)},
    {8, "elBoardSensorQuality", EL_SNMP_INTEGER, ENUM(el_sensor, value.quality)},
    {9, "elBoardSensorAlarm", EL_SNMP_INTEGER, BOOL(el_sensor, alarm)},
    {10, "elBoardSensorFault", EL_SNMP_INTEGER, BOOL(el_sensor, fault)},
    {11, "elBoardSensorMin", EL_SNMP_INTEGER, CALLF(limit, el_sensor, limit_min)},
    {12, "elBoardSensorMax", EL_SNMP_INTEGER, CALLF(limit, el_sensor, limit_max)},
};

static const struct el_snmp_column governor_card_columns[] = {
    {1, "elGovernorCardMode", EL_SNMP_INTEGER, ENUM(el_card, mode)},
    {2, "elGovernorCardLaw", EL_SNMP_TEXT, TEXT(el_card, law)},
    {3, "elGovernorCardPaused", EL_SNMP_INTEGER, BOOL(el_card, paused)},
    {4, "elGovernorCardFailsafe", EL_SNMP_INTEGER, ENUM(el_card, failsafe)},
    {5, "elGovernorCardFailsafeReason", EL_SNMP_INTEGER, ENUM(el_card, failsafe_reason)},
    {6, "elGovernorCardFailsafes", EL_SNMP_COUNTER, UINT(el_card, failsafe_entries)},
    {7, "elGovernorCardAirFailing", EL_SNMP_INTEGER, BOOL(el_card, air_failing)},
    {8, "elGovernorCardPower", EL_SNMP_GAUGE, REAL(el_card, power_estimate_w, 1e3)},
    {9, "elGovernorCardResistance", EL_SNMP_GAUGE, REAL(el_card, sink_resistance_c_per_w, 1e3)},
    {10, "elGovernorCardUnknownHeat", EL_SNMP_INTEGER, REAL(el_card, unknown_heat_w, 1e3)},
    {11, "elGovernorCardAirflow", EL_SNMP_GAUGE, REAL(el_card, airflow_estimate_lfm, 1e3)},
    {12, "elGovernorCardAirflowWish", EL_SNMP_GAUGE, REAL(el_card, airflow_wish_lfm, 1e3)},
    {13, "elGovernorCardSwitchHeadroom", EL_SNMP_INTEGER, REAL(el_card, switch_headroom_c, 1e3)},
    {14, "elGovernorCardFan", EL_SNMP_GAUGE, REAL(el_card, fan_pwm_ratio, 1e6)},
};

static const struct el_snmp_column governor_slot_columns[] = {
    {1, "elGovernorSlotCap", EL_SNMP_GAUGE, REAL(el_slot, decision.cap_ratio, 1e6)},
    {2, "elGovernorSlotBudget", EL_SNMP_GAUGE, CALL(budget)},
    {3, "elGovernorSlotConstraint", EL_SNMP_INTEGER, ENUM(el_slot, decision.constraint)},
    {4, "elGovernorSlotConstraintAge", EL_SNMP_GAUGE, CALLF(since, el_slot, decision.since_us)},
    {5, "elGovernorSlotLiftIn", EL_SNMP_GAUGE, CALLF(until, el_slot, decision.lift_us)},
    {6, "elGovernorSlotLimit", EL_SNMP_INTEGER, REAL(el_slot, decision.limit_c, 1e3)},
    {7, "elGovernorSlotHeadroom", EL_SNMP_INTEGER, REAL(el_slot, decision.headroom_c, 1e3)},
    {8, "elGovernorSlotTemperature", EL_SNMP_INTEGER, REAL(el_slot, decision.temp_estimate_c, 1e3)},
    {9, "elGovernorSlotPower", EL_SNMP_GAUGE, REAL(el_slot, decision.power_estimate_w, 1e3)},
    {10, "elGovernorSlotWithheld", EL_SNMP_GAUGE, REAL(el_slot, decision.withheld_ratio, 1e6)},
    {11, "elGovernorSlotCapInForce", EL_SNMP_GAUGE, REAL(el_slot, action.cap_ratio_in_force, 1e6)},
    {12, "elGovernorSlotPowerState", EL_SNMP_GAUGE, CALLF(not_negative, el_slot, decision.power_state)},
    {13, "elGovernorSlotPowerStateInForce", EL_SNMP_GAUGE, CALLF(not_negative, el_slot, action.power_state_in_force)},
    {14, "elGovernorSlotLowered", EL_SNMP_COUNTER, CALLF(writes, el_slot, action.lowered)},
    {15, "elGovernorSlotRaised", EL_SNMP_COUNTER, CALLF(writes, el_slot, action.raised)},
    {16, "elGovernorSlotMismatches", EL_SNMP_COUNTER, UINT(el_slot, action.mismatches)},
    {17, "elGovernorSlotFailures", EL_SNMP_COUNTER, UINT(el_slot, action.failures)},
    {18, "elGovernorSlotEscaped", EL_SNMP_COUNTER64, UINT(el_slot, action.escape_bytes)},
    {19, "elGovernorSlotSensorValid", EL_SNMP_INTEGER, BOOL(el_slot, decision.sensor_valid)},
};

static const struct el_snmp_column endurance_columns[] = {
    {1, "elEnduranceRated", EL_SNMP_COUNTER64, POSITIVE(el_slot, rated_endurance_bytes, 1)},
    {2, "elEnduranceDays", EL_SNMP_GAUGE, REAL(el_slot, wear_days_remaining, 1)},
    {3, "elEnduranceRateDay", EL_SNMP_COUNTER64, REAL(el_slot, write_rate_1d, 1)},
    {4, "elEnduranceRateMonth", EL_SNMP_COUNTER64, REAL(el_slot, write_rate_30d, 1)},
    {5, "elEnduranceBasis", EL_SNMP_INTEGER, ENUM(el_slot, wear_basis)},
};

static const struct el_snmp_column warranty_columns[] = {
    {1, "elWarrantyRated", EL_SNMP_COUNTER64, POSITIVE(el_card, rated_endurance_bytes, 1)},
    {2, "elWarrantyRemaining", EL_SNMP_INTEGER, REAL(el_card, warranty_seconds_remaining, 1)},
    {3, "elWarrantyEnduranceRemaining", EL_SNMP_INTEGER, REAL(el_card, warranty_endurance_remaining_ratio, 1e6)},
};

static const struct el_snmp_column alarm_columns[] = {
    {5, "elAlarmName", EL_SNMP_TEXT, CALL(alarm_name)},
    {6, "elAlarmSeverity", EL_SNMP_INTEGER, ENUM(el_alarm, severity)},
    {7, "elAlarmSince", EL_SNMP_TEXT, DATE(el_alarm, since_realtime_us)},
    {8, "elAlarmCardName", EL_SNMP_TEXT, CALLF(card_name, el_alarm, card)},
    {9, "elAlarmSlotNumber", EL_SNMP_INTEGER, CALLF(slot_of, el_alarm, slot)},
    {10, "elAlarmValue", EL_SNMP_INTEGER, REAL(el_alarm, value, 1e3)},
    {11, "elAlarmLimit", EL_SNMP_INTEGER, REAL(el_alarm, limit, 1e3)},
    {12, "elAlarmText", EL_SNMP_TEXT, TEXT(el_alarm, text)},
};

static const struct el_snmp_column event_columns[] = {
    {2, "elEventTime", EL_SNMP_TEXT, DATE(el_event, realtime_us)},
    {3, "elEventAlarm", EL_SNMP_INTEGER, UINT(el_event, kind)},
    {4, "elEventSeverity", EL_SNMP_INTEGER, ENUM(el_event, severity)},
    {5, "elEventRaised", EL_SNMP_INTEGER, BOOL(el_event, raised)},
    {6, "elEventCardName", EL_SNMP_TEXT, CALLF(card_name, el_event, card)},
    {7, "elEventSlotNumber", EL_SNMP_INTEGER, CALLF(slot_of, el_event, slot)},
    {8, "elEventText", EL_SNMP_TEXT, TEXT(el_event, text)},
};

#define TABLE(name, number, set, present, columns)                                                                     \
    {                                                                                                                  \
        name, {1, number, 1}, 3, false, set, present, columns, EL_ARRAY_SIZE(columns)                                  \
    }
#define SCALARS(name, number, set, columns)                                                                            \
    {                                                                                                                  \
        name, {1, number}, 2, false, set, NULL, columns, EL_ARRAY_SIZE(columns)                                        \
    }

const struct el_snmp_table el_snmp_element_tables[] = {
    SCALARS("elSystem", 1, EL_ROWS_ONE, system_columns),
    SCALARS("elExporter", 2, EL_ROWS_SELF, exporter_columns),
    TABLE("elCardTable", 3, EL_ROWS_CARD, NULL, card_columns),
    TABLE("elSlotTable", 4, EL_ROWS_SLOT, NULL, slot_columns),
    TABLE("elIdentityTable", 5, EL_ROWS_SLOT, el_snmp_identify_known, identity_columns),
    TABLE("elHealthTable", 6, EL_ROWS_SLOT, el_snmp_smart_known, health_columns),
    TABLE("elDriveSensorTable", 7, EL_ROWS_DRIVE_SENSOR, NULL, drive_sensor_columns),
    TABLE("elLinkTable", 8, EL_ROWS_LINK, el_snmp_link_known, link_columns),
    TABLE("elBoardSensorTable", 9, EL_ROWS_BOARD, NULL, board_sensor_columns),
    TABLE("elGovernorCardTable", 10, EL_ROWS_CARD, NULL, governor_card_columns),
    TABLE("elGovernorSlotTable", 11, EL_ROWS_SLOT, el_snmp_decided, governor_slot_columns),
    TABLE("elEnduranceTable", 12, EL_ROWS_SLOT, el_snmp_smart_known, endurance_columns),
    TABLE("elWarrantyTable", 13, EL_ROWS_CARD, NULL, warranty_columns),
    TABLE("elAlarmTable", 14, EL_ROWS_ALARM, NULL, alarm_columns),
    TABLE("elEventTable", 15, EL_ROWS_EVENT, NULL, event_columns),
};
const size_t el_snmp_element_tables_n = EL_ARRAY_SIZE(el_snmp_element_tables);
