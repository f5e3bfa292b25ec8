#include "control/carry.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

static int device_write(const struct el_device *d, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    return d->ops->actuator_write ? d->ops->actuator_write(d->dev, a, key, v) : -ENOTSUP;
}

static int device_read(const struct el_device *d, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    return d->ops->actuator_read ? d->ops->actuator_read(d->dev, a, key, out) : -ENOTSUP;
}

static int null_write(const struct el_device *d, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    return 0;
}

static int null_read(const struct el_device *d, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    return -ENODATA;
}

const struct el_carry_hand el_carry_device_hand = {device_write, device_read, true};
const struct el_carry_hand el_carry_null_hand = {null_write, null_read, false};

static bool recorded(struct el_carry *c, const struct el_carry_load *l, struct el_journal_entry *out)
{
    const struct el_journal_entry *e;

    pthread_mutex_lock(&c->lock);
    e = el_journal_find(c->journal, l->kind, l->target.serial);
    if (e)
        *out = *e;
    pthread_mutex_unlock(&c->lock);
    return e;
}

/* Its original into the journal, once. The device is asked without any lock: it may hang. */
static int remember(struct el_carry *c, const struct el_carry_load *l)
{
    struct el_journal_entry e; /* large: it costs something to clear */
    int r = -ENOTSUP;

    if (l->moved || recorded(c, l, &e))
        return 0;
    e = (struct el_journal_entry){.actuator = l->kind};
    el_text_copy(e.serial, sizeof e.serial, l->target.serial);
    el_text_copy(e.place, sizeof e.place, l->target.place);
    if (c->dev.ops->actuator_save)
        r = c->dev.ops->actuator_save(c->dev.dev, l->kind, l->target.key, e.original, sizeof e.original);
    if (r < 0)
        return r;
    pthread_mutex_lock(&c->lock);
    r = el_journal_add(c->journal, &e);
    pthread_mutex_unlock(&c->lock);
    return r;
}

static void do_write(struct el_carry *c, const struct el_carry_hand *hand, struct el_carry_load *l)
{
    struct el_actuate_status *s = &l->status;
    int r = hand->leaves_traces ? remember(c, l) : 0;

    if (r == 0 && hand->leaves_traces) {
        l->moved = true;
        s->last_us = l->since_us;
    }
    if (r == 0)
        r = hand->write(&c->dev, l->kind, l->target.key, &l->want);
    if (r < 0) {
        s->failures++;
        if (!s->failed)
            el_log_warning("%s: setting %s failed: %s", l->target.place, el_actuator_name(l->kind), strerror(-r));
    }
    s->failed = r < 0;
}

/* What a write came to: read when the other drives have been written, so that none waits for the reading of another. */
static void do_verify(struct el_carry *c, const struct el_carry_hand *hand, struct el_carry_load *l)
{
    struct el_actuate_status *s = &l->status, before = *s;
    struct el_actuator_value now;

    s->known = hand->read(&c->dev, l->kind, l->target.key, &now) == 0;
    if (!s->known)
        return;
    if (!s->failed && !el_actuator_same(l->kind, &now, &l->want)) {
        s->mismatches++;
        s->failed = true;
    }
    if (!before.known)
        before.in_force = (struct el_actuator_value){.cap.ratio = 1, .pwm_ratio = now.pwm_ratio};
    if (!el_actuator_same(l->kind, &before.in_force, &now))
        *(el_actuator_lowers(l->kind, &before.in_force, &now) ? &s->lowered : &s->raised) += 1;
    s->in_force = now;
}

static void do_read(struct el_carry *c, const struct el_carry_hand *hand, struct el_carry_load *l)
{
    struct el_actuator_value now;

    l->status.known = hand->read(&c->dev, l->kind, l->target.key, &now) == 0;
    if (!l->status.known)
        return;
    if (l->adopting)
        l->want = now;
    if (!el_actuator_same(l->kind, &now, &l->want) && !l->status.failed) {
        l->status.mismatches++;
        l->status.failed = true;
        el_log_warning("%s: %s is not what was set: something else changed it", l->target.place,
                       el_actuator_name(l->kind));
    } else if (el_actuator_same(l->kind, &now, &l->want)) {
        l->status.failed = false;
    }
    l->status.in_force = now;
}

static void do_restore(struct el_carry *c, struct el_carry_load *l)
{
    struct el_journal_entry e;
    int r = 0;

    if (recorded(c, l, &e))
        r = c->dev.ops->actuator_restore ? c->dev.ops->actuator_restore(c->dev.dev, l->kind, l->target.key, e.original)
                                         : -ENOTSUP;
    if (r == 0 || r == -ENODEV) {
        pthread_mutex_lock(&c->lock);
        r = el_journal_remove(c->journal, l->kind, l->target.serial);
        pthread_mutex_unlock(&c->lock);
    }
    if (r < 0) {
        l->status.failures++;
        if (!l->status.failed)
            el_log_warning("%s: restoring %s failed: %s", l->target.place, el_actuator_name(l->kind), strerror(-r));
        l->status.failed = true;
        return;
    }
    l->moved = l->status.failed = l->status.known = false;
}

void el_carry_out(struct el_carry *c, const struct el_carry_hand *hand, enum el_carry_order order,
                  struct el_carry_load *l)
{
    if (order == EL_CARRY_WRITE)
        do_write(c, hand, l);
    else if (order == EL_CARRY_VERIFY)
        do_verify(c, hand, l);
    else if (order == EL_CARRY_READ)
        do_read(c, hand, l);
    else
        do_restore(c, l);
}
