#include "exporter/door.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/base.h"

#define STRANGERS_A_TURN 16   /* who have not sent a whole request */
#define TURNS            4    /* it takes at least, to turn over the house */
#define TURNS_TLS        16   /* a handshake takes a few, and each newcomer a signature */
#define GLANCE           2048 /* bytes of it, the most that are looked at */
#define TLS_HANDSHAKE    0x16
#define ACCEPT_PAUSE_US  (50 * EL_USEC_PER_MSEC)
#define ESTABLISHED      1 /* of tcpi_state: netinet/tcp.h names them, but does not go together with linux/tcp.h */
#define CLOSE_WAIT       8
#define NOTHING_YET      2                        /* bytes */
#define CHECKED_US       (2 * EL_USEC_PER_SEC)    /* so long a password's check may outlive the client's last word */
#define LINGER_US        (100 * EL_USEC_PER_MSEC) /* what was sent before the end is being answered by then */

void el_door_cut(struct el_door *d, struct el_guest *g, int64_t now_us)
{
    shutdown(g->fd, SHUT_RDWR);
    el_admission_phase(&d->admission, g, EL_PHASE_CUT, now_us);
}

static struct tcp_info tcp_of(int fd)
{
    struct tcp_info info = {0};
    socklen_t n = sizeof info;

    (void)getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n);
    return info;
}

bool el_door_spoken(const struct el_guest *g)
{
    int n = 0;

    return ioctl(g->fd, FIONREAD, &n) == 0 && n > 0;
}

/* True when it stands to leave though it has said something that was not read yet: it waits for us, not we for it. What
 * is there is read before the next turn. */
static bool kept_waiting(struct el_door *d, struct el_guest *g, int64_t now_us)
{
    if (g->since_us >= now_us || !(g->phase == EL_PHASE_IDLE || (d->tls && g->phase == EL_PHASE_HEADER)) ||
        !el_door_spoken(g))
        return false;
    if (g->phase == EL_PHASE_HEADER)
        return el_admission_excuse(g, now_us);
    el_admission_phase(&d->admission, g, EL_PHASE_HEADER, now_us);
    return true;
}

static struct el_guest *victim_of(struct el_door *d, int64_t now_us)
{
    struct el_guest *g = el_admission_victim(&d->admission, now_us);

    while (g && kept_waiting(d, g, now_us))
        g = el_admission_victim(&d->admission, now_us);
    return g;
}

static void make_room(struct el_door *d, struct el_guest *victim, int64_t now_us)
{
    if (!victim)
        return;
    d->counters->crowded_out++;
    el_door_cut(d, victim, now_us);
}

/* Whoever deserves least makes room, and the next attempt waits a little. */
static void out_of_descriptors(struct el_door *d, int64_t now_us)
{
    struct el_admission full = d->admission;

    full.limit = 1;
    if (!d->callers) /* else those make room when they are let in */
        make_room(d, el_admission_victim(&full, now_us), now_us);
    d->accept_after_us = now_us + ACCEPT_PAUSE_US;
}

int el_door_init(struct el_door *d)
{
    d->caller = malloc(EL_CALLERS_MAX * sizeof *d->caller);
    return d->caller ? 0 : -ENOMEM;
}

void el_door_close(struct el_door *d)
{
    for (uint32_t i = 0; i < d->callers; i++)
        close(d->caller[i].fd);
    free(d->caller);
    d->caller = NULL;
    d->callers = 0;
}

void el_door_accept(struct el_door *d, int listen_fd, int64_t now_us)
{
    while (d->callers < el_callers_max(d->admission.limit) && now_us >= d->accept_after_us) {
        struct el_caller *c = &d->caller[d->callers];

        *c = (struct el_caller){.n = sizeof c->from};
        c->fd = accept4(listen_fd, (struct sockaddr *)&c->from, &c->n, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (c->fd >= 0)
            d->callers++;
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            out_of_descriptors(d, now_us);
        else if (errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

/* False: it has gone again and said nothing. */
static bool look_at_caller(struct el_caller *c, short revents)
{
    char head[GLANCE];
    ssize_t n;

    if (!revents)
        return true;
    n = recv(c->fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    c->ready = head[0] == TLS_HANDSHAKE || memmem(head, (size_t)n, "\r\n\r\n", 4);
    return true;
}

/* Those who are still there, and which of them are ready. */
static void look_at_callers(struct el_door *d)
{
    struct pollfd p[EL_CALLERS_MAX];
    uint32_t n = d->callers;

    for (uint32_t i = 0; i < n; i++)
        p[i] = (struct pollfd){.fd = d->caller[i].fd, .events = POLLIN};
    if (poll(p, n, 0) <= 0)
        return;
    d->callers = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (look_at_caller(&d->caller[i], p[i].revents))
            d->caller[d->callers++] = d->caller[i];
        else
            close(d->caller[i].fd);
    }
}

void el_door_admit(struct el_door *d, int64_t now_us)
{
    uint32_t n = d->callers, strangers = 0, ready = 0, turns = d->tls ? TURNS_TLS : TURNS,
             ready_max = EL_MAX(d->admission.limit / turns, 1);

    if (n > STRANGERS_A_TURN)
        look_at_callers(d);
    n = d->callers;
    d->callers = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct el_caller c = d->caller[i];

        /* Even of those who are ready only so many as are served before the next could crowd them out. */
        if (c.ready ? ++ready > ready_max : ++strangers > STRANGERS_A_TURN) {
            d->caller[d->callers++] = c;
            continue;
        }
        make_room(d, victim_of(d, now_us), now_us);
        d->arrive(d->ctx, c.fd, (struct sockaddr *)&c.from, c.n);
    }
}

bool el_door_unfinished(const struct el_guest *g)
{
    return g->phase != EL_PHASE_CUT && tcp_of(g->fd).tcpi_bytes_received != g->bytes_mark;
}

void el_door_answered(struct el_door *d, struct el_guest *g, uint64_t bytes, int64_t now_us)
{
    g->bytes_mark = bytes ? g->bytes_mark + bytes : tcp_of(g->fd).tcpi_bytes_received;
    el_admission_phase(&d->admission, g, EL_PHASE_IDLE, now_us);
}

/* Between two requests: has the next one begun, or will none come? The library does not see the end of a client's
 * sending that came together with its request. That end counts as a byte, and an empty line may go before a request:
 * neither is the beginning of one. */
static void look_at_idle(struct el_door *d, struct el_guest *g, int64_t now_us)
{
    struct tcp_info tcp = tcp_of(g->fd);

    if ((int64_t)(tcp.tcpi_bytes_received - g->bytes_mark) > NOTHING_YET) {
        el_admission_phase(&d->admission, g, EL_PHASE_HEADER, now_us);
        return;
    }
    g->bytes_mark = tcp.tcpi_bytes_received;
    if (tcp.tcpi_state == CLOSE_WAIT && now_us - g->since_us >= LINGER_US)
        el_door_cut(d, g, now_us);
}

void el_door_sweep(struct el_door *d, int64_t now_us)
{
    for (struct el_guest *g = d->admission.head; g; g = g->next) {
        if (g->phase == EL_PHASE_IDLE)
            look_at_idle(d, g, now_us);
        if (g->phase == EL_PHASE_CHECK && now_us - g->since_us > CHECKED_US && tcp_of(g->fd).tcpi_state != ESTABLISHED)
            el_door_cut(d, g, now_us); /* gone: the library does not look at it meanwhile */
        if (!el_admission_overdue(&d->admission, g, now_us))
            continue;
        if (g->phase == EL_PHASE_HEADER)
            d->counters->header_timeout++;
        else if (g->phase != EL_PHASE_IDLE)
            d->counters->total_timeout++;
        el_door_cut(d, g, now_us);
    }
}
