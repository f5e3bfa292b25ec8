/* The columns of ELEMENT-MIB: number, name, type, and where the value comes from. What is also a metric is read through
 * the metric catalog, so that both say the same. mibs/ELEMENT-MIB.txt says what each means. */
#include "exporter/snmp_get.h"
#include "model/catalog.h"

#define METRIC(id, sub, decimals)         el_snmp_get_metric, EL_METRIC_##id, sub, decimals
#define FLAG(id)                          el_snmp_get_metric_flag, EL_METRIC_##id, 0
#define SENSOR(id, times, plus, decimals) el_snmp_get_metric_sensor, EL_METRIC_##id, (times) << 8 | (plus), decimals
#define MEGA(id, sub)                     el_snmp_get_metric_mega, EL_METRIC_##id, sub
#define FIELD(T, f)                       offsetof(struct T, f), sizeof(((struct T *)0)->f)
#define TEXT(T, f)                        el_snmp_get_text, FIELD(T, f)
#define DATE(T, f)                        el_snmp_get_date, FIELD(T, f)
#define UINT(T, f)                        el_snmp_get_uint, FIELD(T, f)
#define NONZERO(T, f)                     el_snmp_get_nonzero, FIELD(T, f)
#define ENUM(T, f)                        el_snmp_get_enum, FIELD(T, f)
#define BOOL(T, f)                        el_snmp_get_bool, FIELD(T, f)
#define READ(T, f)                        el_snmp_get_reading, FIELD(T, f)
#define REAL(T, f, s)                     el_snmp_get_real, FIELD(T, f), s
#define CALL(g)                           el_snmp_get_##g
#define CALLA(g, a)                       el_snmp_get_##g, a
#define CALLF(g, T, f)                    el_snmp_get_##g, FIELD(T, f)

static const struct el_snmp_column system_columns[] = {
    {1, EL_SNMP_COUNTER, "elSnapshotSeq", UINT(el_snapshot, seq)},
    {2, EL_SNMP_TEXT, "elSnapshotTime", DATE(el_snapshot, realtime_us)},
    {3, EL_SNMP_GAUGE, "elSnapshotAge", CALL(age)},
    {4, EL_SNMP_GAUGE, "elSnapshotPeriod", UINT(el_snapshot, period_ms)},
    {5, EL_SNMP_TEXT, "elVersion", TEXT(el_snapshot, daemon.version)},
    {6, EL_SNMP_TEXT, "elBackend", TEXT(el_snapshot, daemon.backend)},
    {7, EL_SNMP_INTEGER, "elMode", ENUM(el_snapshot, daemon.mode)},
    {8, EL_SNMP_INTEGER, "elReady", FLAG(READY)},
    {9, EL_SNMP_INTEGER, "elConfigOk", FLAG(CONFIG_OK)},
    {10, EL_SNMP_COUNTER, "elTicks", METRIC(TICKS, 0, 0)},
    {11, EL_SNMP_COUNTER, "elTicksLate", METRIC(TICKS_LATE, 0, 0)},
    {12, EL_SNMP_COUNTER, "elEventsLost", METRIC(EVENTS_LOST, 0, 0)},
    {13, EL_SNMP_COUNTER, "elEventNext", UINT(el_snapshot, event_next)},
    {14, EL_SNMP_GAUGE, "elCards", UINT(el_snapshot, cards.count)},
    {15, EL_SNMP_GAUGE, "elSlots", UINT(el_snapshot, slots.count)},
    {16, EL_SNMP_GAUGE, "elAlarmsActive", UINT(el_snapshot, alarms.count)},
};

static const struct el_snmp_column exporter_columns[] = {
    {1, EL_SNMP_TEXT, "elExporterVersion", TEXT(el_snmp_self, version)},
    {2, EL_SNMP_TICKS, "elExporterUptime", CALL(uptime)},
    {3, EL_SNMP_INTEGER, "elExporterSnapshotStale", CALL(stale)},
    {4, EL_SNMP_INTEGER, "elExporterAgentX", ENUM(el_snmp_self, agentx)},
    {5, EL_SNMP_INTEGER, "elExporterEntity", ENUM(el_snmp_self, entity)},
    {6, EL_SNMP_COUNTER, "elExporterNotifications", UINT(el_snmp_self, notifications)},
    {7, EL_SNMP_COUNTER, "elExporterNotificationsSuppressed", UINT(el_snmp_self, suppressed)},
    {8, EL_SNMP_COUNTER, "elExporterLastNotified", UINT(el_snmp_self, last_notified)},
};

static const struct el_snmp_column card_columns[] = {
    {2, EL_SNMP_TEXT, "elCardName", TEXT(el_card, name)},
    {3, EL_SNMP_TEXT, "elCardTitle", TEXT(el_card, title)},
    {4, EL_SNMP_TEXT, "elCardProfile", TEXT(el_card, profile)},
    {5, EL_SNMP_TEXT, "elCardAddress", TEXT(el_card, address)},
    {6, EL_SNMP_TEXT, "elCardSerial", TEXT(el_card, serial)},
    {7, EL_SNMP_GAUGE, "elCardSlots", METRIC(SLOTS_EXPECTED, 0, 0)},
    {8, EL_SNMP_INTEGER, "elCardHasSwitch", BOOL(el_card, has_switch)},
    {9, EL_SNMP_INTEGER, "elCardInlet", READ(el_card, inlet_mc)},
    {10, EL_SNMP_INTEGER, "elCardInletOrigin", CALLF(origin, el_card, inlet_mc)},
    {11, EL_SNMP_GAUGE, "elCardAirflow", READ(el_card, airflow_mlfm)},
    {12, EL_SNMP_INTEGER, "elCardAirflowOrigin", CALLF(origin, el_card, airflow_mlfm)},
    {13, EL_SNMP_GAUGE, "elCardHumidity", READ(el_card, humidity_ppm)},
    {14, EL_SNMP_GAUGE, "elCardPower", READ(el_card, power_mw)},
    {15, EL_SNMP_INTEGER, "elCardPowerOrigin", CALLF(origin, el_card, power_mw)},
    {16, EL_SNMP_INTEGER, "elCardSwitchTemperature", METRIC(SWITCH_TEMPERATURE, 0, 3)},
    {17, EL_SNMP_GAUGE, "elCardPowerLimit", METRIC(CARD_LIMIT, 0, 3)},
    {18, EL_SNMP_INTEGER, "elCardSwitchLimit", METRIC(SWITCH_LIMIT, 0, 3)},
    {19, EL_SNMP_INTEGER, "elCardInletMin", METRIC(CARD_INLET_MIN, 0, 3)},
    {20, EL_SNMP_INTEGER, "elCardInletMax", METRIC(CARD_INLET_MAX, 0, 3)},
    {21, EL_SNMP_GAUGE, "elCardAirflowMin", METRIC(CARD_AIRFLOW_LIMIT, 0, 3)},
    {22, EL_SNMP_GAUGE, "elCardHumidityMin", METRIC(CARD_HUMIDITY_MIN, 0, 6)},
    {23, EL_SNMP_GAUGE, "elCardHumidityMax", METRIC(CARD_HUMIDITY_MAX, 0, 6)},
};

static const struct el_snmp_column slot_columns[] = {
    {2, EL_SNMP_GAUGE, "elSlotNumber", UINT(el_slot, number)},
    {3, EL_SNMP_TEXT, "elSlotName", CALL(slot_name)},
    {4, EL_SNMP_INTEGER, "elSlotState", CALL(slot_state)},
    {5, EL_SNMP_INTEGER, "elSlotUp", FLAG(DRIVE_UP)},
    {6, EL_SNMP_TEXT, "elSlotReason", TEXT(el_slot, reason)},
    {7, EL_SNMP_TEXT, "elSlotController", TEXT(el_slot, controller)},
    {8, EL_SNMP_TEXT, "elSlotAddress", TEXT(el_slot, address)},
    {9, EL_SNMP_TEXT, "elSlotLabel", TEXT(el_slot, label)},
    {10, EL_SNMP_TEXT, "elSlotTransport", TEXT(el_slot, transport)},
    {11, EL_SNMP_TEXT, "elSlotDriver", TEXT(el_slot, driver)},
    {12, EL_SNMP_TEXT, "elSlotProfile", TEXT(el_slot, profile)},
    {13, EL_SNMP_TEXT, "elSlotLastSerial", TEXT(el_slot, last_serial)},
    {14, EL_SNMP_COUNTER, "elSlotReplaced", METRIC(DRIVE_REPLACED, 0, 0)},
    {15, EL_SNMP_TEXT, "elSlotLastSuccess", DATE(el_slot, last_success_realtime_us)},
    {16, EL_SNMP_GAUGE, "elSlotUpTime", CALL(slot_uptime)},
    {17, EL_SNMP_COUNTER, "elSlotPolls", METRIC(DRIVE_POLLS, 0, 0)},
    {18, EL_SNMP_COUNTER, "elSlotPollErrors", UINT(el_slot, poll_errors)},
    {19, EL_SNMP_GAUGE, "elSlotPollDuration", METRIC(DRIVE_POLL_DURATION, 0, 6)},
    {20, EL_SNMP_GAUGE, "elSlotPollPeriod", METRIC(DRIVE_POLL_PERIOD, 0, 3)},
    {21, EL_SNMP_COUNTER64, "elSlotReadBytes", METRIC(DRIVE_IO_BYTES, 0, 0)},
    {22, EL_SNMP_COUNTER64, "elSlotWriteBytes", METRIC(DRIVE_IO_BYTES, 1, 0)},
    {23, EL_SNMP_COUNTER64, "elSlotReadOps", METRIC(DRIVE_IO_OPERATIONS, 0, 0)},
    {24, EL_SNMP_COUNTER64, "elSlotWriteOps", METRIC(DRIVE_IO_OPERATIONS, 1, 0)},
};

static const struct el_snmp_column identity_columns[] = {
    {1, EL_SNMP_TEXT, "elIdentityModel", TEXT(el_slot, identify.model)},
    {2, EL_SNMP_TEXT, "elIdentitySerial", TEXT(el_slot, identify.serial)},
    {3, EL_SNMP_TEXT, "elIdentityFirmware", TEXT(el_slot, identify.firmware)},
    {4, EL_SNMP_TEXT, "elIdentitySubsystem", TEXT(el_slot, identify.subnqn)},
    {5, EL_SNMP_GAUGE, "elIdentityVendor", UINT(el_slot, identify.vid)},
    {6, EL_SNMP_TEXT, "elIdentityVersion", CALL(nvme_version)},
    {7, EL_SNMP_COUNTER64, "elIdentityCapacity", METRIC(DRIVE_CAPACITY, 0, 0)},
    {8, EL_SNMP_INTEGER, "elIdentityWarningTemperature", METRIC(DRIVE_WARNING_THRESHOLD, 0, 3)},
    {9, EL_SNMP_INTEGER, "elIdentityCriticalTemperature", METRIC(DRIVE_CRITICAL_THRESHOLD, 0, 3)},
    {10, EL_SNMP_GAUGE, "elIdentityPowerStates", UINT(el_slot, identify.power_states)},
    {11, EL_SNMP_GAUGE, "elIdentityNamespaces", UINT(el_slot, identify.namespaces)},
};

static const struct el_snmp_column health_columns[] = {
    {1, EL_SNMP_TEXT, "elHealthCriticalWarning", CALL(warning)},
    {2, EL_SNMP_INTEGER, "elHealthTemperature", METRIC(DRIVE_TEMPERATURE, 0, 3)},
    {3, EL_SNMP_GAUGE, "elHealthSpare", METRIC(DRIVE_SPARE, 0, 2)},
    {4, EL_SNMP_GAUGE, "elHealthSpareThreshold", METRIC(DRIVE_SPARE_THRESHOLD, 0, 2)},
    {5, EL_SNMP_GAUGE, "elHealthUsed", METRIC(DRIVE_USED, 0, 2)},
    {6, EL_SNMP_COUNTER64, "elHealthDataRead", METRIC(DRIVE_DATA_READ, 0, 0)},
    {7, EL_SNMP_COUNTER64, "elHealthDataWritten", METRIC(DRIVE_DATA_WRITTEN, 0, 0)},
    {8, EL_SNMP_COUNTER64, "elHealthHostReads", METRIC(DRIVE_HOST_READS, 0, 0)},
    {9, EL_SNMP_COUNTER64, "elHealthHostWrites", METRIC(DRIVE_HOST_WRITES, 0, 0)},
    {10, EL_SNMP_COUNTER64, "elHealthBusyTime", METRIC(DRIVE_BUSY, 0, 0)},
    {11, EL_SNMP_COUNTER64, "elHealthPowerCycles", METRIC(DRIVE_POWER_CYCLES, 0, 0)},
    {12, EL_SNMP_COUNTER64, "elHealthPowerOnTime", METRIC(DRIVE_POWER_ON, 0, 0)},
    {13, EL_SNMP_COUNTER64, "elHealthUnsafeShutdowns", METRIC(DRIVE_UNSAFE_SHUTDOWNS, 0, 0)},
    {14, EL_SNMP_COUNTER64, "elHealthMediaErrors", METRIC(DRIVE_MEDIA_ERRORS, 0, 0)},
    {15, EL_SNMP_COUNTER64, "elHealthErrorLogEntries", METRIC(DRIVE_ERROR_ENTRIES, 0, 0)},
    {16, EL_SNMP_COUNTER64, "elHealthWarningTime", METRIC(DRIVE_WARNING_TIME, 0, 0)},
    {17, EL_SNMP_COUNTER64, "elHealthCriticalTime", METRIC(DRIVE_CRITICAL_TIME, 0, 0)},
    {18, EL_SNMP_COUNTER, "elHealthLightThrottles", METRIC(DRIVE_TMT_TRANSITIONS, 0, 0)},
    {19, EL_SNMP_COUNTER, "elHealthHeavyThrottles", METRIC(DRIVE_TMT_TRANSITIONS, 1, 0)},
    {20, EL_SNMP_COUNTER, "elHealthLightThrottleTime", METRIC(DRIVE_TMT_SECONDS, 0, 0)},
    {21, EL_SNMP_COUNTER, "elHealthHeavyThrottleTime", METRIC(DRIVE_TMT_SECONDS, 1, 0)},
    {22, EL_SNMP_GAUGE, "elHealthPower", METRIC(DRIVE_POWER, 0, 3)},
    {23, EL_SNMP_GAUGE, "elHealthPowerState", METRIC(DRIVE_POWER_STATE, 0, 0)},
    {24, EL_SNMP_INTEGER, "elHealthWriteCache", FLAG(DRIVE_WRITE_CACHE)},
};

static const struct el_snmp_column drive_sensor_columns[] = {
    {2, EL_SNMP_GAUGE, "elDriveSensorNumber", CALL(sensor_number)},
    {3, EL_SNMP_TEXT, "elDriveSensorName", CALL(sensor_name)},
    {4, EL_SNMP_INTEGER, "elDriveSensorTemperature", SENSOR(DRIVE_TEMPERATURE, 1, 0, 3)},
    {5, EL_SNMP_INTEGER, "elDriveSensorQuality", CALL(sensor_quality)},
    {6, EL_SNMP_INTEGER, "elDriveSensorOver", SENSOR(DRIVE_THRESHOLD, 2, 0, 3)},
    {7, EL_SNMP_INTEGER, "elDriveSensorUnder", SENSOR(DRIVE_THRESHOLD, 2, 1, 3)},
};

static const struct el_snmp_column link_columns[] = {
    {4, EL_SNMP_TEXT, "elLinkAddress", TEXT(el_link, address)},
    {5, EL_SNMP_TEXT, "elLinkParent", TEXT(el_link, parent)},
    {6, EL_SNMP_INTEGER, "elLinkUp", FLAG(LINK_UP)},
    {7, EL_SNMP_INTEGER, "elLinkDegraded", FLAG(LINK_DEGRADED)},
    {8, EL_SNMP_GAUGE, "elLinkSpeed", MEGA(LINK_SPEED, 0)},
    {9, EL_SNMP_GAUGE, "elLinkWidth", METRIC(LINK_WIDTH, 0, 0)},
    {10, EL_SNMP_GAUGE, "elLinkSpeedMax", MEGA(LINK_SPEED, 1)},
    {11, EL_SNMP_GAUGE, "elLinkWidthMax", METRIC(LINK_WIDTH, 1, 0)},
    {12, EL_SNMP_GAUGE, "elLinkSpeedExpected", NONZERO(el_link, expected_mts)},
    {13, EL_SNMP_GAUGE, "elLinkWidthExpected", NONZERO(el_link, expected_width)},
    {14, EL_SNMP_COUNTER64, "elLinkPathRate", METRIC(LINK_BOTTLENECK, 0, 0)},
    {15, EL_SNMP_GAUGE, "elLinkPowerLimit", METRIC(LINK_POWER_LIMIT, 0, 3)},
    {16, EL_SNMP_TEXT, "elLinkPowerState", TEXT(el_link, power_state)},
    {17, EL_SNMP_COUNTER64, "elLinkCorrectableErrors", CALLA(aer, EL_AER_CORRECTABLE)},
    {18, EL_SNMP_COUNTER64, "elLinkNonfatalErrors", CALLA(aer, EL_AER_NONFATAL)},
    {19, EL_SNMP_COUNTER64, "elLinkFatalErrors", CALLA(aer, EL_AER_FATAL)},
};

static const struct el_snmp_column board_sensor_columns[] = {
    {2, EL_SNMP_TEXT, "elBoardSensorName", TEXT(el_sensor, name)},
    {3, EL_SNMP_TEXT, "elBoardSensorLabel", TEXT(el_sensor, label)},
    {4, EL_SNMP_INTEGER, "elBoardSensorKind", ENUM(el_sensor, kind)},
    {5, EL_SNMP_INTEGER, "elBoardSensorRole", ENUM(el_sensor, role)},
    {6, EL_SNMP_TEXT, "elBoardSensorCard", CALL(sensor_card)},
    {7, EL_SNMP_INTEGER, "elBoardSensorValue", READ(el_sensor, value)},
    {8, EL_SNMP_INTEGER, "elBoardSensorQuality", CALLF(quality, el_sensor, value)},
    {9, EL_SNMP_INTEGER, "elBoardSensorAlarm", FLAG(BOARD_ALARM)},
    {10, EL_SNMP_INTEGER, "elBoardSensorFault", FLAG(BOARD_FAULT)},
    {11, EL_SNMP_INTEGER, "elBoardSensorMin", CALLF(limit, el_sensor, limit_min)},
    {12, EL_SNMP_INTEGER, "elBoardSensorMax", CALLF(limit, el_sensor, limit_max)},
};

static const struct el_snmp_column governor_card_columns[] = {
    {1, EL_SNMP_INTEGER, "elGovernorCardMode", ENUM(el_card, mode)},
    {2, EL_SNMP_TEXT, "elGovernorCardLaw", TEXT(el_card, law)},
    {3, EL_SNMP_INTEGER, "elGovernorCardPaused", FLAG(GOVERNOR_PAUSED)},
    {4, EL_SNMP_INTEGER, "elGovernorCardFailsafe", ENUM(el_card, failsafe)},
    {5, EL_SNMP_INTEGER, "elGovernorCardFailsafeReason", ENUM(el_card, failsafe_reason)},
    {6, EL_SNMP_COUNTER, "elGovernorCardFailsafes", METRIC(GOVERNOR_FAILSAFE_ENTRIES, 0, 0)},
    {7, EL_SNMP_INTEGER, "elGovernorCardAirFailing", FLAG(GOVERNOR_AIR_FAILING)},
    {8, EL_SNMP_GAUGE, "elGovernorCardPower", METRIC(CARD_POWER_ESTIMATE, 0, 3)},
    {9, EL_SNMP_GAUGE, "elGovernorCardResistance", METRIC(GOVERNOR_RESISTANCE, 0, 3)},
    {10, EL_SNMP_INTEGER, "elGovernorCardUnknownHeat", METRIC(GOVERNOR_UNKNOWN_HEAT, 0, 3)},
    {11, EL_SNMP_GAUGE, "elGovernorCardAirflow", METRIC(GOVERNOR_AIRFLOW, 0, 3)},
    {12, EL_SNMP_GAUGE, "elGovernorCardAirflowWish", METRIC(GOVERNOR_WISH, 0, 3)},
    {13, EL_SNMP_INTEGER, "elGovernorCardSwitchHeadroom", METRIC(SWITCH_HEADROOM, 0, 3)},
    {14, EL_SNMP_GAUGE, "elGovernorCardFan", METRIC(GOVERNOR_PWM, 0, 6)},
};

static const struct el_snmp_column governor_slot_columns[] = {
    {1, EL_SNMP_GAUGE, "elGovernorSlotCap", METRIC(DRIVE_CAP, 0, 6)},
    {2, EL_SNMP_GAUGE, "elGovernorSlotBudget", METRIC(DRIVE_BUDGET, 0, 3)},
    {3, EL_SNMP_INTEGER, "elGovernorSlotConstraint", ENUM(el_slot, decision.constraint)},
    {4, EL_SNMP_GAUGE, "elGovernorSlotConstraintAge", CALLF(since, el_slot, decision.since_us)},
    {5, EL_SNMP_GAUGE, "elGovernorSlotLiftIn", CALLF(until, el_slot, decision.lift_us)},
    {6, EL_SNMP_INTEGER, "elGovernorSlotLimit", METRIC(DRIVE_LIMIT, 0, 3)},
    {7, EL_SNMP_INTEGER, "elGovernorSlotHeadroom", METRIC(DRIVE_HEADROOM, 0, 3)},
    {8, EL_SNMP_INTEGER, "elGovernorSlotTemperature", METRIC(DRIVE_TEMPERATURE_ESTIMATE, 0, 3)},
    {9, EL_SNMP_GAUGE, "elGovernorSlotPower", METRIC(DRIVE_POWER_ESTIMATE, 0, 3)},
    {10, EL_SNMP_GAUGE, "elGovernorSlotWithheld", METRIC(DRIVE_WITHHELD, 0, 6)},
    {11, EL_SNMP_GAUGE, "elGovernorSlotCapInForce", METRIC(DRIVE_CAP_IN_FORCE, 0, 6)},
    {12, EL_SNMP_GAUGE, "elGovernorSlotPowerState", CALLF(not_negative, el_slot, decision.power_state)},
    {13, EL_SNMP_GAUGE, "elGovernorSlotPowerStateInForce", CALLF(not_negative, el_slot, action.power_state_in_force)},
    {14, EL_SNMP_COUNTER, "elGovernorSlotLowered", CALLF(writes, el_slot, action.lowered)},
    {15, EL_SNMP_COUNTER, "elGovernorSlotRaised", CALLF(writes, el_slot, action.raised)},
    {16, EL_SNMP_COUNTER, "elGovernorSlotMismatches", METRIC(DRIVE_MISMATCH, 0, 0)},
    {17, EL_SNMP_COUNTER, "elGovernorSlotFailures", METRIC(DRIVE_ACTION_FAILURES, 0, 0)},
    {18, EL_SNMP_COUNTER64, "elGovernorSlotEscaped", METRIC(DRIVE_ESCAPE, 0, 0)},
    {19, EL_SNMP_INTEGER, "elGovernorSlotSensorValid", FLAG(DRIVE_SENSOR_VALID)},
};

static const struct el_snmp_column endurance_columns[] = {
    {1, EL_SNMP_COUNTER64, "elEnduranceRated", METRIC(DRIVE_RATED, 0, 0)},
    {2, EL_SNMP_GAUGE, "elEnduranceDays", REAL(el_slot, wear_days_remaining, 1)},
    {3, EL_SNMP_COUNTER64, "elEnduranceRateDay", METRIC(DRIVE_WRITE_RATE, 0, 0)},
    {4, EL_SNMP_COUNTER64, "elEnduranceRateMonth", METRIC(DRIVE_WRITE_RATE, 1, 0)},
    {5, EL_SNMP_INTEGER, "elEnduranceBasis", ENUM(el_slot, wear_basis)},
};

static const struct el_snmp_column warranty_columns[] = {
    {1, EL_SNMP_COUNTER64, "elWarrantyRated", METRIC(CARD_RATED, 0, 0)},
    {2, EL_SNMP_INTEGER, "elWarrantyRemaining", METRIC(CARD_WARRANTY, 0, 0)},
    {3, EL_SNMP_INTEGER, "elWarrantyEnduranceRemaining", METRIC(CARD_WARRANTY_ENDURANCE, 0, 6)},
};

static const struct el_snmp_column alarm_columns[] = {
    {5, EL_SNMP_TEXT, "elAlarmName", CALL(alarm_name)},
    {6, EL_SNMP_INTEGER, "elAlarmSeverity", ENUM(el_alarm, severity)},
    {7, EL_SNMP_TEXT, "elAlarmSince", DATE(el_alarm, since_realtime_us)},
    {8, EL_SNMP_TEXT, "elAlarmCardName", CALLF(card_name, el_alarm, card)},
    {9, EL_SNMP_INTEGER, "elAlarmSlotNumber", CALLF(slot_of, el_alarm, slot)},
    {10, EL_SNMP_INTEGER, "elAlarmValue", REAL(el_alarm, value, 1e3)},
    {11, EL_SNMP_INTEGER, "elAlarmLimit", REAL(el_alarm, limit, 1e3)},
    {12, EL_SNMP_TEXT, "elAlarmText", TEXT(el_alarm, text)},
};

static const struct el_snmp_column event_columns[] = {
    {2, EL_SNMP_TEXT, "elEventTime", DATE(el_event, realtime_us)},
    {3, EL_SNMP_INTEGER, "elEventAlarm", UINT(el_event, kind)},
    {4, EL_SNMP_INTEGER, "elEventSeverity", ENUM(el_event, severity)},
    {5, EL_SNMP_INTEGER, "elEventRaised", BOOL(el_event, raised)},
    {6, EL_SNMP_TEXT, "elEventCardName", CALLF(card_name, el_event, card)},
    {7, EL_SNMP_INTEGER, "elEventSlotNumber", CALLF(slot_of, el_event, slot)},
    {8, EL_SNMP_TEXT, "elEventText", TEXT(el_event, text)},
};

#define TABLE(name, number, set, columns)                                                                              \
    {                                                                                                                  \
        name, EL_SNMP_TREE_ELEMENT, {1, number, 1}, 3, set, columns, EL_ARRAY_SIZE(columns)                            \
    }
#define SCALARS(name, number, set, columns)                                                                            \
    {                                                                                                                  \
        name, EL_SNMP_TREE_ELEMENT, {1, number}, 2, set, columns, EL_ARRAY_SIZE(columns)                               \
    }

const struct el_snmp_table el_snmp_element_tables[] = {
    SCALARS("elSystem", 1, EL_ROWS_ONE, system_columns),
    SCALARS("elExporter", 2, EL_ROWS_SELF, exporter_columns),
    TABLE("elCardTable", 3, EL_ROWS_CARD, card_columns),
    TABLE("elSlotTable", 4, EL_ROWS_SLOT, slot_columns),
    TABLE("elIdentityTable", 5, EL_ROWS_IDENTITY, identity_columns),
    TABLE("elHealthTable", 6, EL_ROWS_HEALTH, health_columns),
    TABLE("elDriveSensorTable", 7, EL_ROWS_DRIVE_SENSOR, drive_sensor_columns),
    TABLE("elLinkTable", 8, EL_ROWS_LINK, link_columns),
    TABLE("elBoardSensorTable", 9, EL_ROWS_BOARD, board_sensor_columns),
    TABLE("elGovernorCardTable", 10, EL_ROWS_GOVERNED_CARD, governor_card_columns),
    TABLE("elGovernorSlotTable", 11, EL_ROWS_GOVERNED_SLOT, governor_slot_columns),
    TABLE("elEnduranceTable", 12, EL_ROWS_HEALTH, endurance_columns),
    TABLE("elWarrantyTable", 13, EL_ROWS_CARD, warranty_columns),
    TABLE("elAlarmTable", 14, EL_ROWS_ALARM, alarm_columns),
    TABLE("elEventTable", 15, EL_ROWS_EVENT, event_columns),
};
const size_t el_snmp_element_tables_n = EL_ARRAY_SIZE(el_snmp_element_tables);
