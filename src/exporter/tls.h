/* TLS settings of the web configuration as GnuTLS sees them. Sessions keep a reference to the settings they began with,
 * so certificates are replaced under live connections. One HTTP thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/webconfig.h"

struct el_tls;

/* Reads certificates and keys. `c` must outlive it. 0, or -errno with the reason in `why`. */
int el_tls_new(const struct el_web_config *c, struct el_tls **out, char *why, size_t why_size);
struct el_tls *el_tls_ref(struct el_tls *t);
struct el_tls *el_tls_unref(struct el_tls *t); /* takes NULL, returns NULL */

/* Sets up a fresh server session (a gnutls_session_t) before its handshake. 0 or -EPROTO. */
int el_tls_begin(struct el_tls *t, void *session);

/* Does a certificate (DER) carry one of the names that clients must have? */
bool el_tls_allows(const struct el_tls *t, const void *der, size_t n);

/* True, once a change, when a certificate file is no longer the one that was read. */
bool el_tls_outdated(struct el_tls *t);
