#include "config/settings_table.h"

#include <stddef.h>

static const char *const log_formats[] = {"auto", "text", "logfmt", "json", "journal", NULL};
static const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};
static const uint8_t log_level_values[] = {EL_LOG_ERROR, EL_LOG_WARNING, EL_LOG_INFO, EL_LOG_DEBUG};
static const char *const modes[] = {"observe", "advise", "enforce", NULL};
static const char *const preferences[] = {"performance", "cool", "quiet", NULL};
static const char *const off_auto_on[] = {"off", "auto", "on", NULL};
static const char *const roles[] = {"none", "inlet", "switch", "card_power", "fan", "humidity", "airflow", NULL};
static const char *const kinds[] = {"temperature", "fan",      "pwm",     "voltage", "current",
                                    "power",       "humidity", "airflow", NULL};

#define FIELD(type_, member) .offset = offsetof(struct type_, member), .size = sizeof(((struct type_ *)0)->member)

#define TEXT(path_, member, example_, doc_)                                                                            \
    {                                                                                                                  \
        .key = path_, .type = EL_FIELD_TEXT, FIELD(el_settings, member), .example = example_, .doc = doc_              \
    }
#define U32(path_, member, min_, max_, doc_)                                                                           \
    {                                                                                                                  \
        .key = path_, .type = EL_FIELD_UNSIGNED, FIELD(el_settings, member), .min = min_, .max = max_, .doc = doc_     \
    }
#define DOUBLE(path_, member, min_, max_, doc_)                                                                        \
    {                                                                                                                  \
        .key = path_, .type = EL_FIELD_DOUBLE_OR_NULL, FIELD(el_settings, member), .min = min_, .max = max_,           \
        .doc = doc_                                                                                                    \
    }
#define BOOL(path_, member, doc_)                                                                                      \
    {                                                                                                                  \
        .key = path_, .type = EL_FIELD_BOOL, FIELD(el_settings, member), .doc = doc_                                   \
    }
#define ENUM(path_, member, names_, doc_)                                                                              \
    {                                                                                                                  \
        .key = path_, .type = EL_FIELD_ENUM, FIELD(el_settings, member), .names = names_, .doc = doc_                  \
    }
#define TEXTS(path_, list, count, example_, doc_)                                                                      \
    {                                                                                                                  \
        .key = path_, .type = EL_FIELD_TEXTS, .offset = offsetof(struct el_settings, list),                            \
        .size = sizeof(((struct el_settings *)0)->list[0]), .count_offset = offsetof(struct el_settings, count),       \
        .max = (double)EL_ARRAY_SIZE(((struct el_settings *)0)->list), .example = example_, .doc = doc_                \
    }

static const struct el_field root_rows[] = {
    TEXT("profiles_dir", profiles_dir, NULL, "Card and drive profiles: NAME.yaml, one each."),
    TEXT("state_dir", state_dir, NULL, "What must survive a restart: journal, card numbers, wear history."),
    TEXT("runtime_dir", runtime_dir, NULL, "Where the snapshot is written after each tick, and read by the exporter."),

    {.key = "log.level",
     .type = EL_FIELD_ENUM,
     FIELD(el_settings, log_level),
     .names = log_levels,
     .values = log_level_values,
     .doc = "error, warning, info or debug."},
    ENUM("log.format", log_format, log_formats, "auto (journal under systemd, else text), text, logfmt, json or journal."),

    U32("poll.tick_ms", poll.tick_ms, 100, 10000, "Period of the control loop."),
    U32("poll.hot_ms", poll.hot_ms, 100, 600000,
        "How often a drive is read when it is hot or within hot_within_c of a limit."),
    U32("poll.normal_ms", poll.normal_ms, 100, 600000, "How often otherwise."),
    U32("poll.idle_ms", poll.idle_ms, 100, 3600000,
        "How often when it is cool and has nothing to do: reading keeps drives awake."),
    U32("poll.timeout_ms", poll.timeout_ms, 100, 60000, "When a command to a drive counts as lost."),
    U32("poll.logs_ms", poll.logs_ms, 1000, 86400000,
        "How often the optional logs (endurance group, self-test, OCP) are read."),
    DOUBLE("poll.hot_within_c", poll.hot_within_c, 0, 100, "See hot_ms."),

    ENUM("governor.mode", governor.mode, modes,
         "observe: only look. advise: decide and publish, write nothing. enforce: act."),
    ENUM("governor.preference", governor.preference, preferences, "What to spare first: performance, cool or quiet."),
    DOUBLE("governor.write_budget_per_hour", governor.write_budget_per_hour, 1, 3600,
           "Cap writes per drive and hour that it should stay under."),
    BOOL("governor.io_budget", governor.use_io_budget, "May cap I/O through the kernel (io.cost, io.max)."),
    BOOL("governor.power_state", governor.use_power_state, "May choose among a drive's operational power states."),
    BOOL("governor.fans", governor.use_fans, "May drive the fans that are mapped below."),
    BOOL("governor.hctm", governor.use_hctm,
         "May set the drive's own thermal management as a backstop above the limit."),

    TEXTS("web.listen_addresses", web.listen_address, web.listen_addresses, "[\"[::]:10450\", \"0.0.0.0:10450\"]",
          "Where the exporter listens, HOST:PORT."),
    TEXT("web.config_file", web.config_file, "/etc/elementd/web.yaml",
         "TLS and users, in the format of the Prometheus exporters' --web.config.file."),
    TEXT("web.telemetry_path", web.telemetry_path, NULL, "Path of the metrics."),
    TEXT("web.collect", web.collect, "default",
         "Metric groups, comma separated; empty = the default ones. See `elementd metrics`."),
    U32("web.max_connections", web.max_connections, 8, 10000, "Connections at a time."),
    U32("web.header_timeout_ms", web.header_timeout_ms, 100, 60000, "How long a client may take to say what it wants."),
    U32("web.total_timeout_ms", web.total_timeout_ms, 100, 600000, "How long a request may take in all."),

    ENUM("snmp.agentx", snmp.agentx, off_auto_on,
         "Subagent of the host's snmpd: off, auto (when its socket is there) or on."),
    TEXT("snmp.agentx_socket", snmp.agentx_socket, "/var/agentx/master", "Empty = try the usual places."),
    TEXT("snmp.standalone", snmp.standalone, "udp:127.0.0.1:1161", "Answer SNMP without an snmpd; empty = off."),
    TEXT("snmp.base_oid", snmp.base_oid, NULL, "Where the MIB is rooted."),
    ENUM("snmp.entity", snmp.entity, off_auto_on, "ENTITY-MIB and sensors: off, auto or on."),
    TEXT("snmp.users_file", snmp.users_file, "/etc/elementd/snmp-users.conf",
         "SNMPv3 users of the standalone agent and of notifications; chmod 0600."),
    TEXTS("snmp.sinks", snmp.sink, snmp.sinks, "[\"v3:monitor@udp:192.0.2.1:162\"]",
          "Where notifications go, beside or instead of those snmpd names (agentx)."),
};

#define CARD_DOUBLE(name, min_, max_, doc_)                                                                            \
    {                                                                                                                  \
        .key = #name, .type = EL_FIELD_DOUBLE_OR_NULL, FIELD(el_card_settings, name), .min = min_, .max = max_,        \
        .doc = doc_                                                                                                    \
    }

static const struct el_field card_rows[] = {
    {.key = "card",
     .type = EL_FIELD_TEXT,
     FIELD(el_card_settings, card),
     .example = "\"*\"",
     .doc = "Name of a card, serial of a drive on it, or \"*\" for all. Later entries win."},
    CARD_DOUBLE(limit_c, 20, 120, "Drive temperature to hold; null = the drive's own warning threshold."),
    CARD_DOUBLE(sensor_limit_c, 20, 150, "Limit on the single sensors of a drive; null = none."),
    CARD_DOUBLE(card_limit_w, 5, 1000, "Hold the card at this power; null = no limit."),
    CARD_DOUBLE(switch_limit_c, 20, 150, "Limit of the PCIe switch; null = from the profile."),
    CARD_DOUBLE(margin_c, 0, 30,
                "Kept below each limit; null = 1 C below a drive's warning threshold, 0 below limit_c."),
    {.key = "weight",
     .type = EL_FIELD_DOUBLES,
     FIELD(el_card_settings, weight),
     .max = EL_CARD_SLOTS_MAX,
     .example = "[1, 1, 2, 2]",
     .doc = "Share of each slot when heat must be divided; 1 is normal."},
    CARD_DOUBLE(floor_ratio, 0.05, 1, "No drive is capped below this share of its full I/O."),
    CARD_DOUBLE(airflow_lfm, 0, 5000, "Air to assume where no sensor tells; null = the card's minimum."),
    CARD_DOUBLE(inlet_c, -40, 90, "Inlet temperature to assume where no sensor tells; null = 35."),
    {.key = "warranty_start",
     .type = EL_FIELD_TEXT,
     FIELD(el_card_settings, warranty_start),
     .example = "\"2026-01-31\"",
     .doc = "First day of the warranty."},
    {.key = "composite_only",
     .type = EL_FIELD_BOOL,
     FIELD(el_card_settings, composite_only),
     .doc = "Ignore the single sensors of the drives (some report fiction)."},
};

#define SENSOR_DOUBLE(name, min_, max_, doc_)                                                                          \
    {                                                                                                                  \
        .key = #name, .type = EL_FIELD_DOUBLE_OR_NULL, FIELD(el_sensor_map, name), .min = min_, .max = max_,           \
        .doc = doc_                                                                                                    \
    }

static const struct el_field sensor_rows[] = {
    {.key = "source",
     .type = EL_FIELD_TEXT,
     FIELD(el_sensor_map, source),
     .example = "lm75-i2c-0-48/temp1",
     .doc = "A sensor as `elementd scan` names it, or file:/PATH with a number in it (a BMC reading, say)."},
    {.key = "role",
     .type = EL_FIELD_ENUM,
     FIELD(el_sensor_map, role),
     .names = roles,
     .example = "inlet",
     .doc = "none, inlet, switch, card_power, fan, humidity or airflow."},
    {.key = "kind",
     .type = EL_FIELD_ENUM,
     FIELD(el_sensor_map, kind),
     .names = kinds,
     .example = "temperature",
     .doc = "What a file holds: temperature, fan, pwm, voltage, current, power, humidity or airflow."},
    {.key = "card",
     .type = EL_FIELD_TEXT,
     FIELD(el_sensor_map, card),
     .example = "lqd4500-0",
     .doc = "Empty = every card."},
    SENSOR_DOUBLE(scale, -1e6, 1e6, "Multiplied to the reading."),
    SENSOR_DOUBLE(offset, -1e6, 1e6, "Then added."),
    SENSOR_DOUBLE(min, -1e6, 1e9, "Below this a reading is not believed; null = by kind."),
    SENSOR_DOUBLE(max, -1e6, 1e9, "Above this a reading is not believed; null = by kind."),
    SENSOR_DOUBLE(max_age_s, 1, 86400, "A file older than this is stale."),
};

const struct el_setting_table el_settings_root = {root_rows, EL_ARRAY_SIZE(root_rows)};
const struct el_setting_table el_settings_card = {card_rows, EL_ARRAY_SIZE(card_rows)};
const struct el_setting_table el_settings_sensor = {sensor_rows, EL_ARRAY_SIZE(sensor_rows)};
