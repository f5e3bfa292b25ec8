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

#define S(member) EL_FIELD_AT(el_settings, member)
#define C(member) EL_FIELD_AT(el_card_settings, member)
#define M(member) EL_FIELD_AT(el_sensor_map, member)
#define TEXTS(key_, list, count, example_, doc_)                                                                       \
    {                                                                                                                  \
        .key = key_, .type = EL_FIELD_TEXTS, .offset = offsetof(struct el_settings, list),                             \
        .size = sizeof(((struct el_settings *)0)->list[0]), .count_offset = offsetof(struct el_settings, count),       \
        .max = (double)EL_ARRAY_SIZE(((struct el_settings *)0)->list), .example = example_, .doc = doc_                \
    }

static const struct el_field root_rows[] = {
    {"profiles_dir", EL_FIELD_TEXT, S(profiles_dir), 1, .doc = "Card and drive profiles: NAME.yaml, one each."},
    {"state_dir", EL_FIELD_TEXT, S(state_dir), 1,
     .doc = "What must survive a restart: journal, card numbers, wear history."},
    {"runtime_dir", EL_FIELD_TEXT, S(runtime_dir), 1,
     .doc = "Where the snapshot is written after each tick, and read by the exporter."},

    {"log.level", EL_FIELD_ENUM, S(log_level), .names = log_levels, .values = log_level_values,
     .doc = "error, warning, info or debug."},
    {"log.format", EL_FIELD_ENUM, S(log_format), .names = log_formats,
     .doc = "auto (journal under systemd, else text), text, logfmt, json or journal."},

    {"poll.tick_ms", EL_FIELD_UNSIGNED, S(poll.tick_ms), 100, 10000, .doc = "Period of the control loop."},
    {"poll.hot_ms", EL_FIELD_UNSIGNED, S(poll.hot_ms), 100, 600000,
     .doc = "How often a drive is read when it is hot or within hot_within_c of a limit."},
    {"poll.normal_ms", EL_FIELD_UNSIGNED, S(poll.normal_ms), 100, 600000, .doc = "How often otherwise."},
    {"poll.idle_ms", EL_FIELD_UNSIGNED, S(poll.idle_ms), 100, 3600000,
     .doc = "How often when it is cool and has nothing to do: reading keeps drives awake."},
    {"poll.timeout_ms", EL_FIELD_UNSIGNED, S(poll.timeout_ms), 100, 60000,
     .doc = "When a command to a drive counts as lost."},
    {"poll.logs_ms", EL_FIELD_UNSIGNED, S(poll.logs_ms), 1000, 86400000,
     .doc = "How often the optional logs (endurance group, self-test, OCP) are read."},
    {"poll.hot_within_c", EL_FIELD_DOUBLE_OR_NULL, S(poll.hot_within_c), 0, 100, .doc = "See hot_ms."},

    {"governor.mode", EL_FIELD_ENUM, S(governor.mode), .names = modes,
     .doc = "observe: only look. advise: decide and publish, write nothing. enforce: act."},
    {"governor.preference", EL_FIELD_ENUM, S(governor.preference), .names = preferences,
     .doc = "What to spare first: performance, cool or quiet."},
    {"governor.write_budget_per_hour", EL_FIELD_DOUBLE_OR_NULL, S(governor.write_budget_per_hour), 1, 3600,
     .doc = "Cap writes per drive and hour that it should stay under."},
    {"governor.io_budget", EL_FIELD_BOOL, S(governor.use_io_budget),
     .doc = "May cap I/O through the kernel (io.cost, io.max)."},
    {"governor.power_state", EL_FIELD_BOOL, S(governor.use_power_state),
     .doc = "May choose among a drive's operational power states."},
    {"governor.fans", EL_FIELD_BOOL, S(governor.use_fans), .doc = "May drive the fans that are mapped below."},
    {"governor.hctm", EL_FIELD_BOOL, S(governor.use_hctm),
     .doc = "May set the drive's own thermal management as a backstop above the limit."},

    TEXTS("web.listen_addresses", web.listen_address, web.listen_addresses, "[\"[::]:10450\", \"0.0.0.0:10450\"]",
          "Where the exporter listens, HOST:PORT."),
    {"web.config_file", EL_FIELD_TEXT, S(web.config_file), .example = "/etc/elementd/web.yaml",
     .doc = "TLS and users, in the format of the Prometheus exporters' --web.config.file."},
    {"web.telemetry_path", EL_FIELD_TEXT, S(web.telemetry_path), .begin = "/", .doc = "Path of the metrics."},
    {"web.collect", EL_FIELD_TEXT, S(web.collect), .example = "default",
     .doc = "Metric groups, comma separated; empty = the default ones. See `elementd metrics`."},
    {"web.max_connections", EL_FIELD_UNSIGNED, S(web.max_connections), 8, 10000, .doc = "Connections at a time."},
    {"web.header_timeout_ms", EL_FIELD_UNSIGNED, S(web.header_timeout_ms), 100, 60000,
     .doc = "How long a client may take to say what it wants."},
    {"web.total_timeout_ms", EL_FIELD_UNSIGNED, S(web.total_timeout_ms), 100, 600000,
     .doc = "How long a request may take in all."},

    {"snmp.agentx", EL_FIELD_ENUM, S(snmp.agentx), .names = off_auto_on,
     .doc = "Subagent of the host's snmpd: off, auto (when its socket is there) or on."},
    {"snmp.agentx_socket", EL_FIELD_TEXT, S(snmp.agentx_socket), .example = "/var/agentx/master",
     .doc = "Empty = try the usual places."},
    {"snmp.standalone", EL_FIELD_TEXT, S(snmp.standalone), .example = "udp:127.0.0.1:1161",
     .doc = "Answer SNMP without an snmpd; empty = off."},
    {"snmp.base_oid", EL_FIELD_TEXT, S(snmp.base_oid), .doc = "Where the MIB is rooted."},
    {"snmp.entity", EL_FIELD_ENUM, S(snmp.entity), .names = off_auto_on,
     .doc = "ENTITY-MIB and sensors: off, auto or on."},
    {"snmp.users_file", EL_FIELD_TEXT, S(snmp.users_file), .example = "/etc/elementd/snmp-users.conf",
     .doc = "SNMPv3 users of the standalone agent and of notifications; chmod 0600."},
    TEXTS("snmp.sinks", snmp.sink, snmp.sinks, "[\"v3:monitor@udp:192.0.2.1:162\"]",
          "Where notifications go, beside or instead of those snmpd names (agentx)."),
};

static const struct el_field card_rows[] = {
    {"card", EL_FIELD_TEXT, C(card), 1, .example = "\"*\"",
     .doc = "Name of a card, serial of a drive on it, or \"*\" for all. Later entries win."},
    {"profile", EL_FIELD_TEXT, C(profile), .example = "lqd4500",
     .doc = "What card it is, a file of profiles_dir: limits, links, warranty and cooling to start from."},
    {"limit_c", EL_FIELD_DOUBLE_OR_NULL, C(limit_c), 20, 120,
     .doc = "Drive temperature to hold; null = the drive's own warning threshold."},
    {"sensor_limit_c", EL_FIELD_DOUBLE_OR_NULL, C(sensor_limit_c), 20, 150,
     .doc = "Limit on the single sensors of a drive; null = none."},
    {"card_limit_w", EL_FIELD_DOUBLE_OR_NULL, C(card_limit_w), 5, 1000,
     .doc = "Hold the card at this power; null = no limit."},
    {"switch_limit_c", EL_FIELD_DOUBLE_OR_NULL, C(switch_limit_c), 20, 150,
     .doc = "Limit of the PCIe switch; null = from the profile."},
    {"margin_c", EL_FIELD_DOUBLE_OR_NULL, C(margin_c), 0, 30,
     .doc = "Kept below each limit; null = 1 C below a drive's warning threshold, 0 below limit_c."},
    {"weight", EL_FIELD_DOUBLES, C(weight), .max = EL_CARD_SLOTS_MAX, .example = "[1, 1, 2, 2]",
     .doc = "Share of each slot when heat must be divided; 1 is normal."},
    {"floor_ratio", EL_FIELD_DOUBLE_OR_NULL, C(floor_ratio), 0.05, 1,
     .doc = "No drive is capped below this share of its full I/O."},
    {"airflow_lfm", EL_FIELD_DOUBLE_OR_NULL, C(airflow_lfm), 0, 5000,
     .doc = "Air to assume where no sensor tells; null = the card's minimum."},
    {"inlet_c", EL_FIELD_DOUBLE_OR_NULL, C(inlet_c), -40, 90,
     .doc = "Inlet temperature to assume where no sensor tells; null = 35."},
    {"warranty_start", EL_FIELD_TEXT, C(warranty_start), .example = "\"2026-01-31\"",
     .doc = "First day of the warranty."},
    {"composite_only", EL_FIELD_BOOL, C(composite_only),
     .doc = "Ignore the single sensors of the drives (some report fiction)."},
};

static const struct el_field sensor_rows[] = {
    {"source", EL_FIELD_TEXT, M(source), 1, .example = "lm75-i2c-0-48/temp1",
     .doc = "A sensor as `elementd scan` names it, or file:/PATH with a number in it (a BMC reading, say)."},
    {"role", EL_FIELD_ENUM, M(role), .names = roles, .example = "inlet",
     .doc = "none, inlet, switch, card_power, fan, humidity or airflow."},
    {"kind", EL_FIELD_ENUM, M(kind), .names = kinds, .example = "temperature",
     .doc = "What a file holds: temperature, fan, pwm, voltage, current, power, humidity or airflow."},
    {"card", EL_FIELD_TEXT, M(card), .example = "lqd4500-0", .doc = "Empty = every card."},
    {"scale", EL_FIELD_DOUBLE_OR_NULL, M(scale), -1e6, 1e6, .doc = "Multiplied to the reading."},
    {"offset", EL_FIELD_DOUBLE_OR_NULL, M(offset), -1e6, 1e6, .doc = "Then added."},
    {"min", EL_FIELD_DOUBLE_OR_NULL, M(min), -1e6, 1e9, .doc = "Below this a reading is not believed; null = by kind."},
    {"max", EL_FIELD_DOUBLE_OR_NULL, M(max), -1e6, 1e9, .doc = "Above this a reading is not believed; null = by kind."},
    {"max_age_s", EL_FIELD_DOUBLE_OR_NULL, M(max_age_s), 1, 86400, .doc = "A file older than this is stale."},
};

const struct el_setting_table el_settings_root = {root_rows, EL_ARRAY_SIZE(root_rows)};
const struct el_setting_table el_settings_card = {card_rows, EL_ARRAY_SIZE(card_rows)};
const struct el_setting_table el_settings_sensor = {sensor_rows, EL_ARRAY_SIZE(sensor_rows)};
