/* elementd-exporter: flags over settings, then serve. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "cli/exporter_help.h"
#include "cli/flags.h"
#include "config/webconfig.h"
#include "exporter/exporter.h"

struct exporter {
    struct el_exporter_options o;
    struct el_overrides over; /* flags that are settings */
};

/* The file over the defaults, flags over the file. */
static int load(void *ctx, struct el_settings *out, char *why, size_t why_size)
{
    const struct exporter *e = ctx;
    struct el_config_error err;
    int r = el_config_load(e->o.config_path, out, &err);

    if (r == 0)
        r = el_overrides_apply(&e->over, out, &err);
    if (r < 0)
        el_text_copy(why, why_size, err.text);
    return r;
}

static int load_web(const char *path, struct el_web_config **out, char *why, size_t why_size)
{
    struct el_config_error err;
    int r = el_web_config_load(path, out, &err);

    if (r < 0)
        el_text_copy(why, why_size, err.text);
    return r;
}

#define SETTING(flag_, setting_)                                                                                       \
    {                                                                                                                  \
        flag_, EL_FLAG_SETTING, &e.over, .setting = setting_                                                           \
    }

int main(int argc, char **argv)
{
    struct exporter e = {
        .o = {.user = EL_EXPORTER_USER, .state_dir = getenv("STATE_DIRECTORY"), .load = load, .load_web = load_web}};
    char name[] = "elementd-exporter", why[4096];
    bool version = false, check = false;
    const struct el_flag flags[] = {
        {"config", EL_FLAG_TEXT, &e.o.config_path},
        {"config.check", EL_FLAG_SWITCH, &check},
        {"snapshot", EL_FLAG_TEXT, &e.o.snapshot_path},
        {"state-dir", EL_FLAG_TEXT, &e.o.state_dir},
        {"user", EL_FLAG_TEXT, &e.o.user},
        {"version", EL_FLAG_SWITCH, &version},
        EL_FLAG_SANDBOX(&e.o.sandbox),
        SETTING("web.listen-address", "web.listen_addresses"),
        SETTING("web.config.file", "web.config_file"),
        SETTING("web.telemetry-path", "web.telemetry_path"),
        SETTING("collect", "web.collect"),
        SETTING("snmp.agentx", "snmp.agentx"),
        SETTING("snmp.agentx-socket", "snmp.agentx_socket"),
        SETTING("snmp.standalone", "snmp.standalone"),
        SETTING("snmp.base-oid", "snmp.base_oid"),
        SETTING("snmp.entity", "snmp.entity"),
        SETTING("snmp.users-file", "snmp.users_file"),
        SETTING("snmp.sink", "snmp.sinks"),
        SETTING("log.level", "log.level"),
        SETTING("log.format", "log.format"),
        {0},
    };
    struct el_settings s;
    int r;

    argv[0] = name;
    r = el_flags_read(argc, argv, flags, help, false);
    if (r < 0 && version)
        r = puts("elementd-exporter " EL_VERSION) < 0;
    if (r >= 0)
        return el_flags_answered(name, r);
    if (!e.o.config_path && access(EL_CONFIG_FILE, F_OK) == 0)
        e.o.config_path = EL_CONFIG_FILE;
    e.o.ctx = &e;
    r = load(&e, &s, why, sizeof why);
    if (r == 0) {
        el_log_setup("elementd-exporter", check ? EL_LOG_ERROR : s.log_level, s.log_format);
        r = check ? el_exporter_check(&e.o, &s, why, sizeof why) : 0;
    }
    if (r < 0) {
        fprintf(stderr, "elementd-exporter: %s\n", why);
        return el_flags_ended(r, check ? 0 : -EINVAL);
    }
    if (check) {
        puts("elementd-exporter: the configuration is good");
        return el_flags_answered(name, EL_EXIT_OK);
    }
    return el_flags_ended(el_exporter_run(&e.o, &s), -ENOTSUP);
}
