#include "device/drives.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rows.h"
#include "base/text.h"
#include "device/blkio.h"
#include "device/keys.h"
#include "device/nvme.h"

/* An answer of the disks is believed for this long, so that the look at a round's beginning serves its writes too: less
 * than it takes for a disk to go and for another to be found, which would then have its number. */
#define ASKED_US (10 * EL_USEC_PER_MSEC)

struct drive {
    char controller[16];
    int fd, state_fd, pm_fd; /* -1 = not open */
    uint32_t busy;           /* calls inside; only then descriptors must stay */
    bool present, complained;
    bool sure;      /* its last command came through, and nothing was told of it since */
    uint64_t looks; /* of what the kernel shows of it */
    struct el_disks disks;
    int disks_error; /* of looking for them */
    struct el_drive_facts facts;
};

struct el_drives {
    const struct el_sysfs *fs;
    uint32_t timeout_ms;
    pthread_mutex_t lock; /* of everything below; never held over a system call that can block on a device */
    int64_t asked_us;     /* when all disks were last asked whether they are there */
    struct el_keys keys;
    struct drive **drive; /* one per key */
    uint32_t n;
};

struct el_drives *el_drives_new(const struct el_sysfs *fs, uint32_t timeout_ms)
{
    struct el_drives *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->fs = fs;
    d->timeout_ms = timeout_ms;
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct drive *v)
{
    close_fd(&v->fd);
    close_fd(&v->state_fd);
    close_fd(&v->pm_fd);
    el_disks_free(&v->disks);
}

bool el_drives_free(struct el_drives *d)
{
    bool busy = false;

    if (!d)
        return true;
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < d->n; i++)
        busy |= d->drive[i]->busy > 0;
    pthread_mutex_unlock(&d->lock);
    if (busy)
        return false;
    for (uint32_t i = 0; i < d->n; i++) {
        close_all(d->drive[i]);
        free(d->drive[i]);
    }
    free(d->drive);
    el_keys_free(&d->keys);
    pthread_mutex_destroy(&d->lock);
    free(d);
    return true;
}

static int open_attr(const struct el_drives *d, const char *controller, const char *attr)
{
    char path[EL_SYSFS_PATH];

    snprintf(path, sizeof path, "sys/class/nvme/%s/%s", controller, attr);
    return openat(d->fs->root, path, O_RDONLY | O_CLOEXEC);
}

/* Most functions may not be suspended at run time at all: their status need not be asked before each command. */
static bool may_sleep(const struct el_drives *d, const char *controller)
{
    char path[EL_SYSFS_PATH], text[32];

    snprintf(path, sizeof path, "sys/class/nvme/%s/device/power", controller);
    return el_sysfs_line(d->fs, path, "runtime_enabled", text, sizeof text) < 0 || strcmp(text, "forbidden") != 0;
}

/* The drive of a key, made when the key is new. */
static struct drive *drive_for(struct el_drives *d, uint32_t key, const char *controller)
{
    struct drive **row, *v;

    if (key <= d->n)
        return d->drive[key - 1];
    v = calloc(1, sizeof *v);
    row = v ? el_row_append(&d->drive, &d->n, sizeof *row) : NULL;
    if (!row) {
        free(v);
        return NULL;
    }
    *row = v;
    el_text_copy(v->controller, sizeof v->controller, controller);
    v->fd = v->state_fd = v->pm_fd = -1;
    v->facts.power_management = v->facts.hctm = EL_DRIVE_NOT_ASKED;
    return v;
}

static uint64_t looks_of(const struct el_inventory *inv, uint32_t row)
{
    const struct el_slot *s = &inv->slots[row];
    uint64_t h = el_hash_text(el_hash_text(EL_HASH_START, s->ctrl_state), s->identify.firmware);

    for (uint32_t i = 0; i < inv->n.namespaces; i++)
        if (inv->namespaces[i].slot == row)
            h = el_hash_text(h, inv->namespaces[i].block) ^ inv->namespaces[i].size_bytes;
    return h;
}

static int update_slot(struct el_drives *d, struct el_inventory *inv, uint32_t row, const struct el_uevents *news)
{
    struct el_slot *s = &inv->slots[row];
    uint64_t looks = looks_of(inv, row);
    struct drive *v;
    char id[200];

    if (!s->controller[0])
        return 0;
    snprintf(id, sizeof id, "%s %s %s", s->controller, s->address, s->identify.serial);
    s->key = el_keys_get(&d->keys, id);
    v = s->key ? drive_for(d, s->key, s->controller) : NULL;
    if (!v)
        return -ENOMEM;
    inv->named[row] = v->looks != looks || el_uevents_name(news, s->controller);
    v->looks = looks;
    v->present = true;
    v->sure = v->sure && !inv->named[row];
    if (v->state_fd < 0)
        v->state_fd = open_attr(d, s->controller, "state");
    if (v->pm_fd < 0 && may_sleep(d, s->controller))
        v->pm_fd = open_attr(d, s->controller, "device/power/runtime_status");
    el_disks_free(&v->disks);
    v->disks_error = el_disks_read(d->fs, s->controller, &v->disks);
    return 0;
}

int el_drives_update(struct el_drives *d, struct el_inventory *inv, const struct el_uevents *news)
{
    int r = 0;

    inv->named = calloc(inv->n.slots + 1, sizeof *inv->named);
    if (!inv->named)
        return -ENOMEM;
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < d->n; i++)
        d->drive[i]->present = false;
    for (uint32_t i = 0; r == 0 && i < inv->n.slots; i++)
        r = update_slot(d, inv, i, news);
    for (uint32_t i = 0; i < d->n; i++)
        if (!d->drive[i]->present && !d->drive[i]->busy)
            close_all(d->drive[i]);
    pthread_mutex_unlock(&d->lock);
    return r;
}

/* Enters a drive: its descriptors stay open until `leave`. `fd`: of its device file, -1 while that is not open. `sure`:
 * there is no reason to think that its controller is not live. */
static struct drive *enter(struct el_drives *d, uint32_t key, int *fd, bool *sure)
{
    struct drive *v = NULL;

    pthread_mutex_lock(&d->lock);
    if (key > 0 && key <= d->n && d->drive[key - 1]->present) {
        v = d->drive[key - 1];
        v->busy++;
        *fd = v->fd;
        *sure = v->sure;
    }
    pthread_mutex_unlock(&d->lock);
    return v;
}

static void leave(struct el_drives *d, struct drive *v, bool sure)
{
    pthread_mutex_lock(&d->lock);
    v->sure = sure;
    if (--v->busy == 0 && !v->present)
        close_all(v);
    pthread_mutex_unlock(&d->lock);
}

/* First word of a sysfs file that is kept open; "" when it cannot be read. -ENODEV when its device is gone. */
static int peek(int fd, char *out, size_t size)
{
    ssize_t n = fd < 0 ? 0 : pread(fd, out, size - 1, 0);

    out[EL_MAX(n, 0)] = '\0';
    *strchrnul(out, '\n') = '\0';
    return n < 0 && errno == ENODEV ? -ENODEV : 0;
}

/* Whether the controller takes commands: one that is sent in a reset waits for its end. */
static int check_live(const struct drive *v)
{
    char text[32];

    if (peek(v->state_fd, text, sizeof text) < 0 || strcmp(text, "dead") == 0 || strncmp(text, "deleting", 8) == 0)
        return -ENODEV;
    return text[0] && strcmp(text, "live") != 0 ? -EAGAIN : 0;
}

/* A command would wake a suspended device. */
static int check_awake(const struct drive *v)
{
    char text[32];

    if (peek(v->pm_fd, text, sizeof text) < 0)
        return -ENODEV;
    return strncmp(text, "suspend", 7) == 0 ? -EHOSTDOWN : 0;
}

static int open_device(struct el_drives *d, struct drive *v)
{
    int fd, opened = el_nvme_open(v->controller);

    if (opened < 0)
        return opened == -ENOENT ? -ENODEV : opened;
    pthread_mutex_lock(&d->lock);
    if (v->fd < 0)
        v->fd = opened;
    else
        close(opened);
    fd = v->fd;
    pthread_mutex_unlock(&d->lock);
    return fd;
}

static void complain(struct drive *v, int r)
{
    if ((r == -EACCES || r == -EPERM) && !v->complained)
        el_log_error("%s: not allowed to send admin commands: elementd needs CAP_SYS_ADMIN and read access to /dev/%s",
                     v->controller, v->controller);
    v->complained = r == -EACCES || r == -EPERM;
}

static void learn(struct el_drives *d, struct drive *v, const struct el_admin *cmd, int r)
{
    pthread_mutex_lock(&d->lock);
    if (cmd->kind == EL_ADMIN_IDENTIFY && cmd->id == 1 && r == 0 && cmd->size == EL_NVME_IDENTIFY_SIZE &&
        el_nvme_page_kind(cmd->data, cmd->size) == EL_NVME_PAGE_USABLE) {
        el_nvme_decode_identify(&v->facts.identify, cmd->data);
        v->facts.identified = true;
    }
    if (cmd->kind == EL_ADMIN_GET_FEATURE && cmd->id == EL_NVME_FID_POWER_MANAGEMENT)
        v->facts.power_management = r;
    if (cmd->kind == EL_ADMIN_GET_FEATURE && cmd->id == EL_NVME_FID_HCTM)
        v->facts.hctm = r;
    pthread_mutex_unlock(&d->lock);
}

/* Sends it. What fails is told as what the kernel thinks of the controller, when that is the reason. */
static int send(struct el_drives *d, struct drive *v, int fd, struct el_admin *cmd)
{
    int r, state;

    if (fd < 0)
        fd = open_device(d, v);
    r = fd < 0 ? fd : el_nvme_command(fd, cmd, d->timeout_ms);
    complain(v, r);
    if (cmd->kind != EL_ADMIN_GET_LOG)
        learn(d, v, cmd, r);
    state = r == 0 ? 0 : check_live(v);
    return state < 0 ? state : r;
}

int el_drives_admin(struct el_drives *d, uint32_t key, struct el_admin *cmd)
{
    int r, fd;
    bool sure;
    struct drive *v = enter(d, key, &fd, &sure);

    if (!v)
        return -ENODEV;
    /* The log of each poll is asked for without a look at the state, which would cost a fifth of the question: a dead
     * controller says so at once, one in reset keeps the poll's thread waiting, and the tick judges that. */
    r = sure && cmd->kind == EL_ADMIN_GET_LOG ? 0 : check_live(v);
    if (r == 0)
        r = check_awake(v);
    if (r == 0)
        r = send(d, v, fd, cmd);
    leave(d, v, r >= 0);
    return r;
}

void el_drives_ask_disks(struct el_drives *d, bool anew)
{
    struct el_disks_asking a;
    int64_t now_us = el_clock_boottime_us();

    a.n = 0;
    pthread_mutex_lock(&d->lock);
    anew |= now_us - d->asked_us >= ASKED_US;
    for (uint32_t i = 0; anew && i < d->n; i++)
        if (d->drive[i]->present)
            el_disks_ask(&a, &d->drive[i]->disks);
    el_disks_asked(&a);
    if (anew)
        d->asked_us = now_us;
    pthread_mutex_unlock(&d->lock);
}

/* With the lock held. */
static void ask_own(const struct el_drives *d, struct el_disks *disks)
{
    struct el_disks_asking a;

    if (el_clock_boottime_us() - d->asked_us < ASKED_US)
        return;
    a.n = 0;
    el_disks_ask(&a, disks);
    el_disks_asked(&a);
}

int el_drives_disks(struct el_drives *d, uint32_t key, struct el_disks *out)
{
    int r = -ENODEV;

    pthread_mutex_lock(&d->lock);
    if (key > 0 && key <= d->n && d->drive[key - 1]->present) {
        struct drive *v = d->drive[key - 1];

        ask_own(d, &v->disks);
        r = v->disks_error < 0 ? v->disks_error : el_disks_present(&v->disks, out);
    }
    pthread_mutex_unlock(&d->lock);
    return r;
}

int el_drives_io(struct el_drives *d, uint32_t key, struct el_slot_io *io)
{
    EL_AUTO_DISKS struct el_disks disks = {0};
    int64_t now_us = el_clock_boottime_us();
    int r = -ENODATA;

    pthread_mutex_lock(&d->lock);
    if (key > 0 && key <= d->n && d->drive[key - 1]->present)
        r = el_blkio_reread(&d->drive[key - 1]->disks, now_us, io);
    pthread_mutex_unlock(&d->lock);
    if (r == 0)
        return 0;
    r = el_drives_disks(d, key, &disks);
    return r < 0 ? r : el_blkio_read(d->fs, &disks, now_us, io);
}

bool el_drives_facts(struct el_drives *d, uint32_t key, struct el_drive_facts *out)
{
    bool present;

    pthread_mutex_lock(&d->lock);
    present = key > 0 && key <= d->n && d->drive[key - 1]->present;
    if (present)
        *out = d->drive[key - 1]->facts;
    pthread_mutex_unlock(&d->lock);
    return present;
}
