#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/doctor.h"
#include "config/snmpd.h"
#include "model/snapshot.h"

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

void el_doctor_daemon(struct el_doctor *d)
{
    struct el_snapshot *s = NULL;
    char path[EL_PATH_MAX + 16];
    const char *why;

    snprintf(path, sizeof path, "%s/" EL_SNAPSHOT_FILE, d->settings.runtime_dir);
    if (el_snapshot_read(AT_FDCWD, path, &s, &why) < 0 || !el_snapshot_fresh(s, el_clock_boottime_us()))
        el_doctor_find(d, EL_DOCTOR_NOTE, "running", "systemctl enable --now elementd",
                       "elementd does not run, or hangs: %s at %s", s ? "an old snapshot" : "no snapshot", path);
    el_snapshot_free(s);
}

/* One look at all processes: is the exporter among them, and who else asks drives. */
void el_doctor_processes(struct el_doctor *d)
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
                el_doctor_find(d, EL_DOCTOR_NOTE, "pollers", pollers[i].fix,
                               "%s (%s) may ask NVMe drives too: each such reading is an admin command more", name,
                               e->d_name);
    }
    if (proc)
        closedir(proc);
    if (!exporter)
        el_doctor_find(d, EL_DOCTOR_NOTE, "running", "systemctl enable --now elementd-exporter",
                       "elementd-exporter does not run: no /metrics, no page, and a walk shows nothing");
}

#define SNMPD_CONF "/etc/snmp"

/* Besides what snmpd.conf says: whether a master is there, who may connect to it, and whether it answers. */
static bool check_master(struct el_doctor *d, const char *path)
{
    struct stat st;
    int r;

    if (stat(path, &st) < 0 || !S_ISSOCK(st.st_mode)) {
        el_doctor_find(d, EL_DOCTOR_NOTE, "snmp", NULL,
                       "no AgentX socket at %s: nothing of elementd is seen through snmpd", path);
        return false;
    }
    if (!el_snmpd_permits(path, EL_EXPORTER_USER)) {
        el_doctor_find(d, EL_DOCTOR_NOTE, "snmp", "agentXPerms 0660 0755 Debian-snmp " EL_EXPORTER_USER,
                       "the user " EL_EXPORTER_USER " may not connect to the AgentX socket at %s", path);
        return false;
    }
    r = el_snmpd_ask(path);
    if (r < 0)
        el_doctor_find(d, EL_DOCTOR_NOTE, "snmp", "systemctl restart snmpd", "snmpd at %s %s", path,
                       r == -ETIMEDOUT
                           ? "does not answer: it hangs, or somebody holds it up (an inform to a dead receiver)"
                       : r == -ECONNREFUSED ? "has ended and left its socket behind"
                                            : strerror(-r));
    return r == 0;
}

static void check_agentx(struct el_doctor *d)
{
    const char *usual = access("/run/agentx/master", F_OK) == 0 ? "/run/agentx/master" : "/var/agentx/master";
    const char *path = d->settings.snmp.agentx_socket[0] ? d->settings.snmp.agentx_socket : usual;
    EL_AUTO_BUF struct el_buf missing = {0};
    bool unasked = strncmp(path, "tcp:", 4) == 0, answers = !unasked && check_master(d, path);
    int r = el_snmpd_missing(SNMPD_CONF, d->settings.snmp.base_oid, answers ? NULL : d->settings.snmp.agentx_socket,
                             &missing);

    if (r == 0 && missing.len)
        el_doctor_find(
            d, EL_DOCTOR_NOTE, "snmp", missing.data,
            "%s lacks these lines (snmpd.conf.d/elementd.conf is their place), then: systemctl restart snmpd",
            SNMPD_CONF);
    else if (r < 0)
        el_doctor_find(d, EL_DOCTOR_NOTE, "snmp", NULL, "%s/snmpd.conf: %s", SNMPD_CONF,
                       r == -ENOENT ? "not there: no snmpd, or another one" : strerror(-r));
    else if (answers || unasked)
        el_doctor_find(d, EL_DOCTOR_GOOD, "snmp", NULL, "snmpd takes subagents at %s and shows what they say", path);
}

void el_doctor_snmp(struct el_doctor *d)
{
    const struct el_settings *s = &d->settings;

    if (s->snmp.agentx)
        check_agentx(d);
    else if (!s->snmp.standalone[0])
        el_doctor_find(d, EL_DOCTOR_NOTE, "snmp", NULL,
                       "off: neither snmp.agentx nor snmp.standalone is set, nothing of elementd is seen by SNMP");
    for (uint32_t i = 0; i < s->snmp.sinks; i++) {
        const char *why = el_sink_unfound(s->snmp.sink[i]);

        if (why)
            el_doctor_find(d, EL_DOCTOR_NOTE, "snmp", NULL,
                           "snmp.sinks: \"%s\": %s: nothing is sent there until it is found",
                           strrchr(s->snmp.sink[i], '@') + 1, why);
    }
}
