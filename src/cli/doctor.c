/* elementd doctor: what keeps elementd from doing its work on this machine, each with the line that repairs it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cli/doctor.h"

static const char help[] =
    "usage: elementd doctor [--json] [--config FILE]\n"
    "Looks for what keeps elementd from doing its work here, and says how to mend it. Changes nothing.\n"
    "Exit 1 when something must be mended.\n"
    "  --json         one object with a list of findings, for programs\n"
    "  --config FILE  settings (default: " EL_CONFIG_FILE " if it is there)\n";

static const char *const level_names[] = {"good", "note", "bad"};

static void (*const checks[])(struct el_doctor *d) = {
    el_doctor_rights,  el_doctor_drives, el_doctor_caps,      el_doctor_kernel,
    el_doctor_sensors, el_doctor_daemon, el_doctor_processes, el_doctor_snmp,
};

void el_doctor_find(struct el_doctor *d, enum el_doctor_level level, const char *topic, const char *fix,
                    const char *fmt, ...)
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

static int examine(struct el_doctor *d)
{
    int r = el_host_open(&d->settings, &d->device);

    d->fs.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r == 0)
        r = d->fs.root < 0 ? -errno : d->device.ops->discover(d->device.dev, &d->inv);
    if (r < 0) {
        fprintf(stderr, "elementd doctor: this machine cannot be read: %s\n", strerror(-r));
        return EL_EXIT_BAD;
    }
    for (size_t i = 0; i < EL_ARRAY_SIZE(checks); i++)
        checks[i](d);
    return d->worst == EL_DOCTOR_BAD ? EL_EXIT_BAD : EL_EXIT_OK;
}

static int print_json(struct el_doctor *d, int r)
{
    json_t *o = json_pack("{s:s, s:o}", "verdict", level_names[d->worst], "findings", d->findings);

    return el_json_print(o) == EL_EXIT_OK ? r : EL_EXIT_BAD;
}

int el_cmd_doctor(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    EL_AUTO_FREE struct el_doctor *d = calloc(1, sizeof *d);
    bool json = false;
    const struct el_flag flags[] = {{"json", EL_FLAG_SWITCH, &json}, {"config", EL_FLAG_TEXT, &machine.config}, {0}};
    int r = el_flags_read(argc, argv, flags, help, false);

    if (r >= 0)
        return r;
    if (el_machine_settings(&machine, d ? &d->settings : NULL) < 0 || !d)
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
