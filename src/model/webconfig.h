/* What the web configuration file (the Prometheus exporters' `--web.config.file`) says, checked. Filled by config/,
 * obeyed by exporter/. Owned text; freed whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum el_client_auth {
    EL_CLIENT_AUTH_NONE = 0,      /* NoClientCert */
    EL_CLIENT_AUTH_REQUEST,       /* RequestClientCert: asked for, not required, not verified */
    EL_CLIENT_AUTH_REQUIRE_ANY,   /* RequireAnyClientCert: required, not verified */
    EL_CLIENT_AUTH_VERIFY_GIVEN,  /* VerifyClientCertIfGiven */
    EL_CLIENT_AUTH_REQUIRE_VERIFY /* RequireAndVerifyClientCert */
};

bool el_client_auth_requires(enum el_client_auth a); /* a certificate, verified or not */

struct el_web_header {
    char *name, *value;
};

struct el_web_user {
    char *name, *hash; /* bcrypt, "$2y$10$..." */
};

struct el_web_config {
    struct el_text_shape file; /* it was read from */
    bool tls;
    char *cert_file, *key_file,
        *client_ca_file;          /* paths, relative ones resolved against the file's directory; NULL = none */
    char *cert, *key, *client_ca; /* the same inline, PEM; NULL = none */
    enum el_client_auth client_auth;
    char **client_sans; /* a client certificate must carry one of them; empty = any */
    size_t client_sans_n;
    unsigned min_version, max_version; /* 10..13: TLS 1.0..1.3 */
    unsigned *ciphers;                 /* IANA numbers in order of preference; empty = the library's */
    size_t ciphers_n;
    bool prefer_server_ciphers;
    unsigned *curves; /* IANA named groups in order of preference; empty = the library's */
    size_t curves_n;

    struct el_web_header *headers;
    size_t headers_n;
    struct el_web_user *users; /* empty = everyone may read */
    size_t users_n;
    int64_t limit_interval_us; /* one request each; 0 = no limit */
    uint32_t limit_burst;
};

struct el_web_config *el_web_config_free(struct el_web_config *c); /* takes NULL, returns NULL */

/* The protection that `now` has and `next` lacks, in words; NULL = none. Either may be NULL: plain HTTP for everyone.
 */
const char *el_web_config_drops(const struct el_web_config *now, const struct el_web_config *next);
