#include "base/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/num.h"

static int notify_fd = -1;

int el_unix_connect(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    int fd;

    if (n < 2 || n >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return -EINVAL;
    memcpy(to.sun_path, path, n);
    if (path[0] == '@')
        to.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) < 0) {
        int r = -errno;

        close(fd);
        return r;
    }
    return fd;
}

int el_notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    int fd = path ? el_unix_connect(path) : -1;

    if (path && fd < 0)
        return fd;
    notify_fd = fd;
    unsetenv("NOTIFY_SOCKET");
    return 0;
}

void el_notify(const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (notify_fd < 0)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    /* A full queue or a manager that is gone must never block us. */
    (void)!send(notify_fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

int64_t el_notify_watchdog_us(void)
{
    const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    int64_t us, who;

    if (!usec || el_num_parse_i64(usec, &us) < 0 || us <= 0)
        return 0;
    if (pid && (el_num_parse_i64(pid, &who) < 0 || who != getpid()))
        return 0;
    return us;
}
