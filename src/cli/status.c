/* elementd status: the last snapshot, for people or as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "exporter/view.h"

static const char help[] =
    "usage: elementd status [--watch | --json] [--runtime-dir DIR] [--config FILE]\n"
    "What the governor sees and does now: temperatures, limits, every cap with its reason, age and expected lift.\n"
    "A number behind ~ is estimated, all others are measured or set; - is not known.\n"
    "  --watch            again and again, until Ctrl-C; a terminal shows trouble in colour unless NO_COLOR is set\n"
    "  --json             everything known, as the exporter's /api/v1/snapshot gives it\n"
    "  --runtime-dir DIR  where the daemon writes its snapshot (default: from the settings, /run/elementd)\n"
    "  --config FILE      settings\n";

#define CLEAR "\033[H\033[2J" /* a terminal */

static int read_snapshot(const char *dir, struct el_snapshot **out, bool clear)
{
    char path[EL_PATH_MAX + 16];
    const char *why = NULL;

    snprintf(path, sizeof path, "%s/" EL_SNAPSHOT_FILE, dir);
    int r = el_snapshot_read(AT_FDCWD, path, out, &why);
    if (r < 0)
        fprintf(stderr, "%selementd status: %s: %s\n%s", clear ? CLEAR : "", path, why ? why : strerror(-r),
                r == -ENOENT ? "Is elementd running? See `elementd run` or `systemctl status elementd`.\n" : "");
    return r;
}

static void put_old(struct el_buf *b, bool colour, int64_t age_us)
{
    char text[32];

    el_text_duration(age_us, text);
    el_buf_printf(b, "%sSTALE: elementd has not reported for %s; this is how it was then%s\n",
                  colour ? "\033[0;1;37;41m" : "", text, colour ? "\033[0m" : "");
}

/* False: the snapshot is too old to be trusted. It says so above and below the table, which is printed pale. */
static bool print_table(const struct el_snapshot *s, const struct el_snapshot *before, bool clear)
{
    EL_AUTO_BUF struct el_buf b = {0};
    struct el_table_look look = el_table_look_of(STDOUT_FILENO);
    int64_t now = el_clock_boottime_us(), age = now - s->time_us;
    bool fresh = el_snapshot_fresh(s, now), colour = look.colour;

    el_buf_puts(&b, clear ? CLEAR : "");
    look.colour &= fresh;
    if (!fresh) {
        put_old(&b, colour, age);
        el_buf_puts(&b, colour ? "\033[2m" : "");
    }
    el_table_status(&b, s, before, now, look);
    if (!fresh)
        put_old(&b, colour, age);
    return el_cli_print(&b) == EL_EXIT_OK && fresh;
}

/* A snapshot that was there and is missing now is waited for: the daemon is being restarted. */
static int watch(const char *dir)
{
    struct el_snapshot *before = NULL, *s = NULL;
    bool clear = isatty(STDOUT_FILENO);

    for (;;) {
        int r = read_snapshot(dir, &s, clear && before);

        if (r < 0 && !before)
            return EL_EXIT_BAD;
        if (r == 0) {
            (void)print_table(s, before, clear);
            if (fflush(stdout) == EOF)
                break;
            el_snapshot_free(before);
            before = s;
            s = NULL;
        }
        el_clock_sleep_until_us(el_clock_boottime_us() + 2 * EL_USEC_PER_SEC, NULL);
    }
    el_snapshot_free(before);
    el_snapshot_free(s);
    return EL_EXIT_BAD;
}

static bool print_json(const struct el_snapshot *s)
{
    EL_AUTO_BUF struct el_buf b = {0};
    int64_t now = el_clock_boottime_us();
    bool fresh = el_snapshot_fresh(s, now);

    if (el_view_json(s, &(struct el_view_options){.now_us = now, .stale = !fresh}, &b) < 0)
        return false;
    return el_cli_print(&b) == EL_EXIT_OK && fresh;
}

static int show_once(const char *dir, bool as_json)
{
    struct el_snapshot *s = NULL;
    bool fresh;

    if (read_snapshot(dir, &s, false) < 0)
        return EL_EXIT_BAD;
    fresh = as_json ? print_json(s) : print_table(s, NULL, false);
    el_snapshot_free(s);
    return fresh ? EL_EXIT_OK : EL_EXIT_BAD;
}

int el_cmd_status(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    bool again = false, as_json = false;
    const char *dir = NULL;
    const struct el_flag flags[] = {{"config", EL_FLAG_TEXT, &machine.config},
                                    {"watch", EL_FLAG_SWITCH, &again},
                                    {"json", EL_FLAG_SWITCH, &as_json},
                                    {"runtime-dir", EL_FLAG_TEXT, &dir},
                                    {0}};
    int r = el_flags_read(argc, argv, flags, help, false);

    if (r >= 0)
        return r;
    if (again && as_json)
        return el_flags_usage(argv[0], "--watch and --json exclude each other");
    if ((!s || !dir) && el_machine_settings(&machine, s) < 0)
        return EL_EXIT_BAD;
    dir = dir ? dir : s->runtime_dir;
    return again ? watch(dir) : show_once(dir, as_json);
}
