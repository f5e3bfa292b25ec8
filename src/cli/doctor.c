/* elementd doctor: what keeps elementd from doing its work on this machine, each with the line that mends it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "config/snmpd.h"
#include "device/cgroup.h"
#include "device/device.h"
#include "model/snapshot.h"

static const char help[] =
    "usage: elementd doctor [--json] [--config FILE]\n"
    "Looks for what keeps elementd from doing its work here, and says how to mend it. Changes nothing.\n"
    "Exit 1 when something must be mended.\n"
    "  --json         one object with a list of findings, for programs\n"
    "  --config FILE  settings (default: " EL_CONFIG_FILE " if it is there)\n";

enum level { GOOD, NOTE, BAD }; /* works; works less than it could; does not work */
static const char *const level_names[] = {"good", "note", "bad"};

struct doctor {
    struct el_settings settings;
    struct el_device device;
    struct el_inventory inv;
    struct el_sysfs fs;
    json_t *findings; /* NULL: print */
    enum level worst;
};

static void find(struct doctor *d, enum level level, const char *topic, const char *fix, const char *fmt, ...)
    EL_PRINTF(5, 6);
static void find(struct doctor *d, enum level level, const char *topic, const char *fix, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    d->worst = EL_MAX(d->worst, level);
    if (d->findings) {
        json_t *o = json_pack("{s:s, s:s, s:s}", "level", level_names[level], "topic", topic, "text", text);

        if (fix)
            json_object_set_new(o, "fix", json_string(fix));
        json_array_append_new(d->findings, o);
        return;
    }
    printf("%-4s  %s: %s\n", level_names[level], topic, text);
    for (const char *p = fix; p && *p; p = *strchrnul(p, '\n') ? strchrnul(p, '\n') + 1 : NULL)
        printf("          %.*s\n", (int)(strchrnul(p, '\n') - p), p);
}

/* ---- rights ---- */

#define CAP_SYS_ADMIN_BIT 21

static void check_rights(struct doctor *d)
{
    EL_AUTO_BUF struct el_buf b = {0};
    const char *line;
    unsigned long long caps = 0;

    if (el_file_read(AT_FDCWD, "/proc/self/status", 65536, &b) == 0 && b.data && (line = strstr(b.data, "CapEff:")))
        sscanf(line, "CapEff: %llx", &caps);
    if (caps >> CAP_SYS_ADMIN_BIT & 1)
        find(d, GOOD, "rights", NULL, "CAP_SYS_ADMIN is there: drives can be asked");
    else
        find(d, BAD, "rights",
             "sudo elementd doctor\n[Service] AmbientCapabilities=CAP_SYS_ADMIN   (the unit that comes with elementd "
             "has it)",
             "CAP_SYS_ADMIN is missing: the kernel takes no SMART or feature commands from this process");
}

/* ---- drives ---- */

static void check_drives(struct doctor *d)
{
    uint32_t up = 0, all = 0;

    for (uint32_t i = 0; i < d->inv.n.slots; i++) {
        const struct el_slot *s = &d->inv.slots[i];

        all += s->state != EL_SLOT_EMPTY;
        up += s->state == EL_SLOT_UP;
        if (s->state == EL_SLOT_UNBOUND)
            find(d, NOTE, "drives", "echo ADDRESS > /sys/bus/pci/drivers/nvme/bind   (only when nobody uses it)",
                 "%s: %s; it counts as unknown heat at full power", s->address, s->reason);
        else if (s->state == EL_SLOT_STALE || s->state == EL_SLOT_FAILED)
            find(d, BAD, "drives", NULL, "%s (%s): %s", s->controller[0] ? s->controller : "drive", s->address,
                 s->reason);
    }
    if (!all)
        find(d, BAD, "drives", "modprobe nvme\nlspci -d ::0108   (are they seen at all?)", "no NVMe drive is here");
    else
        find(d, GOOD, "drives", NULL, "%u of %u NVMe drives are up, on %u cards", up, all, d->inv.n.cards);
}

static void check_actuator(struct doctor *d, const struct el_slot *s)
{
    char budget[256] = "", max[256] = "";
    const struct el_device_ops *ops = d->device.ops;

    if (ops->actuator_usable(d->device.dev, EL_ACTUATOR_IO_BUDGET, s->key, budget, sizeof budget) == 0)
        return;
    if (ops->actuator_usable(d->device.dev, EL_ACTUATOR_IO_MAX, s->key, max, sizeof max) == 0)
        find(d, NOTE, "caps", NULL, "%s: capped by io.max, not by io.cost: %s", s->controller, budget);
    else
        find(d, BAD, "caps", NULL, "%s cannot be capped: %s", s->controller, budget);
}

/* The kernel thread of such an array writes to the drives, in the root cgroup, where no cap reaches. */
static void check_array(struct doctor *d, const struct el_slot *s)
{
    char dir[EL_SYSFS_PATH], level[16];

    if (!s->array[0] || !el_sysfs_join(dir, "sys/class/block", s->array) ||
        el_sysfs_line(&d->fs, dir, "md/level", level, sizeof level) < 0)
        return;
    if (strcmp(level, "raid4") == 0 || strcmp(level, "raid5") == 0 || strcmp(level, "raid6") == 0)
        find(d, NOTE, "caps", NULL, "%s is in %s (%s): writes through it are not capped (see caps.md)", s->controller,
             s->array, level);
}

static void check_caps(struct doctor *d)
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
        find(d, BAD, "caps", fix,
             "the io controller is off for the cgroups below the root: caps would be accepted and not applied");
    else if (r == -ENOTSUP)
        find(d, BAD, "caps", "CONFIG_BLK_CGROUP=y CONFIG_BLK_CGROUP_IOCOST=y CONFIG_BLK_DEV_THROTTLING=y",
             "this kernel has no io controller");
    else if (r < 0)
        find(d, BAD, "caps",
             "systemd.unified_cgroup_hierarchy=1   (kernel command line; in a container: run on the host)",
             "no cgroup v2 root is mounted at /sys/fs/cgroup");
    else
        find(d, GOOD, "caps", NULL, "the io controller is on");
    for (uint32_t i = 0; r == 0 && i < d->inv.n.slots; i++)
        if (d->inv.slots[i].controller[0] && d->inv.slots[i].state == EL_SLOT_UP) {
            check_actuator(d, &d->inv.slots[i]);
            check_array(d, &d->inv.slots[i]);
        }
}

/* ---- kernel ---- */

static void check_kernel(struct doctor *d)
{
    uint32_t known = 0, counted = 0;

    for (uint32_t i = 0; i < d->inv.n.links; i++) {
        known += d->inv.links[i].known;
        counted += d->inv.links[i].aer[EL_AER_CORRECTABLE].valid;
    }
    if (d->inv.n.links && !known)
        find(d, NOTE, "links", NULL, "the kernel tells no link state (a virtual machine?)");
    if (d->inv.n.links && !counted)
        find(d, NOTE, "links", "pcie_ports=native   (kernel command line; also check that firmware grants AER)",
             "no AER counters: PCIe errors are not seen");
    if (d->device.ops->event_fd(d->device.dev) < 0)
        find(d, NOTE, "events", NULL,
             "no kernel events reach this process: plugging is seen after seconds, not at once");
}

/* ---- sensors ---- */

static void check_sensors(struct doctor *d)
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
            find(d, BAD, "sensors", "elementd scan   (lists the names that exist)", "no sensor is called \"%s\"",
                 map->source);
        else if (s->value.quality != EL_GOOD)
            find(d, BAD, "sensors", NULL, "\"%s\" gives no good reading: %s", map->source,
                 el_quality_name(s->value.quality));
    }
    if (!inlet)
        find(d, NOTE, "sensors",
             "sensors:\n  - source: NAME   (from elementd scan), or file:/run/inlet filled from the BMC\n    role: "
             "inlet",
             "no inlet sensor is named: the inlet temperature is assumed");
    if (!d->inv.n.sensors)
        find(d, NOTE, "sensors", "sensors-detect   (package lm-sensors)", "no board sensors are found");
    else
        find(d, GOOD, "sensors", NULL, "%u board sensors", d->inv.n.sensors);
}

/* ---- others on this machine ---- */

/* Programs that read the hwmon files of NVMe drives, or SMART, by themselves; how to make each leave drives alone. */
static const struct {
    const char *process, *fix;
} pollers[] = {
    {"prometheus-node", "node_exporter --collector.hwmon.chip-exclude='^nvme.*'"},
    {"node_exporter", "node_exporter --collector.hwmon.chip-exclude='^nvme.*'"},
    {"collectd", "<Plugin sensors> Sensor \"/^nvme/\" IgnoreSelected true </Plugin>"},
    {"telegraf", "[[inputs.temp]]: remove it, or exclude nvme in its tagdrop"},
    {"netdata", "go.d.conf: modules: sensors: no"},
    {"sensord", "/etc/sensors3.conf: chip \"nvme-*\" with ignore temp1"},
    {"smartd", "/etc/smartd.conf: -c i=1800 or longer for NVMe drives"},
    {"smartctl_export", "smartctl_exporter --smartctl.interval=30m or longer"},
};

static void check_daemon(struct doctor *d)
{
    struct el_snapshot *s = NULL;
    char path[EL_PATH_MAX + 16];
    const char *why;

    snprintf(path, sizeof path, "%s/" EL_SNAPSHOT_FILE, d->settings.runtime_dir);
    if (el_snapshot_read(AT_FDCWD, path, &s, &why) < 0 || !el_snapshot_fresh(s, el_clock_boottime_us()))
        find(d, NOTE, "running", "systemctl enable --now elementd", "elementd does not run, or hangs: %s at %s",
             s ? "an old snapshot" : "no snapshot", path);
    el_snapshot_free(s);
}

/* One look at all processes: is the exporter among them, and who else asks drives. */
static void check_processes(struct doctor *d)
{
    bool exporter = false;
    struct dirent *e;
    DIR *proc = opendir("/proc");

    while (proc && (e = readdir(proc))) {
        char path[300], name[32];

        snprintf(path, sizeof path, "/proc/%s/comm", e->d_name);
        if (e->d_name[0] < '0' || e->d_name[0] > '9' || el_file_read_line(AT_FDCWD, path, name, sizeof name) < 0)
            continue;
        exporter |= strcmp(name, "elementd-export") == 0; /* a name in the kernel has 15 bytes */
        for (size_t i = 0; i < EL_ARRAY_SIZE(pollers); i++)
            if (strcmp(name, pollers[i].process) == 0)
                find(d, NOTE, "pollers", pollers[i].fix,
                     "%s (%s) may ask NVMe drives too: each such reading is an admin command more", name, e->d_name);
    }
    if (proc)
        closedir(proc);
    if (!exporter)
        find(d, NOTE, "running", "systemctl enable --now elementd-exporter",
             "elementd-exporter does not run: no /metrics, no page, and a walk shows nothing");
}

#define SNMPD_CONF "/etc/snmp"

/* What snmpd.conf says is one thing; another is whether there is a master, who may connect to it, and does it answer.
 */
static bool check_master(struct doctor *d, const char *path)
{
    struct stat st;
    int r;

    if (stat(path, &st) < 0 || !S_ISSOCK(st.st_mode)) {
        find(d, NOTE, "snmp", NULL, "no AgentX socket at %s: nothing of elementd is seen through snmpd", path);
        return false;
    }
    if (!el_snmpd_permits(path, EL_EXPORTER_USER)) {
        find(d, NOTE, "snmp", "agentXPerms 0660 0755 Debian-snmp " EL_EXPORTER_USER,
             "the user " EL_EXPORTER_USER " may not connect to the AgentX socket at %s", path);
        return false;
    }
    r = el_snmpd_ask(path);
    if (r < 0)
        find(d, NOTE, "snmp", "systemctl restart snmpd", "snmpd at %s %s", path,
             r == -ETIMEDOUT      ? "does not answer: it hangs, or somebody holds it up (an inform to a dead receiver)"
             : r == -ECONNREFUSED ? "has ended and left its socket behind"
                                  : strerror(-r));
    return r == 0;
}

static void check_agentx(struct doctor *d)
{
    const char *usual = access("/run/agentx/master", F_OK) == 0 ? "/run/agentx/master" : "/var/agentx/master";
    const char *path = d->settings.snmp.agentx_socket[0] ? d->settings.snmp.agentx_socket : usual;
    EL_AUTO_BUF struct el_buf missing = {0};
    bool unasked = strncmp(path, "tcp:", 4) == 0, answers = !unasked && check_master(d, path);
    int r = el_snmpd_missing(SNMPD_CONF, d->settings.snmp.base_oid, answers ? NULL : d->settings.snmp.agentx_socket,
                             &missing);

    if (r == 0 && missing.len)
        find(d, NOTE, "snmp", missing.data,
             "%s lacks these lines (snmpd.conf.d/elementd.conf is their place), then: systemctl restart snmpd",
             SNMPD_CONF);
    else if (r < 0)
        find(d, NOTE, "snmp", NULL, "%s/snmpd.conf: %s", SNMPD_CONF,
             r == -ENOENT ? "not there: no snmpd, or another one" : strerror(-r));
    else if (answers || unasked)
        find(d, GOOD, "snmp", NULL, "snmpd takes subagents at %s and shows what they say", path);
}

static void check_snmp(struct doctor *d)
{
    const struct el_settings *s = &d->settings;

    if (s->snmp.agentx)
        check_agentx(d);
    else if (!s->snmp.standalone[0])
        find(d, NOTE, "snmp", NULL,
             "off: neither snmp.agentx nor snmp.standalone is set, nothing of elementd is seen by SNMP");
    for (uint32_t i = 0; i < s->snmp.sinks; i++) {
        const char *why = el_sink_unfound(s->snmp.sink[i]);

        if (why)
            find(d, NOTE, "snmp", NULL, "snmp.sinks: \"%s\": %s: nothing is sent there until it is found",
                 strrchr(s->snmp.sink[i], '@') + 1, why);
    }
}

static int examine(struct doctor *d)
{
    int r = el_host_open(&d->settings, &d->device);

    d->fs.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r == 0)
        r = d->fs.root < 0 ? -errno : d->device.ops->discover(d->device.dev, &d->inv);
    if (r < 0) {
        fprintf(stderr, "elementd doctor: this machine cannot be read: %s\n", strerror(-r));
        return EL_EXIT_BAD;
    }
    check_rights(d);
    check_drives(d);
    check_caps(d);
    check_kernel(d);
    check_sensors(d);
    check_daemon(d);
    check_processes(d);
    check_snmp(d);
    return d->worst == BAD ? EL_EXIT_BAD : EL_EXIT_OK;
}

static int print_json(struct doctor *d, int r)
{
    json_t *o = json_pack("{s:s, s:o}", "verdict", level_names[d->worst], "findings", d->findings);

    return el_json_print(o) == EL_EXIT_OK ? r : EL_EXIT_BAD;
}

int el_cmd_doctor(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    EL_AUTO_FREE struct doctor *d = calloc(1, sizeof *d);
    bool json = false;
    const struct el_flag flags[] = {{"json", EL_FLAG_SWITCH, &json}, {"config", EL_FLAG_TEXT, &machine.config}, {0}};
    int r = el_flags_read(argc, argv, flags, help, false);

    if (r >= 0)
        return r;
    if (!d || el_machine_settings(&machine, &d->settings) < 0)
        return EL_EXIT_BAD;
    if (json)
        d->findings = json_array();
    r = examine(d);
    if (d->findings)
        r = print_json(d, r);
    el_inventory_free(&d->inv);
    if (d->device.ops)
        d->device.ops->close(d->device.dev);
    if (d->fs.root >= 0)
        close(d->fs.root);
    return r;
}
