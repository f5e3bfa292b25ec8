/* elementd-exporter: flags over settings, then serve. */
#include <getopt.h>
#include <string.h>

#include "base/text.h"

#include "config/config.h"
#include "config/webconfig.h"
#include "exporter/exporter.h"
#include "exporter/flags.h"

/* The command line, kept: its settings are laid over the file at start and at each reload. */
struct flags {
    struct el_exporter_options o;
    struct {
        int which;
        const char *text;
    } setting[64];
    int settings_n;
};

static void make_options(struct option *out)
{
    static const struct option own[] = {
        {"config", required_argument, NULL, FLAG_CONFIG},
        {"snapshot", required_argument, NULL, FLAG_SNAPSHOT},
        {"state-dir", required_argument, NULL, FLAG_STATE_DIR},
        {"user", required_argument, NULL, FLAG_USER},
        {"sandbox", required_argument, NULL, FLAG_SANDBOX},
        {"version", no_argument, NULL, FLAG_VERSION},
        {"help", no_argument, NULL, 'h'},
    };

    memcpy(out, own, sizeof own);
    out += EL_ARRAY_SIZE(own);
    for (size_t i = 0; i < EL_ARRAY_SIZE(settings); i++)
        *out++ = (struct option){settings[i].flag + 2, required_argument, NULL, FLAG_SETTING + (int)i};
    *out = (struct option){0};
}

/* `--snmp.agentx SOCKET` says both that it is on and where. */
static int set(struct el_settings *out, const char *setting, const char *flag, const char *text,
               struct el_config_error *err)
{
    int r;

    if (strcmp(setting, "snmp.agentx") != 0 || !strpbrk(text, "/:"))
        return el_config_set(out, setting, flag, text, err);
    r = el_config_set(out, "snmp.agentx_socket", flag, text, err);
    return r < 0 ? r : el_config_set(out, setting, flag, "on", err);
}

static int load(void *ctx, struct el_settings *out, char *why, size_t why_size)
{
    const struct flags *f = ctx;
    struct el_config_error err;
    bool listed[EL_ARRAY_SIZE(settings)] = {false};
    int r = el_config_load(f->o.config_path, out, &err);

    for (int i = 0; r == 0 && i < f->settings_n; i++) {
        int k = f->setting[i].which;

        /* Lists on the command line replace those of the file. */
        if (!listed[k] && strcmp(settings[k].setting, "web.listen_addresses") == 0)
            out->web.listen_addresses = 0;
        if (!listed[k] && strcmp(settings[k].setting, "snmp.sinks") == 0)
            out->snmp.sinks = 0;
        listed[k] = true;
        r = set(out, settings[k].setting, settings[k].flag, f->setting[i].text, &err);
    }
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

/* 0, or the exit code with the reason said. -1: go on. */
static int parse(int argc, char **argv, struct flags *f)
{
    struct option options[EL_ARRAY_SIZE(settings) + 8];
    int c;

    make_options(options);
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return 0;
        }
        if (c == FLAG_VERSION) {
            puts("elementd-exporter " EL_VERSION);
            return 0;
        }
        if (c == FLAG_CONFIG) {
            f->o.config_path = optarg;
        } else if (c == FLAG_SNAPSHOT) {
            f->o.snapshot_path = optarg;
        } else if (c == FLAG_STATE_DIR) {
            f->o.state_dir = optarg;
        } else if (c == FLAG_USER) {
            f->o.user = optarg;
        } else if (c == FLAG_SANDBOX && el_sandbox_mode_parse(optarg, &f->o.sandbox) == 0) {
            continue;
        } else if (c >= FLAG_SETTING && f->settings_n < (int)EL_ARRAY_SIZE(f->setting)) {
            f->setting[f->settings_n].which = c - FLAG_SETTING;
            f->setting[f->settings_n++].text = optarg;
        } else {
            fprintf(stderr, "elementd-exporter: see --help\n");
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "elementd-exporter: \"%s\" is no flag; see --help\n", argv[optind]);
        return 2;
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct flags f = {
        .o = {.user = "elementd-exporter", .state_dir = getenv("STATE_DIRECTORY"), .load = load, .load_web = load_web}};
    struct el_settings s;
    char why[4096];
    int r = parse(argc, argv, &f);

    if (r >= 0)
        return r;
    if (!f.o.config_path && access(CONFIG_DEFAULT, F_OK) == 0)
        f.o.config_path = CONFIG_DEFAULT;
    f.o.ctx = &f;
    if (load(&f, &s, why, sizeof why) < 0) {
        fprintf(stderr, "elementd-exporter: %s\n", why);
        return 1;
    }
    el_log_setup("elementd-exporter", s.log_level, s.log_format);
    return el_exporter_run(&f.o, &s);
}
