/* elementd govern: the daemon. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/notify.h"
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
                           "  --log-format FORM  auto, text, logfmt, json or journal; wins over the settings\n"
                           "  --sandbox MODE     auto: give up all rights it does not need, as far as this kernel can; "
                           "require: or fail; off\n";

/* Flags win over the file, also after a reload. */
static void amend(void *ctx, struct el_settings *s)
{
    struct el_config_error err;

    (void)el_overrides_apply(ctx, s, &err); /* each was tried when it was read */
    el_cli_find_profiles(s);
}

int el_cmd_govern(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    struct el_overrides own = {.n = 0};
    EL_AUTO_FREE struct el_settings *settings = malloc(sizeof *settings), *defaults = malloc(sizeof *defaults);
    struct el_govern_options o = {
        .settings = settings, .defaults = defaults, .config = NULL, .amend = amend, .ctx = &own};
    const struct el_flag flags[] = {
        EL_MACHINE_FLAGS(machine),
        {"mode", EL_FLAG_SETTING, &own, .setting = "governor.mode"},
        {"runtime-dir", EL_FLAG_SETTING, &own, .setting = "runtime_dir"},
        {"state-dir", EL_FLAG_SETTING, &own, .setting = "state_dir"},
        {"log-level", EL_FLAG_SETTING, &own, .setting = "log.level"},
        {"log-format", EL_FLAG_SETTING, &own, .setting = "log.format"},
        EL_FLAG_SANDBOX(&o.sandbox),
        {0},
    };
    int r;

    el_govern_hold_signals();
    r = el_flags_read(argc, argv, flags, help, false);
    if (r >= 0)
        return r;
    if (el_machine_check(&machine) != 0)
        return EL_EXIT_USAGE;
    r = el_machine_settings(&machine, defaults ? settings : NULL);
    if (r < 0)
        return el_flags_ended(r, -EINVAL);
    el_machine_defaults(&machine, defaults);
    o.config = el_machine_config(&machine);
    amend(&own, settings);
    el_log_setup("elementd", settings->log_level, settings->log_format);
    r = el_notify_open();
    if (r < 0)
        el_log_warning("the service manager's socket cannot be used: %s", strerror(-r));
    if (el_machine_open(&machine, settings, &o.device) < 0)
        return EL_EXIT_BAD;
    o.machine = machine.root;
    o.real = !el_machine_is_play(&machine);
    return el_flags_ended(el_govern(&o), -ENOTSUP);
}
