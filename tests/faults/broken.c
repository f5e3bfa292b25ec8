/* Faults between the daemon and the twin, and under the daemon: its calls of malloc, open, write ... are wrapped by the
 * linker. */
#include "broken.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "control/journal.h"
#include "model/nvme_layout.h"
#include "support/wrap.h"
#include "twin/machine.h"

const char *const broken_names[BROKEN_KINDS] = {
    "page-zero",     "page-ones",  "page-random", "status",      "eio",     "late",        "io-counters",
    "write-refused", "write-half", "read-back",   "save",        "restore", "discovery",   "disk-full",
    "read-only",     "rename",     "fsync",       "descriptors", "eintr",   "short-write", "read",
    "memory",        "clock",      "threads",     "suspend",
};
unsigned long broken_struck[BROKEN_KINDS];

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

/* It is, and it is felt. */
static bool strikes(const struct broken *b, enum broken_kind kind, int slot)
{
    bool now = broken_now(b, kind, slot);

    broken_struck[kind] += now;
    return now;
}

static int slot_of(struct broken *b, uint32_t key)
{
    uint32_t slot = 0;

    return el_twin_drive(b->inner.dev, key, &slot) ? (int)slot : -2;
}

bool broken_serial(struct broken *b, uint32_t key, char out[24])
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
    int r = strikes(b, BROKEN_DISCOVERY, -1) ? -EIO : b->inner.ops->discover(b->inner.dev, inv);

    if (r == 0 && b->few) {
        inv->n.slots = inv->cards[0].slots /= 2;
        inv->n.links = inv->cards[0].links /= 2;
        inv->n.namespaces = EL_MIN(inv->n.namespaces, inv->n.slots);
        inv->n.sensors /= 2;
    }
    return r;
}

static bool b_changed(void *dev)
{
    struct broken *b = dev;
    bool came = b->many;

    b->many = false;
    return b->inner.ops->changed(b->inner.dev) || came || broken_now(b, BROKEN_DISCOVERY, -1);
}

static uint32_t random_bytes(struct broken *b, const struct el_admin *cmd, int slot)
{
    return cmd->kind != EL_ADMIN_IDENTIFY && strikes(b, BROKEN_PAGE_RANDOM, slot) ? cmd->size : 0;
}

static int b_admin(void *dev, uint32_t key, struct el_admin *cmd)
{
    struct broken *b = dev;
    int slot = slot_of(b, key), r;
    bool smart = cmd->kind == EL_ADMIN_GET_LOG && cmd->id == EL_NVME_LID_SMART && cmd->size == sizeof b->late[0];
    uint8_t *page = cmd->data;

    if (strikes(b, BROKEN_STATUS, slot))
        return 0x06; /* internal error */
    if (strikes(b, BROKEN_EIO, slot))
        return -EIO;
    r = b->inner.ops->admin(b->inner.dev, key, cmd);
    if (r != 0 || !page || slot < 0)
        return r;
    if (cmd->kind == EL_ADMIN_IDENTIFY && cmd->id == 1 && b->critical_c[slot] > 0)
        el_le_put(page + EL_IDCTRL_CCTEMP, 2, (unsigned)lround(b->critical_c[slot] + 273));
    if (strikes(b, BROKEN_PAGE_ZERO, slot))
        memset(page, 0, cmd->size);
    if (strikes(b, BROKEN_PAGE_ONES, slot))
        memset(page, 0xff, cmd->size);
    for (uint32_t i = 0, n = random_bytes(b, cmd, slot); i < n; i++)
        page[i] = (uint8_t)el_rng_u64(&b->rng);
    if (!smart)
        return 0;
    if (b->late_known[slot] && strikes(b, BROKEN_LATE, slot))
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

    if (r == 0 && strikes(b, BROKEN_IO_COUNTERS, slot_of(b, key)))
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

    return strikes(b, BROKEN_SAVE, slot_of(b, key)) ? -EIO : b->inner.ops->actuator_save(b->inner.dev, a, key, text, n);
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
    unsigned nth_left = nth;
    char serial[24];
    int i;

    if (a == EL_ACTUATOR_FAN || !broken_serial(b, key, serial))
        return;
    under = NULL; /* the checker's own calls work */
    nth = 0;
    i = remember(b, a, key, serial);
    if (el_journal_open(b->settings->state_dir, &j) < 0 || !(e = el_journal_find(j, a, serial)))
        b->unjournalled++;
    else if (i >= 0 && strcmp(e->original, b->saved[i].original) != 0)
        b->not_original++;
    el_journal_free(j);
    under = calls;
    nth = nth_left;
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
    if (strikes(b, BROKEN_WRITE_REFUSED, slot))
        return -EIO;
    if (strikes(b, BROKEN_WRITE_HALF, slot) && b->inner.ops->actuator_read(b->inner.dev, a, key, &was) == 0)
        half.cap.ratio = (v->cap.ratio + was.cap.ratio) / 2;
    kill_point();
    r = b->inner.ops->actuator_write(b->inner.dev, a, key, &half);
    kill_point();
    return r;
}

static int b_read(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    struct broken *b = dev;

    return strikes(b, BROKEN_READ_BACK, a == EL_ACTUATOR_FAN ? -2 : slot_of(b, key))
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
    if (strikes(b, BROKEN_RESTORE, a == EL_ACTUATOR_FAN ? -2 : slot_of(b, key)))
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

void broken_nth_call(unsigned n)
{
    nth = n;
    nth_failed = false;
}

bool broken_call_failed(void)
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

static bool fails(enum broken_kind kind, int error)
{
    if (!on(kind))
        return false;
    broken_struck[kind]++;
    errno = error;
    return true;
}

static bool is_nth(int error)
{
    if (!nth || --nth)
        return false;
    errno = error;
    return nth_failed = true;
}

static bool no_memory(void)
{
    return is_nth(ENOMEM) || (on(BROKEN_MEMORY) && el_rng_u64(&under->rng) % 30 == 0 && fails(BROKEN_MEMORY, ENOMEM));
}

static bool is_interrupted(void)
{
    return (interrupted++ & 1) == 0 && fails(BROKEN_EINTR, EINTR);
}

static bool no_descriptor(void)
{
    return is_nth(EMFILE) || fails(BROKEN_DESCRIPTORS, EMFILE);
}

/* Those of the libraries too, where no sanitizer has put its own in their place. */
#ifdef BROKEN_ALLOCATOR
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

/* But jansson's: 2.14 asserts when a string of what it reads finds no room (load.c, lex_save). */
__attribute__((constructor)) static void spare_jansson(void)
{
    json_set_alloc_funcs(__libc_malloc, free);
}

void *malloc(size_t n)
{
    return no_memory() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return no_memory() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return no_memory() ? NULL : __libc_realloc(p, n);
}
#else
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
#endif

WRAP(ssize_t, read, int fd, void *bytes, size_t n)
{
    return is_interrupted() || fails(BROKEN_READ, EIO) ? -1 : __real_read(fd, bytes, n);
}

WRAP(ssize_t, pread, int fd, void *bytes, size_t n, off_t at)
{
    return is_interrupted() || fails(BROKEN_READ, EIO) ? -1 : __real_pread(fd, bytes, n, at);
}

/* How much of it is taken; -1 and errno: none. */
static ssize_t written(size_t n)
{
    if (is_interrupted() || (n <= 1 && fails(BROKEN_DISK_FULL, ENOSPC)))
        return -1;
    if (n > 1 && fails(BROKEN_DISK_FULL, 0))
        return (ssize_t)(n / 2);
    return (ssize_t)(n > 64 && fails(BROKEN_SHORT, 0) ? n / 2 + 1 : n);
}

WRAP(ssize_t, write, int fd, const void *bytes, size_t n)
{
    ssize_t w;

    kill_point();
    w = written(n);
    return w < 0 ? -1 : __real_write(fd, bytes, (size_t)w);
}

WRAP(ssize_t, pwrite, int fd, const void *bytes, size_t n, off_t at)
{
    ssize_t w;

    kill_point();
    w = written(n);
    return w < 0 ? -1 : __real_pwrite(fd, bytes, (size_t)w, at);
}

WRAP(int, open, const char *path, int flags, ...)
{
    unsigned mode = 0;
    va_list ap;

    va_start(ap, flags);
    if (flags & O_CREAT)
        mode = va_arg(ap, unsigned);
    va_end(ap);
    return is_interrupted() || no_descriptor() ? -1 : __real_open(path, flags, mode);
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
    if (is_interrupted() || no_descriptor() || (flags & O_CREAT && fails(BROKEN_READ_ONLY, EROFS)))
        return -1;
    return __real_openat(dir, path, flags, mode);
}

WRAP(FILE *, fopen, const char *path, const char *mode)
{
    return no_descriptor() ? NULL : __real_fopen(path, mode);
}

WRAP(DIR *, opendir, const char *path)
{
    return no_descriptor() ? NULL : __real_opendir(path);
}

WRAP(int, eventfd, unsigned count, int flags)
{
    return no_descriptor() ? -1 : __real_eventfd(count, flags);
}

WRAP(int, flock, int fd, int operation)
{
    return is_interrupted() ? -1 : __real_flock(fd, operation);
}

WRAP(int, posix_fallocate, int fd, off_t from, off_t n)
{
    kill_point();
    if (is_interrupted())
        return EINTR;
    return fails(BROKEN_DISK_FULL, ENOSPC) ? ENOSPC : __real_posix_fallocate(fd, from, n);
}

WRAP(int, fchmod, int fd, mode_t mode)
{
    return fails(BROKEN_READ_ONLY, EROFS) ? -1 : __real_fchmod(fd, mode);
}

WRAP(int, mkdir, const char *path, mode_t mode)
{
    return fails(BROKEN_READ_ONLY, EROFS) ? -1 : __real_mkdir(path, mode);
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
    return fails(BROKEN_THREADS, EAGAIN) ? EAGAIN : __real_pthread_create(thread, attr, start, arg);
}

WRAP(int, clock_gettime, clockid_t id, struct timespec *ts)
{
    int r = __real_clock_gettime(id, ts);

    if (r == 0 && id == CLOCK_REALTIME && fails(BROKEN_CLOCK, errno))
        ts->tv_sec += el_rng_u64(&under->rng) % 2 ? 200000000 : -200000000;
    return r;
}
