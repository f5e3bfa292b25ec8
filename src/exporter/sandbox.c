#include "exporter/sandbox.h"

#include <limits.h>
#include <seccomp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"

#define CALLS_MAX       32
#define DIRECTORIES_MAX 16
#define ALL             UINT64_MAX
#define TYPE            0xf /* of a socket, without its flags */

/* What serving takes beyond what any program of ours calls. */
static const int serving[] = {
    SCMP_SYS(accept),          SCMP_SYS(accept4),     SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_wait),      SCMP_SYS(epoll_pwait), SCMP_SYS(sendfile),      SCMP_SYS(shutdown),
    SCMP_SYS(getsockopt),      SCMP_SYS(setsockopt),  SCMP_SYS(getsockname),   SCMP_SYS(getpeername),
    SCMP_SYS(pipe2),           SCMP_SYS(dup),         SCMP_SYS(dup3),          SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_settime),
};

static size_t choose_calls(const struct el_sandbox *s, struct el_confine_call *out)
{
    static const uint64_t families[] = {AF_INET, AF_INET6};
    size_t n = 0;

    for (size_t i = 0; i < EL_ARRAY_SIZE(serving); i++)
        out[n++] = (struct el_confine_call){serving[i]};
    if (s->unix_sockets)
        out[n++] = (struct el_confine_call){SCMP_SYS(socket), {ALL, TYPE}, {AF_UNIX, SOCK_STREAM}};
    for (size_t i = 0; i < EL_ARRAY_SIZE(families); i++) {
        if (s->udp)
            out[n++] = (struct el_confine_call){SCMP_SYS(socket), {ALL, TYPE}, {families[i], SOCK_DGRAM}};
        if (s->tcp)
            out[n++] = (struct el_confine_call){SCMP_SYS(socket), {ALL, TYPE}, {families[i], SOCK_STREAM}};
    }
    if (s->unix_sockets || s->tcp || s->udp)
        out[n++] = (struct el_confine_call){SCMP_SYS(connect)};
    if (s->udp)
        out[n++] = (struct el_confine_call){SCMP_SYS(bind)};
    return n;
}

struct directories {
    char path[DIRECTORIES_MAX][PATH_MAX];
    size_t n;
};

/* The directory of a file, or the nearest one above that is there: the rest may be made later. The root is never
 * opened. */
static void add_parent(struct directories *d, const char *file)
{
    char path[PATH_MAX];
    char *slash;

    snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file);
    do {
        slash = strrchr(path, '/');
        if (!slash || slash == path)
            return;
        *slash = '\0';
    } while (access(path, F_OK) < 0);
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->path[i], path) == 0)
            return;
    if (d->n < DIRECTORIES_MAX)
        strcpy(d->path[d->n++], path);
}

/* Where a file stands, and where it really is when that is a link: certificates are renewed by changing links. */
static void add_directories(struct directories *d, const char *file)
{
    char real[PATH_MAX];

    if (!file || !file[0])
        return;
    add_parent(d, file);
    if (realpath(file, real))
        add_parent(d, real);
}

int el_sandbox_enter(const struct el_sandbox *s)
{
    const char *read[EL_SANDBOX_PATHS + DIRECTORIES_MAX + 1] = {NULL}, *write[EL_SANDBOX_PATHS + 1] = {NULL};
    EL_AUTO_FREE struct directories *d = calloc(1, sizeof *d);
    size_t n = 0;
    struct el_confine_call calls[CALLS_MAX];
    struct el_confine c = {
        .mode = s->mode, .user = s->user, .read = read, .write = write, .tcp_connect = s->tcp, .calls = calls};

    if (!d)
        return -ENOMEM;
    for (int i = 0; i < EL_SANDBOX_PATHS && s->read[i]; i++)
        read[n++] = s->read[i];
    for (size_t i = 0; i < s->files_n; i++)
        add_directories(d, s->files[i]);
    for (size_t i = 0; i < d->n; i++)
        read[n++] = d->path[i];
    for (int i = 0; i < EL_SANDBOX_PATHS && s->write[i]; i++)
        write[i] = s->write[i];
    c.calls_n = choose_calls(s, calls);
    return el_confine(&c);
}
