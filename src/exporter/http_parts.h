/* Between http.c, which alone speaks to the library and answers requests, and http_loop.c, which makes the server and
 * runs it. HTTP thread only. */
#pragma once

#include "exporter/auth.h"
#include "exporter/door.h"
#include "exporter/http.h"
#include "exporter/lookout.h"
#include "exporter/tls.h"

enum el_header {
    EL_HEADER_ACCEPT,
    EL_HEADER_ACCEPT_ENCODING,
    EL_HEADER_IF_NONE_MATCH,
    EL_HEADER_CONTENT_LENGTH,
    EL_HEADER_TRANSFER_ENCODING,
    EL_HEADERS
};

struct el_conn {
    struct el_guest guest;
    struct el_http *http;
    struct MHD_Connection *mhd;
    bool in_request, suspended;
    const char *header[EL_HEADERS]; /* of the request; NULL = none */
    unsigned hosts;                 /* how many of the headers are Host */
    bool aside;                     /* in its handshake, until the client goes on with it */
    enum el_verdict verdict;
    unsigned asked; /* edition of the users that its password is checked against */
    struct el_tls_session session;
};

struct el_http {
    struct el_http_options o;
    struct el_door door;
    struct el_http_counters counters;
    struct MHD_Daemon *daemon;
    struct el_conn *arriving; /* handed to on_connection */
    unsigned edition;         /* of the configuration: what was made under an earlier one is made anew */
    struct el_body *refusal[EL_REFUSALS];

    struct el_web_config *config;
    struct el_tls *tls;
    struct el_auth *auth;
    int64_t rate_due_us;

    /* Who was put aside tells here that the client goes on: one whose turn costs a signature, as it began anew or in
     * pieces; and all others. */
    int aside_fd[2];
    struct el_lookout lookout; /* listeners, `wake`, verdicts, the time; waited for by the library beside connections */
    bool listening;
    int64_t now_us, next_tick_us, next_sweep_us;
    unsigned unseen; /* turns since the last look around */
};

/* A daemon with `h`'s limits that no listener is given to; NULL: out of memory or descriptors. */
struct MHD_Daemon *el_http_start_daemon(struct el_http *h, bool tls);
void el_http_stop_daemon(struct el_http *h); /* ends its connections; `h` may have none */

/* Serves whoever is ready, and waits for the next event if `block`. 0 or -EIO. */
int el_http_wait(struct el_http *h, bool block);

/* For the door. */
void el_http_arrive(void *ctx, int fd, const struct sockaddr *from, socklen_t n);
bool el_http_known(void *ctx, const uint8_t address[16]);

/* Goes on with a few handshakes that were put aside. */
void el_http_take_up(struct el_http *h);

/* Lets requests go on whose passwords were checked. */
void el_http_take_verdicts(struct el_http *h);

/* No longer wait for a verdict: those who were cut meanwhile, or all. */
void el_http_resume_waiting(struct el_http *h, bool all);
