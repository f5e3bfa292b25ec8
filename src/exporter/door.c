#include "exporter/door.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include "base/base.h"

#define ACCEPTS_A_TURN  32
#define ACCEPT_PAUSE_US (50 * EL_USEC_PER_MSEC)
#define CLOSE_WAIT      8 /* of tcpi_state: netinet/tcp.h names it, but does not go together with linux/tcp.h */
#define NOTHING_YET     2 /* bytes */
#define LINGER_US       (100 * EL_USEC_PER_MSEC) /* what was sent before the end is being answered by then */

void el_door_cut(struct el_door *d, struct el_guest *g, int64_t now_us)
{
    shutdown(g->fd, SHUT_RDWR);
    el_admission_phase(&d->admission, g, EL_PHASE_CUT, now_us);
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
    make_room(d, el_admission_victim(&full, now_us), now_us);
    d->accept_after_us = now_us + ACCEPT_PAUSE_US;
}

void el_door_accept(struct el_door *d, int listen_fd, int64_t now_us)
{
    for (int i = 0; i < ACCEPTS_A_TURN && now_us >= d->accept_after_us; i++) {
        struct sockaddr_storage from = {0};
        socklen_t n = sizeof from;
        int fd = accept4(listen_fd, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd >= 0) {
            make_room(d, el_admission_victim(&d->admission, now_us), now_us);
            d->arrive(d->ctx, fd, (struct sockaddr *)&from, n);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            out_of_descriptors(d, now_us);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

static struct tcp_info tcp_of(int fd)
{
    struct tcp_info info = {0};
    socklen_t n = sizeof info;

    (void)getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n);
    return info;
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
        if (!el_admission_overdue(&d->admission, g, now_us))
            continue;
        if (g->phase == EL_PHASE_HEADER)
            d->counters->header_timeout++;
        else if (g->phase != EL_PHASE_IDLE)
            d->counters->total_timeout++;
        el_door_cut(d, g, now_us);
    }
}
