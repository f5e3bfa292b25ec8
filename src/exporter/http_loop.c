/* The server around the library: what it is made of, what it waits for, what is due. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/log.h"
#include "exporter/http_parts.h"

#define SWEEP_US   (250 * EL_USEC_PER_MSEC)
#define TICK_US    EL_USEC_PER_SEC
#define UNSEEN_MAX 8 /* turns without a look at what else is ready, while lone requests do not cease */
#define IDLE_US    (300 * EL_USEC_PER_SEC) /* kept alive between scrapes; cut earlier when the house is full */

static int post_lookout(struct el_http *h)
{
    int r = el_lookout_open(&h->lookout);

    for (int i = 0; i < 2; i++) {
        h->aside_fd[i] = epoll_create1(EPOLL_CLOEXEC);
        if (r == 0)
            r = h->aside_fd[i] < 0 ? -errno : el_lookout_add(&h->lookout, h->aside_fd[i]);
    }
    if (r == 0 && h->o.wake_fd >= 0)
        r = el_lookout_add(&h->lookout, h->o.wake_fd);
    for (uint32_t i = 0; r == 0 && i < h->o.listeners->n; i++)
        r = el_lookout_add(&h->lookout, h->o.listeners->at[i].fd);
    h->listening = true;
    return r;
}

int el_http_new(const struct el_http_options *o, struct el_http **out)
{
    struct el_http *h = calloc(1, sizeof *h);

    if (!h)
        return -ENOMEM;
    h->o = *o;
    h->door = (struct el_door){
        .admission = {.limit = o->max_connections,
                      .header_us = o->header_timeout_ms * EL_USEC_PER_MSEC,
                      .total_us = o->total_timeout_ms * EL_USEC_PER_MSEC,
                      .idle_us = IDLE_US},
        .lookout = &h->lookout,
        .counters = &h->counters,
        .known = el_http_known,
        .arrive = el_http_arrive,
        .ctx = h,
    };
    h->door.step = h->door.admission;
    h->door.step.limit = el_callers_max(o->max_connections);
    if (post_lookout(h) == 0)
        h->daemon = el_http_start_daemon(h, false);
    for (int i = 0; h->daemon && i < EL_REFUSALS; i++)
        if (!(h->refusal[i] = el_body_refusal((enum el_refusal)i)))
            el_http_stop_daemon(h);
    if (!h->daemon) {
        el_log_error("cannot start the HTTP server: out of memory or descriptors");
        el_http_free(h);
        return -ENOMEM;
    }
    *out = h;
    return 0;
}

struct el_http *el_http_free(struct el_http *h)
{
    if (!h)
        return NULL;
    el_http_stop_daemon(h);
    el_door_clear(&h->door);
    for (int i = 0; i < EL_REFUSALS; i++)
        el_body_retire(h->refusal[i]);
    el_auth_free(h->auth);
    el_tls_unref(h->tls);
    el_web_config_free(h->config);
    el_lookout_close(&h->lookout);
    for (int i = 0; i < 2; i++)
        if (h->aside_fd[i] > 0)
            close(h->aside_fd[i]);
    free(h);
    return NULL;
}

/* TLS switched on or off takes another daemon, and ends all connections. Where clients are checked otherwise, those
 * between two requests end, the others, of whose requests a byte may have come, when they are answered. */
static int change_sessions(struct el_http *h, const struct el_tls *tls)
{
    struct MHD_Daemon *d;

    if (!tls == !h->tls) {
        for (struct el_guest *g = h->door.admission.head; g && !el_tls_same_checks(tls, h->tls); g = g->next)
            if (g->phase == EL_PHASE_IDLE && el_door_spoken(g))
                el_admission_phase(&h->door.admission, g, EL_PHASE_HEADER, h->now_us);
            else if (g->phase == EL_PHASE_IDLE)
                el_door_cut(&h->door, g, h->now_us);
        return 0;
    }
    d = el_http_start_daemon(h, tls);
    if (!d)
        return -ENOMEM;
    el_http_stop_daemon(h);
    el_door_clear(&h->door);
    h->daemon = d;
    return 0;
}

int el_http_renew(struct el_http *h, struct el_tls *tls)
{
    int r = change_sessions(h, tls);

    if (r < 0)
        return r;
    el_tls_unref(h->tls);
    h->tls = tls;
    h->door.tls = tls;
    return 0;
}

int el_http_protect(struct el_http *h, struct el_web_config *config, struct el_tls *tls)
{
    if (config && config->users_n && !h->auth) {
        struct el_auth *auth = el_auth_new();

        if (!auth || el_lookout_add(&h->lookout, el_auth_fd(auth)) < 0) {
            el_auth_free(auth);
            return -ENOMEM;
        }
        h->auth = auth;
    }
    if (el_http_renew(h, tls) < 0)
        return -ENOMEM;
    if (h->auth)
        el_auth_configure(h->auth, config);
    el_web_config_free(h->config);
    h->config = config;
    h->edition++;
    return 0;
}

/* At everything but the connections. False: stop serving. */
static bool look_around(struct el_http *h)
{
    int ready[EL_LOOKOUT_MAX], n = el_lookout_ready(&h->lookout, ready);
    bool woken = false;

    for (int i = 0; i < n; i++) {
        if (ready[i] == h->o.wake_fd)
            woken = true; /* last: it may change everything */
        else if (h->auth && ready[i] == el_auth_fd(h->auth))
            el_http_take_verdicts(h);
        else if (ready[i] != h->aside_fd[0] && ready[i] != h->aside_fd[1])
            el_door_accept(&h->door, ready[i], h->now_us);
    }
    el_http_take_up(h);
    return !woken || h->o.wake(h->o.ctx);
}

/* Whoever cannot be let in is not looked at for a while: without descriptors, listeners stay ready. */
static void heed_listeners(struct el_http *h)
{
    bool on = h->now_us >= h->door.accept_after_us;

    for (uint32_t i = 0; on != h->listening && i < h->o.listeners->n; i++)
        el_lookout_heed(&h->lookout, h->o.listeners->at[i].fd, on);
    h->listening = on;
}

/* Whatever is due, and the alarm for what will be. */
static void on_time(struct el_http *h)
{
    if (h->now_us >= h->next_sweep_us) {
        el_door_sweep(&h->door, h->now_us);
        el_http_resume_waiting(h, false);
        h->next_sweep_us = h->now_us + SWEEP_US;
    }
    if (h->now_us >= h->next_tick_us) {
        if (h->o.tick)
            h->o.tick(h->o.ctx, h->now_us);
        h->next_tick_us = h->now_us + TICK_US;
    }
    heed_listeners(h);
    el_lookout_alarm(&h->lookout, h->door.admission.head || h->door.step.head
                                      ? EL_MIN(h->next_tick_us, h->next_sweep_us)
                                      : h->next_tick_us);
}

int el_http_run(struct el_http *h)
{
    bool serving = true;

    h->now_us = el_clock_boottime_us();
    while (serving) {
        uint64_t requests = h->counters.requests;

        on_time(h);
        if (el_http_wait(h, !h->door.pressing) < 0)
            return -EIO;
        h->now_us = el_clock_boottime_us();
        /* A lone request spares itself the look: what else is ready wakes the library again at once. */
        if (h->counters.requests == requests + 1 && !h->door.pressing && ++h->unseen < UNSEEN_MAX)
            continue;
        serving = look_around(h);
        el_door_admit(&h->door, h->now_us);
        h->unseen = 0;
    }
    return 0;
}

const struct el_http_counters *el_http_counters(const struct el_http *h)
{
    return &h->counters;
}
