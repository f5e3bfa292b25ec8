#include "exporter/http_parts.h"

#include <errno.h>
#include <gnutls/abstract.h>
#include <microhttpd.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/log.h"
#include "exporter/negotiate.h"
#include "exporter/packer.h"

#define BLOCK_BYTES  (32 * 1024) /* that are unpacked at once for a client */
#define STEPS_A_TURN 16          /* of handshakes, but for signatures: tens of microseconds each */
#define POOL_BYTES   (16 * 1024) /* of a connection: its request header must fit; larger ones get 431 */

/* --- responses --- */

static void add_configured(const struct el_http *h, struct MHD_Response *r)
{
    for (size_t i = 0; h->config && i < h->config->headers_n; i++) {
        MHD_del_response_header(r, h->config->headers[i].name,
                                MHD_get_response_header(r, h->config->headers[i].name) ?: "");
        MHD_add_response_header(r, h->config->headers[i].name, h->config->headers[i].value);
    }
}

/* What a client's cache goes by; all there is of it when the client has the bytes. */
static void add_cache_headers(struct MHD_Response *r, const struct el_body *b)
{
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, b->cache);
    MHD_add_response_header(r, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    if (b->etag[0])
        MHD_add_response_header(r, MHD_HTTP_HEADER_ETAG, b->etag);
}

static struct MHD_Response *bare_response(struct el_body *b)
{
    struct el_unpacker *u = b->packed ? el_unpacker_new(b->packed) : NULL;
    struct MHD_Response *r = NULL;

    if (!b->packed)
        r = MHD_create_response_from_buffer_with_free_callback_cls(b->bytes.len, b->bytes.data, el_body_drop,
                                                                   el_body_ref(b));
    else if (u)
        r = MHD_create_response_from_callback(b->plain_size, BLOCK_BYTES, el_unpacker_read, u, el_unpacker_free);
    if (!r)
        b->packed ? el_unpacker_free(u) : el_body_drop(b);
    return r;
}

static struct MHD_Response *body_response(const struct el_http *h, struct el_body *b)
{
    struct MHD_Response *r = bare_response(b);

    if (!r)
        return NULL;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, b->type);
    add_cache_headers(r, b);
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    if (b->encoding)
        MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_ENCODING, b->encoding);
    if (b->header)
        MHD_add_response_header(r, b->header, b->value);
    add_configured(h, r);
    return r;
}

static void free_response(void *response)
{
    MHD_destroy_response(response); /* those still sending it hold it */
}

/* The one response for this body: made when first asked for, shared by all who get the body. */
static struct MHD_Response *shared_response(struct el_http *h, struct el_body *b)
{
    if (!b->answer || b->answer_edition != h->edition) {
        struct MHD_Response *r = body_response(h, b);

        if (!r)
            return NULL;
        if (b->answer)
            free_response(b->answer);
        b->answer = r;
        b->answer_edition = h->edition;
        b->answer_free = free_response;
    }
    return b->answer;
}

/* --- one request --- */

/* One walk finds all that are looked at; of several of one name the first. */
static enum MHD_Result note_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_n,
                                   const char *value, size_t value_n)
{
    static const char *const known[EL_HEADERS] = {
        [EL_HEADER_ACCEPT] = MHD_HTTP_HEADER_ACCEPT,
        [EL_HEADER_ACCEPT_ENCODING] = MHD_HTTP_HEADER_ACCEPT_ENCODING,
        [EL_HEADER_IF_NONE_MATCH] = MHD_HTTP_HEADER_IF_NONE_MATCH,
        [EL_HEADER_CONTENT_LENGTH] = MHD_HTTP_HEADER_CONTENT_LENGTH,
        [EL_HEADER_TRANSFER_ENCODING] = MHD_HTTP_HEADER_TRANSFER_ENCODING,
    };
    struct el_conn *c = cls;

    c->hosts += name_n == strlen(MHD_HTTP_HEADER_HOST) && strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    for (int i = 0; i < EL_HEADERS; i++)
        if (name_n == strlen(known[i]) && !c->header[i] && strcasecmp(name, known[i]) == 0)
            c->header[i] = value;
    return MHD_YES;
}

static enum MHD_Result send_body(struct el_http *h, struct MHD_Connection *m, struct el_body *b)
{
    struct MHD_Response *r = b->packed ? body_response(h, b) : shared_response(h, b);
    enum MHD_Result done = r ? MHD_queue_response(m, b->status, r) : MHD_NO;

    if (r && b->packed) /* each client is elsewhere in it */
        MHD_destroy_response(r);
    return done;
}

static enum MHD_Result send_not_modified(struct el_http *h, struct MHD_Connection *m, const struct el_body *b)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    enum MHD_Result done = MHD_NO;

    if (r) {
        add_cache_headers(r, b);
        add_configured(h, r);
        done = MHD_queue_response(m, MHD_HTTP_NOT_MODIFIED, r);
        MHD_destroy_response(r);
    }
    return done;
}

static enum MHD_Result send_content(struct el_http *h, const struct el_conn *c, const char *path)
{
    struct el_request request = {path, c->header[EL_HEADER_ACCEPT], c->header[EL_HEADER_ACCEPT_ENCODING]};
    struct MHD_Connection *m = c->mhd;
    struct el_body *body = NULL;
    enum MHD_Result done;
    int r = h->o.content->get(h->o.content->ctx, &request, h->now_us, &body);

    if (r < 0) {
        h->counters.not_found += r == -ENOENT;
        return send_body(h, m, h->refusal[r == -ENOENT ? EL_REFUSE_PATH : EL_REFUSE_BUSY]);
    }
    r = body->status == MHD_HTTP_OK && el_negotiate_etag(c->header[EL_HEADER_IF_NONE_MATCH], body->etag);
    done = r ? send_not_modified(h, m, body) : send_body(h, m, body);
    el_body_unref(body);
    return done;
}

static enum el_verdict ask(struct el_http *h, struct el_conn *c, struct MHD_Connection *m)
{
    char *password = NULL, *user = MHD_basic_auth_get_username_password(m, &password);
    enum el_verdict v = EL_VERDICT_DENIED;

    if (user)
        v = el_auth_check(h->auth, user, password ? password : "", &c->guest, c);
    c->asked = h->edition;
    if (password)
        explicit_bzero(password, strlen(password));
    MHD_free(password);
    MHD_free(user);
    return v;
}

/* True when the request may go on; else it was answered or suspended (`*done` is then the handler's result). */
static bool authorized(struct el_http *h, struct el_conn *c, struct MHD_Connection *m, enum MHD_Result *done)
{
    if (!h->config || !h->config->users_n)
        return true;
    if (c->verdict == EL_VERDICT_NONE)
        c->verdict = ask(h, c, m);
    switch (c->verdict) {
    case EL_VERDICT_GRANTED:
        c->guest.granted = true;
        return true;
    case EL_VERDICT_PENDING:
        el_admission_phase(&h->door.admission, &c->guest, EL_PHASE_CHECK, h->now_us);
        MHD_suspend_connection(m);
        c->suspended = true;
        *done = MHD_YES;
        return false;
    case EL_VERDICT_BUSY:
        h->counters.limited++;
        *done = send_body(h, m, h->refusal[EL_REFUSE_BUSY]);
        return false;
    case EL_VERDICT_NONE:
    case EL_VERDICT_DENIED:
        break;
    }
    h->counters.unauthorized++;
    *done = send_body(h, m, h->refusal[EL_REFUSE_PASSWORD]);
    return false;
}

static struct el_conn *conn_of(struct MHD_Connection *m)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(m, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *m, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **request)
{
    struct el_http *h = cls;
    struct el_conn *c = *request ?: conn_of(m);
    const struct el_web_config *config = h->config;
    enum MHD_Result done;

    if (!c)
        return MHD_NO;
    if (!c->in_request) {
        h->now_us = el_clock_boottime_us(); /* the library has waited since */
        c->in_request = true;
        c->verdict = EL_VERDICT_NONE;
        *request = c;
        memset(c->header, 0, sizeof c->header);
        c->hosts = 0;
        MHD_get_connection_values_n(m, MHD_HEADER_KIND, note_header, c);
        h->counters.requests++;
        if (c->guest.phase == EL_PHASE_IDLE) /* its first byte was not noticed by a sweep: it begins now */
            el_admission_phase(&h->door.admission, &c->guest, EL_PHASE_HEADER, h->now_us);
        if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
            h->counters.bad_method++;
            return send_body(h, m, h->refusal[EL_REFUSE_METHOD]);
        }
        if (c->hosts > 1) { /* RFC 9112, 3.2 */
            h->counters.bad_request++;
            return send_body(h, m, h->refusal[EL_REFUSE_HOSTS]);
        }
        if (c->header[EL_HEADER_TRANSFER_ENCODING] && c->header[EL_HEADER_CONTENT_LENGTH])
            return MHD_NO; /* who forwarded it may have believed the other length: RFC 9112, 6.1 */
        return MHD_YES;    /* an answer given now would end the connection: the library does not read on after it */
    }
    if (*upload_size) {
        *upload_size = 0; /* a GET with a body: read on and forget it, within the header's deadline */
        return MHD_YES;
    }
    if (!authorized(h, c, m, &done))
        return done;
    /* Last: who is not let in does not use it up. */
    if (config && !el_admission_rate(config->limit_interval_us, config->limit_burst, &h->rate_due_us, h->now_us)) {
        h->counters.limited++;
        return send_body(h, m, h->refusal[EL_REFUSE_RATE]);
    }
    el_admission_phase(&h->door.admission, &c->guest, EL_PHASE_REPLY, h->now_us);
    return send_content(h, c, url);
}

/* --- connections --- */

/* What a request took on the wire; 0 where that is not known: under TLS, and with a body. */
static uint64_t request_bytes(const struct el_http *h, const struct el_conn *c)
{
    const union MHD_ConnectionInfo *info;

    if (h->tls || c->header[EL_HEADER_CONTENT_LENGTH] || c->header[EL_HEADER_TRANSFER_ENCODING])
        return 0;
    info = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

static void on_completed(void *cls, struct MHD_Connection *m, void **request, enum MHD_RequestTerminationCode code)
{
    struct el_http *h = cls;
    struct el_conn *c = *request;

    if (!c)
        return;
    c->in_request = false;
    h->now_us = el_clock_boottime_us();
    el_door_answered(&h->door, &c->guest, request_bytes(h, c), h->now_us);
    if (!el_tls_same_checks(c->session.tls, h->tls)) /* its session began under what is no longer so */
        el_door_cut(&h->door, &c->guest, h->now_us);
    *request = NULL;
}

static void on_heard(void *ctx)
{
    struct el_conn *c = ctx;

    c->guest.heard = true;
    if (c->guest.phase == EL_PHASE_HEADER)
        el_admission_progress(&c->guest, el_clock_boottime_us());
}

/* The library asks a session that shakes hands without end whether there is more, as fast as it can: so it is not shown
 * to it before there is. */
static void on_dry(void *ctx)
{
    struct el_conn *c = ctx;
    struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = c};
    int set = c->http->aside_fd[c->guest.heard];

    if (epoll_ctl(set, EPOLL_CTL_MOD, c->guest.fd, &e) < 0 && epoll_ctl(set, EPOLL_CTL_ADD, c->guest.fd, &e) < 0)
        return;
    c->aside = true;
    MHD_suspend_connection(c->mhd);
}

static void take_up(struct el_conn *c)
{
    if (c->aside)
        MHD_resume_connection(c->mhd);
    c->aside = false;
}

void el_http_take_up(struct el_http *h)
{
    for (int i = 0; h->tls && i < 2; i++) {
        struct epoll_event e;

        for (int left = i ? STEPS_A_TURN : 1; left > 0 && epoll_wait(h->aside_fd[i], &e, 1, 0) == 1;) {
            struct el_conn *c = e.data.ptr;

            left -= c->guest.phase != EL_PHASE_CUT; /* those only end */
            take_up(c);
        }
    }
}

static void greet(struct el_http *h, struct el_conn *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    if (!h->tls)
        return;
    c->session = (struct el_tls_session){.heard = on_heard, .dry = on_dry, .ctx = c, .fd = c->guest.fd};
    if (!info || el_tls_begin(h->tls, &c->session, info->tls_session) < 0) {
        h->counters.tls_failed++;
        el_door_cut(&h->door, &c->guest, h->now_us);
    }
}

static void on_connection(void *cls, struct MHD_Connection *m, void **context, enum MHD_ConnectionNotificationCode code)
{
    struct el_http *h = cls;
    struct el_conn *c = *context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        c = *context = h->arriving;
        h->arriving = NULL;
        h->counters.connections++;
        c->mhd = m;
        greet(h, c);
        return;
    }
    /* The session, if any, is gone by now: the library ends it before it tells. */
    h->counters.connections--;
    if (!c->guest.proven && el_door_unfinished(&c->guest))
        h->counters.bad_request++;
    el_tls_unref(c->session.tls);
    if (h->auth)
        el_auth_forget(h->auth, c);
    el_admission_leave(&h->door.admission, &c->guest);
    free(c);
    *context = NULL;
}

bool el_http_known(void *ctx, const uint8_t address[16])
{
    struct el_http *h = ctx;

    return h->auth && el_auth_proven(h->auth, address);
}

void el_http_arrive(void *ctx, int fd, const struct sockaddr *from, socklen_t n)
{
    struct el_http *h = ctx;
    struct el_conn *c = calloc(1, sizeof *c);

    if (!c) {
        close(fd);
        return;
    }
    c->guest.fd = fd;
    c->http = h;
    el_admission_enter(&h->door.admission, &c->guest, from, h->now_us);
    c->guest.trusted = el_http_known(h, c->guest.address);
    h->arriving = c;
    /* On failure the library has closed the socket, and if it told on_connection of the start, also of the end. */
    if (MHD_add_connection(h->daemon, fd, from, n) != MHD_YES && h->arriving) {
        el_admission_leave(&h->door.admission, &c->guest);
        free(c);
    }
    h->arriving = NULL;
}

static void resume(struct el_http *h, struct el_conn *c, enum el_verdict v)
{
    c->verdict = v;
    if (c->suspended) {
        c->suspended = false;
        MHD_resume_connection(c->mhd);
    }
}

void el_http_take_verdicts(struct el_http *h)
{
    enum el_verdict verdict;
    void *ticket;

    while (h->auth && el_auth_next(h->auth, &ticket, &verdict))
        resume(h, ticket, ((struct el_conn *)ticket)->asked == h->edition ? verdict : EL_VERDICT_NONE);
}

void el_http_resume_waiting(struct el_http *h, bool all)
{
    for (struct el_guest *g = h->door.admission.head; g; g = g->next)
        if (all || g->phase == EL_PHASE_CUT)
            take_up((struct el_conn *)g);
    for (struct el_guest *g = h->door.admission.head; g; g = g->next)
        if (((struct el_conn *)g)->suspended && (all || g->phase == EL_PHASE_CUT))
            resume(h, (struct el_conn *)g, EL_VERDICT_BUSY);
}

/* --- the library --- */

static size_t keep_escapes(void *cls, struct MHD_Connection *m, char *text)
{
    return strlen(text); /* paths are compared as they came: no second spelling, no NUL from %00 */
}

EL_PRINTF(2, 0)
static void log_library(void *cls, const char *fmt, va_list ap)
{
    char text[256];

    vsnprintf(text, sizeof text, fmt, ap);
    text[strcspn(text, "\n")] = '\0';
    el_log_debug("http: %s", text);
}

static int no_certificate(gnutls_session_t session, const gnutls_datum_t *ca, int n,
                          const gnutls_pk_algorithm_t *algorithms, int algorithms_n, gnutls_pcert_st **cert,
                          unsigned *cert_n, gnutls_privkey_t *key)
{
    return -1; /* never asked: el_tls_begin gives each session its own credentials */
}

/* An event without a pointer is nothing but a reason to wake up for the library, which uses such a one itself. */
static int watch_from(struct MHD_Daemon *d, int fd)
{
    return epoll_ctl(MHD_get_daemon_info(d, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, EPOLL_CTL_ADD, fd,
                     &(struct epoll_event){.events = EPOLLIN});
}

/* The library's own limit stays out of reach: at 0.9.75 MHD_add_connection leaves a mutex locked when it is reached. */
struct MHD_Daemon *el_http_start_daemon(struct el_http *h, bool tls)
{
    unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)no_certificate},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_Daemon *d;

    d = MHD_start_daemon(flags | (tls ? MHD_USE_TLS : 0), 0, NULL, NULL, on_request, h, MHD_OPTION_EXTERNAL_LOGGER,
                         log_library, NULL, MHD_OPTION_CONNECTION_LIMIT, (unsigned)h->o.max_connections * 4 + 1024,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                         MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
                         MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
                         MHD_OPTION_ARRAY, tls ? secure : secure + 1, MHD_OPTION_END);
    if (d && watch_from(d, h->lookout.fd) < 0) {
        MHD_stop_daemon(d);
        return NULL;
    }
    return d;
}

void el_http_stop_daemon(struct el_http *h)
{
    el_http_resume_waiting(h, true);
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    h->daemon = NULL;
}

int el_http_wait(struct el_http *h, bool block)
{
    return MHD_run_wait(h->daemon, block ? -1 : 0) == MHD_YES ? 0 : -EIO;
}
