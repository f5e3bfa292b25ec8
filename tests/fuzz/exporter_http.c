/* A client's bytes through the real server, over loopback: routing, negotiation, conditions, names and passwords.
 * First byte: bit 0 the server that asks for a password, bit 1 the bytes come in two pieces; the rest is what is sent.
 */
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "exporter/http.h"
#include "exporter/pages.h"
#include "fuzz.h"
#include "support/make_snapshot.h"

#define REPLY_MAX   (4u << 20)
#define CONNECTIONS 16

struct server {
    struct el_listeners listeners;
    struct el_http *http;
    struct sockaddr_in address;
};

static struct server server[2]; /* for everyone; for "user" with the password "pass" */
static struct el_content content;
static char reply[REPLY_MAX + 1];

static bool on_wake(void *ctx)
{
    (void)ctx;
    return true;
}

static void *serve(void *ctx)
{
    el_http_run(ctx);
    abort();
}

static void open_content(void)
{
    static struct el_test_snapshot made = {.drives = 2, .sensors = 1, .events = 2, .alarms = 1, .odd = true};
    struct el_pages_options o = {.telemetry_path = "/metrics", .groups = UINT64_MAX};
    struct el_snapshot *s = el_test_snapshot_new(&made);
    char path[128];

    if (!s)
        abort();
    snprintf(path, sizeof path, "%s/snapshot", fuzz_dir("snapshot", (const uint8_t *)s, s->size));
    el_snapshot_free(s);
    o.source = el_source_new(path);
    content = el_pages_content(el_pages_new(&o));
}

static struct el_web_config *one_user(void)
{
    struct el_web_config *c = calloc(1, sizeof *c);

    c->users = calloc(1, sizeof *c->users);
    c->users_n = 1;
    c->users[0].name = strdup("user");
    c->users[0].hash = strdup("$2b$04$abcdefghijklmnopqrstuufznL8bkzdtHwLhca4To/v9Lo9bA7fR6");
    return c;
}

static void open_server(struct server *s, struct el_web_config *config)
{
    struct el_http_options o = {.listeners = &s->listeners,
                                .content = &content,
                                .max_connections = CONNECTIONS,
                                .header_timeout_ms = 5000,
                                .total_timeout_ms = 8000,
                                .wake_fd = eventfd(0, EFD_CLOEXEC),
                                .wake = on_wake};
    socklen_t n = sizeof s->address;
    pthread_t thread;

    if (el_listen_add(&s->listeners, "127.0.0.1:0") < 0 || el_http_new(&o, &s->http) < 0 ||
        el_http_protect(s->http, config, NULL) < 0 ||
        getsockname(s->listeners.at[0].fd, (struct sockaddr *)&s->address, &n) < 0 ||
        pthread_create(&thread, NULL, serve, s->http) != 0)
        abort();
    pthread_detach(thread);
}

/* Short patience, and no goodbye: a request that never ends is given up. */
static int dial(const struct server *s)
{
    static const struct timeval patience = {.tv_usec = 50000};
    static const struct linger reset = {.l_onoff = 1};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    /* All ports may be waiting, or the fuzzer's own alarm may come in between. */
    while (fd >= 0 && connect(fd, (const struct sockaddr *)&s->address, sizeof s->address) < 0) {
        if (errno != EADDRNOTAVAIL && errno != EINTR)
            abort();
        usleep(100000);
        close(fd);
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    }
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
        abort();
    return fd;
}

/* All that is answered. A last request that closes follows, so that the end need not be waited for. */
static size_t talk(const struct server *s, const uint8_t *data, size_t n, bool halves)
{
    static const char last[] = "\r\n\r\nGET /-/healthy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    size_t got = 0, first = halves ? n / 2 : n;
    int fd = dial(s);
    ssize_t r;

    if (send(fd, data, first, MSG_NOSIGNAL) == (ssize_t)first)
        (void)!send(fd, data + first, n - first, MSG_NOSIGNAL);
    (void)!send(fd, last, sizeof last - 1, MSG_NOSIGNAL);
    while (got < REPLY_MAX && (r = recv(fd, reply + got, REPLY_MAX - got, 0)) > 0)
        got += (size_t)r;
    close(fd);
    reply[got] = '\0';
    return got;
}

static bool has_status(const char *line)
{
    static const int known[] = {100, 200, 304, 400, 401, 404, 405, 411, 413, 414, 417, 429, 431, 501, 503, 505};
    int status = atoi(line + 9);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (status == known[i])
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    size_t got;

    if (n < 1)
        return 0;
    if (!content.get) {
        open_content();
        open_server(&server[0], NULL);
        open_server(&server[1], one_user());
    }
    got = talk(&server[data[0] & 1], data + 1, n - 1, data[0] & 2);
    if (got && (strncmp(reply, "HTTP/1.", 7) != 0 || !has_status(reply)))
        abort();
    if (el_http_counters(server[data[0] & 1].http)->connections > CONNECTIONS + 8) /* those cut may not be gone yet */
        abort();
    /* Nothing is told to those who give no name. */
    if (data[0] & 1 && !memmem(data, n, "asic", 4) && !memmem(data, n, "ASIC", 4) && strstr(reply, "element_"))
        abort();
    return 0;
}
