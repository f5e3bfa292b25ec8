/* The metric catalog: every value elementd tells anybody, one row each (model/catalog_rows.inc). /metrics, the JSON,
 * the SNMP view, the reference of all metrics and the --collect filter read it; whoever wants a value asks for it by
 * metric, row of a snapshot table and sub index. Pure, no allocation, thread-safe.
 *
 * To add a metric: one row in catalog_rows.inc, and a getter in catalog_work.c only if no field is the value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

enum el_metric_type {
    EL_METRIC_GAUGE,
    EL_METRIC_COUNTER, /* `_total` is added to its name where samples are named */
    EL_METRIC_INFO,    /* `_info`; its labels are the message, its value is 1 */
    EL_METRIC_STATES,  /* one series per state, 1 for the one that holds */
};
const char *el_metric_type_name(enum el_metric_type t); /* "gauge", "counter", "info", "states" */

/* Which rows a metric has a value for. */
enum el_metric_scope {
    EL_SCOPE_DAEMON,   /* one row */
    EL_SCOPE_EXPORTER, /* one row where there is an exporter */
    EL_SCOPE_CARD,
    EL_SCOPE_SLOT,
    EL_SCOPE_NAMESPACE,
    EL_SCOPE_LINK,
    EL_SCOPE_SENSOR,
    EL_SCOPE_ALARM,
    EL_SCOPE_COUNT
};
const char *el_metric_scope_name(enum el_metric_scope s);

/* Groups for --collect: name, on by default, what is in it. */
#define EL_METRIC_GROUPS(X)                                                                                            \
    X(daemon, true, "elementd itself: version, configuration, tick, snapshot")                                         \
    X(process, true, "processor, memory and descriptors of both processes")                                            \
    X(http, true, "the exporter's own service")                                                                        \
    X(drive, true, "presence and identity of each slot and drive")                                                     \
    X(smart, true, "SMART / Health Information")                                                                       \
    X(limits, true, "temperature limits and the power state in force")                                                 \
    X(capacity, true, "capacity of drives and namespaces")                                                             \
    X(endurance, true, "rated endurance, wear forecast, warranty")                                                     \
    X(governor, true, "limits, headroom, caps and their reasons")                                                      \
    X(card, true, "the card: air, power, switch")                                                                      \
    X(link, true, "PCIe links: speed, width, degradation")                                                             \
    X(board, true, "board sensors and fans")                                                                           \
    X(alarm, true, "alarms that are active")                                                                           \
    X(aer, false, "PCIe error counters by name")                                                                       \
    X(polling, false, "what reading the drives costs")                                                                 \
    X(security, false, "locks and encryption of the drive, volatile write cache")                                      \
    X(thresholds, false, "temperature thresholds and host controlled thermal management as set")                       \
    X(power_states, false, "the power states a drive offers")                                                          \
    X(logs, false, "error, firmware, self-test, endurance group and sanitize logs")                                    \
    X(ocp, false, "OCP extended health log")                                                                           \
    X(detail, false, "what few ask for: block sizes, PCI power states, actuator writes")

enum el_metric_group {
#define EL_METRIC_GROUP_ID(name, on, help) EL_GROUP_##name,
    EL_METRIC_GROUPS(EL_METRIC_GROUP_ID)
#undef EL_METRIC_GROUP_ID
        EL_GROUP_COUNT
};
#define EL_GROUPS_ALL ((1ull << EL_GROUP_COUNT) - 1)

uint64_t el_metric_groups_default(void);
const char *el_metric_group_name(enum el_metric_group g);
const char *el_metric_group_help(enum el_metric_group g);
/* "smart,ocp", "default,ocp", "all" to a mask; "" = the default groups. -EINVAL, the wrong word in `bad` (or NULL). */
int el_metric_groups_parse(const char *list, uint64_t *out, char *bad, size_t bad_size);

/* What the exporter knows about itself; absent from catalogs read elsewhere. */
enum el_http_reject {
    EL_REJECT_CONNECTIONS, /* connection limit */
    EL_REJECT_TIMEOUT,     /* header or total deadline */
    EL_REJECT_BAD_REQUEST, /* 400, 414, 431 */
    EL_REJECT_METHOD,      /* 405 */
    EL_REJECT_NOT_FOUND,   /* 404 */
    EL_REJECT_UNAUTHORIZED,
    EL_REJECT_COUNT
};
const char *el_http_reject_name(enum el_http_reject r);

struct el_process_stats {
    int64_t cpu_us, start_realtime_us;
    uint64_t rss_bytes, vsz_bytes, vsz_max_bytes, open_fds, max_fds; /* vsz_max 0: no limit */
};

struct el_exporter_stats {
    struct el_process_stats process;
    uint64_t http_requests; /* answered, whatever the status */
    uint64_t http_rejects[EL_REJECT_COUNT];
    uint64_t http_connections;  /* open now */
    uint64_t snapshots_refused; /* files that were not a sound snapshot */
    int64_t render_us;          /* the last /metrics */
    int32_t agentx_connected;   /* 0, 1; -1 = SNMP is off */
    bool config_ok;             /* the settings, web configuration and certificates in use are the latest ones */
    int32_t snmp_waiting;       /* addresses of SNMP not opened or found yet; -1 = SNMP is off */
    uint64_t snmp_requests, traps_sent, traps_dropped;
};

/* Everything a getter may look at. */
struct el_catalog_context {
    const struct el_snapshot *s;
    const struct el_exporter_stats *exporter; /* NULL: not the exporter */
    int64_t now_us;                           /* BOOTTIME; 0 = the snapshot's own time */
    bool stale;                               /* the snapshot is too old: only what is true nevertheless has a value */
    uint64_t series;                          /* written so far, for the metric that counts them */
};

enum el_value_kind {
    EL_VALUE_ABSENT,
    EL_VALUE_UNSIGNED, /* u64 */
    EL_VALUE_FIXED,    /* i64 x 10^-decimals */
    EL_VALUE_DOUBLE,   /* d: counters beyond 64 bits; finite */
};
struct el_value {
    enum el_value_kind kind;
    uint32_t decimals;
    union {
        uint64_t u64;
        int64_t i64;
        double d;
    };
};
double el_value_double(struct el_value v); /* NAN when absent */
/* Scaled to an integer of `decimals` decimals, saturated: what SNMP wants. False when absent. */
bool el_value_scaled(struct el_value v, unsigned decimals, int64_t *out);
size_t el_value_text(char *out, struct el_value v); /* EL_NUM_MAX bytes; "" when absent */

/* A label that tells the series of one row apart: `n` values, by index. */
struct el_sub {
    const char *label;
    uint32_t n;
    const char *(*value)(uint32_t i); /* NULL: depends on the row, see el_metric_sub_value */
};

struct el_metric;
typedef struct el_value el_metric_read(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row,
                                       uint32_t sub);

struct el_metric {
    const char *name; /* "element_drive_temperature_celsius"; without _total or _info */
    const char *unit; /* the end of the name, or "" */
    const char *help;
    enum el_metric_type type;
    enum el_metric_scope scope;
    enum el_metric_group group;
    uint8_t guard;               /* enum el_guard: what must be true of the row before its field means anything */
    bool kept;                   /* still shown when the snapshot is stale */
    bool absent_zero;            /* 0 stands for "not reported" */
    bool moves;                  /* from round to round in a machine at work: a hint for whoever keeps what does not */
    uint8_t decimals;            /* of the exported value */
    uint16_t offset, stride;     /* of the field in its row; from one sub index to the next */
    uint32_t factor;             /* stored integers are multiplied by it */
    const struct el_sub *sub[2]; /* NULL = none; with two, sub index = first x n of second + second */
    el_metric_read *read;
};

enum el_metric_id {
#define EL_ROW(id, ...) EL_METRIC_##id,
#include "model/catalog_rows.inc"
#undef EL_ROW
    EL_METRIC_ID_COUNT
};

const struct el_metric *el_metric(enum el_metric_id id);
uint32_t el_metric_subs(const struct el_metric *m);      /* series one row can have at most, >= 1 */
const char *el_metric_suffix(const struct el_metric *m); /* "_total", "_info" or "" */
/* Value of one of its sub labels (which: 0 or 1) for sub index `sub`. */
const char *el_metric_sub_value(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row,
                                uint32_t sub, int which);

uint32_t el_scope_rows(const struct el_catalog_context *c, enum el_metric_scope scope);
struct el_value el_metric_value(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row,
                                uint32_t sub);

/* Labels of a row, and what an info metric adds. Values point into the snapshot or into `scratch`. */
#define EL_LABELS_MAX 16
struct el_labels {
    uint32_t n;
    struct {
        const char *name, *value;
    } label[EL_LABELS_MAX];
    char scratch[8][24];
    uint32_t scratch_used;
};
void el_scope_labels(const struct el_catalog_context *c, enum el_metric_scope scope, uint32_t row,
                     struct el_labels *out);
/* Adds to `out`. */
void el_info_labels(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row, uint32_t sub,
                    struct el_labels *out);
const char *el_scope_label_names(enum el_metric_scope scope); /* "card, slot": for the reference */
