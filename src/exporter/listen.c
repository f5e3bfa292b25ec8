#include "exporter/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "base/log.h"
#include "base/num.h"
#include "base/text.h"

#define BACKLOG            4096 /* the kernel cuts it to net.core.somaxconn */
#define INHERITED_FD_FIRST 3

/* "HOST:PORT" or "[HOST]:PORT" in two. */
static int split(const char *address, char *host, size_t host_size, char *port, size_t port_size)
{
    const char *colon = strrchr(address, ':'), *from = address, *end = colon;
    int64_t number;

    if (!colon)
        return -EINVAL;
    if (*address == '[') {
        from++;
        end = strchr(address, ']');
        if (!end || end + 1 != colon)
            return -EINVAL;
    } else if (memchr(address, ':', (size_t)(colon - address))) {
        return -EINVAL;
    }
    if ((size_t)(end - from) >= host_size || !el_text_copy(port, port_size, colon + 1) ||
        el_num_parse_i64(port, &number) < 0 || number < 0 || number > 65535)
        return -EINVAL;
    memcpy(host, from, (size_t)(end - from));
    host[end - from] = '\0';
    return 0;
}

static void name_of(int fd, char *out, size_t size)
{
    struct sockaddr_storage sa = {0};
    socklen_t n = sizeof sa;
    char host[NI_MAXHOST], port[NI_MAXSERV];

    el_text_copy(out, size, "?");
    if (getsockname(fd, (struct sockaddr *)&sa, &n) == 0 &&
        getnameinfo((struct sockaddr *)&sa, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) ==
            0)
        snprintf(out, size, sa.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static int take(struct el_listeners *l, int fd)
{
    if (l->n == EL_LISTENERS_MAX)
        return -E2BIG;
    l->at[l->n].fd = fd;
    name_of(fd, l->at[l->n].address, sizeof l->at[l->n].address);
    l->n++;
    return 0;
}

static int bind_one(struct el_listeners *l, const struct addrinfo *ai)
{
    int one = 1, r;
    int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if ((ai->ai_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one) < 0) ||
        bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0)
        r = -errno;
    else
        r = take(l, fd);
    if (r < 0)
        close(fd);
    return r;
}

static void complain(const char *address, int r)
{
    switch (-r) {
    case EADDRINUSE:
        el_log_error("cannot listen on %s: another program has this port; choose another with --web.listen-address",
                     address);
        break;
    case EACCES:
        el_log_error("cannot listen on %s: no permission; ports below 1024 need CAP_NET_BIND_SERVICE", address);
        break;
    case EINVAL:
        el_log_error("cannot listen on \"%s\": expected HOST:PORT, [IPV6]:PORT or :PORT", address);
        break;
    default:
        el_log_error("cannot listen on %s: %s", address, strerror(-r));
    }
}

static int add(struct el_listeners *l, const char *address)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *found = NULL;
    char host[256], port[8];
    uint32_t before = l->n;
    int r = split(address, host, sizeof host, port, sizeof port);

    if (r < 0)
        return r;
    if (getaddrinfo(host[0] ? host : NULL, port, &hints, &found) != 0)
        return -EADDRNOTAVAIL;
    for (const struct addrinfo *ai = found; ai && (r == 0 || r == -EAFNOSUPPORT); ai = ai->ai_next)
        r = bind_one(l, ai);
    freeaddrinfo(found);
    return r == -EAFNOSUPPORT && l->n > before ? 0 : r;
}

int el_listen_add(struct el_listeners *l, const char *address)
{
    int r = add(l, address);

    if (r < 0)
        complain(address, r);
    return r;
}

int el_listen_default(struct el_listeners *l)
{
    static const char *const address[] = {"[::]:" EL_WEB_PORT, "0.0.0.0:" EL_WEB_PORT};
    int r[2];

    for (int i = 0; i < 2; i++) {
        r[i] = add(l, address[i]);
        if (r[i] < 0 && r[i] != -EAFNOSUPPORT && r[i] != -EADDRNOTAVAIL) {
            complain(address[i], r[i]);
            return r[i];
        }
    }
    if (r[0] < 0 && r[1] < 0)
        complain(address[1], r[1]);
    else if (r[0] < 0 || r[1] < 0)
        el_log_info("not listening on %s: this host has no IPv%d", address[r[0] < 0 ? 0 : 1], r[0] < 0 ? 6 : 4);
    return r[0] < 0 && r[1] < 0 ? r[1] : 0;
}

static int inherit_one(struct el_listeners *l, int fd)
{
    int type = 0, listening = 0;
    socklen_t n = sizeof type;

    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &n) < 0)
        return -errno;
    if (type != SOCK_STREAM || !listening)
        return -EINVAL;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0)
        return -errno;
    return take(l, fd);
}

int el_listen_inherit(struct el_listeners *l)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    int64_t who, n;

    if (!pid || !fds || el_num_parse_i64(pid, &who) < 0 || who != getpid() || el_num_parse_i64(fds, &n) < 0)
        return 0;
    if (n < 0 || n > EL_LISTENERS_MAX) {
        el_log_error("LISTEN_FDS=%s: the service manager can pass 0 to %d sockets", fds, EL_LISTENERS_MAX);
        return -EINVAL;
    }
    for (int i = 0; i < n; i++) {
        int r = inherit_one(l, INHERITED_FD_FIRST + i);

        if (r < 0) {
            el_log_error("descriptor %d passed by the service manager is no listening stream socket: set ListenStream= "
                         "in the unit",
                         INHERITED_FD_FIRST + i);
            return r;
        }
    }
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    return (int)n;
}

void el_listen_close(struct el_listeners *l)
{
    while (l->n)
        close(l->at[--l->n].fd);
}
