/* elementd run: starts the daemon and the exporter, minds both, shows what they do. One thread; all waiting is in one
 * poll. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/minder.h"
#include "cli/rundir.h"
#include "cli/table.h"
#include "control/confine.h"
#include "control/govern.h"

static const char help[] =
    "usage: elementd run [flags]\n"
    "The daemon and the exporter together, without a service manager: http://localhost:10450/ while it "
    "runs.\n" EL_MACHINE_HELP "  --mode MODE        observe, advise or enforce (simulated: enforce, else advise)\n"
    "  --runtime-dir DIR, --state-dir DIR\n"
    "                     (default: a private directory that is removed at the end; for this machine as root "
    "/run/elementd\n"
    "                     and /var/lib/elementd)\n"
    "  --sandbox MODE, --log-level LEVEL, --log-format FORM\n"
    "                     go to both, see elementd govern --help\n"
    "  --web.*, --snmp.*, --collect GROUPS\n"
    "                     go to the exporter, see elementd-exporter --help; --web.listen-address HOST:PORT most of "
    "all\n";

#define LINE_EVERY_US  (5 * EL_USEC_PER_SEC) /* without a terminal */
#define TABLE_EVERY_US (2 * EL_USEC_PER_SEC)
#define END_WAIT_US    (1700 * EL_USEC_PER_MSEC) /* then children are killed */
#define ARGS_MAX       128

struct run {
    char *name; /* "elementd run" */
    struct el_rundir dirs;
    struct el_minder govern, exporter;
    char *govern_args[ARGS_MAX], *exporter_args[ARGS_MAX];
    int govern_n, exporter_n;
    char snapshot_arg[EL_PATH_MAX + 32], state_arg[EL_PATH_MAX + 32];
    char configured[64]; /* where the settings say that the exporter listens */
    const char *address;
    bool terminal, ending;
    int sandbox; /* enum el_sandbox_mode; -1 = nobody said */
    int signal_fd, result;
    int64_t show_us;
    struct el_snapshot *before;
};

static void add(char **args, int *n, const char *flag, const char *value)
{
    args[(*n)++] = (char *)(uintptr_t)flag;
    if (value)
        args[(*n)++] = (char *)(uintptr_t)value;
}

static bool is_exporter_flag(const char *a)
{
    return strncmp(a, "--web.", 6) == 0 || strncmp(a, "--snmp.", 7) == 0 || strncmp(a, "--collect", 9) == 0;
}

/* Sorts the flags into the exporter's and the daemon's. 0, or EL_EXIT_USAGE with the reason printed. */
static int split_args(struct run *r, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (r->exporter_n + 16 > ARGS_MAX || r->govern_n + 8 > ARGS_MAX)
            return el_flags_usage(r->name, "too many flags");
        if (!is_exporter_flag(argv[i])) {
            r->govern_args[r->govern_n++] = argv[i];
            continue;
        }
        const char *value = strchr(argv[i], '=');
        r->exporter_args[r->exporter_n++] = argv[i];
        if (value) {
            value++;
        } else if (i + 1 < argc) {
            value = argv[++i];
            r->exporter_args[r->exporter_n++] = argv[i];
        } else {
            return el_flags_usage(r->name, "%s needs a value", argv[i]);
        }
        if (strncmp(argv[i], "--web.listen-address", 20) == 0 ||
            (i > 1 && strcmp(argv[i - 1], "--web.listen-address") == 0))
            r->address = r->address ? r->address : value;
    }
    return 0;
}

/* What was given last. */
static void pass_on(struct run *r, const struct el_overrides *given, const char *setting, const char *flag)
{
    for (size_t i = given->n; i-- > 0;)
        if (strcmp(given->row[i].setting, setting) == 0) {
            add(r->exporter_args, &r->exporter_n, flag, given->row[i].text);
            return;
        }
}

/* The daemon's flags, checked before anything is started: a mistake is then reported once, by the program that the user
 * called. */
static int parse(struct run *r, struct el_machine_flags *m)
{
    struct el_overrides tried = {.n = 0};
    const struct el_flag flags[] = {
        EL_MACHINE_FLAGS(*m),
        {"mode", EL_FLAG_SETTING, &tried, .setting = "governor.mode"},
        {"log-level", EL_FLAG_SETTING, &tried, .setting = "log.level"},
        {"log-format", EL_FLAG_SETTING, &tried, .setting = "log.format"},
        {"runtime-dir", EL_FLAG_TEXT, &r->dirs.runtime},
        {"state-dir", EL_FLAG_TEXT, &r->dirs.state},
        EL_FLAG_SANDBOX(&r->sandbox),
        {0},
    };
    char *args[ARGS_MAX + 1] = {r->name};
    int result, n = r->govern_n - 1; /* the given flags follow "elementd govern" */

    memcpy(args + 1, r->govern_args + 2, (size_t)n * sizeof *args); /* getopt may reorder; NULL at the end */
    result = el_flags_read(n, args, flags, help, false);
    pass_on(r, &tried, "log.level", "--log.level");
    pass_on(r, &tried, "log.format", "--log.format");
    if (r->sandbox >= 0)
        add(r->exporter_args, &r->exporter_n, "--sandbox", el_sandbox_names[r->sandbox]);
    return result >= 0 ? result : el_machine_check(m) ? EL_EXIT_USAGE : -1;
}

/* Reports impossible settings and machines before anything is started: the exporter would come up for nothing. */
static int try_machine(struct run *r, const struct el_machine_flags *f)
{
    EL_AUTO_FREE struct el_settings *settings = malloc(sizeof *settings);
    struct el_device device;

    if (el_machine_settings(f, settings) < 0 || el_machine_open(f, settings, &device) < 0)
        return EL_EXIT_BAD;
    device.ops->close(device.dev);
    if (!r->address && settings->web.listen_addresses > 0 &&
        el_text_copy(r->configured, sizeof r->configured, settings->web.listen_address[0]))
        r->address = r->configured;
    return 0;
}

static void make_commands(struct run *r, const struct el_machine_flags *f)
{
    snprintf(r->snapshot_arg, sizeof r->snapshot_arg, "%s/" EL_SNAPSHOT_FILE, r->dirs.runtime);
    snprintf(r->state_arg, sizeof r->state_arg, "%s/exporter", r->dirs.state);
    add(r->govern_args, &r->govern_n, "--runtime-dir", r->dirs.runtime);
    add(r->govern_args, &r->govern_n, "--state-dir", r->dirs.state);
    add(r->exporter_args, &r->exporter_n, "--snapshot", r->snapshot_arg);
    add(r->exporter_args, &r->exporter_n, "--state-dir", r->state_arg);
    if (el_machine_config(f))
        add(r->exporter_args, &r->exporter_n, "--config", el_machine_config(f));
    r->govern_args[r->govern_n] = r->exporter_args[r->exporter_n] = NULL;
}

static void take_signals(struct run *r)
{
    struct signalfd_siginfo si;

    while (read(r->signal_fd, &si, sizeof si) == (ssize_t)sizeof si) {
        if (si.ssi_signo == SIGHUP) {
            el_minder_signal(&r->govern, SIGHUP);
            el_minder_signal(&r->exporter, SIGHUP);
        } else if (si.ssi_signo != SIGCHLD) {
            r->ending = true;
        }
    }
}

/* A child that gives up by itself before it ever worked has said why: then we end too. */
static void mind(struct run *r, struct el_minder *m, int64_t now)
{
    int code = el_minder_step(m, now, r->ending);

    if (code > 0 && !r->ending) {
        r->result = code;
        r->ending = true;
    }
}

static void show(struct run *r, int64_t now)
{
    EL_AUTO_BUF struct el_buf b = {0};
    struct el_snapshot *s = NULL;
    const char *why;

    if (el_snapshot_read(AT_FDCWD, r->snapshot_arg, &s, &why) < 0)
        return;
    if (r->terminal) {
        el_buf_puts(&b, "\033[H\033[J");
        el_buf_printf(&b, "elementd at %s   (Ctrl-C ends it)\n\n", r->address);
        el_table_status(&b, s, r->before, now, el_table_look_of(STDOUT_FILENO));
        el_minder_tail(&r->govern, &b);
        el_minder_tail(&r->exporter, &b);
    } else {
        el_table_line(&b, s, r->before);
    }
    if (b.len && write(STDOUT_FILENO, b.data, b.len) < 0)
        r->terminal = false; /* nobody looks any more */
    el_snapshot_free(r->before);
    r->before = s;
}

static void loop(struct run *r)
{
    int64_t now = el_clock_boottime_us(), end_us = 0;

    r->show_us = now + EL_USEC_PER_SEC;
    for (;;) {
        struct pollfd p[] = {{.fd = r->signal_fd, .events = POLLIN},
                             {.fd = r->govern.log_fd, .events = POLLIN},
                             {.fd = r->exporter.log_fd, .events = POLLIN}};

        now = el_clock_boottime_us();
        if (r->ending && !end_us) {
            end_us = now + END_WAIT_US;
            el_minder_signal(&r->exporter, SIGTERM);
            el_minder_signal(&r->govern, SIGTERM);
        }
        mind(r, &r->govern, now);
        mind(r, &r->exporter, now);
        if (r->ending && end_us && r->govern.pid <= 0 && r->exporter.pid <= 0)
            return;
        if (end_us && now > end_us) {
            el_minder_signal(&r->exporter, SIGKILL);
            el_minder_signal(&r->govern, SIGKILL);
        }
        if (!r->ending && now >= r->show_us) {
            show(r, now);
            r->show_us = now + (r->terminal ? TABLE_EVERY_US : LINE_EVERY_US);
        }
        if (poll(p, EL_ARRAY_SIZE(p), 100) < 0 && errno != EINTR)
            return;
        take_signals(r);
        el_minder_read_log(&r->govern);
        el_minder_read_log(&r->exporter);
    }
}

static int open_signals(void)
{
    static const int wanted[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < EL_ARRAY_SIZE(wanted); i++)
        sigaddset(&set, wanted[i]);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void make_address(struct run *r, char *out, size_t size)
{
    const char *a = r->address ? r->address : ":10450", *colon = strrchr(a, ':');
    bool any = a[0] == ':' || strncmp(a, "0.0.0.0:", 8) == 0 || strncmp(a, "[::]:", 5) == 0;

    snprintf(out, size, "http://%s%s/", any ? "localhost" : a, any && colon ? colon : "");
    r->address = out;
}

/* Before it starts anything. That the sandbox is `off` is reported by the daemons. */
static int confine(const struct run *r, bool real)
{
    return r->sandbox == EL_SANDBOX_OFF
               ? 0
               : el_launcher_confine(EL_MAX(r->sandbox, 0), real, r->dirs.runtime, r->dirs.state);
}

int el_cmd_run(int argc, char **argv)
{
    static struct run r = {.signal_fd = -1, .sandbox = -1};
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    char address[256];
    int result;

    r.name = argv[0];
    el_govern_hold_signals();
    add(r.govern_args, &r.govern_n, "elementd", "govern");
    add(r.exporter_args, &r.exporter_n, "elementd-exporter", NULL);
    if (split_args(&r, argc, argv) != 0)
        return EL_EXIT_USAGE;
    r.govern_args[r.govern_n] = NULL;
    result = parse(&r, &machine);
    if (result >= 0)
        return result;
    result = try_machine(&r, &machine);
    if (result != 0)
        return result;
    r.signal_fd = open_signals(); /* before anything exists that must not be left behind */
    if (el_rundir_make(&r.dirs, el_machine_is_play(&machine)) < 0)
        return EL_EXIT_BAD;
    make_commands(&r, &machine);
    make_address(&r, address, sizeof address);
    r.terminal = isatty(STDOUT_FILENO);
    printf("page     %s\nmetrics  %smetrics\nJSON     %sapi/v1/snapshot\nhere     elementd status --runtime-dir "
           "%s\nCtrl-C ends it\n\n",
           r.address, r.address, r.address, r.dirs.runtime);
    fflush(stdout);
    if (confine(&r, !el_machine_is_play(&machine)) < 0) {
        el_rundir_remove(&r.dirs);
        return EL_EXIT_BAD;
    }
    el_minder_init(&r.govern, "elementd", "/proc/self/exe", r.govern_args, r.terminal);
    el_minder_init(&r.exporter, "elementd-exporter", NULL, r.exporter_args, r.terminal);
    loop(&r);
    el_snapshot_free(r.before);
    el_rundir_remove(&r.dirs);
    close(r.signal_fd);
    return r.result;
}
