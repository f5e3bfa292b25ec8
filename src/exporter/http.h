/* The HTTP server: one thread, one loop, bodies made elsewhere. Only GET and HEAD; nothing a client sends changes
 * anything. Bounded in connections, memory and time whatever clients do; a good scrape is never refused. */
#pragma once

#include "exporter/content.h"
#include "exporter/counters.h"
#include "exporter/listen.h"
#include "model/webconfig.h"

struct el_tls; /* exporter/tls.h */

struct el_http_options {
    const struct el_listeners *listeners;
    const struct el_content *content;
    uint32_t max_connections, header_timeout_ms, total_timeout_ms;
    int wake_fd;                             /* readable: call `wake`; -1 = none. Signals come in here */
    bool (*wake)(void *ctx);                 /* false: stop serving */
    void (*tick)(void *ctx, int64_t now_us); /* about once a second; may be NULL */
    void *ctx;
};

struct el_http;

/* Ready to serve, not yet serving. 0 or -errno (logged). `o` is copied, what it points to must stay. */
int el_http_new(const struct el_http_options *o, struct el_http **out);
struct el_http *el_http_free(struct el_http *h); /* takes NULL, returns NULL */

/* Takes over a web configuration (NULL: plain HTTP for everyone) and its certificates (NULL without TLS), also while
 * serving; requests under way finish under the old one unless TLS is switched on or off, their connections then end;
 * what is known of passwords stays while user and hash do. 0 or -errno: then the old one stands. */
int el_http_protect(struct el_http *h, struct el_web_config *config, struct el_tls *tls);

/* Takes over certificates alone: `tls` may ask other things of clients than the one before it, but both are NULL or
 * none. 0 or -errno: then the old one stands. */
int el_http_renew(struct el_http *h, struct el_tls *tls);

/* Serves in this thread until `wake` says stop. 0 or -errno. */
int el_http_run(struct el_http *h);

const struct el_http_counters *el_http_counters(const struct el_http *h);
