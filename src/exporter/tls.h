/* TLS settings of the web configuration as GnuTLS sees them. Sessions keep a reference to the settings they began with,
 * so certificates are replaced under live connections. One HTTP thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/webconfig.h"

struct el_tls;

/* Of one connection. */
struct el_tls_session {
    struct el_tls *tls;       /* the settings it began with; NULL: not begun */
    void (*heard)(void *ctx); /* the client has got on in its handshake: it was answered, or a later message was read */
    void (*dry)(void *ctx);   /* its handshake cannot go on before more of it has come */
    void *ctx;
    int fd;    /* to read from */
    bool done; /* the client has finished its handshake */
};

/* Reads certificates and keys. 0, or -errno with the reason in `why`. */
int el_tls_new(const struct el_web_config *c, struct el_tls **out, char *why, size_t why_size);
struct el_tls *el_tls_ref(struct el_tls *t);
struct el_tls *el_tls_unref(struct el_tls *t); /* takes NULL, returns NULL */

/* Nothing differs: the same bytes of the same files, the same settings. Either may be NULL. */
bool el_tls_same(const struct el_tls *a, const struct el_tls *b);

/* Both ask the same of a client, whatever they show it: a session that began under one is good under the other. */
bool el_tls_same_checks(const struct el_tls *a, const struct el_tls *b);

/* Sets up a fresh server session (a gnutls_session_t) before its handshake; `s`, its callbacks and descriptor set, must
 * outlive it, and holds a reference from then on. 0 or -EPROTO. */
int el_tls_begin(struct el_tls *t, struct el_tls_session *s, void *session);

/* Does a certificate (DER) carry one of the names that clients must have? */
bool el_tls_allows(const struct el_tls *t, const void *der, size_t n);

/* True, once a change, when a certificate file is no longer the one that was read. */
bool el_tls_outdated(struct el_tls *t);
