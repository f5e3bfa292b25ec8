#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>

#include "fuzz.h"
#include "support/wrap.h"
#include "twin/external.h"

/* A plant that answers with these bytes, whatever it is asked: no process, but the calls that start one, speak with it
 * and end it, put in place of the system's by the linker (tests.cmake). Each answer is a line; one that begins with a
 * form feed comes together with the line before it. */
#define PLANT    (1 << 22) /* larger than any process or descriptor */
#define PLANT_FD PLANT

static struct {
    const uint8_t *data;
    size_t n;
} plant;

WRAP(int, pipe2, int fd[2], int flags)
{
    fd[0] = fd[1] = PLANT_FD;
    return 0;
}

WRAP(pid_t, fork, void)
{
    return PLANT;
}

WRAP(int, setpgid, pid_t pid, pid_t group)
{
    return 0;
}

WRAP(int, poll, struct pollfd *p, nfds_t n, int timeout_ms)
{
    return n == 1 && p->fd == PLANT_FD ? 1 : __real_poll(p, n, timeout_ms);
}

WRAP(int, close, int fd)
{
    return fd == PLANT_FD ? 0 : __real_close(fd);
}

WRAP(ssize_t, write, int fd, const void *bytes, size_t n)
{
    return fd == PLANT_FD ? (ssize_t)n : __real_write(fd, bytes, n);
}

WRAP(ssize_t, read, int fd, void *out, size_t n)
{
    size_t take = 0;

    if (fd != PLANT_FD)
        return __real_read(fd, out, n);
    while (take < plant.n && take < n && (take == 0 || plant.data[take - 1] != '\n' || plant.data[take] == '\f'))
        take++;
    memcpy(out, plant.data, take);
    plant.data += take;
    plant.n -= take;
    return (ssize_t)take;
}

WRAP(pid_t, waitpid, pid_t pid, int *status, int options)
{
    if (pid != PLANT)
        return __real_waitpid(pid, status, options);
    *status = 0;
    return pid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_external_command command = {.t_s = 2};
    struct el_external_facts facts;
    struct el_external_state state;
    struct el_external *x;
    char why[256];

    plant.data = data;
    plant.n = n;
    if (el_external_start("", &x, why, sizeof why) < 0)
        abort();
    if (el_external_hello(x, "c", 4, 2, &facts) == 0)
        for (int i = 0; i < 8 && el_external_step(x, &facts, &command, &state) == 0; i++)
            command.t_s += 2;
    el_external_free(x);
    return 0;
}
