/* The columns of ELEMENT-MIB: number, name, type, and where the value comes from. What is also a metric is read through
 * the metric catalog, so that both say the same. mibs/ELEMENT-MIB.txt says what each means. */
#include "exporter/snmp_get.h"
#include "model/catalog.h"

#define METRIC(id, sub, decimals)         el_snmp_get_metric, EL_METRIC_##id, sub, decimals
#define FLAG(id)                          el_snmp_get_metric_flag, EL_METRIC_##id, 0
#define SENSOR(id, times, plus, decimals) el_snmp_get_metric_sensor, EL_METRIC_##id, times << 8 | plus, decimals
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
    {1, "elSnapshotSeq", EL_SNMP_COUNTER, UINT(el_snapshot, seq)},
    {2, "elSnapshotTime", EL_SNMP_TEXT, DATE(el_snapshot, realtime_us)},
    {3, "elSnapshotAge", EL_SNMP_GAUGE, CALL(age)},
    {4, "elSnapshotPeriod", EL_SNMP_GAUGE, UINT(el_snapshot, period_ms)},
    {5, "elVersion", EL_SNMP_TEXT, TEXT(el_snapshot, daemon.version)},
    {6, "elBackend", EL_SNMP_TEXT, TEXT(el_snapshot, daemon.backend)},
    {7, "elMode", EL_SNMP_INTEGER, ENUM(el_snapshot, daemon.mode)},
    {8, "elReady", EL_SNMP_INTEGER, FLAG(READY)},
    {9, "elConfigOk", EL_SNMP_INTEGER, FLAG(CONFIG_OK)},
    {10, "elTicks", EL_SNMP_COUNTER, METRIC(TICKS, 0, 0)},
    {11, "elTicksLate", EL_SNMP_COUNTER, METRIC(TICKS_LATE, 0, 0)},
    {12, "elEventsLost", EL_SNMP_COUNTER, METRIC(EVENTS_LOST, 0, 0)},
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
    {7, "elCardSlots", EL_SNMP_GAUGE, METRIC(SLOTS_EXPECTED, 0, 0)},
    {8, "elCardHasSwitch", EL_SNMP_INTEGER, BOOL(el_card, has_switch)},
    {9, "elCardInlet", EL_SNMP_INTEGER, READ(el_card, inlet_mc)},
    {10, "elCardInletOrigin", EL_SNMP_INTEGER, CALLF(origin, el_card, inlet_mc)},
    {11, "elCardAirflow", EL_SNMP_GAUGE, READ(el_card, airflow_mlfm)},
    {12, "elCardAirflowOrigin", EL_SNMP_INTEGER, CALLF(origin, el_card, airflow_mlfm)},
    {13, "elCardHumidity", EL_SNMP_GAUGE, READ(el_card, humidity_ppm)},
    {14, "elCardPower", EL_SNMP_GAUGE, READ(el_card, power_mw)},
    {15, "elCardPowerOrigin", EL_SNMP_INTEGER, CALLF(origin, el_card, power_mw)},
    {16, "elCardSwitchTemperature", EL_SNMP_INTEGER, METRIC(SWITCH_TEMPERATURE, 0, 3)},
    {17, "elCardPowerLimit", EL_SNMP_GAUGE, METRIC(CARD_LIMIT, 0, 3)},
    {18, "elCardSwitchLimit", EL_SNMP_INTEGER, METRIC(SWITCH_LIMIT, 0, 3)},
    {19, "elCardInletMin", EL_SNMP_INTEGER, METRIC(CARD_INLET_MIN, 0, 3)},
    {20, "elCardInletMax", EL_SNMP_INTEGER, METRIC(CARD_INLET_MAX, 0, 3)},
    {21, "elCardAirflowMin", EL_SNMP_GAUGE, METRIC(CARD_AIRFLOW_LIMIT, 0, 3)},
    {22, "elCardHumidityMin", EL_SNMP_GAUGE, METRIC(CARD_HUMIDITY_MIN, 0, 6)},
    {23, "elCardHumidityMax", EL_SNMP_GAUGE, METRIC(CARD_HUMIDITY_MAX, 0, 6)},
};

static const struct el_snmp_column slot_columns[] = {
    {2, "elSlotNumber", EL_SNMP_GAUGE, UINT(el_slot, number)},
    {3, "elSlotName", EL_SNMP_TEXT, CALL(slot_name)},
    {4, "elSlotState", EL_SNMP_INTEGER, CALL(slot_state)},
    {5, "elSlotUp", EL_SNMP_INTEGER, FLAG(DRIVE_UP)},
    {6, "elSlotReason", EL_SNMP_TEXT, TEXT(el_slot, reason)},
    {7, "elSlotController", EL_SNMP_TEXT, TEXT(el_slot, controller)},
    {8, "elSlotAddress", EL_SNMP_TEXT, TEXT(el_slot, address)},
    {9, "elSlotLabel", EL_SNMP_TEXT, TEXT(el_slot, label)},
    {10, "elSlotTransport", EL_SNMP_TEXT, TEXT(el_slot, transport)},
    {11, "elSlotDriver", EL_SNMP_TEXT, TEXT(el_slot, driver)},
    {12, "elSlotProfile", EL_SNMP_TEXT, TEXT(el_slot, profile)},
    {13, "elSlotLastSerial", EL_SNMP_TEXT, TEXT(el_slot, last_serial)},
    {14, "elSlotReplaced", EL_SNMP_COUNTER, METRIC(DRIVE_REPLACED, 0, 0)},
    {15, "elSlotLastSuccess", EL_SNMP_TEXT, DATE(el_slot, last_success_realtime_us)},
    {16, "elSlotUpTime", EL_SNMP_GAUGE, CALL(slot_uptime)},
    {17, "elSlotPolls", EL_SNMP_COUNTER, METRIC(DRIVE_POLLS, 0, 0)},
    {18, "elSlotPollErrors", EL_SNMP_COUNTER, METRIC(DRIVE_POLL_ERRORS, 0, 0)},
    {19, "elSlotPollDuration", EL_SNMP_GAUGE, METRIC(DRIVE_POLL_DURATION, 0, 6)},
    {20, "elSlotPollPeriod", EL_SNMP_GAUGE, METRIC(DRIVE_POLL_PERIOD, 0, 3)},
    {21, "elSlotReadBytes", EL_SNMP_COUNTER64, METRIC(DRIVE_IO_BYTES, 0, 0)},
    {22, "elSlotWriteBytes", EL_SNMP_COUNTER64, METRIC(DRIVE_IO_BYTES, 1, 0)},
    {23, "elSlotReadOps", EL_SNMP_COUNTER64, METRIC(DRIVE_IO_OPERATIONS, 0, 0)},
    {24, "elSlotWriteOps", EL_SNMP_COUNTER64, METRIC(DRIVE_IO_OPERATIONS, 1, 0)},
};

static const struct el_snmp_column identity_columns[] = {
    {1, "elIdentityModel", EL_SNMP_TEXT, TEXT(el_slot, identify.model)},
    {2, "elIdentitySerial", EL_SNMP_TEXT, TEXT(el_slot, identify.serial)},
    {3, "elIdentityFirmware", EL_SNMP_TEXT, TEXT(el_slot, identify.firmware)},
    {4, "elIdentitySubsystem", EL_SNMP_TEXT, TEXT(el_slot, identify.subnqn)},
    {5, "elIdentityVendor", EL_SNMP_GAUGE, UINT(el_slot, identify.vid)},
    {6, "elIdentityVersion", EL_SNMP_TEXT, CALL(nvme_version)},
    {7, "elIdentityCapacity", EL_SNMP_COUNTER64, METRIC(DRIVE_CAPACITY, 0, 0)},
    {8, "elIdentityWarningTemperature", EL_SNMP_INTEGER, METRIC(DRIVE_WARNING_THRESHOLD, 0, 3)},
    {9, "elIdentityCriticalTemperature", EL_SNMP_INTEGER, METRIC(DRIVE_CRITICAL_THRESHOLD, 0, 3)},
    {10, "elIdentityPowerStates", EL_SNMP_GAUGE, UINT(el_slot, identify.power_states)},
    {11, "elIdentityNamespaces", EL_SNMP_GAUGE, UINT(el_slot, identify.namespaces)},
};

static const struct el_snmp_column health_columns[] = {
    {1, "elHealthCriticalWarning", EL_SNMP_TEXT, CALL(warning)},
    {2, "elHealthTemperature", EL_SNMP_INTEGER, METRIC(DRIVE_TEMPERATURE, 0, 3)},
    {3, "elHealthSpare", EL_SNMP_GAUGE, METRIC(DRIVE_SPARE, 0, 2)},
    {4, "elHealthSpareThreshold", EL_SNMP_GAUGE, METRIC(DRIVE_SPARE_THRESHOLD, 0, 2)},
    {5, "elHealthUsed", EL_SNMP_GAUGE, METRIC(DRIVE_USED, 0, 2)},
    {6, "elHealthDataRead", EL_SNMP_COUNTER64, METRIC(DRIVE_DATA_READ, 0, 0)},
    {7, "elHealthDataWritten", EL_SNMP_COUNTER64, METRIC(DRIVE_DATA_WRITTEN, 0, 0)},
    {8, "elHealthHostReads", EL_SNMP_COUNTER64, METRIC(DRIVE_HOST_READS, 0, 0)},
    {9, "elHealthHostWrites", EL_SNMP_COUNTER64, METRIC(DRIVE_HOST_WRITES, 0, 0)},
    {10, "elHealthBusyTime", EL_SNMP_COUNTER64, METRIC(DRIVE_BUSY, 0, 0)},
    {11, "elHealthPowerCycles", EL_SNMP_COUNTER64, METRIC(DRIVE_POWER_CYCLES, 0, 0)},
    {12, "elHealthPowerOnTime", EL_SNMP_COUNTER64, METRIC(DRIVE_POWER_ON, 0, 0)},
    {13, "elHealthUnsafeShutdowns", EL_SNMP_COUNTER64, METRIC(DRIVE_UNSAFE_SHUTDOWNS, 0, 0)},
    {14, "elHealthMediaErrors", EL_SNMP_COUNTER64, METRIC(DRIVE_MEDIA_ERRORS, 0, 0)},
    {15, "elHealthErrorLogEntries", EL_SNMP_COUNTER64, METRIC(DRIVE_ERROR_ENTRIES, 0, 0)},
    {16, "elHealthWarningTime", EL_SNMP_COUNTER64, METRIC(DRIVE_WARNING_TIME, 0, 0)},
    {17, "elHealthCriticalTime", EL_SNMP_COUNTER64, METRIC(DRIVE_CRITICAL_TIME, 0, 0)},
    {18, "elHealthLightThrottles", EL_SNMP_COUNTER, METRIC(DRIVE_TMT_TRANSITIONS, 0, 0)},
    {19, "elHealthHeavyThrottles", EL_SNMP_COUNTER, METRIC(DRIVE_TMT_TRANSITIONS, 1, 0)},
    {20, "elHealthLightThrottleTime", EL_SNMP_COUNTER, METRIC(DRIVE_TMT_SECONDS, 0, 0)},
    {21, "elHealthHeavyThrottleTime", EL_SNMP_COUNTER, METRIC(DRIVE_TMT_SECONDS, 1, 0)},
    {22, "elHealthPower", EL_SNMP_GAUGE, METRIC(DRIVE_POWER, 0, 3)},
    {23, "elHealthPowerState", EL_SNMP_GAUGE, METRIC(DRIVE_POWER_STATE, 0, 0)},
    {24, "elHealthWriteCache", EL_SNMP_INTEGER, FLAG(DRIVE_WRITE_CACHE)},
};

static const struct el_snmp_column drive_sensor_columns[] = {
    {2, "elDriveSensorNumber", EL_SNMP_GAUGE, CALL(sensor_number)},
    {3, "elDriveSensorName", EL_SNMP_TEXT, CALL(sensor_name)},
    {4, "elDriveSensorTemperature", EL_SNMP_INTEGER, SENSOR(DRIVE_TEMPERATURE, 1, 0, 3)},
    {5, "elDriveSensorQuality", EL_SNMP_INTEGER, CALL(sensor_quality)},
    {6, "elDriveSensorOver", EL_SNMP_INTEGER, SENSOR(DRIVE_THRESHOLD, 2, 0, 3)},
    {7, "elDriveSensorUnder", EL_SNMP_INTEGER, SENSOR(DRIVE_THRESHOLD, 2, 1, 3)},
};

static const struct el_snmp_column link_columns[] = {
    {4, "elLinkAddress", EL_SNMP_TEXT, TEXT(el_link, address)},
    {5, "elLinkParent", EL_SNMP_TEXT, TEXT(el_link, parent)},
    {6, "elLinkUp", EL_SNMP_INTEGER, FLAG(LINK_UP)},
    {7, "elLinkDegraded", EL_SNMP_INTEGER, FLAG(LINK_DEGRADED)},
    {8, "elLinkSpeed", EL_SNMP_GAUGE, MEGA(LINK_SPEED, 0)},
    {9, "elLinkWidth", EL_SNMP_GAUGE, METRIC(LINK_WIDTH, 0, 0)},
    {10, "elLinkSpeedMax", EL_SNMP_GAUGE, MEGA(LINK_SPEED, 1)},
    {11, "elLinkWidthMax", EL_SNMP_GAUGE, METRIC(LINK_WIDTH, 1, 0)},
    {12, "elLinkSpeedExpected", EL_SNMP_GAUGE, NONZERO(el_link, expected_mts)},
    {13, "elLinkWidthExpected", EL_SNMP_GAUGE, NONZERO(el_link, expected_width)},
    {14, "elLinkPathRate", EL_SNMP_COUNTER64, METRIC(LINK_BOTTLENECK, 0, 0)},
    {15, "elLinkPowerLimit", EL_SNMP_GAUGE, METRIC(LINK_POWER_LIMIT, 0, 3)},
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
    {9, "elBoardSensorAlarm", EL_SNMP_INTEGER, FLAG(BOARD_ALARM)},
    {10, "elBoardSensorFault", EL_SNMP_INTEGER, FLAG(BOARD_FAULT)},
    {11, "elBoardSensorMin", EL_SNMP_INTEGER, CALLF(limit, el_sensor, limit_min)},
    {12, "elBoardSensorMax", EL_SNMP_INTEGER, CALLF(limit, el_sensor, limit_max)},
};

static const struct el_snmp_column governor_card_columns[] = {
    {1, "elGovernorCardMode", EL_SNMP_INTEGER, ENUM(el_card, mode)},
    {2, "elGovernorCardLaw", EL_SNMP_TEXT, TEXT(el_card, law)},
    {3, "elGovernorCardPaused", EL_SNMP_INTEGER, FLAG(GOVERNOR_PAUSED)},
    {4, "elGovernorCardFailsafe", EL_SNMP_INTEGER, ENUM(el_card, failsafe)},
    {5, "elGovernorCardFailsafeReason", EL_SNMP_INTEGER, ENUM(el_card, failsafe_reason)},
    {6, "elGovernorCardFailsafes", EL_SNMP_COUNTER, METRIC(GOVERNOR_FAILSAFE_ENTRIES, 0, 0)},
    {7, "elGovernorCardAirFailing", EL_SNMP_INTEGER, FLAG(GOVERNOR_AIR_FAILING)},
    {8, "elGovernorCardPower", EL_SNMP_GAUGE, METRIC(CARD_POWER_ESTIMATE, 0, 3)},
    {9, "elGovernorCardResistance", EL_SNMP_GAUGE, METRIC(GOVERNOR_RESISTANCE, 0, 3)},
    {10, "elGovernorCardUnknownHeat", EL_SNMP_INTEGER, METRIC(GOVERNOR_UNKNOWN_HEAT, 0, 3)},
    {11, "elGovernorCardAirflow", EL_SNMP_GAUGE, METRIC(GOVERNOR_AIRFLOW, 0, 3)},
    {12, "elGovernorCardAirflowWish", EL_SNMP_GAUGE, METRIC(GOVERNOR_WISH, 0, 3)},
    {13, "elGovernorCardSwitchHeadroom", EL_SNMP_INTEGER, METRIC(SWITCH_HEADROOM, 0, 3)},
    {14, "elGovernorCardFan", EL_SNMP_GAUGE, METRIC(GOVERNOR_PWM, 0, 6)},
};

static const struct el_snmp_column governor_slot_columns[] = {
    {1, "elGovernorSlotCap", EL_SNMP_GAUGE, METRIC(DRIVE_CAP, 0, 6)},
    {2, "elGovernorSlotBudget", EL_SNMP_GAUGE, METRIC(DRIVE_BUDGET, 0, 3)},
    {3, "elGovernorSlotConstraint", EL_SNMP_INTEGER, ENUM(el_slot, decision.constraint)},
    {4, "elGovernorSlotConstraintAge", EL_SNMP_GAUGE, CALLF(since, el_slot, decision.since_us)},
    {5, "elGovernorSlotLiftIn", EL_SNMP_GAUGE, CALLF(until, el_slot, decision.lift_us)},
    {6, "elGovernorSlotLimit", EL_SNMP_INTEGER, METRIC(DRIVE_LIMIT, 0, 3)},
    {7, "elGovernorSlotHeadroom", EL_SNMP_INTEGER, METRIC(DRIVE_HEADROOM, 0, 3)},
    {8, "elGovernorSlotTemperature", EL_SNMP_INTEGER, METRIC(DRIVE_TEMPERATURE_ESTIMATE, 0, 3)},
    {9, "elGovernorSlotPower", EL_SNMP_GAUGE, METRIC(DRIVE_POWER_ESTIMATE, 0, 3)},
    {10, "elGovernorSlotWithheld", EL_SNMP_GAUGE, METRIC(DRIVE_WITHHELD, 0, 6)},
    {11, "elGovernorSlotCapInForce", EL_SNMP_GAUGE, METRIC(DRIVE_CAP_IN_FORCE, 0, 6)},
    {12, "elGovernorSlotPowerState", EL_SNMP_GAUGE, CALLF(not_negative, el_slot, decision.power_state)},
    {13, "elGovernorSlotPowerStateInForce", EL_SNMP_GAUGE, CALLF(not_negative, el_slot, action.power_state_in_force)},
    {14, "elGovernorSlotLowered", EL_SNMP_COUNTER, CALLF(writes, el_slot, action.lowered)},
    {15, "elGovernorSlotRaised", EL_SNMP_COUNTER, CALLF(writes, el_slot, action.raised)},
    {16, "elGovernorSlotMismatches", EL_SNMP_COUNTER, METRIC(DRIVE_MISMATCH, 0, 0)},
    {17, "elGovernorSlotFailures", EL_SNMP_COUNTER, METRIC(DRIVE_ACTION_FAILURES, 0, 0)},
    {18, "elGovernorSlotEscaped", EL_SNMP_COUNTER64, METRIC(DRIVE_ESCAPE, 0, 0)},
    {19, "elGovernorSlotSensorValid", EL_SNMP_INTEGER, FLAG(DRIVE_SENSOR_VALID)},
};

static const struct el_snmp_column endurance_columns[] = {
    {1, "elEnduranceRated", EL_SNMP_COUNTER64, METRIC(DRIVE_RATED, 0, 0)},
    {2, "elEnduranceDays", EL_SNMP_GAUGE, REAL(el_slot, wear_days_remaining, 1)},
    {3, "elEnduranceRateDay", EL_SNMP_COUNTER64, METRIC(DRIVE_WRITE_RATE, 0, 0)},
    {4, "elEnduranceRateMonth", EL_SNMP_COUNTER64, METRIC(DRIVE_WRITE_RATE, 1, 0)},
    {5, "elEnduranceBasis", EL_SNMP_INTEGER, ENUM(el_slot, wear_basis)},
};

static const struct el_snmp_column warranty_columns[] = {
    {1, "elWarrantyRated", EL_SNMP_COUNTER64, METRIC(CARD_RATED, 0, 0)},
    {2, "elWarrantyRemaining", EL_SNMP_INTEGER, METRIC(CARD_WARRANTY, 0, 0)},
    {3, "elWarrantyEnduranceRemaining", EL_SNMP_INTEGER, METRIC(CARD_WARRANTY_ENDURANCE, 0, 6)},
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
    TABLE("elGovernorCardTable", 10, EL_ROWS_CARD, el_snmp_governed_card, governor_card_columns),
    TABLE("elGovernorSlotTable", 11, EL_ROWS_SLOT, el_snmp_governed_slot, governor_slot_columns),
    TABLE("elEnduranceTable", 12, EL_ROWS_SLOT, el_snmp_smart_known, endurance_columns),
    TABLE("elWarrantyTable", 13, EL_ROWS_CARD, NULL, warranty_columns),
    TABLE("elAlarmTable", 14, EL_ROWS_ALARM, NULL, alarm_columns),
    TABLE("elEventTable", 15, EL_ROWS_EVENT, NULL, event_columns),
};
const size_t el_snmp_element_tables_n = EL_ARRAY_SIZE(el_snmp_element_tables);
