/* The typed settings: what the YAML file says, bounded and defaulted. Filled by config/, read by everyone. Plain
 * values; paths and lists are fixed-size so that a settings block can be copied and compared. */
#pragma once

#include "base/log.h"
#include "base/text.h"
#include "model/decision.h"
#include "model/snapshot.h"

#define EL_CONFIG_FILE   "/etc/elementd/elementd.yaml" /* read when it is there and no other is named */
#define EL_STATE_DIR     "/var/lib/elementd"
#define EL_RUNTIME_DIR   "/run/elementd"
#define EL_EXPORTER_USER "elementd-exporter" /* whose rights the exporter takes, by default */

#define EL_PATH_MAX          256
#define EL_LISTEN_MAX        8
#define EL_SENSOR_MAPS_MAX   64
#define EL_CARD_SETTINGS_MAX 64
#define EL_TRAP_SINKS_MAX    8

/* A board sensor given a meaning, or a sensor that comes from a file. */
struct el_sensor_map {
    char source[EL_PATH_MAX]; /* stable sensor name ("lm75-i2c-0-48/temp1"), or "file:/path" */
    enum el_sensor_role role;
    enum el_sensor_kind kind;
    char card[EL_NAME_MAX]; /* "" = every card */
    double scale, offset;
    double min, max;  /* plausible range in base units; NAN = default of the kind */
    double max_age_s; /* of a file */
};

/* Limits and wishes for one card, or for all ("*"). NAN = from profile and drive. */
struct el_card_settings {
    char card[EL_NAME_MAX];    /* name, serial of a drive on it, or "*" */
    char profile[EL_NAME_MAX]; /* of the card; "" = what the device backend says */
    double limit_c, sensor_limit_c, card_limit_w, switch_limit_c, margin_c;
    double weight[EL_CARD_SLOTS_MAX];
    double floor_ratio;
    double airflow_lfm, inlet_c; /* assumed where no sensor tells */
    char warranty_start[16];     /* "2026-01-31"; "" = unknown */
    bool composite_only;         /* ignore single sensors (fake ones exist) */
};

struct el_settings {
    struct el_text_shape file; /* what the file they were read from looked like */
    char profiles_dir[EL_PATH_MAX];
    char state_dir[EL_PATH_MAX], runtime_dir[EL_PATH_MAX];
    enum el_log_level log_level;
    enum el_log_format log_format;

    struct {
        uint32_t tick_ms;                    /* 2000 */
        uint32_t hot_ms, normal_ms, idle_ms; /* 2000, 5000, 30000 */
        uint32_t timeout_ms;                 /* 5000 */
        uint32_t logs_ms;                    /* optional logs: 300000 */
        double hot_within_c;                 /* 8 */
    } poll;

    struct {
        enum el_mode mode;   /* advise */
        uint32_t preference; /* enum el_preference */
        double write_budget_per_hour;
        bool use_io_budget, use_power_state, use_fans, use_hctm;
    } governor;

    uint32_t cards;
    struct el_card_settings card[EL_CARD_SETTINGS_MAX];
    uint32_t sensors;
    struct el_sensor_map sensor[EL_SENSOR_MAPS_MAX];

    struct {
        uint32_t listen_addresses; /* 0 = [::]:10450 and 0.0.0.0:10450 */
        char listen_address[EL_LISTEN_MAX][64];
        char config_file[EL_PATH_MAX]; /* TLS, users: the Prometheus exporters' web configuration file */
        char telemetry_path[64];       /* /metrics */
        char collect[256];             /* metric groups, comma separated; "" = default groups */
        uint32_t max_connections, header_timeout_ms, total_timeout_ms;
    } web;

    struct {
        uint32_t agentx;                 /* 0 off, 1 auto, 2 on */
        char agentx_socket[EL_PATH_MAX]; /* "" = try the usual ones */
        char standalone[64];             /* "" = off; else "udp:127.0.0.1:1161" */
        char base_oid[64];
        uint32_t entity;              /* 0 off, 1 auto, 2 on */
        char users_file[EL_PATH_MAX]; /* SNMPv3 users of the standalone agent */
        uint32_t sinks;
        char sink[EL_TRAP_SINKS_MAX][128];
    } snmp;
};

/* Everything at its default; one entry for cards that states nothing. */
void el_settings_default(struct el_settings *s);
void el_card_settings_default(struct el_card_settings *c);
