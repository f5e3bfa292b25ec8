#include "exporter/exporter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/notify.h"
#include "exporter/http.h"
#include "exporter/pages.h"
#include "exporter/tls.h"

#define DESCRIPTORS_SPARE 64 /* beside one for each connection */

struct exporter {
    const struct el_exporter_options *o;
    struct el_settings settings;
    struct el_listeners listeners;
    struct el_source *source;
    struct el_pages *pages;
    struct el_content content;
    struct el_http *http;
    int signal_fd;
    /* The web configuration in force: the file it came from, and its certificates. */
    struct stat web_seen;
    const struct el_tls *tls;
};

/* Everything the web configuration needs, or nothing. */
static int load_web(struct exporter *x, const char *path, struct el_web_config **config, struct el_tls **tls)
{
    char why[512] = "";
    int r;

    *config = NULL;
    *tls = NULL;
    if (!path[0])
        return 0;
    r = x->o->load_web(path, config, why, sizeof why);
    if (r == 0 && (*config)->tls)
        r = el_tls_new(*config, tls, why, sizeof why);
    if (r < 0) {
        el_log_error("%s", why);
        *config = el_web_config_free(*config);
    }
    return r;
}

static int protect(struct exporter *x, const char *path)
{
    struct el_web_config *config;
    struct el_tls *tls;
    struct stat st = {0};
    int r;

    if (path[0])
        stat(path, &st);
    x->web_seen = st; /* also when it is bad: it is complained about once, not each second */
    r = load_web(x, path, &config, &tls);
    if (r < 0)
        return r;
    r = el_http_protect(x->http, config, tls);
    if (r == 0)
        x->tls = tls;
    return r;
}

static void reload(struct exporter *x)
{
    struct el_settings next;
    char why[4096] = "";

    el_notify("RELOADING=1\n");
    if (x->o->load(x->o->ctx, &next, why, sizeof why) < 0) {
        el_log_error("reload: %s", why);
        el_log_error("reload: the configuration is bad, the old one stays in force");
    } else if (protect(x, next.web.config_file) < 0) {
        el_log_error("reload: the web configuration is bad, the old one stays in force");
    } else {
        if (memcmp(next.web.listen_address, x->settings.web.listen_address, sizeof next.web.listen_address) != 0)
            el_log_warning("reload: listen addresses change at the next restart only");
        x->settings = next;
        el_log_set_level(next.log_level);
        el_pages_configure(x->pages, next.web.telemetry_path, UINT64_MAX);
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

static bool changed(const struct stat *seen, const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && (st.st_ino != seen->st_ino || st.st_size != seen->st_size || st.st_mtim.tv_sec != seen->st_mtim.tv_sec ||
                                    st.st_mtim.tv_nsec != seen->st_mtim.tv_nsec);
}

static void on_tick(void *ctx, int64_t now_us)
{
    struct exporter *x = ctx;
    const char *path = x->settings.web.config_file;

    if (!path[0] || (!changed(&x->web_seen, path) && !(x->tls && el_tls_outdated(x->tls))))
        return;
    if (protect(x, path) < 0)
        el_log_error("%s or its certificates changed and are bad: the old ones stay in force", path);
    else
        el_log_info("%s or its certificates changed: taken", path);
}

static int block_signals(struct exporter *x)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    x->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return x->signal_fd < 0 ? -errno : 0;
}

static void raise_descriptors(rlim_t want)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= want)
        return;
    l.rlim_cur = EL_MIN(want, l.rlim_max);
    setrlimit(RLIMIT_NOFILE, &l);
    if (l.rlim_cur < want)
        el_log_warning("only %llu descriptors for up to %llu connections: raise LimitNOFILE", (unsigned long long)l.rlim_cur,
                       (unsigned long long)want - DESCRIPTORS_SPARE);
}

static int open_listeners(struct exporter *x)
{
    int r = el_listen_inherit(&x->listeners);

    if (r != 0)
        return r;
    for (uint32_t i = 0; r == 0 && i < x->settings.web.listen_addresses; i++)
        r = el_listen_add(&x->listeners, x->settings.web.listen_address[i]);
    return r == 0 && x->listeners.n == 0 ? el_listen_default(&x->listeners) : r;
}

static int open_source(struct exporter *x)
{
    char path[EL_PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/snapshot", x->settings.runtime_dir);
    x->source = el_source_new(x->o->snapshot_path ? x->o->snapshot_path : path);
    if (x->source)
        x->pages = el_pages_new(&(struct el_pages_options){
            .source = x->source, .telemetry_path = x->settings.web.telemetry_path, .groups = UINT64_MAX});
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

    return r < 0 ? r : protect(x, x->settings.web.config_file);
}

static int serve(struct exporter *x)
{
    int r = block_signals(x);

    raise_descriptors(x->settings.web.max_connections + DESCRIPTORS_SPARE);
    if (r == 0)
        r = open_listeners(x);
    if (r == 0)
        r = open_source(x);
    if (r < 0)
        return r;
    x->content = el_pages_content(x->pages);
    r = open_http(x);
    if (r < 0)
        return r;
    for (uint32_t i = 0; i < x->listeners.n; i++)
        el_log_info("serving on %s://%s%s", x->tls ? "https" : "http", x->listeners.at[i].address, x->settings.web.telemetry_path);
    el_notify("READY=1\nSTATUS=serving on %s", x->listeners.at[0].address);
    r = el_http_run(x->http);
    el_notify("STOPPING=1");
    return r;
}

int el_exporter_run(const struct el_exporter_options *o, const struct el_settings *settings)
{
    struct exporter x = {.o = o, .settings = *settings, .signal_fd = -1};
    int r = el_notify_open();

    if (r < 0)
        el_log_warning("cannot reach the service manager: %s", strerror(-r));
    r = serve(&x);
    el_http_free(x.http);
    el_pages_free(x.pages);
    el_source_free(x.source);
    el_listen_close(&x.listeners);
    if (x.signal_fd >= 0)
        close(x.signal_fd);
    if (r < 0)
        el_log_error("cannot serve: %s", strerror(-r));
    return r < 0 ? 1 : 0;
}
