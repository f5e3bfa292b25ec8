#include "control/drive_set.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "model/fill.h"

#define QUIET_US      (60 * EL_USEC_PER_SEC) /* without I/O for this long: idle */
#define STALE_MISSES  1
#define FAILED_MISSES 3
#define SAY_AGAIN_US                                                                                                   \
    (60 * EL_USEC_PER_SEC) /* between two falls that are said: a drive slower than its period falls all the time */

void el_drive_set_init(struct el_drive_set *d, const struct el_device *dev, int done_fd)
{
    *d = (struct el_drive_set){.dev = *dev, .done_fd = done_fd, .threads = dev->ops->may_block};
}

static void drive_free(struct el_drive *d)
{
    d->worker = el_worker_free(d->worker); /* frees the poll too, now or when it comes back */
    d->poll = NULL;
}

void el_drive_set_tell_hung(const struct el_drive_set *ds, const struct el_world *w)
{
    for (uint32_t i = 0; i < ds->n; i++) {
        const struct el_slot *s = &el_snapshot_slots(w->s)[i];
        const struct el_drive *d = &ds->drive[i];

        if (d->worker && !el_worker_idle(d->worker) && s->state != EL_SLOT_UP)
            el_log_warning("%s slot %u (%s, serial %s): a command to it has not come back; the kernel may keep this "
                           "process until it does, and what is set on the drive stays for `elementd restore`",
                           el_snapshot_cards(w->s)[s->card].name, s->number, s->controller, s->identify.serial);
    }
}

void el_drive_set_free(struct el_drive_set *d)
{
    bool hung = d->hung;

    for (uint32_t i = 0; i < d->n; i++) {
        hung |= d->drive[i].worker && !el_worker_idle(d->drive[i].worker);
        drive_free(&d->drive[i]);
    }
    free(d->drive);
    *d = (struct el_drive_set){.hung = hung};
}

bool el_drive_set_all_tried(const struct el_drive_set *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (d->drive[i].worker && !d->drive[i].tried)
            return false;
    return true;
}

/* What the kernel tells of a drive stands until it has answered itself, and when it never does. */
static void seed(struct el_nvme_identify *id, const struct el_nvme_identify *told)
{
    memcpy(id->serial, told->serial, sizeof id->serial);
    memcpy(id->model, told->model, sizeof id->model);
    memcpy(id->firmware, told->firmware, sizeof id->firmware);
}

static int drive_new(struct el_drive_set *ds, struct el_drive *d, const struct el_slot *slot)
{
    d->poll = calloc(1, sizeof *d->poll);
    if (!d->poll)
        return -ENOMEM;
    d->poll->dev = ds->dev;
    d->poll->key = d->key = slot->key;
    seed(&d->poll->row.identify, &slot->identify);
    d->power_state_wanted = -1;
    d->identify = d->owed = true;
    d->worker = el_worker_new(el_poll_run, free, d->poll, ds->threads, ds->done_fd);
    if (d->worker)
        return 0;
    free(d->poll);
    d->poll = NULL;
    return -ENOMEM;
}

/* Each drive into the row it has now. Most often none moves, and no memory is needed. */
static int follow(struct el_drive_set *ds, const struct el_remap *r, uint32_t n)
{
    bool moved = n != ds->n;
    struct el_drive *fresh;

    for (uint32_t i = 0; i < n; i++)
        moved |= r->slot[i].old != (int32_t)i;
    if (!moved)
        return 0;
    fresh = calloc(n ? n : 1, sizeof *fresh);
    for (uint32_t i = 0; fresh && i < n; i++) {
        int32_t old = r->slot[i].old;

        if (old >= 0 && (uint32_t)old < ds->n) {
            fresh[i] = ds->drive[old];
            ds->drive[old] = (struct el_drive){0};
        }
    }
    for (uint32_t i = 0; i < ds->n; i++)
        drive_free(&ds->drive[i]);
    free(ds->drive);
    ds->drive = fresh;
    ds->n = fresh ? n : 0;
    return fresh ? 0 : -ENOMEM;
}

int el_drive_set_remap(struct el_drive_set *ds, const struct el_world *w, const struct el_remap *r)
{
    const struct el_slot *slots = el_snapshot_slots(w->s);
    int result = follow(ds, r, w->s->slots.count);

    for (uint32_t i = 0; i < ds->n; i++) {
        struct el_drive *d = &ds->drive[i];

        if (d->worker && (!el_slot_pollable(&slots[i]) || d->key != slots[i].key)) {
            ds->hung |= !el_worker_idle(d->worker);
            drive_free(d);
            *d = (struct el_drive){0};
        }
        if (!d->worker && el_slot_pollable(&slots[i]) && drive_new(ds, d, &slots[i]) < 0)
            result = -ENOMEM;
        if (r->slot[i].named) {
            d->identify = true;
            d->confirm = false;
            d->renewed = d->running;
            d->due_us = 0;
        }
    }
    return result;
}

void el_drive_set_doubt(struct el_drive_set *ds)
{
    for (uint32_t i = 0; i < ds->n; i++) {
        struct el_drive *d = &ds->drive[i];

        d->confirm = d->confirm || !d->identify;
        d->identify = true;
        d->renewed = d->running;
    }
}

static void set_namespaces(struct el_poll_request *q, const struct el_world *w, uint32_t slot)
{
    const struct el_namespace *n = el_snapshot_namespaces(w->s);

    q->namespaces = 0;
    for (uint32_t i = 0; i < w->s->namespaces.count && q->namespaces < EL_POLL_NAMESPACES; i++)
        if (n[i].slot == slot)
            q->nsid[q->namespaces++] = n[i].nsid;
}

uint32_t el_drive_set_start(struct el_drive_set *ds, const struct el_world *w, const struct el_settings *s,
                            int64_t now_us)
{
    uint32_t started = 0;

    for (uint32_t i = 0; i < ds->n; i++) {
        struct el_drive *d = &ds->drive[i];

        bool logs = now_us >= d->logs_due_us;

        if (!d->worker || d->running || now_us < d->due_us)
            continue;
        d->poll->request.identify = d->identify;
        d->poll->request.confirm = d->confirm;
        d->renewed = false;
        d->poll->request.logs = logs;
        if (d->identify)
            set_namespaces(&d->poll->request, w, i);
        if (!el_worker_start(d->worker))
            continue;
        if (logs) /* the poll itself belongs to the worker by now */
            d->logs_due_us = now_us + s->poll.logs_ms * EL_USEC_PER_MSEC;
        d->running = true;
        d->start_us = now_us;
        started++;
    }
    return started;
}

bool el_drive_set_waiting(const struct el_drive_set *ds, int64_t since_us)
{
    for (uint32_t i = 0; i < ds->n; i++)
        if (ds->drive[i].running && ds->drive[i].start_us >= since_us && !el_worker_idle(ds->drive[i].worker))
            return true;
    return false;
}

bool el_drive_set_missing(const struct el_drive_set *ds, const struct el_world *w)
{
    for (uint32_t i = 0; i < ds->n; i++)
        if (ds->drive[i].running && el_snapshot_slots(w->s)[i].state != EL_SLOT_UP)
            return true;
    return false;
}

bool el_drive_set_answered(const struct el_drive_set *ds)
{
    for (uint32_t i = 0; i < ds->n; i++)
        if (ds->drive[i].running && el_worker_idle(ds->drive[i].worker))
            return true;
    return false;
}

static void take_namespaces(const struct el_poll *p, struct el_world *w, uint32_t slot)
{
    struct el_namespace *n = el_snapshot_namespaces(w->s);

    for (uint32_t i = 0; i < w->s->namespaces.count; i++)
        for (uint32_t k = 0; n[i].slot == slot && k < p->request.namespaces; k++)
            if (p->ns[k].nsid == n[i].nsid && p->ns[k].lba_bytes) {
                n[i].lba_bytes = p->ns[k].lba_bytes;
                n[i].size_bytes = p->ns[k].size_bytes;
                n[i].capacity_bytes = p->ns[k].capacity_bytes;
                n[i].used_bytes = p->ns[k].used_bytes;
            }
}

/* A good Identify was read: is it still the drive that was here? */
static void note_identity(struct el_drive *d, struct el_world *w, uint32_t row)
{
    struct el_slot *slot = &el_snapshot_slots(w->s)[row];
    const char *before = slot->identify.serial[0] ? slot->identify.serial : slot->last_serial;
    const char *now = d->poll->row.identify.serial;

    d->fresh |= !d->poll->request.confirm;
    d->identify = d->renewed;
    d->confirm &= d->renewed;
    if (before[0] && strcmp(before, now) != 0) {
        d->power_state_wanted = -1;
        d->fresh = d->owed = d->swapped = true;
        el_text_copy(slot->last_serial, sizeof slot->last_serial, before);
        slot->replaced++; /* the alarm table tells of it */
    }
    take_namespaces(d->poll, w, row);
}

static const char *why_unread(int result)
{
    switch (-result) {
    case EHOSTDOWN:
        return "asleep (runtime-suspended), and left asleep";
    case EAGAIN:
        return "its controller is being reset or connected";
    case ENODEV:
        return "its controller is gone or dead";
    case EACCES:
    case EPERM:
        return "no right to ask it: CAP_SYS_ADMIN is needed";
    default:
        return strerror(-result);
    }
}

static void say_why(struct el_slot *slot, int result)
{
    if (result > 0)
        snprintf(slot->reason, sizeof slot->reason, "the drive answers with NVMe status 0x%x", (unsigned)result);
    else
        snprintf(slot->reason, sizeof slot->reason, "cannot be read: %s", why_unread(result));
}

static void take(struct el_drive *d, struct el_world *w, uint32_t row, int64_t now_us)
{
    const struct el_poll *p = d->poll;
    struct el_slot *slot;

    d->running = false;
    d->tried = d->taken = true;
    if (p->identified)
        note_identity(d, w, row);
    slot = &el_snapshot_slots(w->s)[row]; /* an event may have moved the block */
    el_poll_take(p, slot);
    if (p->result != 0) {
        d->failures = p->result == -EHOSTDOWN ? STALE_MISSES : d->failures + 1; /* sleep is no failure */
        say_why(slot, p->result);
        return;
    }
    d->failures = 0;
    slot->last_success_us = now_us;
    slot->last_success_realtime_us = w->s->realtime_us;
}

/* Polls missed in a row. One that has been out for a period keeps the next from being asked: it counts for both. A
 * quarter of a period early: rounds come now and then a little sooner after each other, and a whole one more is late.
 */
static uint32_t misses(const struct el_drive *d, const struct el_slot *slot, uint32_t period_ms, int64_t now_us)
{
    int64_t period_us = period_ms * EL_USEC_PER_MSEC;
    uint32_t out = d->running ? (uint32_t)((now_us - d->start_us + period_us / 4) / period_us) : 0;
    uint32_t missed = d->failures + (out ? out + 1 : 0);

    return missed && strcmp(slot->ctrl_state, "dead") == 0 ? FAILED_MISSES : missed; /* the kernel has given it up */
}

static void say_late(struct el_slot *slot)
{
    bool live = !slot->ctrl_state[0] || strcmp(slot->ctrl_state, "live") == 0;

    snprintf(slot->reason, sizeof slot->reason, "a command to the drive has not come back%s%s",
             live ? "" : "; its controller is ", live ? "" : slot->ctrl_state);
}

/* True when it is up no more. */
static bool judge(struct el_drive *d, struct el_world *w, uint32_t row, uint32_t period_ms, int64_t now_us)
{
    struct el_slot *slot = &el_snapshot_slots(w->s)[row];
    uint32_t missed = misses(d, slot, period_ms, now_us);
    enum el_slot_state was = slot->state, is = missed >= FAILED_MISSES ? EL_SLOT_FAILED : EL_SLOT_STALE;

    if (missed < STALE_MISSES)
        is = slot->last_success_us ? EL_SLOT_UP : EL_SLOT_STALE;
    if (missed && d->running)
        say_late(slot);
    if (is == EL_SLOT_UP && was != EL_SLOT_UP) {
        slot->reason[0] = '\0';
        slot->up_since_us = now_us;
    }
    slot->state = is;
    if (was == EL_SLOT_UP && is != EL_SLOT_UP && now_us >= d->say_fall_us) {
        d->say_fall_us = now_us + SAY_AGAIN_US;
        el_world_say(w, EL_SEVERITY_WARNING, (int32_t)slot->card, (int32_t)row, "%s", slot->reason);
    } else if (was == EL_SLOT_FAILED && is == EL_SLOT_UP) {
        el_world_say(w, EL_SEVERITY_INFO, (int32_t)slot->card, (int32_t)row, "the drive answers again");
    }
    return was == EL_SLOT_UP && is != EL_SLOT_UP;
}

/* A drive that wakes up warms at once: it is asked in the next round, however long it was to be left alone. */
static void note_io(struct el_drive *d, const struct el_slot *slot, int64_t now_us)
{
    uint64_t ops = slot->io.read_ops + slot->io.write_ops;

    if (!slot->io.valid || ops != d->io_seen || !d->quiet_since_us) {
        d->io_seen = ops;
        d->quiet_since_us = now_us;
        d->due_us = d->quiet ? now_us : d->due_us;
    }
    d->quiet = now_us - d->quiet_since_us > QUIET_US;
}

/* How long until the next poll: short when heat or trouble is near, long when nothing happens. */
static uint32_t period_of(const struct el_drive *d, const struct el_slot *slot, const struct el_settings *s)
{
    double room = slot->decision.limit_c - el_reading_kilo(&slot->temp_mc[0]);

    if (d->failures)
        return d->failures < FAILED_MISSES ? s->poll.hot_ms : s->poll.normal_ms;
    if (!isfinite(room) || room < s->poll.hot_within_c || slot->decision.cap_ratio < 1 || slot->smart.critical_warning)
        return s->poll.hot_ms;
    return d->quiet && room > 2 * s->poll.hot_within_c ? s->poll.idle_ms : s->poll.normal_ms;
}

/* Half a tick early: ticks are the grain of time here. */
static void set_due(struct el_drive *d, struct el_slot *slot, const struct el_settings *s)
{
    slot->poll_period_ms = period_of(d, slot, s);
    d->due_us = d->start_us + slot->poll_period_ms * EL_USEC_PER_MSEC - s->poll.tick_ms * EL_USEC_PER_MSEC / 2;
}

/* What is not read grows old, also of a drive that there was no memory to ask. */
static void expire(const struct el_drive_set *ds, struct el_world *w, const struct el_settings *s, int64_t now_us)
{
    for (uint32_t i = 0; i < w->s->slots.count; i++) {
        struct el_slot *slot = &el_snapshot_slots(w->s)[i];

        if (slot->state == EL_SLOT_UP && (i >= ds->n || !ds->drive[i].worker)) {
            slot->state = EL_SLOT_STALE;
            el_text_copy(slot->reason, sizeof slot->reason, "out of memory: it cannot be asked");
        }
        el_fill_expire(slot, now_us - 2 * EL_MAX(slot->poll_period_ms, s->poll.tick_ms) * EL_USEC_PER_MSEC);
    }
}

int el_drive_set_take(struct el_drive_set *ds, struct el_world *w, uint32_t from, int64_t now_us)
{
    for (uint32_t i = from; i < ds->n; i++)
        if (ds->drive[i].running && el_worker_idle(ds->drive[i].worker)) {
            take(&ds->drive[i], w, i, now_us);
            return (int)i;
        }
    return -1;
}

void el_drive_set_return(struct el_drive_set *ds, struct el_world *w, const struct el_settings *s, int64_t now_us)
{
    for (int row = -1; (row = el_drive_set_take(ds, w, (uint32_t)(row + 1), now_us)) >= 0;)
        set_due(&ds->drive[row], &el_snapshot_slots(w->s)[row], s);
}

void el_drive_set_collect(struct el_drive_set *ds, struct el_world *w, const struct el_settings *s, int64_t now_us)
{
    for (int row = -1; (row = el_drive_set_take(ds, w, (uint32_t)(row + 1), now_us)) >= 0;)
        ;
    for (uint32_t i = 0; i < ds->n; i++) {
        struct el_drive *d = &ds->drive[i];

        if (!d->worker)
            continue;
        note_io(d, &el_snapshot_slots(w->s)[i], now_us);
        if (d->taken)
            set_due(d, &el_snapshot_slots(w->s)[i], s);
        d->taken = false;
        ds->fallen |= judge(d, w, i, EL_MAX(s->poll.hot_ms, s->poll.tick_ms), now_us);
    }
    expire(ds, w, s, now_us);
}
