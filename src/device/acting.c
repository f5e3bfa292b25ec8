#include "device/acting.h"

#include <errno.h>
#include <pthread.h>

#include "base/rows.h"
#include "base/text.h"
#include "device/fan.h"
#include "device/feature.h"
#include "device/iocost.h"
#include "device/iomax.h"

struct memory {
    struct el_iocost_memory cost;
    struct el_iomax_memory max;
};

struct el_acting {
    const struct el_sysfs *fs;
    struct el_cgroup cgroup;
    struct el_drives *drives;
    pthread_mutex_t lock;   /* of the table and the count, not of the rows */
    uint32_t busy;          /* calls inside */
    struct memory **memory; /* by key */
    uint32_t n;
};

struct el_acting *el_acting_new(const struct el_sysfs *fs, struct el_drives *drives)
{
    struct el_acting *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->fs = fs;
    a->drives = drives;
    el_cgroup_open(&a->cgroup, fs);
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

bool el_acting_free(struct el_acting *a)
{
    bool busy;

    if (!a)
        return true;
    pthread_mutex_lock(&a->lock);
    busy = a->busy > 0;
    pthread_mutex_unlock(&a->lock);
    if (busy)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        free(a->memory[i]);
    free(a->memory);
    el_cgroup_close(&a->cgroup);
    pthread_mutex_destroy(&a->lock);
    free(a);
    return true;
}

/* What was last set on the drive of this key; NULL = out of memory. With the lock held. */
static struct memory *memory_of(struct el_acting *a, uint32_t key)
{
    while (a->n < key && el_row_append(&a->memory, &a->n, sizeof *a->memory))
        ;
    if (a->n < key)
        return NULL;
    if (!a->memory[key - 1])
        a->memory[key - 1] = calloc(1, sizeof **a->memory);
    return a->memory[key - 1];
}

/* What every call on a drive starts with: its block devices, and what was last set. */
struct target {
    struct el_disks disks;
    struct memory *m;
};

/* Enters; each call that this lets in must `leave`. */
static int aim(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm, struct target *t)
{
    int r = what == EL_ACTUATOR_FAN && !pwm ? -ENODEV : 0;

    *t = (struct target){0};
    if (el_actuator_is_cap(what))
        r = el_drives_disks(a->drives, key, &t->disks);
    if (r < 0)
        return r;
    pthread_mutex_lock(&a->lock);
    if (el_actuator_is_cap(what) && !(t->m = memory_of(a, key)))
        r = -ENOMEM;
    a->busy += r == 0;
    pthread_mutex_unlock(&a->lock);
    if (r < 0)
        el_disks_free(&t->disks);
    return r;
}

static int leave(struct el_acting *a, struct target *t, int r)
{
    el_disks_free(&t->disks);
    pthread_mutex_lock(&a->lock);
    a->busy--;
    pthread_mutex_unlock(&a->lock);
    return r;
}

int el_acting_usable(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm, char *why,
                     size_t why_size)
{
    struct target t;
    int r = aim(a, what, key, pwm, &t);

    if (r < 0) {
        el_text_copy(why, why_size, r == -ENODEV ? "it is no longer there" : "out of memory");
        return r;
    }
    switch (what) {
    case EL_ACTUATOR_IO_BUDGET:
        return leave(a, &t, el_iocost_usable(&a->cgroup, &t.disks, why, why_size));
    case EL_ACTUATOR_IO_MAX:
        return leave(a, &t, el_iomax_usable(&a->cgroup, &t.disks, &t.m->max, why, why_size));
    case EL_ACTUATOR_FAN:
        return leave(a, &t, el_fan_usable(a->fs, pwm, why, why_size));
    default:
        return leave(a, &t, el_feature_usable(a->drives, what, key, why, why_size));
    }
}

int el_acting_save(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm, char *text, size_t size)
{
    struct target t;
    int r = aim(a, what, key, pwm, &t);

    if (r < 0)
        return r;
    switch (what) {
    case EL_ACTUATOR_IO_BUDGET:
        return leave(a, &t, el_iocost_save(&a->cgroup, &t.disks, text, size));
    case EL_ACTUATOR_IO_MAX:
        return leave(a, &t, el_iomax_save(&a->cgroup, &t.disks, &t.m->max, text, size));
    case EL_ACTUATOR_FAN:
        return leave(a, &t, el_fan_save(a->fs, pwm, text, size));
    default:
        return leave(a, &t, el_feature_save(a->drives, what, key, text, size));
    }
}

int el_acting_write(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm,
                    const struct el_actuator_value *v)
{
    struct target t;
    int r = aim(a, what, key, pwm, &t);

    if (r < 0)
        return r;
    switch (what) {
    case EL_ACTUATOR_IO_BUDGET:
        return leave(a, &t, el_iocost_write(&a->cgroup, &t.disks, &t.m->cost, &v->cap));
    case EL_ACTUATOR_IO_MAX:
        return leave(a, &t, el_iomax_write(&a->cgroup, &t.disks, &t.m->max, &v->cap));
    case EL_ACTUATOR_FAN:
        return leave(a, &t, el_fan_write(a->fs, pwm, v->pwm_ratio));
    default:
        return leave(a, &t, el_feature_write(a->drives, what, key, v));
    }
}

void el_acting_survey(struct el_acting *a, bool anew)
{
    el_cgroup_survey(&a->cgroup, anew);
    el_drives_ask_disks(a->drives, anew); /* last: that is what may be old soonest */
}

int el_acting_read(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm,
                   struct el_actuator_value *out)
{
    struct target t;
    int r = aim(a, what, key, pwm, &t);

    if (r < 0)
        return r;
    switch (what) {
    case EL_ACTUATOR_IO_BUDGET:
        return leave(a, &t, el_iocost_read(&a->cgroup, &t.disks, &t.m->cost, &out->cap));
    case EL_ACTUATOR_IO_MAX:
        return leave(a, &t, el_iomax_read(&a->cgroup, &t.disks, &t.m->max, &out->cap));
    case EL_ACTUATOR_FAN:
        return leave(a, &t, el_fan_read(a->fs, pwm, &out->pwm_ratio));
    default:
        return leave(a, &t, el_feature_read(a->drives, what, key, out));
    }
}

int el_acting_restore(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm, const char *text)
{
    struct target t;
    int r = aim(a, what, key, pwm, &t);

    if (r < 0)
        return r;
    switch (what) {
    case EL_ACTUATOR_IO_BUDGET:
        t.m->cost.held_us = 0;
        return leave(a, &t, el_iocost_restore(&a->cgroup, &t.disks, text));
    case EL_ACTUATOR_IO_MAX:
        return leave(a, &t, el_iomax_restore(&a->cgroup, &t.disks, text));
    case EL_ACTUATOR_FAN:
        return leave(a, &t, el_fan_restore(a->fs, pwm, text));
    default:
        return leave(a, &t, el_feature_restore(a->drives, what, key, text));
    }
}
