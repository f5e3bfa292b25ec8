/* elementd govern: the daemon. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/notify.h"
#include "base/text.h"
#include "cli/cli.h"
#include "control/govern.h"

static const char help[] = "usage: elementd govern [flags]\n"
                           "Reads the drives, decides, acts as the mode says, and writes a snapshot after each round. "
                           "SIGHUP reloads the settings,\n"
                           "SIGTERM ends it and puts everything back that is not hot.\n" EL_MACHINE_HELP
                           "  --mode MODE        observe, advise or enforce; wins over the settings\n"
                           "  --runtime-dir DIR  where the snapshot goes; wins over the settings\n"
                           "  --state-dir DIR    journal and history; wins over the settings\n"
                           "  --log-level LEVEL  error, warning, info or debug; wins over the settings\n"
                           "  --sandbox MODE     auto: give up all rights it does not need, as far as this kernel can; "
                           "require: or fail; off\n";

enum { FLAG_MODE = EL_FLAG_OWN, FLAG_RUNTIME_DIR, FLAG_STATE_DIR, FLAG_LOG_LEVEL, FLAG_SANDBOX };

struct own {
    const char *runtime_dir, *state_dir;
    int mode, log_level; /* -1 = as the settings say */
    enum el_sandbox_mode sandbox;
};

/* Flags win over the file, also after a reload. */
static void amend(void *ctx, struct el_settings *s)
{
    const struct own *o = ctx;

    if (o->runtime_dir)
        el_text_copy(s->runtime_dir, sizeof s->runtime_dir, o->runtime_dir);
    if (o->state_dir)
        el_text_copy(s->state_dir, sizeof s->state_dir, o->state_dir);
    if (o->mode >= 0)
        s->governor.mode = (enum el_mode)o->mode;
    if (o->log_level >= 0)
        s->log_level = (enum el_log_level)o->log_level;
    el_cli_find_profiles(s);
}

static int take_own(struct own *o, int code, const char *arg)
{
    switch (code) {
    case FLAG_RUNTIME_DIR:
        o->runtime_dir = arg;
        return 0;
    case FLAG_STATE_DIR:
        o->state_dir = arg;
        return 0;
    case FLAG_MODE:
        return el_cli_mode("govern", arg, &o->mode);
    case FLAG_SANDBOX:
        if (el_sandbox_mode_parse(arg, &o->sandbox) == 0)
            return 0;
        el_cli_usage("govern", "--sandbox: got \"%s\", expected auto, require or off", arg);
        return -EINVAL;
    case FLAG_LOG_LEVEL:
        return el_cli_log_level("govern", arg, &o->log_level);
    default:
        return -EINVAL;
    }
}

/* 0 go on, 1 help was printed, -EINVAL said. */
static int parse(int argc, char **argv, struct el_machine_flags *f, struct own *o)
{
    static const struct option options[] = {
        EL_MACHINE_OPTIONS,
        {"mode", required_argument, NULL, FLAG_MODE},
        {"runtime-dir", required_argument, NULL, FLAG_RUNTIME_DIR},
        {"state-dir", required_argument, NULL, FLAG_STATE_DIR},
        {"log-level", required_argument, NULL, FLAG_LOG_LEVEL},
        {"sandbox", required_argument, NULL, FLAG_SANDBOX},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int c, r;

    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return 1;
        }
        r = el_machine_flag(f, c, optarg);
        if (r < 0 || (r == 0 && take_own(o, c, optarg) < 0))
            return -EINVAL;
    }
    if (optind < argc) {
        el_cli_usage("govern", "unexpected \"%s\"", argv[optind]);
        return -EINVAL;
    }
    return el_machine_check(f);
}

int el_cmd_govern(int argc, char **argv)
{
    struct el_machine_flags flags = EL_MACHINE_FLAGS_INIT;
    struct own own = {.mode = -1, .log_level = -1};
    EL_AUTO_FREE struct el_settings *settings = malloc(sizeof *settings), *defaults = malloc(sizeof *defaults);
    struct el_govern_options o = {
        .settings = settings, .defaults = defaults, .config = NULL, .amend = amend, .ctx = &own};
    int r;

    el_cli_hold_signals();
    r = parse(argc, argv, &flags, &own);
    if (r != 0)
        return r < 0 ? EL_EXIT_USAGE : EL_EXIT_OK;
    if (!settings || !defaults || el_machine_settings(&flags, settings) < 0)
        return EL_EXIT_BAD;
    el_machine_defaults(&flags, defaults);
    o.config = el_machine_config(&flags);
    amend(&own, settings);
    el_log_setup("elementd", settings->log_level, settings->log_format);
    r = el_notify_open();
    if (r < 0)
        el_log_warning("the service manager's socket cannot be used: %s", strerror(-r));
    el_govern_hold_signals();
    if (el_machine_open(&flags, settings, &o.device) < 0)
        return EL_EXIT_BAD;
    o.sandbox = own.sandbox;
    o.machine = flags.root;
    o.real = !el_machine_is_play(&flags);
    return el_govern(&o) < 0 ? EL_EXIT_BAD : EL_EXIT_OK;
}
