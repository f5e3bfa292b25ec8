#include "exporter/exporter.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/resident.h"
#include "exporter/door.h"
#include "exporter/http.h"
#include "exporter/pages.h"
#include "exporter/self.h"
#include "exporter/snmp.h"
#include "exporter/snmp_plan.h"
#include "exporter/tls.h"

#define DESCRIPTORS_SPARE 64 /* beside those of clients */
#define CONNECTIONS_MIN   8

struct exporter {
    const struct el_exporter_options *o;
    struct el_settings settings;
    struct el_listeners listeners;
    struct el_source *source;
    struct el_history *history;
    struct el_pages *pages;
    struct el_content content;
    struct el_http *http;
    struct el_snmp *snmp; /* NULL: off */
    int signal_fd;
    char snapshot_path[EL_PATH_MAX + 16];
    int64_t watchdog_us, watchdog_due_us; /* how often the service manager wants a sign of life; 0 = never */
    /* The web configuration in force: the file it came from, and its certificates. */
    struct stat web_seen;
    const struct el_web_config *web;
    struct el_tls *tls;
    bool started;                       /* what is read now must stand where the sandbox lets it */
    bool settings_refused, web_refused; /* the last ones offered; the ones before them are in force */
};

/* Everything the web configuration needs, or nothing and why. */
static int load_web(struct exporter *x, const char *path, struct el_web_config **config, struct el_tls **tls, char *why,
                    size_t why_size)
{
    int r;

    *config = NULL;
    *tls = NULL;
    if (!path[0])
        return 0;
    r = x->o->load_web(path, config, why, why_size);
    if (r == 0 && (*config)->tls)
        r = el_tls_new(*config, tls, why, why_size);
    if (r < 0)
        *config = el_web_config_free(*config);
    return r;
}

/* A file that is being written, was emptied, or lost a part must not open the door by itself: that takes an operator
 * who asks. 0, or -EINVAL (logged). */
static int check_successor(const struct exporter *x, const char *path, const struct el_web_config *next, bool asked)
{
    const char *lost = el_web_config_drops(x->web, next),
               *cut = x->web && next ? el_text_cut_short(x->web->file, next->file) : NULL;

    if (next && next->file.empty && !cut)
        el_log_warning("%s states nothing: plain HTTP for everybody", path);
    if (cut)
        el_log_error("%s: %s", path, cut);
    else if (lost && !asked)
        el_log_error("%s: without %s now: if that is meant, reload (SIGHUP) or restart elementd-exporter", path, lost);
    else if (lost)
        el_log_warning("what protected the pages is gone: %s", lost);
    return cut || (lost && !asked) ? -EINVAL : 0;
}

/* Why something of the web configuration was not taken. */
static void complain(const struct exporter *x, const char *why, int r)
{
    el_log_error("%s%s", why,
                 r == -EACCES && x->started
                     ? "; if it may be read otherwise, it stands in a directory that the sandbox "
                       "does not let in yet: `systemctl restart elementd-exporter`"
                     : "");
}

static int protect(struct exporter *x, const char *path, bool asked)
{
    struct el_web_config *config;
    struct el_tls *tls;
    struct stat seen = x->web_seen;
    char why[512] = "";
    int r;

    x->web_seen = (struct stat){0};
    if (path[0])
        el_file_changed(path, &x->web_seen);
    r = load_web(x, path, &config, &tls, why, sizeof why);
    if (r < 0)
        complain(x, why, r);
    if (el_tls_same(tls, x->tls)) { /* then no session ends */
        el_tls_unref(tls);
        tls = x->tls ? el_tls_ref(x->tls) : NULL;
    }
    if (r == 0 && (r = check_successor(x, path, config, asked)) == 0)
        r = el_http_protect(x->http, config, tls);
    if (r == 0) {
        x->web = config;
        x->tls = tls;
    } else {
        el_tls_unref(tls);
        el_web_config_free(config);
    }
    if (r < 0 && strcmp(path, x->settings.web.config_file) != 0)
        x->web_seen = seen; /* the file that stays in force has not changed */
    x->web_refused = r < 0;
    return r;
}

/* The certificates of the configuration in force, whatever was refused since. */
static int renew(struct exporter *x)
{
    struct el_tls *tls;
    char why[512];
    int r = el_tls_new(x->web, &tls, why, sizeof why);

    if (r < 0) {
        complain(x, why, r);
        return r;
    }
    r = el_http_renew(x->http, tls);
    if (r < 0)
        el_tls_unref(tls);
    else
        x->tls = tls;
    return r;
}

/* The metric groups that are asked for. */
static int groups_of(const struct el_settings *s, uint64_t *out, char *why, size_t why_size)
{
    char bad[64];

    if (el_metric_groups_parse(s->web.collect, out, bad, sizeof bad) == 0)
        return 0;
    snprintf(why, why_size, "web.collect: there is no metric group \"%s\"; see `elementd metrics`", bad);
    return -EINVAL;
}

static void stats(void *ctx, struct el_exporter_stats *out)
{
    struct exporter *x = ctx;
    const struct el_http_counters *c = el_http_counters(x->http);

    el_self_process(&out->process);
    out->http_requests = c->requests;
    out->http_connections = c->connections;
    el_self_rejects(c, out->http_rejects);
    out->config_ok = !x->settings_refused && !x->web_refused;
    out->agentx_connected = out->snmp_waiting = -1;
    if (x->snmp) {
        struct el_snmp_state snmp = el_snmp_state(x->snmp);

        out->agentx_connected = snmp.agentx == EL_SNMP_AGENTX_OFF ? -1 : snmp.agentx == EL_SNMP_AGENTX_CONNECTED;
        out->snmp_waiting = (int32_t)snmp.waiting;
        out->snmp_requests = snmp.requests;
        out->traps_sent = snmp.notifications;
        out->traps_dropped = snmp.suppressed;
    }
}

/* The settings as they stand now and their metric groups, or why not. */
static int load_settings(struct exporter *x, struct el_settings *next, uint64_t *groups, char *why, size_t why_size)
{
    int r = x->o->load(x->o->ctx, next, why, why_size);
    const char *cut = r == 0 ? el_text_cut_short(x->settings.file, next->file) : NULL;

    if (cut) {
        snprintf(why, why_size, "%s: %s", x->o->config_path, cut);
        return -EINVAL;
    }
    return r < 0 ? r : groups_of(next, groups, why, why_size);
}

static void reload(struct exporter *x)
{
    struct el_settings next;
    uint64_t groups = 0;
    char why[4096] = "";

    el_notify("RELOADING=1\n");
    x->settings_refused = load_settings(x, &next, &groups, why, sizeof why) < 0;
    if (x->settings_refused) {
        el_log_error("reload: %s; the old configuration stays in force", why);
    } else if (protect(x, next.web.config_file, true) < 0) {
        x->settings_refused = true;
        el_log_error("reload: the web configuration is bad, the old one stays in force");
    } else {
        if (memcmp(next.web.listen_address, x->settings.web.listen_address, sizeof next.web.listen_address) != 0)
            el_log_warning("reload: listen addresses change at the next restart only");
        if (memcmp(&next.snmp, &x->settings.snmp, sizeof next.snmp) != 0)
            el_log_warning("reload: SNMP settings change at the next restart only");
        x->settings = next;
        el_log_set_level(next.log_level);
        el_pages_configure(x->pages, next.web.telemetry_path, groups);
        el_log_info("reload: done");
    }
    el_notify("READY=1\nSTATUS=serving on %s", x->listeners.at[0].address);
}

static bool on_signal(void *ctx)
{
    struct exporter *x = ctx;
    struct signalfd_siginfo info;

    while (read(x->signal_fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGHUP)
            return false;
        reload(x);
    }
    return true;
}

static void take_history(struct exporter *x, int64_t now_us)
{
    enum el_source_state state;
    const struct el_snapshot *s;

    if (!el_history_due(x->history, now_us))
        return;
    el_pages_make_room(x->pages);
    s = el_source_acquire(x->source, now_us, &state);
    el_history_take(x->history, s, state, now_us);
    el_source_release(x->source, s);
}

/* Told once each, also when it is bad. */
static void follow_web(struct exporter *x, const char *path)
{
    bool file = path[0] && el_file_changed(path, &x->web_seen), certificates = x->tls && el_tls_outdated(x->tls);

    bool refused = x->web_refused;

    if (!file && !certificates)
        return;
    if (protect(x, path, false) == 0)
        el_log_info("%s or its certificates changed: taken", path);
    else if (certificates && (file || refused) && renew(x) == 0)
        el_log_warning("%s is bad: the old one stays in force, and its certificates, which changed, are taken", path);
    else
        el_log_error("%s or its certificates changed and are bad: the old ones stay in force", path);
}

static void on_tick(void *ctx, int64_t now_us)
{
    struct exporter *x = ctx;
    take_history(x, now_us);
    if (x->watchdog_us && now_us >= x->watchdog_due_us) {
        el_notify("WATCHDOG=1");
        x->watchdog_due_us = now_us + x->watchdog_us / 3;
    }
    follow_web(x, x->settings.web.config_file);
}

static int block_signals(struct exporter *x)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    x->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (x->signal_fd >= 0)
        return 0;
    el_log_error("cannot wait for signals: %s", strerror(errno));
    return -EMFILE;
}

/* For all connections and for who waits at the door; else fewer connections, so that who stalls can be displaced: a
 * client without a descriptor would wait until all before it gave up. */
static void raise_descriptors(uint32_t *connections)
{
    rlim_t want = *connections + el_callers_max(*connections) + DESCRIPTORS_SPARE, room;
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= want)
        return;
    l.rlim_cur = EL_MIN(want, l.rlim_max);
    setrlimit(RLIMIT_NOFILE, &l);
    if (l.rlim_cur >= want)
        return;
    room = EL_MAX(l.rlim_cur, DESCRIPTORS_SPARE) - DESCRIPTORS_SPARE;
    room = EL_MAX(EL_MAX(room / 3, room - EL_MIN(room, EL_CALLERS_MAX)), CONNECTIONS_MIN);
    el_log_warning("only %llu descriptors: %u connections at a time instead of %u; raise LimitNOFILE",
                   (unsigned long long)l.rlim_cur, (unsigned)room, *connections);
    *connections = (uint32_t)room;
}

static int open_listeners(struct exporter *x)
{
    int r = el_listen_inherit(&x->listeners);

    if (r != 0)
        return EL_MIN(r, 0); /* passed sockets replace configured ones */
    for (uint32_t i = 0; r == 0 && i < x->settings.web.listen_addresses; i++)
        r = el_listen_add(&x->listeners, x->settings.web.listen_address[i]);
    return r == 0 && x->listeners.n == 0 ? el_listen_default(&x->listeners) : r;
}

static int open_source(struct exporter *x)
{
    struct el_pages_options p = {.telemetry_path = x->settings.web.telemetry_path, .stats = stats, .ctx = x};
    char why[128];

    if (groups_of(&x->settings, &p.groups, why, sizeof why) < 0) {
        el_log_error("%s", why);
        return -EINVAL;
    }
    p.source = x->source = el_source_new(x->snapshot_path);
    p.history = x->history = el_history_new();
    x->pages = x->source && x->history ? el_pages_new(&p) : NULL;
    return x->pages ? 0 : -ENOMEM;
}

static int open_http(struct exporter *x)
{
    struct el_http_options o = {
        .listeners = &x->listeners,
        .content = &x->content,
        .max_connections = x->settings.web.max_connections,
        .header_timeout_ms = x->settings.web.header_timeout_ms,
        .total_timeout_ms = x->settings.web.total_timeout_ms,
        .wake_fd = x->signal_fd,
        .wake = on_signal,
        .tick = on_tick,
        .ctx = x,
    };
    int r = el_http_new(&o, &x->http);

    if (r == 0)
        r = protect(x, x->settings.web.config_file, true);
    x->started = true;
    return r;
}

static int enter_sandbox(struct exporter *x)
{
    const struct el_settings *set = &x->settings;
    struct el_sandbox s = {
        .mode = x->o->sandbox,
        .user = x->o->user,
        .read = {"/proc/self"},
        .write = {x->o->state_dir},
        .unix_sockets = set->snmp.agentx,
        .udp = set->snmp.standalone[0] || set->snmp.sinks,
        .tcp = strncmp(set->snmp.agentx_socket, "tcp", 3) == 0,
    };
    struct el_web_config *web = NULL;
    char why[512];
    int r;

    if (set->web.config_file[0] && x->o->load_web(set->web.config_file, &web, why, sizeof why) < 0) {
        el_log_error("%s", why);
        return -EINVAL;
    }
    const char *files[] = {
        x->snapshot_path,
        x->o->config_path,
        set->web.config_file,
        set->snmp.users_file,
        el_snmp_plan_asks(set) ? "/etc/resolv.conf" : NULL, /* and hosts, nsswitch.conf */
        web ? web->cert_file : NULL,
        web ? web->key_file : NULL,
        web ? web->client_ca_file : NULL,
    };
    s.files = files;
    s.files_n = EL_ARRAY_SIZE(files);
    r = el_sandbox_enter(&s);
    el_web_config_free(web);
    return r;
}

static const struct el_snapshot *snmp_acquire(void *ctx, int64_t now_us, bool *stale)
{
    struct exporter *x = ctx;
    enum el_source_state state;
    const struct el_snapshot *s = el_source_acquire(x->source, now_us, &state);

    *stale = state == EL_SOURCE_STALE;
    if (state != EL_SOURCE_NONE)
        return s;
    el_source_release(x->source, s);
    return NULL;
}

static void snmp_release(void *ctx, const struct el_snapshot *s)
{
    struct exporter *x = ctx;

    el_source_release(x->source, s);
}

static int prepare_snmp(struct exporter *x)
{
    struct el_snmp_source source = {.acquire = snmp_acquire, .release = snmp_release, .ctx = x};
    char why[512];
    int r = el_snmp_prepare(&x->settings, x->o->state_dir, &source, &x->snmp, why, sizeof why);

    if (r < 0)
        el_log_error("%s", why);
    return r;
}

static int serve(struct exporter *x)
{
    int r = block_signals(x);

    raise_descriptors(&x->settings.web.max_connections);
    if (r == 0)
        r = open_listeners(x);
    if (r == 0)
        r = open_source(x);
    if (r < 0)
        return r;
    x->content = el_pages_content(x->pages);
    r = prepare_snmp(x);
    if (r == 0)
        r = enter_sandbox(x);
    if (r == 0 && x->snmp)
        r = el_snmp_start(x->snmp);
    if (r == 0)
        r = open_http(x);
    if (r < 0)
        return r;
    for (uint32_t i = 0; i < x->listeners.n; i++)
        el_log_info("serving on %s://%s%s", x->tls ? "https" : "http", x->listeners.at[i].address,
                    x->settings.web.telemetry_path);
    el_resident_trim();
    el_notify("READY=1\nSTATUS=serving on %s", x->listeners.at[0].address);
    r = el_http_run(x->http);
    if (r < 0)
        el_log_error("the HTTP server gave up: %s", strerror(-r));
    el_notify("STOPPING=1");
    return r;
}

int el_exporter_check(const struct el_exporter_options *o, const struct el_settings *settings, char *why, size_t size)
{
    struct exporter x = {.o = o, .settings = *settings};
    EL_AUTO_FREE struct el_snmp_plan *plan = calloc(1, sizeof *plan);
    struct el_web_config *web = NULL;
    struct el_tls *tls = NULL;
    uint64_t groups;
    int r = plan ? groups_of(settings, &groups, why, size) : -ENOMEM;

    if (r == 0 && el_snmp_plan_wanted(settings))
        r = el_snmp_plan_read(settings, o->state_dir, plan, why, size);
    if (r == 0)
        r = load_web(&x, settings->web.config_file, &web, &tls, why, size);
    if (r == 0 && web && (r = enter_sandbox(&x)) == 0) {
        el_tls_unref(tls);
        el_web_config_free(web);
        r = load_web(&x, settings->web.config_file, &web, &tls, why, size); /* with the rights that it will have */
    }
    el_tls_unref(tls);
    el_web_config_free(web);
    return r;
}

/* glibc raises this limit to the largest block ever freed, and then keeps blocks as large: of 1,024 drives, snapshots
 * of 6 MB and what is made of them. Nor need the SNMP thread have a heap of its own. */
static void keep_no_large_blocks(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
}

int el_exporter_run(const struct el_exporter_options *o, const struct el_settings *settings)
{
    struct exporter x = {.o = o, .settings = *settings, .signal_fd = -1};
    int r = el_notify_open();

    keep_no_large_blocks();
    x.watchdog_us = el_notify_watchdog_us();
    snprintf(x.snapshot_path, sizeof x.snapshot_path, "%s%s",
             o->snapshot_path ? o->snapshot_path : x.settings.runtime_dir, o->snapshot_path ? "" : "/snapshot");
    if (r < 0)
        el_log_warning("cannot reach the service manager: %s", strerror(-r));
    r = serve(&x);
    el_snmp_free(x.snmp);
    el_http_free(x.http);
    el_pages_free(x.pages);
    el_history_free(x.history);
    el_source_free(x.source);
    el_listen_close(&x.listeners);
    if (x.signal_fd >= 0)
        close(x.signal_fd);
    if (r == -ENOMEM)
        el_log_error("out of memory"); /* everything else has said what it is */
    return r;
}
