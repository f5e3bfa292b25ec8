/* Carries out one order on one actuator: original to the journal before the first write, write, read back, restore.
 * Each step may hang in the device, so it works on a copy and holds no lock but the journal's, and that never during a
 * call to the device. Thread-safe. */
#pragma once

#include <pthread.h>

#include "control/actuate.h"

struct el_carry {
    struct el_device dev;
    struct el_journal *journal; /* under `lock` */
    pthread_mutex_t lock;
};

/* How things are moved. The null hand moves nothing, knows nothing and needs no journal. */
struct el_carry_hand {
    int (*write)(const struct el_device *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v);
    int (*read)(const struct el_device *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out);
    bool leaves_traces; /* needs the journal */
};
extern const struct el_carry_hand el_carry_device_hand, el_carry_null_hand;

enum el_carry_order {
    EL_CARRY_NOTHING = 0,
    EL_CARRY_READ,
    EL_CARRY_VERIFY,
    EL_CARRY_RESTORE,
    EL_CARRY_WRITE
}; /* the later, the more urgent */

struct el_carry_load {
    enum el_actuator kind;
    struct el_actuate_target target;
    struct el_actuator_value want;
    int64_t since_us; /* when it was taken up, BOOTTIME */
    bool moved;       /* its original is in the journal */
    bool adopting;    /* left by an earlier run and not read yet: what is in force counts as wanted */
    struct el_actuate_status status;
};

/* Changes `want` (when adopting), `moved` and `status` of the load. */
void el_carry_out(struct el_carry *c, const struct el_carry_hand *hand, enum el_carry_order order,
                  struct el_carry_load *l);
