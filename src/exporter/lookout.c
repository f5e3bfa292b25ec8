#include "exporter/lookout.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

int el_lookout_open(struct el_lookout *l)
{
    *l = (struct el_lookout){.fd = epoll_create1(EPOLL_CLOEXEC),
                             .timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)};
    return l->fd < 0 || l->timer_fd < 0 ? -errno : el_lookout_add(l, l->timer_fd);
}

void el_lookout_close(struct el_lookout *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->timer_fd >= 0)
        close(l->timer_fd);
}

static int set(const struct el_lookout *l, int how, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};

    return epoll_ctl(l->fd, how, fd, &e) < 0 ? -errno : 0;
}

int el_lookout_add(struct el_lookout *l, int fd)
{
    return set(l, EPOLL_CTL_ADD, fd, EPOLLIN);
}

void el_lookout_wake(struct el_lookout *l, int fd, bool on)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = l->timer_fd};

    (void)epoll_ctl(l->fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &e);
}

void el_lookout_heed(struct el_lookout *l, int fd, bool on)
{
    (void)set(l, EPOLL_CTL_MOD, fd, on ? EPOLLIN : 0);
}

void el_lookout_alarm(struct el_lookout *l, int64_t at_us)
{
    struct itimerspec it = {.it_value = {at_us / EL_USEC_PER_SEC, at_us % EL_USEC_PER_SEC * 1000}};

    if (at_us == l->due_us)
        return;
    timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &it, NULL);
    l->due_us = at_us;
}

int el_lookout_ready(struct el_lookout *l, int fds[EL_LOOKOUT_MAX])
{
    struct epoll_event e[EL_LOOKOUT_MAX];
    int n = epoll_wait(l->fd, e, EL_LOOKOUT_MAX, 0), told = 0;

    for (int i = 0; i < n; i++)
        if (e[i].data.fd != l->timer_fd)
            fds[told++] = e[i].data.fd;
    return told;
}
