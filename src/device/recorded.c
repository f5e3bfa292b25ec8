#include "device/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "device/blkio.h"
#include "device/hwtext.h"
#include "device/keys.h"
#include "device/pcie.h"
#include "device/sysfs.h"
#include "device/topology.h"

#define PAGE_MAX (1u << 20)

struct recorded {
    struct el_sysfs fs;
    struct el_keys drives; /* identity: controller, address, serial */
    struct el_hwtext sensors;
    uint64_t fingerprint;
};

static const char *controller_of(const struct recorded *m, uint32_t key, char out[16])
{
    if (key == 0 || key > m->drives.n)
        return NULL;
    el_text_copy(out, 16, m->drives.id[key - 1]);
    *strchrnul(out, ' ') = '\0';
    return out[0] ? out : NULL;
}

static int recorded_discover(void *dev, struct el_inventory *out)
{
    struct recorded *m = dev;
    struct el_inventory inv = {0};
    struct el_hwtext sensors = {0};
    int r = el_topology_read(&m->fs, &inv);

    if (r == 0)
        r = el_hwtext_discover(&m->fs, &inv, &sensors);
    for (uint32_t i = 0; r == 0 && i < inv.n.slots; i++) {
        struct el_slot *s = &inv.slots[i];
        char id[200];

        snprintf(id, sizeof id, "%s %s %s", s->controller, s->address, s->identify.serial);
        s->key = s->controller[0] ? el_keys_get(&m->drives, id) : 0;
        if (s->controller[0] && !s->key)
            r = -ENOMEM;
    }
    if (r < 0) {
        el_inventory_free(&inv);
        el_hwtext_free(&sensors);
        return r;
    }
    el_blkio_arrays(&m->fs, &inv);
    for (uint32_t i = 0; i < inv.n.sensors; i++)
        el_hwtext_read(&m->fs, &sensors.place[i], &inv.sensors[i], el_clock_boottime_us());
    el_inventory_free(out);
    el_hwtext_free(&m->sensors);
    *out = inv;
    m->sensors = sensors;
    m->fingerprint = el_topology_fingerprint(&m->fs);
    return 0;
}

static int recorded_event_fd(void *dev)
{
    return -1;
}

static bool recorded_changed(void *dev)
{
    struct recorded *m = dev;

    return el_topology_fingerprint(&m->fs) != m->fingerprint;
}

static int feature(const struct recorded *m, const char *dir, struct el_admin *cmd)
{
    char name[40];
    int64_t v;
    int r;

    if (cmd->value)
        snprintf(name, sizeof name, "feature-%02x-%x.txt", cmd->id, cmd->value);
    else
        snprintf(name, sizeof name, "feature-%02x.txt", cmd->id);
    r = el_sysfs_i64(&m->fs, dir, name, &v);
    if (r == 0)
        cmd->result = (uint32_t)v;
    return r == -ENOENT ? EL_NVME_STATUS_INVALID_FIELD : r;
}

/* The file that holds a page; 0 = none can. */
static bool page_name(const struct el_admin *cmd, char *name, size_t size)
{
    if (cmd->kind == EL_ADMIN_IDENTIFY && cmd->id == 1)
        snprintf(name, size, "identify.bin");
    else if (cmd->kind == EL_ADMIN_IDENTIFY && cmd->id == 0)
        snprintf(name, size, "identify-ns-%u.bin", cmd->nsid);
    else if (cmd->kind == EL_ADMIN_GET_LOG && cmd->id == EL_NVME_LID_SMART)
        snprintf(name, size, "smart.bin");
    else if (cmd->kind == EL_ADMIN_GET_LOG)
        snprintf(name, size, "log-%02x.bin", cmd->id);
    else if (cmd->kind == EL_ADMIN_SECURITY_RECEIVE)
        snprintf(name, size, "security-%02x-%x.bin", cmd->id, cmd->value);
    else
        return false;
    return true;
}

static int page(const struct recorded *m, const char *dir, struct el_admin *cmd)
{
    EL_AUTO_BUF struct el_buf b = {0};
    bool whole = cmd->kind == EL_ADMIN_IDENTIFY || cmd->id == EL_NVME_LID_SMART;
    char name[40];
    int r;

    if (!page_name(cmd, name, sizeof name))
        return EL_NVME_STATUS_INVALID_FIELD;
    r = el_sysfs_bytes(&m->fs, dir, name, PAGE_MAX, &b);
    if (r == -ENOENT)
        return cmd->kind == EL_ADMIN_GET_LOG ? EL_NVME_STATUS_INVALID_LOG : EL_NVME_STATUS_INVALID_FIELD;
    if (r < 0)
        return r;
    if (!b.len || (whole && b.len < cmd->size)) /* a cut page: its missing fields are no zeros */
        return -EIO;
    memset(cmd->data, 0, cmd->size);
    memcpy(cmd->data, b.data, EL_MIN(b.len, (size_t)cmd->size));
    return 0;
}

static int recorded_admin(void *dev, uint32_t key, struct el_admin *cmd)
{
    struct recorded *m = dev;
    char controller[16], dir[EL_SYSFS_PATH], state[16];

    if (!controller_of(m, key, controller))
        return -ENODEV;
    el_sysfs_join(dir, EL_CLASS_NVME, controller);
    if (!el_sysfs_exists(&m->fs, dir, "") && el_sysfs_exists(&m->fs, EL_CLASS_NVME, ""))
        return -ENODEV;
    if (el_sysfs_line(&m->fs, dir, "state", state, sizeof state) == 0 && strcmp(state, "live") != 0)
        return strcmp(state, "dead") == 0 || strncmp(state, "deleting", 8) == 0 ? -ENODEV : -EAGAIN;
    el_sysfs_join(dir, "nvme", controller);
    return cmd->kind == EL_ADMIN_GET_FEATURE ? feature(m, dir, cmd) : page(m, dir, cmd);
}

static int recorded_read_links(void *dev, struct el_link *links, uint32_t n)
{
    struct recorded *m = dev;

    el_topology_read_links(&m->fs, links, n);
    return 0;
}

static int recorded_read_sensors(void *dev, struct el_sensor *sensors, uint32_t n)
{
    struct recorded *m = dev;

    for (uint32_t i = 0; i < n; i++)
        if (sensors[i].key && sensors[i].key <= m->sensors.n)
            el_hwtext_read(&m->fs, &m->sensors.place[sensors[i].key - 1], &sensors[i], el_clock_boottime_us());
    return 0;
}

static int recorded_read_io(void *dev, uint32_t key, struct el_slot_io *io)
{
    struct recorded *m = dev;
    EL_AUTO_DISKS struct el_disks disks = {0};
    char controller[16];
    int r = controller_of(m, key, controller) ? el_disks_read(&m->fs, controller, &disks) : -ENODEV;

    return r < 0 ? r : el_blkio_read(&m->fs, &disks, el_clock_boottime_us(), io);
}

static int recorded_usable(void *dev, enum el_actuator a, uint32_t key, char *why, size_t why_size)
{
    el_text_copy(why, why_size, "a recorded machine cannot be acted upon");
    return -EOPNOTSUPP;
}

static void *recorded_close(void *dev)
{
    struct recorded *m = dev;

    if (m) {
        close(m->fs.root);
        el_keys_free(&m->drives);
        el_hwtext_free(&m->sensors);
        free(m);
    }
    return NULL;
}

static const struct el_device_ops recorded_ops = {
    .name = "recorded",
    .by_order = true,
    .discover = recorded_discover,
    .event_fd = recorded_event_fd,
    .changed = recorded_changed,
    .admin = recorded_admin,
    .read_links = recorded_read_links,
    .read_sensors = recorded_read_sensors,
    .read_io = recorded_read_io,
    .actuator_usable = recorded_usable,
    .close = recorded_close,
};

int el_recorded_open(const char *root, struct el_device *out, char *why, size_t why_size)
{
    struct el_sysfs fs = {.root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .recorded = true};
    struct recorded *m;
    int r = fs.root < 0 ? -errno : 0;

    if (r == 0 && !el_sysfs_exists(&fs, "", "sys") && !el_sysfs_exists(&fs, "", "nvme"))
        r = -ENOENT;
    if (r == 0 && el_sysfs_exists(&fs, "", EL_RECORDED_UNFINISHED))
        r = -EINPROGRESS;
    m = r == 0 ? calloc(1, sizeof *m) : NULL;
    if (r == 0 && !m)
        r = -ENOMEM;
    if (r != 0) {
        snprintf(why, why_size, "%s: %s", root,
                 r == -EINPROGRESS ? "its capture did not come to an end: take it again, into a new folder"
                 : fs.root >= 0 && r == -ENOENT
                     ? "no recorded machine (expected a folder sys or nvme in it; see `elementd capture`)"
                     : strerrordesc_np(-r));
        if (fs.root >= 0)
            close(fs.root);
        return r;
    }
    m->fs = fs;
    *out = (struct el_device){.ops = &recorded_ops, .dev = m};
    return 0;
}
