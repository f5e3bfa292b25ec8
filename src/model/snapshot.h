/* The snapshot: everything elementd knows at one tick, as one flat block that is also its file form. Immutable once
 * published. Readers check a block with el_snapshot_check before they believe a byte of it. All times are BOOTTIME
 * microseconds unless the name says realtime. Rows are plain values: no pointers, so the bytes can be written and
 * mapped as they are. */
#pragma once

#include "model/decision.h"
#include "model/nvme.h"
#include "model/profile.h"
#include "model/reading.h"

#define EL_SNAPSHOT_MAGIC   "elementd"
#define EL_SNAPSHOT_VERSION 2
#define EL_SNAPSHOT_FILE    "snapshot"            /* its name in the runtime directory */
#define EL_SLOT_SENSORS     (1 + EL_NVME_SENSORS) /* 0 = composite, 1..8 = temperature sensors */
#define EL_EVENTS_MAX       256
#define EL_EVENT_TEXT       120

/* When a page was read, and how good it is. */
struct el_stamp {
    int64_t time_us; /* of the last successful read; 0 = never */
    enum el_quality quality;
    int32_t error; /* last failure: -errno, or NVMe status > 0; 0 = none */
};

enum el_slot_state {
    EL_SLOT_EMPTY = 0, /* never held a drive */
    EL_SLOT_UP,
    EL_SLOT_STALE,   /* does not answer: last values too old */
    EL_SLOT_FAILED,  /* does not answer for 3 periods, or the kernel gave it up */
    EL_SLOT_GONE,    /* held a drive that is no longer there */
    EL_SLOT_UNBOUND, /* a drive without the nvme driver (vfio, SPDK): unknown heat at full power */
    EL_SLOT_STATE_COUNT
};
const char *el_slot_state_name(enum el_slot_state s);

struct el_card {
    char name[EL_NAME_MAX];    /* "lqd4500-0": label `card` */
    char profile[EL_NAME_MAX]; /* "" = none matched */
    char title[96];
    char address[24]; /* PCI address of the upstream port, or of the lone drive */
    char serial[61];
    uint32_t number;            /* stable: persists by serials; SNMP index is number + 1 */
    uint32_t first_slot, slots; /* rows in the slot table */
    uint32_t first_link, links;
    bool has_switch;
    /* limits from profile and settings; NAN = none */
    double card_limit_w, switch_limit_c, inlet_min_c, inlet_max_c, airflow_min_lfm, humidity_min_ratio,
        humidity_max_ratio;
    double rated_endurance_bytes, warranty_seconds_remaining, warranty_endurance_remaining_ratio;
    /* readings (board sensors mapped to this card, estimated, or assumed: see origin) */
    struct el_reading inlet_mc, airflow_mlfm, humidity_ppm, power_mw, switch_mc;
    /* governor */
    enum el_mode mode;
    enum el_failsafe failsafe;
    enum el_constraint failsafe_reason;
    bool paused, air_failing, governed;
    char law[16];
    double power_estimate_w, sink_resistance_c_per_w, unknown_heat_w, airflow_estimate_lfm, airflow_wish_lfm,
        switch_headroom_c, fan_pwm_ratio; /* NAN = none */
    uint64_t failsafe_entries;
};

/* True when decisions are carried out: `advise` caps nothing, nor does anything while paused. */
static inline bool el_card_enforced(const struct el_card *c)
{
    return c->mode == EL_MODE_ENFORCE && !c->paused;
}

/* Host I/O of a drive as the block layer counts it; cumulative. */
struct el_slot_io {
    uint64_t read_bytes, write_bytes, read_ops, write_ops;
    int64_t time_us;
    bool valid;
};

enum el_actuator {
    EL_ACTUATOR_IO_BUDGET = 0,
    EL_ACTUATOR_IO_MAX,
    EL_ACTUATOR_POWER_STATE,
    EL_ACTUATOR_HCTM,
    EL_ACTUATOR_FAN,
    EL_ACTUATOR_COUNT
};
const char *el_actuator_name(enum el_actuator a); /* "io_budget", "io_max", "power_state", "hctm", "fan" */
/* The actuators that cap host I/O, a bit each. */
#define EL_ACTUATOR_CAPS (1u << EL_ACTUATOR_IO_BUDGET | 1u << EL_ACTUATOR_IO_MAX)
bool el_actuator_is_cap(enum el_actuator kind);

struct el_slot_action {
    uint32_t usable;                                                /* bit per el_actuator */
    uint64_t lowered[EL_ACTUATOR_COUNT], raised[EL_ACTUATOR_COUNT]; /* writes that took effect */
    uint64_t mismatches, failures, escape_bytes;
    int64_t last_us;              /* last write; 0 = never */
    double cap_ratio_in_force;    /* read back; NAN = unknown */
    int32_t power_state_in_force; /* -1 = unknown */
};

/* Optional logs; each fails alone, as its stamp says. */
struct el_slot_logs {
    struct el_nvme_error_log error;
    struct el_nvme_firmware firmware;
    struct el_nvme_self_test self_test;
    struct el_nvme_endurance endurance;
    struct el_nvme_sanitize sanitize;
    struct el_nvme_ocp ocp;
    struct el_nvme_security security;
};

/* What elementd reads of a drive, and how that can fail: index of el_slot.read_faults. */
enum el_read {
    EL_READ_SMART = 0,
    EL_READ_IDENTIFY,
    EL_READ_ERROR_LOG,
    EL_READ_FIRMWARE,
    EL_READ_SELF_TEST,
    EL_READ_ENDURANCE,
    EL_READ_SANITIZE,
    EL_READ_OCP,
    EL_READ_SECURITY,
    EL_READ_COUNT
};
const char *el_read_name(enum el_read r); /* "smart", "identify", "error", ... */

enum el_read_fault {
    EL_FAULT_REFUSED = 0, /* the drive answered with an NVMe status */
    EL_FAULT_TIMEOUT,
    EL_FAULT_IO,   /* any other errno */
    EL_FAULT_PAGE, /* an answer that is no reading: all zero, all ones, another vendor's page */
    EL_FAULT_COUNT
};
const char *el_read_fault_name(enum el_read_fault f); /* "refused", "timeout", "io", "page" */

/* What the forecast of a drive's wear goes by. */
enum el_wear_basis { EL_WEAR_NONE = 0, EL_WEAR_RATED_BYTES, EL_WEAR_PERCENTAGE_USED };

struct el_slot {
    uint32_t card, number; /* card row; slot number on the card, from 0: label `slot` */
    uint32_t key;          /* the device backend's handle of the drive in it; meaningless elsewhere */
    enum el_slot_state state;
    char reason[96]; /* why it is not up, for people */
    char controller[16], address[24], label[32], transport[16], ctrl_state[16],
        driver[16]; /* "nvme3", "0000:05:00.0", physical slot, "pcie", "live", "nvme" */
    char profile[EL_NAME_MAX];
    char last_serial[61]; /* of the drive that was here before this one, or before the slot became empty */
    int64_t up_since_us, last_success_us;
    int64_t last_success_realtime_us;
    uint64_t replaced; /* drives swapped in this slot since the daemon first saw it, one more if before its start */
    int32_t numa_node; /* -1 = unknown */
    char array[16];    /* md array it is a member of ("md0"); "" = none */
    enum el_array_level array_level;

    struct el_stamp stamp[EL_READ_COUNT]; /* of each page, by enum el_read */
    struct el_nvme_identify identify;
    struct el_nvme_smart smart;
    struct el_reading temp_mc[EL_SLOT_SENSORS];
    struct el_reading power_mw;                         /* measured by the drive (NVMe 2.x) */
    struct el_reading threshold_mc[EL_SLOT_SENSORS][2]; /* Feature 04h [sensor][0 over, 1 under] */
    struct el_reading hctm_mc[2];                       /* Feature 10h TMT1, TMT2 */
    struct el_reading power_state;                      /* Feature 02h, in force */
    struct el_reading write_cache;                      /* Feature 06h, 0 or 1 */
    struct el_slot_logs logs;
    uint32_t read_faults[EL_READ_COUNT][EL_FAULT_COUNT]; /* failed reads since the daemon first saw the slot */
    struct el_slot_io io;

    uint64_t polls, poll_errors, admin_commands[8]; /* by el_admin_kind */
    uint64_t error_log_growth_caused;
    int64_t poll_duration_us; /* of the last poll */
    uint32_t poll_period_ms;

    double rated_endurance_bytes;                              /* 0 = unknown */
    double wear_days_remaining, write_rate_1d, write_rate_30d; /* bytes per second; NAN = unknown */
    double wear_days_low, wear_days_high;                      /* bounds of the forecast; NAN = unknown */
    enum el_wear_basis wear_basis;

    struct el_slot_decision decision;
    struct el_slot_action action;
};

struct el_namespace {
    uint32_t slot, nsid; /* slot row */
    uint32_t lba_bytes;
    uint64_t size_bytes, capacity_bytes, used_bytes;
    char block[16]; /* "nvme3n1" */
};

enum el_link_role { EL_LINK_ROOT_PORT = 0, EL_LINK_UPSTREAM, EL_LINK_DOWNSTREAM, EL_LINK_DRIVE, EL_LINK_ROLE_COUNT };
const char *el_link_role_name(enum el_link_role r);

#define EL_AER_ERRORS 12 /* kinds of error counted on one link, of all severities; few links count any */
enum el_aer_severity { EL_AER_CORRECTABLE = 0, EL_AER_NONFATAL, EL_AER_FATAL, EL_AER_COUNT };

/* One PCIe function and the link above it. 0 in speed or width = unknown. */
struct el_link {
    uint32_t card;
    int32_t slot; /* slot row it leads to; -1 = none or several */
    enum el_link_role role;
    char address[24], parent[24], physical_slot[16], power_state[8];
    int32_t numa_node;
    uint32_t current_mts, max_mts; /* mega-transfers per second: 2500 to 128000 */
    uint32_t current_width, max_width;
    uint32_t expected_mts, expected_width; /* least of both ends and the profile; 0 = unknown */
    bool up, known, degraded;              /* up: something trained behind it */
    uint64_t path_bottleneck_bytes_per_s;  /* 0 = unknown */
    uint32_t slot_power_limit_mw;          /* 0 = unknown */
    struct {
        uint64_t total;
        bool valid;
    } aer[EL_AER_COUNT];
    uint32_t aer_errors;
    struct {
        char name[20];     /* the kernel's, the longest has 16 characters */
        uint32_t severity; /* enum el_aer_severity */
        uint64_t count;
    } aer_error[EL_AER_ERRORS]; /* non-zero ones only, in the kernel's order */
};

/* A drive and an upstream port have their link above them, a root or downstream port below: the two ends are parent and
 * child unless the child is a downstream port (that hop is inside the switch). */
static inline bool el_link_is_lower_end(const struct el_link *l)
{
    return l->role == EL_LINK_DRIVE || l->role == EL_LINK_UPSTREAM;
}

static inline bool el_link_is_degraded(const struct el_link *l)
{
    return l->up && l->known &&
           ((l->expected_mts && l->current_mts < l->expected_mts) ||
            (l->expected_width && l->current_width < l->expected_width));
}

/* What a degraded link should run at, for people. Where nothing is expected, it is what the link does now. */
static inline uint32_t el_link_wanted_mts(const struct el_link *l)
{
    return l->expected_mts ? l->expected_mts : l->current_mts;
}

static inline uint32_t el_link_wanted_width(const struct el_link *l)
{
    return l->expected_width ? l->expected_width : l->current_width;
}

enum el_sensor_kind {
    EL_SENSOR_TEMPERATURE = 0, /* mC */
    EL_SENSOR_FAN,             /* rpm */
    EL_SENSOR_PWM,             /* ppm of full */
    EL_SENSOR_VOLTAGE,         /* mV */
    EL_SENSOR_CURRENT,         /* mA */
    EL_SENSOR_POWER,           /* mW */
    EL_SENSOR_HUMIDITY,        /* ppm */
    EL_SENSOR_AIRFLOW,         /* 0.001 LFM */
    EL_SENSOR_KIND_COUNT
};
const char *el_sensor_kind_name(enum el_sensor_kind k);

/* What a board sensor means to the governor. */
enum el_sensor_role {
    EL_ROLE_NONE = 0,
    EL_ROLE_INLET,
    EL_ROLE_SWITCH,
    EL_ROLE_CARD_POWER,
    EL_ROLE_FAN,
    EL_ROLE_HUMIDITY,
    EL_ROLE_AIRFLOW,
    EL_ROLE_COUNT
};
const char *el_sensor_role_name(enum el_sensor_role r);

struct el_sensor {
    int32_t card; /* card row; -1 = the whole board */
    enum el_sensor_kind kind;
    enum el_sensor_role role;
    char name[64];  /* unique on this machine and stable over reboots: chip by device, then feature */
    char label[48]; /* what the chip's driver calls it */
    uint32_t key;   /* the backend's handle */
    struct el_reading value;
    bool alarm, fault;
    int64_t limit_min, limit_max; /* INT64_MIN / INT64_MAX = none */
};

enum el_severity { EL_SEVERITY_INFO = 0, EL_SEVERITY_WARNING, EL_SEVERITY_CRITICAL };
const char *el_severity_name(enum el_severity s);

/* Something that happened. Ring, numbered without gaps from 1 over the life of the daemon. */
struct el_event {
    uint64_t seq;
    int64_t realtime_us;
    uint32_t kind; /* enum el_alarm_id (model/alarm.h) or 0 */
    enum el_severity severity;
    int32_t card, slot; /* rows; -1 = none */
    bool raised;        /* of an alarm: raised or cleared */
    char text[EL_EVENT_TEXT];
};

/* A condition that holds now. */
struct el_alarm {
    uint32_t id; /* enum el_alarm_id */
    enum el_severity severity;
    int32_t card, slot, index; /* rows; index: sensor, link, ... by the alarm's own meaning; -1 = none */
    int64_t since_us, since_realtime_us;
    double value, limit; /* NAN = no number */
    char text[EL_EVENT_TEXT];
};

/* The daemon about itself. */
struct el_daemon {
    char version[16], backend[16]; /* "host", "twin", "recorded" */
    int32_t pid;
    enum el_mode mode;
    bool ready;     /* every drive was polled once */
    bool config_ok; /* the last reload succeeded */
    int64_t config_success_realtime_us, start_realtime_us;
    uint64_t ticks, ticks_late;
    int64_t tick_duration_us, tick_cpu_us, process_cpu_us;
    uint64_t rss_bytes, vsz_bytes, open_fds, max_fds;
    uint32_t threads;
    uint64_t events_lost;
};

struct el_snapshot {
    char magic[8];
    uint32_t version;
    uint32_t layout;   /* mix of the row sizes: a reader of another build refuses */
    uint64_t size;     /* of the whole block */
    uint64_t checksum; /* of everything after this field */
    uint64_t seq;      /* counts published snapshots from 1 */
    int64_t time_us;   /* BOOTTIME of the tick */
    int64_t realtime_us;
    uint32_t period_ms; /* until the next one */
    char boot_id[36];
    uint64_t event_next; /* sequence number the next event will get */
    struct el_daemon daemon;
    struct {
        uint32_t offset, count; /* bytes from the start of the block; rows */
    } cards, slots, namespaces, links, sensors, events, alarms;
};

struct el_snapshot_counts {
    uint32_t cards, slots, namespaces, links, sensors, events, alarms;
};

/* A zeroed block with room for `n` rows of each table. Caller frees with el_snapshot_free. NULL: out of memory. */
struct el_snapshot *el_snapshot_new(const struct el_snapshot_counts *n);
struct el_snapshot *el_snapshot_free(struct el_snapshot *s); /* takes NULL, returns NULL */

/* Stamps magic, layout, size and checksum: the last step before publishing. */
void el_snapshot_seal(struct el_snapshot *s);

/* `bytes` (16-byte aligned) as a snapshot, or NULL when they are not a whole and sound one (`*why` says why, static
 * text): sizes, offsets, counts, row references (card of a slot, slot of a link, ...) and text terminators are all
 * checked. */
const struct el_snapshot *el_snapshot_check(const void *bytes, size_t n, const char **why);

/* Casts the const away, for whoever fills the rows. */
#define EL_SNAPSHOT_TABLE(name, type)                                                                                  \
    static inline struct type *el_snapshot_##name(const struct el_snapshot *s)                                         \
    {                                                                                                                  \
        return (struct type *)((char *)(uintptr_t)s + s->name.offset);                                                 \
    }
EL_SNAPSHOT_TABLE(cards, el_card)
EL_SNAPSHOT_TABLE(slots, el_slot)
EL_SNAPSHOT_TABLE(namespaces, el_namespace)
EL_SNAPSHOT_TABLE(links, el_link)
EL_SNAPSHOT_TABLE(sensors, el_sensor)
EL_SNAPSHOT_TABLE(events, el_event)
EL_SNAPSHOT_TABLE(alarms, el_alarm)

/* The link of this role on the slot's card; of EL_LINK_DRIVE, the slot's own. NULL = none known. */
const struct el_link *el_snapshot_link(const struct el_snapshot *s, uint32_t slot, enum el_link_role role);

/* False when older than three of its periods: the daemon hangs or is gone, and fast-changing values must not be
 * trusted. */
bool el_snapshot_fresh(const struct el_snapshot *s, int64_t now_us);

/* From a file: of a lone one, which is its bytes, or of two that are written in turns (base/pair.h), then the newer one
 * that is whole. Free with el_snapshot_free. 0 or -errno (-EBADMSG: not a sound snapshot). */
int el_snapshot_read(int dirfd, const char *path, struct el_snapshot **out, const char **why);
int el_snapshot_read_open(int fd, struct el_snapshot **out,
                          const char **why); /* of a file that is open, and stays so */
