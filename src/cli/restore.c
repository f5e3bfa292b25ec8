/* elementd restore: undoes what a daemon that was killed left set. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "control/restore.h"

static const char help[] =
    "usage: elementd restore [--force] [--json] [--state-dir DIR] [--config FILE]\n"
    "Puts back what a daemon that was killed left set, from its journal. A drive that is hot keeps its cap: run it\n"
    "again when it has cooled. Does nothing beside a running daemon, which sees to it itself.\n"
    "  --force          hot drives too\n"
    "  --json           {\"restored\":0,\"held\":0,\"failed\":0} for programs\n"
    "  --state-dir DIR  where the journal is (default: from the settings, /var/lib/elementd)\n" EL_MACHINE_HELP;

static int restore(const struct el_machine_flags *f, const char *state_dir, bool force, bool as_json)
{
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    struct el_restore_result result;
    struct el_device dev;
    int r;

    if (el_machine_settings(f, s) < 0)
        return EL_EXIT_BAD;
    if (state_dir)
        el_text_copy(s->state_dir, sizeof s->state_dir, state_dir);
    el_log_setup("elementd restore", s->log_level, s->log_format);
    if (el_machine_open(f, s, &dev) < 0)
        return EL_EXIT_BAD;
    r = el_restore(&dev, s, force, &result);
    dev.ops->close(dev.dev);
    if (r == -EBUSY)
        fputs("elementd restore: elementd is running and looks after it; stop it first\n", stderr);
    else if (r < 0)
        fprintf(stderr, "elementd restore: %s: %s\n", s->state_dir,
                r == -EBADMSG ? "its journal is none of elementd: look at it, then remove it" : strerror(-r));
    else if (as_json)
        printf("{\"restored\": %u, \"held\": %u, \"failed\": %u}\n", result.restored, result.held, result.failed);
    else if (result.restored + result.held + result.failed == 0)
        puts("nothing to restore");
    else
        printf("%u restored, %u held, %u failed\n", result.restored, result.held, result.failed);
    return r < 0 || result.failed ? EL_EXIT_BAD : EL_EXIT_OK;
}

int el_cmd_restore(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    const char *state_dir = NULL;
    bool force = false, as_json = false;
    const struct el_flag flags[] = {EL_MACHINE_FLAGS(machine),
                                    {"force", EL_FLAG_SWITCH, &force},
                                    {"json", EL_FLAG_SWITCH, &as_json},
                                    {"state-dir", EL_FLAG_TEXT, &state_dir},
                                    {0}};
    int r = el_flags_read(argc, argv, flags, help, false);

    if (r >= 0)
        return r;
    if (el_machine_check(&machine) != 0)
        return EL_EXIT_USAGE;
    return restore(&machine, state_dir, force, as_json);
}
