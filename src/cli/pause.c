/* elementd pause: for a while nothing is moved. Says so to the daemon by a file that only root can write. */
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
    "usage: elementd pause DURATION [--runtime-dir DIR] [--config FILE]\n"
    "       elementd pause --resume\n"
    "For DURATION (30s, 15m, 2h; at most 24h) the daemon decides but moves nothing, and lets go what is not hot.\n"
    "  --resume           ends a pause now\n"
    "  --runtime-dir DIR  of the daemon (default: from the settings, /run/elementd)\n";

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

static int pause_for(const char *dir, int64_t us)
{
    char path[EL_PATH_MAX + 16], text[EL_NUM_MAX + 1], said[32];
    int r;

    snprintf(path, sizeof path, "%s/" EL_PAUSE_FILE, dir);
    if (us == 0) {
        if (unlink(path) < 0 && errno != ENOENT)
            return say_bad(path, -errno);
        puts("resumed");
        return EL_EXIT_OK;
    }
    size_t n = el_num_fixed(text, el_clock_boottime_us() + us, 0);
    text[n++] = '\n';
    r = el_file_replace(AT_FDCWD, path, text, n, 0644, false);
    if (r < 0)
        return say_bad(path, r);
    el_text_duration(us, said);
    printf("paused for %s; elementd pause --resume ends it\n", said);
    return EL_EXIT_OK;
}

int el_cmd_pause(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    const char *dir = NULL;
    bool resume = false;
    const struct el_flag flags[] = {{"config", EL_FLAG_TEXT, &machine.config},
                                    {"resume", EL_FLAG_SWITCH, &resume},
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
    if (!s || (!dir && el_machine_settings(&machine, s) < 0))
        return EL_EXIT_BAD;
    return pause_for(dir ? dir : s->runtime_dir, us);
}
