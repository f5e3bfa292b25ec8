#include "exporter/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"

#define PEM_MAX  (1u << 20)
#define SUM_SIZE 32

struct watched {
    char *path;
    struct stat seen;
};

struct el_tls {
    unsigned refs;
    gnutls_certificate_credentials_t credentials;
    gnutls_priority_t priority;
    enum el_client_auth client_auth;
    char **sans;
    size_t sans_n;
    struct watched watched[3]; /* certificate, key, client authorities */
    gnutls_hash_hd_t sum;      /* of what was read up to now; NULL: all was */
    uint8_t shown[SUM_SIZE];   /* what the server is known by: its certificate and key, and where they stand */
    uint8_t checks[SUM_SIZE];  /* all else: what is asked of clients */
};

/* NULL is told from empty. */
static void sum(struct el_tls *t, const void *bytes, size_t n)
{
    size_t length = bytes ? n : SIZE_MAX;

    gnutls_hash(t->sum, &length, sizeof length);
    if (bytes)
        gnutls_hash(t->sum, bytes, n);
}

static void sum_text(struct el_tls *t, const char *text)
{
    sum(t, text, text ? strlen(text) : 0);
}

struct suite {
    unsigned number; /* IANA */
    gnutls_kx_algorithm_t kx;
    gnutls_cipher_algorithm_t cipher;
    gnutls_mac_algorithm_t mac;
    gnutls_protocol_t min;
};

/* Whether one of the suites before TLS 1.3, in which the key signs or decrypts, can be had with it. */
static bool suits_key(const struct el_tls *t, const struct suite *s)
{
    gnutls_x509_privkey_t key;
    int kind;

    if (gnutls_certificate_get_x509_key(t->credentials, 0, &key) < 0)
        return true;
    kind = gnutls_x509_privkey_get_pk_algorithm(key);
    gnutls_x509_privkey_deinit(key);
    return (s->kx == GNUTLS_KX_ECDHE_ECDSA) == (kind != GNUTLS_PK_RSA && kind != GNUTLS_PK_RSA_PSS);
}

static const char *suite_at(size_t i, struct suite *out)
{
    unsigned char id[2];
    const char *name = gnutls_cipher_suite_info(i, id, &out->kx, &out->cipher, &out->mac, &out->min);

    if (name)
        out->number = (unsigned)(id[0] << 8 | id[1]);
    return name;
}

static bool listed(const struct el_web_config *c, unsigned number)
{
    for (size_t i = 0; i < c->ciphers_n; i++)
        if (c->ciphers[i] == number)
            return true;
    return false;
}

/* A suite may be named twice: two of them have two names. */
static bool first_mention(const struct el_web_config *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->ciphers[k] == c->ciphers[i])
            return false;
    return true;
}

/* The parts of each suite, in the operator's order. TLS 1.3 has no key exchange in its suites. If none is named, all
 * with ephemeral keys on curves, as in the format's own program: no client is to choose what costs a hundred times as
 * much (finite fields), or cannot be told in advance (an RSA decryption). */
static void add_ciphers(const struct el_web_config *c, struct el_buf *p)
{
    struct suite s;

    el_buf_puts(p, c->ciphers_n ? ":-KX-ALL:-CIPHER-ALL:-MAC-ALL" : ":-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA");
    for (size_t i = 0; i < c->ciphers_n; i++)
        for (size_t k = 0; suite_at(k, &s); k++) {
            if (s.number != c->ciphers[i])
                continue;
            if (s.min != GNUTLS_TLS1_3)
                el_buf_printf(p, ":+%s", gnutls_kx_get_name(s.kx));
            el_buf_printf(p, ":+%s:+%s", gnutls_cipher_get_name(s.cipher),
                          s.mac == GNUTLS_MAC_AEAD ? "AEAD" : gnutls_mac_get_name(s.mac));
        }
}

/* GnuTLS chooses parts, the operator names suites: what the parts allow must be what was named, no more and no less.
 * TLS 1.3 suites are beyond choice in the format's own program too; there they only must not be left without any. */
static int check_ciphers(const struct el_tls *t, const struct el_web_config *c, char *why, size_t why_size)
{
    size_t found = 0, wanted = 0, modern = 0, usable = 0;
    struct suite s;
    unsigned index;
    int r;

    for (size_t i = 0; i < c->ciphers_n; i++)
        wanted += c->ciphers[i] >> 8 != 0x13 && first_mention(c, i);
    for (unsigned i = 0;
         (r = gnutls_priority_get_cipher_suite_index(t->priority, i, &index)) != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE;
         i++) {
        const char *name = r < 0 ? NULL : suite_at(index, &s);

        if (!name)
            continue;
        if (s.min == GNUTLS_TLS1_3) {
            modern++;
        } else if (listed(c, s.number)) {
            found++;
            usable += suits_key(t, &s);
        } else {
            snprintf(why, why_size,
                     "tls_server_config.cipher_suites: with these, GnuTLS would offer %s (0x%04x) as well: add it or "
                     "name fewer",
                     name, s.number);
            return -EINVAL;
        }
    }
    if (found < wanted)
        snprintf(why, why_size,
                 "tls_server_config.cipher_suites: GnuTLS offers only %zu of these %zu suites for these versions",
                 found, wanted);
    else if (found && !usable)
        snprintf(why, why_size,
                 "tls_server_config.cipher_suites: none of these goes with this kind of key: RSA takes "
                 "TLS_..._RSA_..., EC takes TLS_ECDHE_ECDSA_...");
    else if (c->max_version >= 13 && !modern)
        snprintf(why, why_size,
                 "tls_server_config.cipher_suites: none of these ciphers is in TLS 1.3: set max_version to TLS12");
    else
        return 0;
    return -EINVAL;
}

/* The default is that of the format's own program. By itself GnuTLS, whose order counts under SERVER_PRECEDENCE, starts
 * with another curve than nearly all clients do, and asks each to begin again: one more round trip a scrape. And it
 * takes finite fields, of which the largest costs it 0.4 s a handshake (measured). */
static int add_curves(const struct el_web_config *c, struct el_buf *p)
{
    el_buf_puts(p, ":-GROUP-ALL");
    if (!c->curves_n)
        el_buf_puts(p, ":+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1");
    for (size_t i = 0; i < c->curves_n; i++)
        switch (c->curves[i]) {
        case 23:
            el_buf_puts(p, ":+GROUP-SECP256R1");
            break;
        case 24:
            el_buf_puts(p, ":+GROUP-SECP384R1");
            break;
        case 25:
            el_buf_puts(p, ":+GROUP-SECP521R1");
            break;
        case 29:
            el_buf_puts(p, ":+GROUP-X25519");
            break;
        default:
            return -EINVAL;
        }
    return 0;
}

static int make_priority(struct el_tls *t, const struct el_web_config *c, char *why, size_t why_size)
{
    EL_AUTO_BUF struct el_buf p = {0};
    const char *bad = NULL;
    int r;

    el_buf_puts(&p, "NORMAL:-VERS-ALL");
    for (unsigned v = c->max_version; v >= c->min_version; v--)
        el_buf_printf(&p, ":+VERS-TLS1.%u", v - 10);
    add_ciphers(c, &p);
    if (add_curves(c, &p) < 0) {
        snprintf(why, why_size, "tls_server_config.curve_preferences: a curve that GnuTLS does not know");
        return -EINVAL;
    }
    if (c->prefer_server_ciphers)
        el_buf_puts(&p, ":%SERVER_PRECEDENCE");
    if (p.failed)
        return -ENOMEM;
    r = gnutls_priority_init(&t->priority, p.data, &bad);
    if (r < 0)
        snprintf(why, why_size,
                 "tls_server_config: GnuTLS takes no combination of these versions, suites and curves (at \"%.60s\")",
                 bad ? bad : p.data);
    if (r < 0)
        return -EINVAL;
    sum(t, p.data, p.len);
    return c->ciphers_n ? check_ciphers(t, c, why, why_size) : 0;
}

/* A PEM from a file (then watched) or inline. */
static int get_pem(struct watched *w, const char *path, const char *text, struct el_buf *out, char *why,
                   size_t why_size)
{
    int r = 0;

    if (path) {
        w->path = strdup(path);
        if (!w->path)
            return -ENOMEM;
        if (stat(path, &w->seen) < 0)
            r = -errno;
        else
            r = el_file_read(AT_FDCWD, path, PEM_MAX, out);
        if (r < 0)
            snprintf(why, why_size, "cannot read %.200s: %s", path, strerror(-r));
    } else if (text) {
        el_buf_puts(out, text);
    }
    return r;
}

static gnutls_datum_t datum(const struct el_buf *b)
{
    return (gnutls_datum_t){.data = (unsigned char *)b->data, .size = (unsigned)b->len};
}

/* Can it be read? GnuTLS 3.7.9 never frees a certificate that it refuses while it takes the key with it. */
static int try_chain(const gnutls_datum_t *pem)
{
    gnutls_x509_crt_t *crt;
    unsigned n;
    int r = gnutls_x509_crt_list_import2(&crt, &n, pem, GNUTLS_X509_FMT_PEM, 0);

    if (r < 0)
        return r;
    while (n)
        gnutls_x509_crt_deinit(crt[--n]);
    gnutls_free(crt);
    return 0;
}

static int load_files(struct el_tls *t, const struct el_web_config *c, char *why, size_t why_size)
{
    EL_AUTO_BUF struct el_buf cert = {0}, key = {0}, ca = {0};
    gnutls_datum_t cd, kd, ad;
    int r = get_pem(&t->watched[0], c->cert_file, c->cert, &cert, why, why_size);

    if (r == 0)
        r = get_pem(&t->watched[1], c->key_file, c->key, &key, why, why_size);
    if (r == 0)
        r = get_pem(&t->watched[2], c->client_ca_file, c->client_ca, &ca, why, why_size);
    if (r < 0)
        return r;
    cd = datum(&cert);
    kd = datum(&key);
    ad = datum(&ca);
    sum_text(t, c->cert_file);
    sum(t, cd.data, cd.size);
    sum_text(t, c->key_file);
    sum(t, kd.data, kd.size);
    sum_text(t, c->client_ca_file);
    gnutls_hash_output(t->sum, t->shown); /* and begins anew */
    sum(t, ad.data, ad.size);
    r = try_chain(&cd);
    if (r >= 0)
        r = gnutls_certificate_set_x509_key_mem(t->credentials, &cd, &kd, GNUTLS_X509_FMT_PEM);
    if (key.data)
        explicit_bzero(key.data, key.len);
    if (r < 0) {
        snprintf(why, why_size, "certificate %.150s and key %.150s: %s", c->cert_file ? c->cert_file : "(inline)",
                 c->key_file ? c->key_file : "(inline)", gnutls_strerror(r));
        return -EINVAL;
    }
    if (ca.len && gnutls_certificate_set_x509_trust_mem(t->credentials, &ad, GNUTLS_X509_FMT_PEM) <= 0) {
        snprintf(why, why_size, "client authorities %.200s: no certificate in it",
                 c->client_ca_file ? c->client_ca_file : "(inline)");
        return -EINVAL;
    }
    return 0;
}

static int copy_sans(struct el_tls *t, const struct el_web_config *c)
{
    if (!c->client_sans_n)
        return 0;
    t->sans = calloc(c->client_sans_n, sizeof *t->sans);
    if (!t->sans)
        return -ENOMEM;
    for (size_t i = 0; i < c->client_sans_n; i++) {
        t->sans[i] = strdup(c->client_sans[i]);
        if (!t->sans[i])
            return -ENOMEM;
        sum_text(t, t->sans[i]);
        t->sans_n++;
    }
    return 0;
}

int el_tls_new(const struct el_web_config *c, struct el_tls **out, char *why, size_t why_size)
{
    struct el_tls *t = calloc(1, sizeof *t);
    int r;

    snprintf(why, why_size, "out of memory");
    if (!t)
        return -ENOMEM;
    t->refs = 1;
    t->client_auth = c->client_auth;
    if (gnutls_certificate_allocate_credentials(&t->credentials) < 0 ||
        gnutls_hash_init(&t->sum, GNUTLS_DIG_SHA256) < 0)
        r = -ENOMEM;
    else
        r = load_files(t, c, why, why_size);
    if (r == 0)
        r = copy_sans(t, c);
    if (r == 0)
        r = make_priority(t, c, why, why_size);
    if (r < 0) {
        el_tls_unref(t);
        return r;
    }
    sum(t, &t->client_auth, sizeof t->client_auth);
    gnutls_hash_deinit(t->sum, t->checks);
    t->sum = NULL;
    *out = t;
    return 0;
}

bool el_tls_same_checks(const struct el_tls *a, const struct el_tls *b)
{
    return a == b || (a && b && memcmp(a->checks, b->checks, SUM_SIZE) == 0);
}

bool el_tls_same(const struct el_tls *a, const struct el_tls *b)
{
    return el_tls_same_checks(a, b) && (a == b || memcmp(a->shown, b->shown, SUM_SIZE) == 0);
}

struct el_tls *el_tls_ref(struct el_tls *t)
{
    t->refs++;
    return t;
}

struct el_tls *el_tls_unref(struct el_tls *t)
{
    if (!t || --t->refs)
        return NULL;
    if (t->sum)
        gnutls_hash_deinit(t->sum, NULL);
    if (t->credentials)
        gnutls_certificate_free_credentials(t->credentials);
    if (t->priority)
        gnutls_priority_deinit(t->priority);
    for (size_t i = 0; i < t->sans_n; i++)
        free(t->sans[i]);
    free(t->sans);
    for (size_t i = 0; i < EL_ARRAY_SIZE(t->watched); i++)
        free(t->watched[i].path);
    free(t);
    return NULL;
}

/* A name in a certificate as text, the way the configuration writes it; "" when it cannot be one of those. An OID that
 * is registered there reads like an address, but is none. */
static void san_text(int type, const unsigned char *raw, size_t n, char *out, size_t size)
{
    out[0] = '\0';
    if (type == GNUTLS_SAN_IPADDRESS && (n == 4 || n == 16))
        inet_ntop(n == 4 ? AF_INET : AF_INET6, raw, out, (socklen_t)size);
    else if ((type == GNUTLS_SAN_DNSNAME || type == GNUTLS_SAN_RFC822NAME || type == GNUTLS_SAN_URI) &&
             !memchr(raw, '\0', n)) /* a NUL would hide the rest */
        snprintf(out, size, "%.*s", (int)n, (const char *)raw);
}

bool el_tls_allows(const struct el_tls *t, const void *der, size_t n)
{
    const gnutls_datum_t d = {.data = (unsigned char *)(uintptr_t)der, .size = (unsigned)n};
    gnutls_x509_crt_t crt;
    bool found = false;

    if (gnutls_x509_crt_init(&crt) < 0)
        return false;
    if (gnutls_x509_crt_import(crt, &d, GNUTLS_X509_FMT_DER) < 0)
        goto done;
    for (unsigned i = 0; !found; i++) {
        unsigned char raw[512];
        char text[512];
        size_t len = sizeof raw;
        int type = gnutls_x509_crt_get_subject_alt_name(crt, i, raw, &len, NULL);

        if (type == GNUTLS_E_SHORT_MEMORY_BUFFER)
            continue;
        if (type < 0)
            break;
        san_text(type, raw, len, text, sizeof text);
        for (size_t k = 0; k < t->sans_n; k++)
            found = found || (text[0] && strcmp(text, t->sans[k]) == 0);
    }
done:
    gnutls_x509_crt_deinit(crt);
    return found;
}

/* During the handshake: nonzero ends it. */
static int verify_client(gnutls_session_t session)
{
    static const char purpose[] = GNUTLS_KP_TLS_WWW_CLIENT;
    gnutls_typed_vdata_st as_client = {.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)(uintptr_t)purpose};
    const struct el_tls_session *s = gnutls_session_get_ptr(session);
    const struct el_tls *t = s->tls;
    unsigned status = 0, n = 0;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &n);

    if (!chain || !n)
        return el_client_auth_requires(t->client_auth);
    if (t->client_auth >= EL_CLIENT_AUTH_VERIFY_GIVEN &&
        (gnutls_certificate_verify_peers(session, &as_client, 1, &status) < 0 || status))
        return 1;
    return t->sans_n && !el_tls_allows(t, chain[0].data, chain[0].size);
}

/* Getting on has its price: a client's first words count when they are answered in earnest, not when it is asked to
 * begin again, which costs next to nothing; and new keys, of which it may have any number, do not count. */
static int on_message(gnutls_session_t session, unsigned kind, unsigned when, unsigned incoming,
                      const gnutls_datum_t *message)
{
    struct el_tls_session *s = gnutls_session_get_ptr(session);

    s->done = s->done || (incoming && kind == GNUTLS_HANDSHAKE_FINISHED);
    if (incoming ? kind != GNUTLS_HANDSHAKE_CLIENT_HELLO && kind != GNUTLS_HANDSHAKE_KEY_UPDATE
                 : kind == GNUTLS_HANDSHAKE_SERVER_HELLO)
        s->heard(s->ctx);
    return 0;
}

static ssize_t pull(gnutls_transport_ptr_t from, void *to, size_t n)
{
    struct el_tls_session *s = from;
    ssize_t got = recv(s->fd, to, n, 0);

    if (got < 0 && errno == EAGAIN && !s->done) {
        s->dry(s->ctx);
        errno = EAGAIN;
    }
    return got;
}

/* Asked for only where there is a time limit, which no session of ours has. */
static int pull_at_once(gnutls_transport_ptr_t from, unsigned ms)
{
    return 1;
}

int el_tls_begin(struct el_tls *t, struct el_tls_session *s, void *session)
{
    gnutls_certificate_request_t want = GNUTLS_CERT_IGNORE;

    switch (t->client_auth) {
    case EL_CLIENT_AUTH_NONE:
        break;
    case EL_CLIENT_AUTH_REQUEST:
    case EL_CLIENT_AUTH_VERIFY_GIVEN:
        want = GNUTLS_CERT_REQUEST;
        break;
    case EL_CLIENT_AUTH_REQUIRE_ANY:
    case EL_CLIENT_AUTH_REQUIRE_VERIFY:
        want = GNUTLS_CERT_REQUIRE;
        break;
    }
    s->tls = el_tls_ref(t);
    gnutls_session_set_ptr(session, s);
    gnutls_transport_set_ptr2(session, s, (gnutls_transport_ptr_t)(intptr_t)s->fd);
    gnutls_transport_set_pull_function(session, pull);
    gnutls_transport_set_pull_timeout_function(session, pull_at_once);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_ANY, GNUTLS_HOOK_POST, on_message);
    if (gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, t->credentials) < 0 ||
        gnutls_priority_set(session, t->priority) < 0)
        return -EPROTO;
    gnutls_certificate_server_set_request(session, want);
    if (want != GNUTLS_CERT_IGNORE)
        gnutls_session_set_verify_function(session, verify_client);
    return 0;
}

bool el_tls_outdated(struct el_tls *t)
{
    bool changed = false;

    for (size_t i = 0; i < EL_ARRAY_SIZE(t->watched); i++)
        changed |= t->watched[i].path && el_file_changed(t->watched[i].path, &t->watched[i].seen);
    return changed;
}
