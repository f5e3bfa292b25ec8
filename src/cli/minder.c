#include "cli/minder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/text.h"

#define FIRST_DELAY_US (50 * EL_USEC_PER_MSEC)
#define LAST_DELAY_US  (10 * EL_USEC_PER_SEC)
#define QUICK_US       (5 * EL_USEC_PER_SEC)  /* dead sooner than this after its start: a crash loop */
#define GIVES_UP_US    (30 * EL_USEC_PER_SEC) /* even a slow machine has found out by then what is wrong */

void el_minder_init(struct el_minder *m, const char *name, const char *path, char **args, bool capture)
{
    *m = (struct el_minder){.name = name, .path = path, .args = args, .log_fd = -1, .capture = capture};
}

static void exec_child(const struct el_minder *m)
{
    char beside[PATH_MAX];
    ssize_t n;

    n = readlink("/proc/self/exe", beside, sizeof beside - strlen(m->name) - 2);
    if (m->path) {
        beside[EL_MAX(n, 0)] = '\0';
        execv(beside, m->args); /* by its name, which `ps` shows; fails when the file was replaced meanwhile */
        execv(m->path, m->args);
    }
    if (!m->path && n > 0) {
        beside[n] = '\0';
        strcpy(strrchr(beside, '/') + 1, m->name);
        execv(beside, m->args);
        execvp(m->name, m->args);
    }
    fprintf(stderr, "elementd: cannot start %s: %s\n", m->name, strerror(errno));
    _exit(127);
}

static void start(struct el_minder *m, int64_t now_us)
{
    pid_t parent = getpid();
    int log[2] = {-1, -1};
    sigset_t none;

    m->start_us = now_us;
    if (!m->first_us)
        m->first_us = now_us;
    if (m->log_fd >= 0)
        close(m->log_fd);
    m->log_fd = -1;
    if (m->capture && pipe2(log, O_CLOEXEC | O_NONBLOCK) < 0)
        log[0] = log[1] = -1;
    m->pid = fork();
    int error = errno;
    if (m->pid == 0) {
        setpgid(0, 0); /* Ctrl-C goes to us; we tell the children */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(0);
        if (log[1] >= 0)
            dup2(log[1], STDERR_FILENO);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        exec_child(m);
    }
    if (log[1] >= 0)
        close(log[1]);
    m->log_fd = log[0];
    if (m->pid > 0) {
        m->starts++;
        return;
    }
    fprintf(stderr, "elementd: cannot start %s: %s\n", m->name, strerror(error));
    m->pid = 0;
    m->again_us = now_us + EL_USEC_PER_SEC;
}

/* Notes how it died and when to restart it. Returns its exit code when it gave up by itself before it had worked. */
static int buried(struct el_minder *m, int status, int64_t now_us)
{
    int64_t lived = now_us - m->start_us, delay;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

    m->pid = 0;
    el_minder_read_log(m);
    if (code > 0 && m->starts == 1 && lived < GIVES_UP_US)
        return code;
    m->quick = lived < QUICK_US ? m->quick + 1 : 0;
    delay = m->quick > 8 ? LAST_DELAY_US : EL_MIN(FIRST_DELAY_US << m->quick, LAST_DELAY_US);
    m->again_us = now_us + delay;
    if (WIFSIGNALED(status))
        fprintf(stderr, "elementd: %s was killed by signal %d; starting it again\n", m->name, WTERMSIG(status));
    else
        fprintf(stderr, "elementd: %s ended with code %d; starting it again\n", m->name, code);
    return 0;
}

int el_minder_step(struct el_minder *m, int64_t now_us, bool ending)
{
    int status, code = 0;

    if (m->pid > 0 && waitpid(m->pid, &status, WNOHANG) == m->pid) {
        if (ending)
            m->pid = 0;
        else
            code = buried(m, status, now_us);
    }
    if (m->pid == 0 && !ending && code == 0 && now_us >= m->again_us)
        start(m, now_us);
    return code;
}

void el_minder_signal(const struct el_minder *m, int signal)
{
    if (m->pid > 0)
        kill(m->pid, signal);
}

static void end_line(struct el_minder *m)
{
    m->part[m->part_n] = '\0';
    el_text_clean(m->tail[m->tail_next++ % EL_MINDER_TAIL], sizeof m->tail[0], m->part);
    m->part_n = 0;
}

void el_minder_read_log(struct el_minder *m)
{
    char chunk[1024];
    ssize_t n;

    while (m->log_fd >= 0 && (n = read(m->log_fd, chunk, sizeof chunk)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (chunk[i] == '\n' || m->part_n + 1 == sizeof m->part)
                end_line(m);
            if (chunk[i] != '\n')
                m->part[m->part_n++] = chunk[i];
        }
}

void el_minder_tail(const struct el_minder *m, struct el_buf *b)
{
    for (unsigned i = 0; i < EL_MINDER_TAIL; i++) {
        const char *line = m->tail[(m->tail_next + i) % EL_MINDER_TAIL];

        if (line[0])
            el_buf_printf(b, "%s\n", line);
    }
}
