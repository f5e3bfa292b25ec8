/* What the HTTP side counts about itself since its start. Only the HTTP thread writes; anyone may read. */
#pragma once

#include <stdint.h>

struct el_http_counters {
    _Atomic uint64_t requests;
    _Atomic uint64_t connections;                         /* open now */
    _Atomic uint64_t bad_method, not_found, unauthorized; /* answered 405, 404, 401 */
    _Atomic uint64_t bad_request;                   /* ended without a whole request: 400, 431, or the client gave up */
    _Atomic uint64_t limited;                       /* answered 429 or 503 */
    _Atomic uint64_t crowded_out;                   /* cut to make room for a newcomer */
    _Atomic uint64_t header_timeout, total_timeout; /* cut: header, or whole request, took too long */
    _Atomic uint64_t tls_failed;                    /* session could not begin */
};
