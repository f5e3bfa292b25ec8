#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "cli/doctor.h"
#include "device/blkio.h"
#include "device/cgroup.h"

/* ---- rights ---- */

#define CAP_SYS_ADMIN_BIT 21

void el_doctor_rights(struct el_doctor *d)
{
    EL_AUTO_BUF struct el_buf b = {0};
    const char *line;
    unsigned long long caps = 0;

    if (el_file_read(AT_FDCWD, "/proc/self/status", 65536, &b) == 0 && b.data && (line = strstr(b.data, "CapEff:")))
        sscanf(line, "CapEff: %llx", &caps);
    if (caps >> CAP_SYS_ADMIN_BIT & 1)
        el_doctor_find(d, EL_DOCTOR_GOOD, "rights", NULL, "CAP_SYS_ADMIN is there: drives can be asked");
    else
        el_doctor_find(
            d, EL_DOCTOR_BAD, "rights",
            "sudo elementd doctor\n[Service] AmbientCapabilities=CAP_SYS_ADMIN   (the unit that comes with elementd "
            "has it)",
            "CAP_SYS_ADMIN is missing: the kernel takes no SMART or feature commands from this process");
}

/* ---- drives ---- */

static void say_unbound(struct el_doctor *d, const struct el_slot *s)
{
    char fix[400] = "";

    if (s->driver[0])
        snprintf(fix, sizeof fix, "echo %s > /sys/bus/pci/drivers/%s/unbind\n", s->address, s->driver);
    snprintf(fix + strlen(fix), sizeof fix - strlen(fix),
             "echo > /sys/bus/pci/devices/%s/driver_override\n"
             "echo %s > /sys/bus/pci/drivers/nvme/bind   (only when nobody uses it)",
             s->address, s->address);
    el_doctor_find(d, EL_DOCTOR_NOTE, "drives", fix, "%s: %s; it counts as unknown heat at full power", s->address,
                   s->reason);
}

static void say_failed(struct el_doctor *d, const struct el_slot *s)
{
    char fix[160];

    snprintf(fix, sizeof fix, "journalctl -k | grep -F -e '%s'%s%s   (what the kernel says of it)", s->address,
             s->controller[0] ? " -e " : "", s->controller);
    el_doctor_find(d, EL_DOCTOR_BAD, "drives", fix, "%s (%s): %s", s->controller[0] ? s->controller : "drive",
                   s->address, s->reason);
}

/* Virtual functions used by guests: the drive is ours, but their I/O is not seen here. */
static void check_functions(struct el_doctor *d, const struct el_slot *s)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char dir[EL_SYSFS_PATH], path[EL_SYSFS_PATH], driver[32], last[32] = "";
    uint32_t n = 0;

    snprintf(dir, sizeof dir, "sys/class/nvme/%s/device", s->controller);
    if (!s->controller[0] || el_sysfs_list(&d->fs, dir, &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++)
        if (strncmp(names.name[i], "virtfn", 6) == 0 && el_sysfs_join(path, dir, names.name[i]) &&
            el_sysfs_link_name(&d->fs, path, "driver", driver, sizeof driver) == 0 && strcmp(driver, "nvme") != 0) {
            memcpy(last, driver, sizeof last);
            n++;
        }
    if (n)
        el_doctor_find(d, EL_DOCTOR_NOTE, "drives", NULL,
                       "%s: %u of its virtual functions are bound to %s: what goes through them is not seen, and not "
                       "capped",
                       s->controller, n, last);
}

void el_doctor_drives(struct el_doctor *d)
{
    uint32_t up = 0, all = 0;

    for (uint32_t i = 0; i < d->inv.n.slots; i++) {
        const struct el_slot *s = &d->inv.slots[i];

        all += s->state != EL_SLOT_EMPTY;
        up += s->state == EL_SLOT_UP;
        if (s->state == EL_SLOT_UNBOUND)
            say_unbound(d, s);
        else if (s->state == EL_SLOT_STALE || s->state == EL_SLOT_FAILED)
            say_failed(d, s);
        check_functions(d, s);
    }
    if (!all)
        el_doctor_find(d, EL_DOCTOR_BAD, "drives", "modprobe nvme\nlspci -d ::0108   (are they seen at all?)",
                       "no NVMe drive is here");
    else
        el_doctor_find(d, EL_DOCTOR_GOOD, "drives", NULL, "%u of %u NVMe drives are up, on %u cards", up, all,
                       d->inv.n.cards);
}

static void check_actuator(struct el_doctor *d, const struct el_slot *s)
{
    static const char whose[] =
        "head /sys/fs/cgroup/io.cost.*   (whose is it? For a device that nobody needs it on: echo MAJOR:MINOR enable=0 "
        "ctrl=auto > io.cost.qos, echo MAJOR:MINOR ctrl=auto > io.cost.model)";
    char budget[256] = "", max[256] = "";
    const struct el_device_ops *ops = d->device.ops;
    int r = ops->actuator_usable(d->device.dev, EL_ACTUATOR_IO_BUDGET, s->key, budget, sizeof budget);
    const char *fix = r == -EBUSY || r == -E2BIG ? whose : NULL;

    if (r == 0)
        return;
    if (ops->actuator_usable(d->device.dev, EL_ACTUATOR_IO_MAX, s->key, max, sizeof max) == 0)
        el_doctor_find(d, EL_DOCTOR_NOTE, "caps", fix, "%s: capped by io.max, not by io.cost: %s", s->controller,
                       budget);
    else if (r == -ENODEV) /* nothing is read or written there */
        el_doctor_find(d, EL_DOCTOR_NOTE, "caps", NULL, "%s has nothing to cap: %s", s->controller, budget);
    else
        el_doctor_find(d, EL_DOCTOR_BAD, "caps", fix, "%s cannot be capped: %s", s->controller, budget);
}

/* The journal tells drives apart by their serials. */
static void check_serial(struct el_doctor *d, uint32_t row)
{
    const struct el_slot *slots = d->inv.slots;
    const char *serial = slots[row].identify.serial;

    for (uint32_t i = 0; serial[0] && i < row; i++)
        if (slots[i].controller[0] && strcmp(slots[i].identify.serial, serial) == 0) {
            el_doctor_find(d, EL_DOCTOR_NOTE, "caps", NULL,
                           "%s and %s say the same serial: one drive on two paths is capped on the first, two drives "
                           "are not capped (elementd scan says which)",
                           slots[i].controller, slots[row].controller);
            return;
        }
}

/* The kernel thread of such an array writes to the drives from the root cgroup, where no cap reaches it. */
static void check_array(struct el_doctor *d, const struct el_slot *s)
{
    char dir[EL_SYSFS_PATH], level[16];

    if (!s->array[0] || !el_sysfs_join(dir, "sys/class/block", s->array) ||
        el_sysfs_line(&d->fs, dir, "md/level", level, sizeof level) < 0)
        return;
    if (strcmp(level, "raid4") == 0 || strcmp(level, "raid5") == 0 || strcmp(level, "raid6") == 0)
        el_doctor_find(d, EL_DOCTOR_NOTE, "caps", NULL,
                       "%s is in %s (%s): writes through it are not capped (see caps.md)", s->controller, s->array,
                       level);
}

/* So do the threads of ZFS, whoever the writer is. */
static void check_zfs(struct el_doctor *d, uint32_t row)
{
    char pool[64];
    bool imported;

    for (uint32_t i = 0; i < d->inv.n.namespaces; i++) {
        const struct el_namespace *n = &d->inv.namespaces[i];

        if (n->slot != row || !n->block[0] || !el_blkio_zfs(&d->fs, n->block, pool, sizeof pool, &imported))
            continue;
        el_doctor_find(
            d, EL_DOCTOR_NOTE, "caps", NULL,
            "%s is in a ZFS pool (%s%s): ZFS writes by threads of its own, which no cap reaches, and reads in "
            "part (see caps.md)",
            n->block, pool[0] ? pool : "its name is not told", imported ? "" : ", not imported now");
    }
}

void el_doctor_caps(struct el_doctor *d)
{
    static const char fix[] =
        "for s in system user machine; do\n"
        "  mkdir -p /etc/systemd/system/$s.slice.d\n"
        "  printf '[Slice]\\nIOAccounting=yes\\n' > /etc/systemd/system/$s.slice.d/50-elementd.conf\n"
        "done; systemctl daemon-reload   (a hand-made +io is undone by the next daemon-reload)";
    struct el_cgroup cgroup;
    int r;

    el_cgroup_open(&cgroup, &d->fs);
    r = el_cgroup_io_controller(&cgroup);
    el_cgroup_close(&cgroup);

    if (r == -ENOLCK)
        el_doctor_find(
            d, EL_DOCTOR_BAD, "caps", fix,
            "the io controller is off for the cgroups below the root: caps would be accepted and not applied");
    else if (r == -ENOTSUP)
        el_doctor_find(d, EL_DOCTOR_BAD, "caps",
                       "CONFIG_BLK_CGROUP=y CONFIG_BLK_CGROUP_IOCOST=y CONFIG_BLK_DEV_THROTTLING=y",
                       "this kernel has no io controller");
    else if (r < 0)
        el_doctor_find(d, EL_DOCTOR_BAD, "caps",
                       "systemd.unified_cgroup_hierarchy=1   (kernel command line; in a container: run on the host)",
                       "no cgroup v2 root is mounted at /sys/fs/cgroup");
    else
        el_doctor_find(d, EL_DOCTOR_GOOD, "caps", NULL, "the io controller is on");
    for (uint32_t i = 0; r == 0 && i < d->inv.n.slots; i++)
        if (d->inv.slots[i].controller[0] && d->inv.slots[i].state == EL_SLOT_UP) {
            check_actuator(d, &d->inv.slots[i]);
            check_serial(d, i);
            check_array(d, &d->inv.slots[i]);
            check_zfs(d, i);
        }
}

/* ---- kernel ---- */

void el_doctor_kernel(struct el_doctor *d)
{
    uint32_t known = 0, counted = 0;

    for (uint32_t i = 0; i < d->inv.n.links; i++) {
        known += d->inv.links[i].known;
        counted += d->inv.links[i].aer[EL_AER_CORRECTABLE].valid;
    }
    if (d->inv.n.links && !known)
        el_doctor_find(d, EL_DOCTOR_NOTE, "links", NULL, "the kernel tells no link state (a virtual machine?)");
    if (d->inv.n.links && !counted)
        el_doctor_find(d, EL_DOCTOR_NOTE, "links",
                       "pcie_ports=native   (kernel command line; also check that firmware grants AER)",
                       "no AER counters: PCIe errors are not seen");
    if (d->device.ops->event_fd(d->device.dev) < 0)
        el_doctor_find(d, EL_DOCTOR_NOTE, "events", NULL,
                       "no kernel events reach this process: plugging is seen after seconds, not at once");
}

/* ---- sensors ---- */

void el_doctor_sensors(struct el_doctor *d)
{
    bool inlet = false;

    d->device.ops->read_sensors(d->device.dev, d->inv.sensors, d->inv.n.sensors);
    for (uint32_t m = 0; m < d->settings.sensors; m++) {
        const struct el_sensor_map *map = &d->settings.sensor[m];
        const struct el_sensor *s = NULL;

        for (uint32_t i = 0; i < d->inv.n.sensors; i++)
            if (strncmp(d->inv.sensors[i].name, map->source, sizeof d->inv.sensors[i].name - 1) == 0)
                s = &d->inv.sensors[i];
        inlet |= map->role == EL_ROLE_INLET && s;
        if (!s)
            el_doctor_find(d, EL_DOCTOR_BAD, "sensors", "elementd scan   (lists the names that exist)",
                           "no sensor is called \"%s\"", map->source);
        else if (s->value.quality != EL_GOOD)
            el_doctor_find(d, EL_DOCTOR_BAD, "sensors", NULL, "\"%s\" gives no good reading: %s", map->source,
                           el_quality_name(s->value.quality));
    }
    if (!inlet)
        el_doctor_find(
            d, EL_DOCTOR_NOTE, "sensors",
            "sensors:\n  - source: NAME   (from elementd scan), or file:/run/inlet filled from the BMC\n    role: "
            "inlet",
            "no inlet sensor is named: the inlet temperature is assumed");
    if (!d->inv.n.sensors)
        el_doctor_find(d, EL_DOCTOR_NOTE, "sensors", "sensors-detect   (package lm-sensors)",
                       "no board sensors are found");
    else
        el_doctor_find(d, EL_DOCTOR_GOOD, "sensors", NULL, "%u board sensors", d->inv.n.sensors);
}
