/* Faults between the daemon and the twin, and under the daemon: its calls of malloc, open, write ... are wrapped by the
 * linker. */
#include "broken.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "control/journal.h"
#include "twin/machine.h"

const char *const broken_names[BROKEN_KINDS] = {
    "page-zero",  "page-ones",   "page-random", "status",      "eio",       "late",      "io-counters", "write-refused",
    "write-half", "read-back",   "save",        "restore",     "discovery", "disk-full", "read-only",   "rename",
    "fsync",      "descriptors", "eintr",       "short-write", "memory",    "clock",     "threads",     "suspend",
};

static _Thread_local struct broken
    *under; /* only the tick thread's calls break: those of others come at their own time */
static _Thread_local unsigned nth, interrupted;
static _Thread_local bool nth_failed;
static _Thread_local unsigned kill_at;
static void (*killed)(struct broken *b);

void broken_kill_at(unsigned n, void (*die)(struct broken *b))
{
    kill_at = n;
    killed = die;
}

/* Something is about to be written, or has been. */
static void kill_point(void)
{
    if (under && kill_at && --kill_at == 0)
        killed(under);
}

bool broken_now(const struct broken *b, enum broken_kind kind, int slot)
{
    struct el_twin_truth truth;
    double t = -1;

    if (!b->over) {
        el_twin_truth(b->inner.dev, 0, &truth);
        t = truth.time_s; /* the daemon's clock began earlier */
    }

    for (int i = 0; i < b->faults; i++)
        if (b->fault[i].kind == kind && (slot < 0 || b->fault[i].slot == slot) && t >= b->fault[i].from_s &&
            t < b->fault[i].to_s)
            return true;
    return false;
}

static int slot_of(struct broken *b, uint32_t key)
{
    uint32_t slot = 0;

    return el_twin_drive(b->inner.dev, key, &slot) ? (int)slot : -2;
}

/* The serial of a drive, by its own word. */
static bool serial_of(struct broken *b, uint32_t key, char out[24])
{
    uint8_t page[EL_NVME_IDENTIFY_SIZE];
    struct el_twin_card *card;
    uint32_t slot;
    struct el_admin cmd = {.kind = EL_ADMIN_IDENTIFY, .id = 1, .data = page, .size = sizeof page};

    card = el_twin_drive(b->inner.dev, key, &slot);
    if (!card || el_twin_controller_admin(card, slot, &cmd) != 0)
        return false;
    memcpy(out, page + 4, 20);
    for (int n = 20; n >= 0 && (n == 20 || out[n] == ' '); n--)
        out[n] = '\0';
    return true;
}

static int b_discover(void *dev, struct el_inventory *inv)
{
    struct broken *b = dev;

    return broken_now(b, BROKEN_DISCOVERY, -1) ? -EIO : b->inner.ops->discover(b->inner.dev, inv);
}

static bool b_changed(void *dev)
{
    struct broken *b = dev;

    return b->inner.ops->changed(b->inner.dev) || broken_now(b, BROKEN_DISCOVERY, -1);
}

static int b_admin(void *dev, uint32_t key, struct el_admin *cmd)
{
    struct broken *b = dev;
    int slot = slot_of(b, key), r;
    bool smart = cmd->kind == EL_ADMIN_GET_LOG && cmd->id == EL_NVME_LID_SMART && cmd->size == sizeof b->late[0];
    uint8_t *page = cmd->data;

    if (broken_now(b, BROKEN_STATUS, slot))
        return 0x06; /* internal error */
    if (broken_now(b, BROKEN_EIO, slot))
        return -EIO;
    r = b->inner.ops->admin(b->inner.dev, key, cmd);
    if (r != 0 || !page || slot < 0)
        return r;
    if (broken_now(b, BROKEN_PAGE_ZERO, slot))
        memset(page, 0, cmd->size);
    if (broken_now(b, BROKEN_PAGE_ONES, slot))
        memset(page, 0xff, cmd->size);
    for (uint32_t i = 0; cmd->kind != EL_ADMIN_IDENTIFY && i < cmd->size && broken_now(b, BROKEN_PAGE_RANDOM, slot);
         i++)
        page[i] = (uint8_t)el_rng_u64(&b->rng);
    if (!smart)
        return 0;
    if (broken_now(b, BROKEN_LATE, slot) && b->late_known[slot])
        memcpy(page, b->late[slot], cmd->size);
    memcpy(b->late[slot], page, cmd->size);
    b->late_known[slot] = true;
    return 0;
}

static int b_read_links(void *dev, struct el_link *l, uint32_t n)
{
    struct broken *b = dev;

    return b->inner.ops->read_links ? b->inner.ops->read_links(b->inner.dev, l, n) : 0;
}

static int b_read_sensors(void *dev, struct el_sensor *s, uint32_t n)
{
    struct broken *b = dev;

    return b->inner.ops->read_sensors(b->inner.dev, s, n);
}

static int b_read_io(void *dev, uint32_t key, struct el_slot_io *io)
{
    struct broken *b = dev;
    int r = b->inner.ops->read_io(b->inner.dev, key, io);

    if (r == 0 && broken_now(b, BROKEN_IO_COUNTERS, slot_of(b, key)))
        io->read_bytes = io->write_ops = el_rng_u64(&b->rng);
    return r;
}

static int b_usable(void *dev, enum el_actuator a, uint32_t key, char *why, size_t n)
{
    struct broken *b = dev;

    return b->inner.ops->actuator_usable(b->inner.dev, a, key, why, n);
}

static int b_save(void *dev, enum el_actuator a, uint32_t key, char *text, size_t n)
{
    struct broken *b = dev;

    return broken_now(b, BROKEN_SAVE, slot_of(b, key)) ? -EIO
                                                       : b->inner.ops->actuator_save(b->inner.dev, a, key, text, n);
}

/* Before the first write to a drive, what stands there: what the journal must say. */
static int remember(struct broken *b, enum el_actuator a, uint32_t key, const char *serial)
{
    int i = 0;

    while (i < b->n_saved && (b->saved[i].kind != a || strcmp(b->saved[i].serial, serial) != 0))
        i++;
    if (i < b->n_saved || i == BROKEN_SAVED)
        return i == BROKEN_SAVED ? -1 : i;
    if (b->inner.ops->actuator_save(b->inner.dev, a, key, b->saved[i].original, sizeof b->saved[i].original) < 0)
        return -1;
    b->saved[i].kind = a;
    strcpy(b->saved[i].serial, serial);
    return b->n_saved++;
}

static void check_journal(struct broken *b, enum el_actuator a, uint32_t key)
{
    struct broken *calls = under;
    const struct el_journal_entry *e;
    struct el_journal *j = NULL;
    char serial[24];
    int i;

    if (a == EL_ACTUATOR_FAN || !serial_of(b, key, serial))
        return;
    under = NULL; /* the checker's own calls work */
    i = remember(b, a, key, serial);
    if (el_journal_open(b->settings->state_dir, &j) < 0 || !(e = el_journal_find(j, a, serial)))
        b->unjournalled++;
    else if (i >= 0 && strcmp(e->original, b->saved[i].original) != 0)
        b->not_original++;
    el_journal_free(j);
    under = calls;
}

static int b_write(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    struct broken *b = dev;
    struct el_actuator_value half = *v, was;
    int slot = a == EL_ACTUATOR_FAN ? -2 : slot_of(b, key), r;

    if (b->dead)
        return -EIO;
    b->writes++;
    check_journal(b, a, key);
    if (broken_now(b, BROKEN_WRITE_REFUSED, slot))
        return -EIO;
    if (broken_now(b, BROKEN_WRITE_HALF, slot) && b->inner.ops->actuator_read(b->inner.dev, a, key, &was) == 0)
        half.cap.ratio = (v->cap.ratio + was.cap.ratio) / 2;
    kill_point();
    r = b->inner.ops->actuator_write(b->inner.dev, a, key, &half);
    kill_point();
    return r;
}

static int b_read(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    struct broken *b = dev;

    return broken_now(b, BROKEN_READ_BACK, a == EL_ACTUATOR_FAN ? -2 : slot_of(b, key))
               ? -EIO
               : b->inner.ops->actuator_read(b->inner.dev, a, key, out);
}

static int b_restore(void *dev, enum el_actuator a, uint32_t key, const char *text)
{
    struct broken *b = dev;
    int r;

    if (b->dead)
        return -EIO;
    b->restores++;
    if (broken_now(b, BROKEN_RESTORE, a == EL_ACTUATOR_FAN ? -2 : slot_of(b, key)))
        return -EIO;
    kill_point();
    r = b->inner.ops->actuator_restore(b->inner.dev, a, key, text);
    kill_point();
    return r;
}

static int64_t b_now_us(void *dev)
{
    struct broken *b = dev;

    return b->inner.ops->now_us(b->inner.dev);
}

static void *b_close(void *dev)
{
    ((struct broken *)dev)->over = true; /* the plant lives on: what became of it is looked at afterwards */
    return NULL;
}

const struct el_device_ops broken_ops = {
    .name = "twin",
    .discover = b_discover,
    .changed = b_changed,
    .admin = b_admin,
    .read_links = b_read_links,
    .read_sensors = b_read_sensors,
    .read_io = b_read_io,
    .actuator_usable = b_usable,
    .actuator_save = b_save,
    .actuator_write = b_write,
    .actuator_read = b_read,
    .actuator_restore = b_restore,
    .now_us = b_now_us,
    .close = b_close,
};

/* ---- under the daemon ---- */

void broken_calls(struct broken *b)
{
    under = b;
}

void broken_nth_allocation(unsigned n)
{
    nth = n;
    nth_failed = false;
}

bool broken_allocation_failed(void)
{
    return nth_failed;
}

static bool on(enum broken_kind kind)
{
    struct broken *b = under;
    bool is;

    if (!b)
        return false;
    under = NULL;
    is = broken_now(b, kind, -1);
    under = b;
    return is;
}

static bool no_memory(void)
{
    if (nth && --nth == 0)
        return nth_failed = true;
    return on(BROKEN_MEMORY) && el_rng_u64(&under->rng) % 30 == 0;
}

static bool fails(enum broken_kind kind, int error)
{
    if (!on(kind))
        return false;
    errno = error;
    return true;
}

static bool is_interrupted(void)
{
    return (interrupted++ & 1) == 0 && fails(BROKEN_EINTR, EINTR);
}

#define WRAP(type, name, ...)                                                                                          \
    type __real_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t n)
{
    return no_memory() ? NULL : __real_malloc(n);
}

WRAP(void *, calloc, size_t n, size_t size)
{
    return no_memory() ? NULL : __real_calloc(n, size);
}

WRAP(void *, realloc, void *p, size_t n)
{
    return no_memory() ? NULL : __real_realloc(p, n);
}

WRAP(ssize_t, write, int fd, const void *bytes, size_t n)
{
    kill_point();
    if (is_interrupted())
        return -1;
    if (n > 1 && on(BROKEN_DISK_FULL))
        return __real_write(fd, bytes, n / 2);
    if (fails(BROKEN_DISK_FULL, ENOSPC))
        return -1;
    return __real_write(fd, bytes, n > 64 && on(BROKEN_SHORT) ? n / 2 + 1 : n);
}

WRAP(int, openat, int dir, const char *path, int flags, ...)
{
    unsigned mode = 0;
    va_list ap;

    if (flags & O_CREAT) {
        kill_point();
        va_start(ap, flags);
        mode = va_arg(ap, unsigned);
        va_end(ap);
    }
    if (is_interrupted() || fails(BROKEN_DESCRIPTORS, EMFILE) || (flags & O_CREAT && fails(BROKEN_READ_ONLY, EROFS)))
        return -1;
    return __real_openat(dir, path, flags, mode);
}

WRAP(int, renameat, int from, const char *old, int to, const char *new)
{
    kill_point();
    return fails(BROKEN_RENAME, EIO) || fails(BROKEN_READ_ONLY, EROFS) ? -1 : __real_renameat(from, old, to, new);
}

WRAP(int, fsync, int fd)
{
    kill_point();
    return is_interrupted() || fails(BROKEN_FSYNC, EIO) ? -1 : __real_fsync(fd);
}

WRAP(int, unlinkat, int dir, const char *path, int flags)
{
    kill_point();
    return fails(BROKEN_READ_ONLY, EROFS) ? -1 : __real_unlinkat(dir, path, flags);
}

WRAP(int, unlink, const char *path)
{
    kill_point();
    return fails(BROKEN_READ_ONLY, EROFS) ? -1 : __real_unlink(path);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    return on(BROKEN_THREADS) ? EAGAIN : __real_pthread_create(thread, attr, start, arg);
}

WRAP(int, clock_gettime, clockid_t id, struct timespec *ts)
{
    int r = __real_clock_gettime(id, ts);

    if (r == 0 && id == CLOCK_REALTIME && on(BROKEN_CLOCK))
        ts->tv_sec += el_rng_u64(&under->rng) % 2 ? 200000000 : -200000000;
    return r;
}
