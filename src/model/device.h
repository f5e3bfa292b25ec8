/* The one device interface. It has three backends: the host (device/), a recorded machine (device/) and the twin
 * (twin/). Callers cannot tell them apart. Where `may_block` says that calls may block, each drive belongs to one
 * worker. */
#pragma once

#include "model/snapshot.h"

/* NVMe admin commands elementd knows how to send; also the index of el_slot.admin_commands. */
enum el_admin_kind {
    EL_ADMIN_IDENTIFY = 0,
    EL_ADMIN_GET_LOG,
    EL_ADMIN_GET_FEATURE,
    EL_ADMIN_SET_FEATURE,
    EL_ADMIN_SECURITY_RECEIVE,
    EL_ADMIN_KIND_COUNT
};
const char *el_admin_kind_name(enum el_admin_kind k);

/* Bytes that an actuator's `save` may need: other people's settings on some four namespaces. */
#define EL_ORIGINAL_MAX 1024

struct el_admin {
    enum el_admin_kind kind;
    uint8_t id;     /* CNS, LID or FID */
    uint8_t select; /* Get Features: 0 current, 1 default, 2 saved, 3 supported */
    uint32_t nsid;
    uint32_t value;  /* Set Features dword 11 (never with the save bit); Get Features dword 11; Get Log: log specific
                        identifier */
    uint32_t result; /* dword 0 of the completion */
    void *data;      /* caller's buffer for identify, log, security receive; NULL for features */
    uint32_t size;
};

/* What is plugged in now: rows with their static facts (where things are; what a drive is comes from its Identify page,
 * through `admin`). The inventory owns its arrays. */
struct el_inventory {
    struct el_card *cards;
    struct el_slot *slots;
    struct el_namespace *namespaces;
    struct el_link *links;
    struct el_sensor *sensors;
    bool *named; /* per slot: its drive may have changed since the last discovery; NULL: any may have */
    struct el_snapshot_counts n;
};
void el_inventory_free(struct el_inventory *inv); /* frees the arrays, leaves it empty */

/* An I/O budget in watts, and the prices in which it is counted. `ratio`: budget over full host I/O power. */
struct el_cap {
    double ratio, budget_w;
    double read_j_per_byte, write_j_per_byte, read_j_per_op, write_j_per_op;
};

struct el_actuator_value {
    struct el_cap cap;      /* IO_BUDGET, IO_MAX */
    int32_t power_state;    /* POWER_STATE */
    int32_t tmt1_c, tmt2_c; /* HCTM; 0 = off */
    double pwm_ratio;       /* FAN */
};

/* The feature of a drive that POWER_STATE and HCTM set, 0 for the others; its value (dword 11 of Set Features, dword 0
 * of the answer to Get Features) from ours and back. */
uint8_t el_actuator_feature(enum el_actuator kind);
uint32_t el_actuator_to_feature(enum el_actuator kind, const struct el_actuator_value *v);
void el_actuator_from_feature(enum el_actuator kind, uint32_t value, struct el_actuator_value *out);

/* Whether two values have the same effect on a drive or fan; whether `to` allows it less than `from`. */
bool el_actuator_same(enum el_actuator kind, const struct el_actuator_value *x, const struct el_actuator_value *y);
bool el_actuator_lowers(enum el_actuator kind, const struct el_actuator_value *from,
                        const struct el_actuator_value *to);

struct el_device_ops {
    const char *name; /* "host", "twin", "recorded" */
    bool may_block;   /* calls can hang: give each drive its own worker */
    bool lasts;       /* settings outlive this process */
    bool by_order;    /* card numbers are today's order: to recognize a card later, remember its drives */

    /* The machine as it is now. 0 or -errno; `inv` is replaced whole. Call again after `changed`. */
    int (*discover)(void *dev, struct el_inventory *inv);
    /* Descriptor that turns readable when something may have come or gone; -1 = poll `changed`. */
    int (*event_fd)(void *dev);
    bool (*changed)(void *dev); /* drains; true: discover again */

    /* One admin command to the drive with this key. 0, an NVMe status > 0, or -errno. */
    int (*admin)(void *dev, uint32_t key, struct el_admin *cmd);
    /* Fresh values into rows made by `discover`. Rows whose source fails say so in their quality. 0 or -errno. */
    int (*read_links)(void *dev, struct el_link *links, uint32_t n);
    int (*read_sensors)(void *dev, struct el_sensor *sensors, uint32_t n);
    int (*read_io)(void *dev, uint32_t key, struct el_slot_io *io);

    /* Actuators. `key`: drive key, or sensor key of a fan. `usable` is 0, or -errno with the reason in `why`; where it
     * never is, the other calls may be NULL. `save` writes the present setting as one line of text that `restore`
     * understands even after a crash of the daemon; the text has room for EL_ORIGINAL_MAX bytes, and an actuator whose
     * setting does not fit is not usable. */
    int (*actuator_usable)(void *dev, enum el_actuator a, uint32_t key, char *why, size_t why_size);
    int (*actuator_save)(void *dev, enum el_actuator a, uint32_t key, char *text, size_t size);
    int (*actuator_write)(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v);
    int (*actuator_read)(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out);
    /* Announces reads or writes of many drives, so that what all of them need is looked up once. Not `anew`: an answer
     * of a moment ago will do. NULL: each call looks for itself. */
    void (*actuator_survey)(void *dev, bool anew);
    int (*actuator_restore)(void *dev, enum el_actuator a, uint32_t key, const char *text);

    int64_t (*now_us)(void *dev); /* the backend's own time (virtual in `simulate`); NULL = BOOTTIME */
    void *(*close)(void *dev);    /* frees; takes NULL, returns NULL */
};

/* An open backend. */
struct el_device {
    const struct el_device_ops *ops;
    void *dev;
};
