#include "exporter/door.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/base.h"

#define STRANGERS_A_TURN 16   /* who have not sent a whole request */
#define TURNS            4    /* it takes at least, to turn over the house; in each fourth the eldest is next */
#define CALLERS_A_TURN   128  /* are accepted under TLS */
#define GLANCE           2048 /* bytes of it, the most that are looked at */
#define TLS_HANDSHAKE    0x16
#define TLS_RECORD       5 /* its header: type, version, length */
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

static struct el_caller *caller_of(struct el_guest *g)
{
    return (struct el_caller *)g; /* its first member */
}

/* Off the step, one way or the other; its socket stays open. */
static void step_off(struct el_door *d, struct el_caller *c)
{
    if (d->tls)
        el_lookout_wake(d->lookout, c->guest.fd, false);
    el_admission_leave(&d->step, &c->guest);
}

static void send_away(struct el_door *d, struct el_guest *g)
{
    step_off(d, caller_of(g));
    close(g->fd);
    free(caller_of(g));
}

/* Whoever deserves least makes room, and the next attempt waits a little. */
static void out_of_descriptors(struct el_door *d, int64_t now_us)
{
    struct el_admission full = d->admission;

    full.limit = 1;
    if (!d->step.count) /* else those make room when they are let in */
        make_room(d, el_admission_victim(&full, now_us), now_us);
    d->accept_after_us = now_us + ACCEPT_PAUSE_US;
}

void el_door_clear(struct el_door *d)
{
    while (d->step.head)
        send_away(d, d->step.head);
}

static void make_room_on_step(struct el_door *d, int64_t now_us)
{
    struct el_guest *victim = el_admission_victim(&d->step, now_us);

    if (!victim)
        return;
    d->counters->crowded_out++;
    send_away(d, victim);
}

/* False: no more for now. */
static bool take_caller(struct el_door *d, int listen_fd, int64_t now_us)
{
    struct sockaddr_in6 from;
    socklen_t n = sizeof from;
    int fd = accept4(listen_fd, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct el_caller *c = fd >= 0 ? calloc(1, sizeof *c) : NULL;

    if (!c) {
        int error = errno;

        if (fd >= 0)
            close(fd);
        if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM)
            out_of_descriptors(d, now_us);
        return error == EINTR || error == ECONNABORTED;
    }
    make_room_on_step(d, now_us);
    *c = (struct el_caller){.guest.fd = fd, .n = n, .from = from};
    el_admission_enter(&d->step, &c->guest, (struct sockaddr *)&c->from, now_us);
    c->guest.trusted = d->known(d->ctx, c->guest.address);
    if (d->tls)
        el_lookout_wake(d->lookout, fd, true);
    return true;
}

void el_door_accept(struct el_door *d, int listen_fd, int64_t now_us)
{
    /* Callers leave the step soon, but for those under TLS of whom we wait for more: there a newcomer has a place, and
     * those who are in are not to wait for a flood of them. */
    for (int i = 0; d->tls ? i < CALLERS_A_TURN : d->step.count < d->step.limit; i++)
        if (now_us < d->accept_after_us || !take_caller(d, listen_fd, now_us))
            return;
}

/* False: it has gone again and said nothing, or what it has said leads nowhere. */
static bool look_at_caller(const struct el_door *d, struct el_guest *g, short revents, int64_t now_us)
{
    uint8_t head[GLANCE];
    ssize_t n;

    if (!revents)
        return true;
    if (d->tls && revents != POLLIN)
        return false; /* a handshake is not finished by who says no more */
    if (g->heard) {   /* it waits for us, and is not to leave before one for whom we wait */
        el_admission_progress(g, now_us);
        return true;
    }
    n = recv(g->fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    if (!d->tls)
        g->heard = memmem(head, (size_t)n, "\r\n\r\n", 4);
    else /* a record as a rule; whatever else it may be is for the library to tell */
        g->heard = n >= TLS_RECORD &&
                   (head[0] != TLS_HANDSHAKE || n == sizeof head || n >= TLS_RECORD + (head[3] << 8 | head[4]));
    return true;
}

/* Those who are still there, and which of them are ready. */
static void look_at_callers(struct el_door *d, int64_t now_us)
{
    struct pollfd p[EL_CALLERS_MAX];
    struct el_guest *g, *next;
    uint32_t n = 0;

    for (g = d->step.head; g && n < EL_CALLERS_MAX; g = g->next)
        p[n++] = (struct pollfd){.fd = g->fd, .events = d->tls ? POLLIN | POLLRDHUP : POLLIN};
    if (poll(p, n, 0) <= 0)
        return;
    g = d->step.head;
    for (uint32_t i = 0; i < n; i++, g = next) {
        next = g->next;
        if (look_at_caller(d, g, p[i].revents, now_us))
            continue;
        d->counters->bad_request += d->tls;
        send_away(d, g);
    }
}

static int standing(const struct el_guest *g)
{
    return g->trusted ? 2 : el_admission_is_local(g->address);
}

/* Whether `a` goes before `b`, of whom `b` came first. */
static bool goes_before(const struct el_guest *a, const struct el_guest *b)
{
    return a->peers != b->peers ? a->peers < b->peers : standing(a) > standing(b);
}

static struct el_guest *next_caller(const struct el_door *d, bool ready)
{
    struct el_guest *first = NULL;

    for (struct el_guest *g = d->step.head; g; g = g->next) /* youngest first */
        if (g->heard == ready && (!first || d->turn % TURNS == 0 || !goes_before(first, g)))
            first = g;
    return first;
}

static void let_in(struct el_door *d, struct el_guest *g, int64_t now_us)
{
    struct el_caller *c = caller_of(g);

    d->turn++;
    step_off(d, c);
    make_room(d, victim_of(d, now_us), now_us);
    d->arrive(d->ctx, g->fd, (struct sockaddr *)&c->from, c->n);
    free(c);
}

static void let_some_in(struct el_door *d, bool ready, uint32_t most, int64_t now_us)
{
    struct el_guest *g;

    while (most-- && (g = next_caller(d, ready)))
        let_in(d, g, now_us);
}

void el_door_admit(struct el_door *d, int64_t now_us)
{
    if (d->tls || d->step.count > STRANGERS_A_TURN)
        look_at_callers(d, now_us);
    if (!d->tls)
        let_some_in(d, false, STRANGERS_A_TURN, now_us);
    /* Last, so that no stranger crowds them out; and only so many as are served before the next could. */
    let_some_in(d, true, d->tls ? 1 : EL_MAX(d->admission.limit / TURNS, 1), now_us);
    d->pressing = d->tls ? next_caller(d, true) != NULL : d->step.count > 0;
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

static void sweep_step(struct el_door *d, int64_t now_us)
{
    struct el_guest *next;

    for (struct el_guest *g = d->step.head; g; g = next) {
        next = g->next;
        if (g->heard || !el_admission_overdue(&d->step, g, now_us))
            continue;
        d->counters->header_timeout++;
        send_away(d, g);
    }
}

void el_door_sweep(struct el_door *d, int64_t now_us)
{
    sweep_step(d, now_us);
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
