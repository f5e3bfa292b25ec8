/* What TLS lets in: the PEM files of the web configuration, names in a client's certificate, a client's first bytes.
 * First byte: which, '0' and on. What is said inside of TLS reaches the same code as what is said without
 * (exporter_http).
 */
#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <string.h>
#include <time.h>

#include "exporter/tls.h"
#include "fuzz.h"

static char allowed[][16] = {"client.example", "a@b.example", "spiffe://a/b", "1.2.3.4", "2001:db8::1"};
#define ALLOWED (sizeof allowed / sizeof allowed[0])
static const uint8_t addresses[][17] = {"\x04\x01\x02\x03\x04", "\x10\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01"};

static gnutls_x509_privkey_t key;
static struct el_tls *server;

/* A certificate of its own signing with these alternative names, in DER. */
static gnutls_datum_t sign(const uint8_t *names, size_t n)
{
    gnutls_datum_t out = {0};
    gnutls_x509_crt_t crt;

    if (gnutls_x509_crt_init(&crt) < 0 || gnutls_x509_crt_set_version(crt, 3) < 0 ||
        gnutls_x509_crt_set_key(crt, key) < 0 || gnutls_x509_crt_set_serial(crt, "\x01", 1) < 0 ||
        gnutls_x509_crt_set_activation_time(crt, 1000000000) < 0 ||
        gnutls_x509_crt_set_expiration_time(crt, 4000000000) < 0 ||
        gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, "a", 1) < 0 ||
        (n && gnutls_x509_crt_set_extension_by_oid(crt, "2.5.29.17", names, n, 0) < 0) ||
        gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA512, 0) < 0 ||
        gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_DER, &out) < 0)
        abort();
    gnutls_x509_crt_deinit(crt);
    return out;
}

static void open_server(void)
{
    char *sans[ALLOWED];
    struct el_web_config c = {
        .tls = true, .client_auth = EL_CLIENT_AUTH_REQUEST, .client_sans = sans, .client_sans_n = ALLOWED};
    gnutls_datum_t der, cert, secret;
    char why[256];

    if (gnutls_x509_privkey_init(&key) < 0 ||
        gnutls_x509_privkey_generate(key, GNUTLS_PK_EDDSA_ED25519, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_ED25519), 0) <
            0 ||
        gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, 0, &secret) < 0)
        abort();
    der = sign(NULL, 0);
    if (gnutls_pem_base64_encode2("CERTIFICATE", &der, &cert) < 0)
        abort();
    for (size_t i = 0; i < ALLOWED; i++)
        sans[i] = allowed[i];
    c.min_version = 12;
    c.max_version = 13;
    c.cert = (char *)cert.data;
    c.key = (char *)secret.data;
    if (el_tls_new(&c, &server, why, sizeof why) < 0)
        abort();
    gnutls_free(der.data);
    gnutls_free(cert.data);
    gnutls_free(secret.data);
}

/* Certificate, key and client authorities, all from one text. */
static void read_pem(const uint8_t *data, size_t n)
{
    char why[256] = "", *text = strndup((const char *)data, n);
    struct el_web_config c = {.tls = true, .cert = text, .key = text, .client_ca = text};
    struct el_tls *t = NULL;

    c.min_version = 12;
    c.max_version = 13;
    if (el_tls_new(&c, &t, why, sizeof why) < 0 && !why[0])
        abort();
    el_tls_unref(t);
    free(text);
}

static bool is_allowed(unsigned kind, const uint8_t *name, size_t n)
{
    bool found = false;

    for (size_t i = 0; i < ALLOWED; i++)
        found |= (kind == 1 || kind == 2 || kind == 6) && strlen(allowed[i]) == n && memcmp(name, allowed[i], n) == 0;
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        found |= kind == 7 && addresses[i][0] == n && memcmp(name, addresses[i] + 1, n) == 0;
    return found;
}

/* GeneralNames (RFC 5280, 4.2.1.6): kind (its tag) and length before each. Whoever is let in has a name that is
 * allowed.
 */
static void check_names(const uint8_t *data, size_t n)
{
    uint8_t der[128] = {0x30};
    size_t len = 2;
    bool found = false;
    gnutls_datum_t crt;

    while (n >= 2 && len + 2 < 128) {
        unsigned kind = data[0] % 9;
        size_t take = data[1] < n - 2 ? data[1] : n - 2;

        take = take < 127 - len - 2 ? take : 127 - len - 2;
        der[len++] = (uint8_t)(kind | (kind == 0 || kind == 3 || kind == 4 || kind == 5 ? 0xa0 : 0x80));
        der[len++] = (uint8_t)take;
        memcpy(der + len, data + 2, take);
        found |= is_allowed(kind, data + 2, take);
        len += take;
        data += take + 2;
        n -= take + 2;
    }
    der[1] = (uint8_t)(len - 2);
    crt = sign(der, len);
    if (el_tls_allows(server, crt.data, crt.size) && !found)
        abort();
    gnutls_free(crt.data);
}

static void read_certificate(const uint8_t *data, size_t n)
{
    el_tls_allows(server, data, n);
}

struct bytes {
    const uint8_t *data;
    size_t n;
};

static ssize_t pull(gnutls_transport_ptr_t ctx, void *out, size_t n)
{
    struct bytes *b = ctx;
    size_t take = b->n < n ? b->n : n;

    memcpy(out, b->data, take);
    b->data += take;
    b->n -= take;
    return (ssize_t)take;
}

static ssize_t push(gnutls_transport_ptr_t ctx, const void *bytes, size_t n)
{
    return (ssize_t)n;
}

static void on_heard(void *ctx)
{
}

/* Nobody gets through a handshake without having heard the server. */
static void greet(const uint8_t *data, size_t n)
{
    struct el_tls_session s = {.heard = on_heard};
    struct bytes b = {data, n};
    gnutls_session_t session;

    if (gnutls_init(&session, GNUTLS_SERVER) < 0 || el_tls_begin(server, &s, session) < 0)
        abort();
    gnutls_transport_set_ptr(session, &b);
    gnutls_transport_set_pull_function(session, pull);
    gnutls_transport_set_push_function(session, push);
    if (gnutls_handshake(session) == 0)
        abort();
    gnutls_deinit(session);
    el_tls_unref(s.tls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static void (*const kinds[])(const uint8_t *, size_t) = {read_pem, check_names, read_certificate, greet};

    if (!server)
        open_server();
    if (n)
        kinds[(uint8_t)(data[0] - '0') % (sizeof kinds / sizeof kinds[0])](data + 1, n - 1);
    return 0;
}
