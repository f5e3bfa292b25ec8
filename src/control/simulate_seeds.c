#include "control/simulate_seeds.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/text.h"

#define WORKERS_MAX 64

struct answer {
    uint32_t index;
    int32_t error;
    struct el_simulate_result result;
    char why[200];
};

static int run_one(const struct el_simulate_options *o, uint32_t i, struct el_simulate_result *out, char *why,
                   size_t why_size)
{
    struct el_simulate_options mine = *o;

    mine.seed += i;
    return el_simulate(&mine, out, why, why_size);
}

/* Every workers-th seed from `first`, answers down the pipe. Answers are smaller than PIPE_BUF: they never mix. */
static void work(const struct el_simulate_options *o, uint32_t first, uint32_t n, uint32_t workers, int fd)
{
    struct el_simulate_options quiet = *o;

    quiet.watch = NULL;
    for (uint32_t i = first; i < n; i += workers) {
        struct answer a = {.index = i};

        a.error = run_one(&quiet, i, &a.result, a.why, sizeof a.why);
        if (write(fd, &a, sizeof a) != sizeof a)
            _exit(1);
    }
    _exit(0);
}

static int collect(int fd, uint32_t n, struct el_simulate_result *results, char *why, size_t why_size)
{
    struct answer a;
    uint32_t got = 0;
    ssize_t r;

    while ((r = read(fd, &a, sizeof a)) != 0) {
        if (r < 0 && errno == EINTR)
            continue;
        if (r != sizeof a)
            break;
        if (a.error < 0) {
            el_text_copy(why, why_size, a.why);
            return a.error;
        }
        results[a.index] = a.result;
        got++;
    }
    if (got == n)
        return 0;
    el_text_copy(why, why_size, "a worker process died");
    return -EIO;
}

int el_simulate_seeds(const struct el_simulate_options *o, uint32_t n, struct el_simulate_result *results, char *why,
                      size_t why_size)
{
    uint32_t workers = (uint32_t)EL_CLAMP(sysconf(_SC_NPROCESSORS_ONLN), 1, WORKERS_MAX), started = 0;
    pid_t pid[WORKERS_MAX];
    int pipe_fd[2], r;

    if (n == 1)
        return run_one(o, 0, results, why, why_size);
    if (pipe(pipe_fd) < 0) {
        el_text_copy(why, why_size, strerror(errno));
        return -errno;
    }
    fflush(NULL);
    workers = EL_MIN(workers, n);
    while (started < workers) {
        pid[started] = fork();
        if (pid[started] == 0) {
            close(pipe_fd[0]);
            work(o, started, n, workers, pipe_fd[1]);
        }
        if (pid[started] < 0)
            break;
        started++;
    }
    close(pipe_fd[1]);
    r = collect(pipe_fd[0], n, results, why, why_size);
    close(pipe_fd[0]); /* after a failure the others stop at their next answer */
    for (uint32_t i = 0; i < started; i++)
        waitpid(pid[i], NULL, 0);
    return r;
}

static bool more_is_better(const char *name)
{
    return strcmp(name, "iops") == 0 || strncmp(name, "throughput", 10) == 0 || strncmp(name, "jain", 4) == 0 ||
           strcmp(name, "speed") == 0;
}

void el_simulate_summary(const struct el_simulate_result *results, uint32_t n, struct el_simulate_result *mean,
                         struct el_simulate_result *worst)
{
    for (size_t k = 0; k < el_simulate_figures_count; k++) {
        double sum = 0, count = 0, extreme = NAN;

        for (uint32_t i = 0; i < n; i++) {
            double v = el_simulate_figure(&results[i], k);

            if (isnan(v))
                continue;
            sum += v;
            count++;
            extreme = more_is_better(el_simulate_figures[k].name) ? fmin(extreme, v) : fmax(extreme, v);
        }
        *(double *)((char *)mean + el_simulate_figures[k].offset) = count > 0 ? sum / count : NAN;
        *(double *)((char *)worst + el_simulate_figures[k].offset) = extreme;
    }
}

static const char mean_prefix[] = "mean_";

static size_t figure_index(const char *name)
{
    size_t k = 0;

    if (strncmp(name, mean_prefix, sizeof mean_prefix - 1) == 0)
        name += sizeof mean_prefix - 1;
    while (k < el_simulate_figures_count && strcmp(el_simulate_figures[k].name, name) != 0)
        k++;
    return k;
}

bool el_simulate_expect_known(const struct el_scenario_expect *e)
{
    return figure_index(e->figure) < el_simulate_figures_count;
}

static bool within(const struct el_scenario_expect *e, double v)
{
    return !isnan(v) && !(v < e->min) && !(v > e->max); /* a bound that is NAN bounds nothing */
}

bool el_simulate_expect(const struct el_scenario_expect *e, uint64_t seed, const struct el_simulate_result *results,
                        uint32_t n, struct el_buf *b)
{
    struct el_simulate_result mean, worst;
    size_t k = figure_index(e->figure);
    bool over_mean = strncmp(e->figure, mean_prefix, sizeof mean_prefix - 1) == 0, good = true;

    el_simulate_summary(results, n, &mean, &worst);
    for (uint32_t i = 0; i < (over_mean ? 1 : n); i++) {
        double v = el_simulate_figure(over_mean ? &mean : &results[i], k);

        if (within(e, v))
            continue;
        good = false;
        el_buf_printf(b, "%s: ", e->figure);
        if (!over_mean)
            el_buf_printf(b, "seed %ju: ", (uintmax_t)(seed + i));
        el_buf_printf(b, "got %.6g, expected", v);
        if (!isnan(e->min))
            el_buf_printf(b, " at least %g", e->min);
        if (!isnan(e->max))
            el_buf_printf(b, " at most %g", e->max);
        el_buf_putc(b, '\n');
    }
    return good;
}
