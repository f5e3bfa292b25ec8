#include "exporter/sandbox.h"

#include <seccomp.h>
#include <sys/socket.h>

#include "base/base.h"

#define CALLS_MAX 32
#define ALL       UINT64_MAX
#define TYPE      0xf /* of a socket, without its flags */

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

int el_sandbox_enter(const struct el_sandbox *s)
{
    const char *read[EL_SANDBOX_PATHS + 1] = {NULL}, *write[EL_SANDBOX_PATHS + 1] = {NULL};
    struct el_confine_call calls[CALLS_MAX];
    struct el_confine c = {
        .mode = s->mode, .user = s->user, .read = read, .write = write, .tcp_connect = s->tcp, .calls = calls};

    for (int i = 0; i < EL_SANDBOX_PATHS && s->read[i]; i++)
        read[i] = s->read[i];
    for (int i = 0; i < EL_SANDBOX_PATHS && s->write[i]; i++)
        write[i] = s->write[i];
    c.calls_n = choose_calls(s, calls);
    return el_confine(&c);
}
