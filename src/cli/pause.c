/* elementd pause: no actuator is moved for a while. The daemon is told by a file that only root can write. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/cli.h"
#include "control/tick.h"

static const char help[] =
    "usage: elementd pause DURATION [--json] [--runtime-dir DIR] [--config FILE]\n"
    "       elementd pause --resume [--json] [--runtime-dir DIR] [--config FILE]\n"
    "For DURATION (30s, 15m, 2h; at most 24h) the daemon decides but moves nothing, and lets go what is not hot.\n"
    "  --resume           ends a pause now\n"
    "  --json             {\"paused_seconds\":1800} for programs, 0 when resumed\n"
    "  --runtime-dir DIR  of the daemon (default: from the settings, /run/elementd)\n"
    "  --config FILE      settings\n";

/* "30s", "15m", "2h" to microseconds; 0 = not one. */
static int64_t duration_us(const char *text)
{
    char number[16];
    size_t n = strlen(text);
    int64_t v, unit;

    if (n < 2 || n >= sizeof number)
        return 0;
    unit = text[n - 1] == 's' ? 1 : text[n - 1] == 'm' ? 60 : text[n - 1] == 'h' ? 3600 : 0;
    snprintf(number, sizeof number, "%.*s", (int)n - 1, text);
    if (!unit || el_num_parse_i64(number, &v) < 0 || v < 1 || v > 24 * 3600 / unit)
        return 0;
    return v * unit * EL_USEC_PER_SEC;
}

static int say_bad(const char *path, int r)
{
    fprintf(stderr, "elementd pause: %s: %s%s\n", path, strerror(-r), r == -EACCES ? " (only root may pause)" : "");
    return EL_EXIT_BAD;
}

static void say_done(int64_t us, bool as_json)
{
    char said[32];

    el_text_duration(us, said);
    if (as_json)
        printf("{\"paused_seconds\": %lld}\n", (long long)(us / EL_USEC_PER_SEC));
    else if (us)
        printf("paused for %s; elementd pause --resume ends it\n", said);
    else
        puts("resumed");
}

/* 0 us: resume. */
static int pause_for(const char *dir, int64_t us, bool as_json)
{
    char path[EL_PATH_MAX + 16], text[EL_NUM_MAX + 1];
    int r = 0;

    snprintf(path, sizeof path, "%s/" EL_PAUSE_FILE, dir);
    if (us) {
        size_t n = el_num_fixed(text, el_clock_boottime_us() + us, 0);

        text[n++] = '\n';
        r = el_file_replace(AT_FDCWD, path, text, n, 0644, false);
    } else if (unlink(path) < 0 && errno != ENOENT) {
        r = -errno;
    }
    if (r < 0)
        return say_bad(path, r);
    say_done(us, as_json);
    return EL_EXIT_OK;
}

int el_cmd_pause(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    const char *dir = NULL;
    bool resume = false, as_json = false;
    const struct el_flag flags[] = {{"config", EL_FLAG_TEXT, &machine.config},
                                    {"resume", EL_FLAG_SWITCH, &resume},
                                    {"json", EL_FLAG_SWITCH, &as_json},
                                    {"runtime-dir", EL_FLAG_TEXT, &dir},
                                    {0}};
    int64_t us;
    int r = el_flags_read(argc, argv, flags, help, true);

    if (r >= 0)
        return r;
    if (resume == (argv[optind] != NULL))
        return el_flags_usage(argv[0], "expected %s", resume ? "nothing beside --resume" : "a duration");
    us = resume ? 0 : duration_us(argv[optind]);
    if (!resume && !us)
        return el_flags_usage(argv[0], "got \"%s\", expected a duration like 30s, 15m or 2h, at most 24h",
                              argv[optind]);
    if ((!s || !dir) && el_machine_settings(&machine, s) < 0)
        return EL_EXIT_BAD;
    return pause_for(dir ? dir : s->runtime_dir, us, as_json);
}
