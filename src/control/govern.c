#include "control/govern.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/resident.h"
#include "config/config.h"
#include "control/tick.h"

/* A governor has room for the largest card there is: with pages of its own, what a smaller one leaves untouched costs
 * nothing. */
#define LARGE_BYTES   (64 * 1024)
#define READ_WAIT_US  (250 * EL_USEC_PER_MSEC)  /* how long a round waits for readings it has just asked for */
#define FIRST_WAIT_US (1500 * EL_USEC_PER_MSEC) /* the first round: Identify and the optional logs of every drive */
/* Rounds brought forward by plug events are at least this far apart; twice as far each time while events come without
 * end. */
#define EVENT_GAP_US     (300 * EL_USEC_PER_MSEC)
#define EVENT_GAP_MAX_US EL_USEC_PER_SEC

struct govern {
    const struct el_govern_options *o;
    struct el_settings settings;
    struct el_tick *tick;
    int signal_fd, timer_fd;
    int64_t due_us, last_us, event_gap_us;
    bool ending, began;
};

static void minded(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
}

void el_govern_hold_signals(void)
{
    sigset_t set;

    minded(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static int block_signals(void)
{
    sigset_t set;

    minded(&set);
    signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static void reload(struct govern *g)
{
    struct el_config_error err;
    const char *cut;

    el_notify("RELOADING=1\nMONOTONIC_USEC=%lld", (long long)el_clock_monotonic_us());
    EL_AUTO_FREE struct el_settings *fresh = malloc(sizeof *fresh);
    if (!g->o->config) {
        el_log_info("no settings file was given: nothing to reload");
    } else if (!fresh || el_config_load_over(g->o->defaults, g->o->config, fresh, &err) < 0) {
        el_tick_reload_failed(g->tick, fresh ? err.text : "out of memory");
    } else if ((cut = el_text_cut_short(g->settings.file, fresh->file))) {
        snprintf(err.text, sizeof err.text, "%s: %s", g->o->config, cut);
        el_tick_reload_failed(g->tick, err.text);
    } else {
        if (g->o->amend)
            g->o->amend(g->o->ctx, fresh);
        g->settings = *fresh;
        el_tick_reload(g->tick, fresh);
        el_log_info("%s: settings reloaded", g->o->config);
    }
    el_notify("READY=1");
}

static void take_signals(struct govern *g)
{
    struct signalfd_siginfo si;

    while (read(g->signal_fd, &si, sizeof si) == (ssize_t)sizeof si) {
        if (si.ssi_signo == SIGHUP)
            reload(g);
        else
            g->ending = true;
    }
}

static void arm(struct govern *g)
{
    struct itimerspec it = {
        .it_value = {.tv_sec = g->due_us / EL_USEC_PER_SEC, .tv_nsec = g->due_us % EL_USEC_PER_SEC * 1000}};

    timerfd_settime(g->timer_fd, TFD_TIMER_ABSTIME, &it, NULL);
}

/* Soon, not at once: a plug event comes with a dozen others. */
static void bring_forward(struct govern *g)
{
    g->due_us = EL_MIN(g->due_us, EL_MAX(g->last_us, el_clock_boottime_us()) + g->event_gap_us);
}

/* Waits for the next round, for something being plugged in or out, or for the answer of a drive that hung. */
static void wait_due(struct govern *g)
{
    int event_fd = el_tick_event_fd(g->tick), done_fd = el_tick_done_fd(g->tick);
    struct pollfd p[] = {{.fd = g->signal_fd, .events = POLLIN},
                         {.fd = g->timer_fd, .events = POLLIN},
                         {.fd = event_fd, .events = POLLIN},
                         {.fd = el_tick_missing(g->tick) ? done_fd : -1, .events = POLLIN}};
    uint64_t expired;

    (void)!read(done_fd, &expired, sizeof expired); /* of the round that was */
    if (el_tick_answered(g->tick))                  /* and of what came after its last look */
        bring_forward(g);
    arm(g);
    while (!g->ending) {
        if (poll(p, EL_ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
            return;
        take_signals(g);
        if (read(g->timer_fd, &expired, sizeof expired) == (ssize_t)sizeof expired) {
            g->event_gap_us = p[2].fd == event_fd ? EVENT_GAP_US : EL_MIN(2 * g->event_gap_us, EVENT_GAP_MAX_US);
            return;
        }
        if ((p[2].fd >= 0 && p[2].revents) || (p[3].fd >= 0 && p[3].revents)) {
            bring_forward(g);
            arm(g);
            p[2].fd = p[3].fd = -1; /* until then do not listen */
        }
    }
}

static void wait_readers(struct govern *g, int64_t until_us)
{
    struct pollfd p[] = {{.fd = g->signal_fd, .events = POLLIN}, {.fd = el_tick_done_fd(g->tick), .events = POLLIN}};

    for (bool waiting = el_tick_take(g->tick); !g->ending && waiting;) {
        int64_t left = until_us - el_clock_boottime_us();
        uint64_t done;

        if (left <= 0)
            return;
        if (poll(p, EL_ARRAY_SIZE(p), (int)(left / 1000) + 1) < 0 && errno != EINTR)
            return;
        if (p[0].revents)
            take_signals(g);
        waiting = el_tick_take(g->tick);
        if (waiting) { /* else the round goes on at once: the next one's first look takes it */
            (void)!read(p[1].fd, &done, sizeof done);
            waiting = el_tick_take(g->tick); /* who was done between the two tells it no more */
        }
    }
}

static void tell_manager(const struct govern *g)
{
    const struct el_snapshot *s = el_tick_snapshot(g->tick);
    uint32_t up = 0, capped = 0;
    double hottest = NAN;
    char heat[32] = "";

    for (uint32_t i = 0; i < s->slots.count; i++) {
        const struct el_slot *t = &el_snapshot_slots(s)[i];

        up += t->state == EL_SLOT_UP;
        capped +=
            t->decision.cap_ratio > 0 && t->decision.cap_ratio < 1 && el_card_enforced(&el_snapshot_cards(s)[t->card]);
        hottest = fmax(hottest, el_reading_kilo(&t->temp_mc[0])); /* fmax passes over NAN */
    }
    if (isfinite(hottest))
        snprintf(heat, sizeof heat, ", hottest %d C", (int)lround(hottest));
    /* The watchdog is fed here and nowhere else: by a round that came to its end. */
    el_notify("%sWATCHDOG=1\nSTATUS=%u drives up, %u capped%s%s", g->began ? "" : "READY=1\n", up, capped, heat,
              s->daemon.config_ok ? "" : "; the last reload was refused");
}

static void rounds(struct govern *g)
{
    int64_t period;

    g->due_us = el_clock_boottime_us();
    while (!g->ending) {
        period = g->settings.poll.tick_ms * EL_USEC_PER_MSEC;
        g->last_us = el_clock_boottime_us();
        el_tick_begin(g->tick);
        wait_readers(g, g->last_us + (g->began ? EL_MIN(READ_WAIT_US, period / 2) : FIRST_WAIT_US));
        if (g->ending)
            break;
        (void)el_tick_finish(g->tick); /* an unwritten snapshot is in the log already */
        tell_manager(g);
        if (!g->began)
            el_resident_trim();
        g->began = true;
        /* Fixed grid; after a suspend or a long stall the missed rounds are not made up for. */
        g->due_us += period;
        if (g->due_us <= el_clock_boottime_us())
            g->due_us = el_clock_boottime_us() + period / 10;
        wait_due(g);
    }
}

int el_govern(const struct el_govern_options *o)
{
    struct govern g = {.o = o, .settings = *o->settings, .signal_fd = -1, .timer_fd = -1, .event_gap_us = EVENT_GAP_US};
    int r = block_signals();

    mallopt(M_ARENA_MAX, 1); /* workers allocate nothing worth an arena each */
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    if (r < 0) {
        o->device.ops->close(o->device.dev);
        return r;
    }
    g.signal_fd = r;
    r = el_govern_confine(&(struct el_govern_confine){o->sandbox, o->config, o->machine, o->real}, o->settings);
    if (r < 0)
        o->device.ops->close(o->device.dev);
    else
        r = el_tick_new(&o->device, o->settings, &g.tick);
    if (r == 0) {
        g.timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
        r = g.timer_fd < 0 ? -errno : 0;
    }
    if (r == 0) {
        rounds(&g);
        el_notify("STOPPING=1");
    }
    el_tick_free(g.tick);
    close(g.signal_fd);
    if (g.timer_fd >= 0)
        close(g.timer_fd);
    return r;
}
