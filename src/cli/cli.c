#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/text.h"

int el_cli_usage(const char *command, const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "elementd %s: ", command);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\nelementd %s --help says how it is used\n", command);
    return EL_EXIT_USAGE;
}

void el_cli_hold_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

int el_cli_number(const char *flag, const char *arg, double min, double max, double *out)
{
    double v;

    if (el_num_parse_double(arg, &v) < 0 || v < min || v > max) {
        fprintf(stderr, "elementd: %s: got \"%s\", expected a number from %g to %g\n", flag, arg, min, max);
        return -EINVAL;
    }
    *out = v;
    return 0;
}

int el_cli_mode(const char *command, const char *arg, int *out)
{
    for (int m = 0; m < EL_MODE_COUNT; m++)
        if (strcmp(arg, el_mode_name((enum el_mode)m)) == 0) {
            *out = m;
            return 0;
        }
    el_cli_usage(command, "--mode: got \"%s\", expected observe, advise or enforce", arg);
    return -EINVAL;
}

int el_cli_log_level(const char *command, const char *arg, int *out)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {{"error", EL_LOG_ERROR}, {"warning", EL_LOG_WARNING}, {"info", EL_LOG_INFO}, {"debug", EL_LOG_DEBUG}};

    for (size_t i = 0; i < EL_ARRAY_SIZE(levels); i++)
        if (strcmp(arg, levels[i].name) == 0) {
            *out = levels[i].level;
            return 0;
        }
    el_cli_usage(command, "--log-level: got \"%s\", expected error, warning, info or debug", arg);
    return -EINVAL;
}

int el_machine_flag(struct el_machine_flags *f, int code, const char *arg)
{
    uint64_t n;

    switch (code) {
    case EL_FLAG_CONFIG:
        f->config = arg;
        return 1;
    case EL_FLAG_SIMULATE:
        f->simulate = arg;
        return 1;
    case EL_FLAG_WORKLOAD:
        f->workload = arg;
        return 1;
    case EL_FLAG_SCENARIO:
        f->scenario = arg;
        return 1;
    case EL_FLAG_ROOT:
        f->root = arg;
        return 1;
    case EL_FLAG_INLET:
        return el_cli_number("--inlet", arg, -40, 90, &f->inlet_c) < 0 ? -EINVAL : 1;
    case EL_FLAG_AIRFLOW:
        return el_cli_number("--airflow", arg, 0, 5000, &f->airflow_lfm) < 0 ? -EINVAL : 1;
    case EL_FLAG_CARDS:
        if (el_num_parse_u64(arg, &n) < 0 || n < 1 || n > 256) {
            fprintf(stderr, "elementd: --cards: got \"%.60s\", expected a whole number from 1 to 256\n", arg);
            return -EINVAL;
        }
        f->cards = (uint32_t)n;
        return 1;
    case EL_FLAG_SEED:
        if (el_num_parse_u64(arg, &f->seed) < 0) {
            fprintf(stderr, "elementd: --seed: got \"%s\", expected a whole number\n", arg);
            return -EINVAL;
        }
        return 1;
    default:
        return 0;
    }
}

bool el_machine_is_play(const struct el_machine_flags *f)
{
    return f->simulate || f->root;
}

int el_machine_check(const struct el_machine_flags *f)
{
    if (f->simulate && f->root)
        fputs("elementd: --simulate and --root exclude each other\n", stderr);
    else if (!f->simulate &&
             (f->workload || f->scenario || f->cards != 1 || isfinite(f->inlet_c) || isfinite(f->airflow_lfm)))
        fputs("elementd: --workload, --inlet, --airflow, --scenario and --cards need --simulate CARD\n", stderr);
    else
        return 0;
    return -EINVAL;
}

static bool is_directory_there(const char *path)
{
    return access(path, R_OK | X_OK) == 0;
}

void el_cli_find_profiles(struct el_settings *s)
{
    static const char *const beside[] = {"/../share/elementd/profiles", "/../../deploy/profiles"};
    char exe[EL_PATH_MAX], path[EL_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash;

    if (is_directory_there(s->profiles_dir) || n <= 0)
        return;
    exe[n] = '\0';
    slash = strrchr(exe, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < EL_ARRAY_SIZE(beside); i++)
        if ((size_t)snprintf(path, sizeof path, "%s%s", exe, beside[i]) < sizeof path && is_directory_there(path)) {
            el_text_copy(s->profiles_dir, sizeof s->profiles_dir, path);
            return;
        }
}
