#include "config/webconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "config/field.h"

#define BCRYPT_LENGTH   60
#define INTERVAL_MAX_US 864e9 /* still fits into 64 bits when multiplied by the largest burst */
#define BCRYPT_COST_MAX 16    /* some 3 s per check: with more, every scrape would time out */

struct name {
    const char *text;
    unsigned number;
};

/* IANA numbers of the cipher suites, by Go's names for them. */
static const struct name ciphers[] = {
    {"TLS_RSA_WITH_AES_128_CBC_SHA", 0x002f},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", 0x0035},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", 0x009c},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", 0x009d},
    {"TLS_AES_128_GCM_SHA256", 0x1301},
    {"TLS_AES_256_GCM_SHA384", 0x1302},
    {"TLS_CHACHA20_POLY1305_SHA256", 0x1303},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", 0xc009},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", 0xc00a},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", 0xc013},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", 0xc014},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 0xc02b},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", 0xc02c},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", 0xc02f},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", 0xc030},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", 0xcca8},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", 0xcca8},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", 0xcca9},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", 0xcca9},
};

static const struct name curves[] = {{"CurveP256", 23}, {"CurveP384", 24}, {"CurveP521", 25}, {"X25519", 29}};

static const char *const client_auths[] = {"NoClientCert",
                                           "RequestClientCert",
                                           "RequireAnyClientCert",
                                           "VerifyClientCertIfGiven",
                                           "RequireAndVerifyClientCert",
                                           "RequireClientCert", /* an old name of RequireAnyClientCert */
                                           NULL};
static const uint8_t client_auth_numbers[] = {EL_CLIENT_AUTH_NONE,           EL_CLIENT_AUTH_REQUEST,
                                              EL_CLIENT_AUTH_REQUIRE_ANY,    EL_CLIENT_AUTH_VERIFY_GIVEN,
                                              EL_CLIENT_AUTH_REQUIRE_VERIFY, EL_CLIENT_AUTH_REQUIRE_ANY};
static const char *const versions[] = {"TLS10", "TLS11", "TLS12", "TLS13", NULL};
static const uint8_t version_numbers[] = {10, 11, 12, 13};
static const char *const header_names[] = {"Strict-Transport-Security", "X-Content-Type-Options",  "X-Frame-Options",
                                           "X-XSS-Protection",          "Content-Security-Policy", NULL};
/* Of those for which a browser knows no others; in any case of letters. */
static const char *const header_values[][2] = {
    {"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "deny"}, {"X-Frame-Options", "sameorigin"}};

/* A key without a value is an error in this file: it could leave a door open that its author meant to close. */
static int check_stated(const struct el_yaml *n, struct el_config_error *err)
{
    bool blank_header = n->quoted && n->parent->key && strcmp(n->parent->key, "headers") == 0;

    if (n->parent && (n->kind != EL_YAML_SCALAR ? !n->n : el_yaml_is_null(n) || (!n->text[0] && !blank_header)))
        return el_yaml_error(n, err, "states nothing: give it a value, or leave it out");
    for (size_t i = 0; i < n->n; i++)
        if (check_stated(n->child[i], err) < 0)
            return -EINVAL;
    return 0;
}

static int find_name(const struct el_yaml *n, const struct name *names, size_t count, unsigned *out,
                     struct el_config_error *err)
{
    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].text, n->text) == 0) {
            *out = names[i].number;
            return 0;
        }
    return el_yaml_error(n, err, "\"%.80s\" is not known here", n->text);
}

static int take_numbers(const struct el_yaml *list, const struct name *names, size_t count, unsigned **out,
                        size_t *n_out, struct el_config_error *err)
{
    int r = el_yaml_expect(list, EL_YAML_LIST, err);

    if (r < 0 || list->n == 0)
        return r;
    *out = calloc(list->n, sizeof **out);
    if (!*out)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < list->n; i++)
        r = find_name(list->child[i], names, count, &(*out)[i], err);
    *n_out = list->n;
    return r;
}

static int read_ciphers(const struct el_yaml *list, void *config, struct el_config_error *err)
{
    struct el_web_config *c = config;

    return take_numbers(list, ciphers, EL_ARRAY_SIZE(ciphers), &c->ciphers, &c->ciphers_n, err);
}

static int read_curves(const struct el_yaml *list, void *config, struct el_config_error *err)
{
    struct el_web_config *c = config;

    return take_numbers(list, curves, EL_ARRAY_SIZE(curves), &c->curves, &c->curves_n, err);
}

static int read_sans(const struct el_yaml *list, void *config, struct el_config_error *err)
{
    struct el_web_config *c = config;

    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    c->client_sans = calloc(list->n + 1, sizeof *c->client_sans);
    if (!c->client_sans)
        return -ENOMEM;
    for (; c->client_sans_n < list->n; c->client_sans_n++) {
        const struct el_yaml *n = list->child[c->client_sans_n];

        if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
            return -EINVAL;
        if (!(c->client_sans[c->client_sans_n] = strdup(n->text)))
            return -ENOMEM;
    }
    return 0;
}

/* A certificate, key, ...: from a file or inline, not both. */
static int check_pem(const struct el_yaml *map, const char *key, const char *file, const char *text,
                     struct el_config_error *err)
{
    return file && text
               ? el_yaml_error(el_yaml_get(map, key), err, "%s_file is given too, expected one of the two", key)
               : 0;
}

/* Fields that are each right but together make no sense. */
static int check_tls(const struct el_yaml *map, const struct el_web_config *c, struct el_config_error *err)
{
    if (check_pem(map, "cert", c->cert_file, c->cert, err) < 0 || check_pem(map, "key", c->key_file, c->key, err) < 0 ||
        check_pem(map, "client_ca", c->client_ca_file, c->client_ca, err) < 0)
        return -EINVAL;
    bool cert = c->cert || c->cert_file, key = c->key || c->key_file, ca = c->client_ca || c->client_ca_file;

    if (!cert || !key)
        return el_yaml_error(map, err, "%s is missing: expected cert_file or cert, and key_file or key",
                             cert ? "the key" : "the certificate");
    if (c->min_version > c->max_version)
        return el_yaml_error(map, err, "min_version is above max_version");
    if (ca && c->client_auth < EL_CLIENT_AUTH_VERIFY_GIVEN)
        return el_yaml_error(map, err,
                             "client_ca_file is given but client_auth_type %s checks nothing against it: expected "
                             "RequireAndVerifyClientCert or VerifyClientCertIfGiven",
                             client_auths[c->client_auth]);
    if (!ca && c->client_auth >= EL_CLIENT_AUTH_VERIFY_GIVEN)
        return el_yaml_error(map, err, "client_auth_type %s needs client_ca_file", client_auths[c->client_auth]);
    if (c->client_sans_n && !el_client_auth_requires(c->client_auth))
        return el_yaml_error(map, err,
                             "client_allowed_sans needs client_auth_type RequireAndVerifyClientCert: who shows no "
                             "certificate would need no name");
    return 0;
}

#define W(member) EL_FIELD_AT(el_web_config, member)
static const struct el_field tls_fields[] = {
    {"cert_file", EL_FIELD_PATH, W(cert_file)},
    {"key_file", EL_FIELD_PATH, W(key_file)},
    {"cert", EL_FIELD_STRING, W(cert)},
    {"key", EL_FIELD_STRING, W(key)},
    {"client_auth_type", EL_FIELD_ENUM, W(client_auth), .names = client_auths, .values = client_auth_numbers},
    {"client_ca_file", EL_FIELD_PATH, W(client_ca_file)},
    {"client_ca", EL_FIELD_STRING, W(client_ca)},
    {"client_allowed_sans", EL_FIELD_OTHER, .read = read_sans},
    {"min_version", EL_FIELD_ENUM, W(min_version), .names = versions, .values = version_numbers},
    {"max_version", EL_FIELD_ENUM, W(max_version), .names = versions, .values = version_numbers},
    {"cipher_suites", EL_FIELD_OTHER, .read = read_ciphers},
    {"prefer_server_cipher_suites", EL_FIELD_BOOL, W(prefer_server_ciphers)},
    {"curve_preferences", EL_FIELD_OTHER, .read = read_curves},
    {0},
};

static int read_tls(const struct el_yaml *map, void *config, struct el_config_error *err)
{
    struct el_web_config *c = config;
    int r = el_fields_read(map, tls_fields, c, NULL, err);

    c->tls = true;
    return r < 0 ? r : check_tls(map, c, err);
}

static int check_header(const struct el_yaml *n, struct el_config_error *err)
{
    EL_AUTO_BUF struct el_buf expected = {0};

    for (const char *p = n->text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return el_yaml_error(n, err, "has a control character in it");
    for (size_t i = 0; i < EL_ARRAY_SIZE(header_values); i++) {
        if (strcmp(n->key, header_values[i][0]) != 0)
            continue;
        if (strcasecmp(n->text, header_values[i][1]) == 0)
            return 0;
        el_buf_printf(&expected, "%s%s", expected.len ? " or " : "", header_values[i][1]);
    }
    return expected.len ? el_yaml_error(n, err, "got \"%.80s\", expected %s", n->text, expected.data) : 0;
}

static int read_header(const struct el_yaml *n, struct el_web_config *c, struct el_config_error *err)
{
    struct el_web_header *h = &c->headers[c->headers_n];

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    if (!n->text[0])
        return 0;
    if (check_header(n, err) < 0)
        return -EINVAL;
    h->name = strdup(n->key);
    h->value = strdup(n->text);
    c->headers_n++;
    return h->name && h->value ? 0 : -ENOMEM;
}

static int read_headers(const struct el_yaml *map, void *config, struct el_config_error *err)
{
    struct el_web_config *c = config;
    int r = el_yaml_expect(map, EL_YAML_MAP, err);

    if (r == 0)
        r = el_yaml_known_keys(map, header_names, err);
    if (r < 0)
        return r;
    c->headers = calloc(map->n + 1, sizeof *c->headers);
    if (!c->headers)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < map->n; i++)
        r = read_header(map->child[i], c, err);
    return r;
}

static int read_http2(const struct el_yaml *n, void *config, struct el_config_error *err)
{
    bool want;
    int r = el_yaml_bool(n, &want, err);

    return r == 0 && want ? el_yaml_error(n, err,
                                          "HTTP/2 is not offered here: say false or leave the line out (scrapers take "
                                          "HTTP/1.1)")
                          : r;
}

static const struct el_field http_fields[] = {
    {"http2", EL_FIELD_OTHER, .read = read_http2},
    {"headers", EL_FIELD_OTHER, .read = read_headers},
    {0},
};

static int read_http(const struct el_yaml *map, void *config, struct el_config_error *err)
{
    return el_fields_read(map, http_fields, config, NULL, err);
}

static int check_hash(const struct el_yaml *n, struct el_config_error *err)
{
    const char *h = n->text;
    size_t len = strlen(h);
    int64_t cost;
    char digits[3] = "";

    if (len == BCRYPT_LENGTH && strncmp(h, "$2", 2) == 0 && strchr("aby", h[2]) && h[3] == '$' &&
        strspn(h + 4, "0123456789") == 2 && h[6] == '$')
        memcpy(digits, h + 4, 2);
    if (!digits[0] || el_num_parse_i64(digits, &cost) < 0 || cost < 4)
        return el_yaml_error(n, err, "expected a bcrypt hash, as `htpasswd -nBC 10 \"\"` makes it");
    if (strspn(h + 7, "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != BCRYPT_LENGTH - 7)
        return el_yaml_error(n, err, "is no bcrypt hash: a character that does not belong");
    if (cost > BCRYPT_COST_MAX)
        return el_yaml_error(n, err, "cost %d would take seconds a request, expected at most %d", (int)cost,
                             BCRYPT_COST_MAX);
    return 0;
}

static int read_users(const struct el_yaml *map, void *config, struct el_config_error *err)
{
    struct el_web_config *c = config;
    int r = 0;

    if (el_yaml_expect(map, EL_YAML_MAP, err) < 0)
        return -EINVAL;
    c->users = calloc(map->n + 1, sizeof *c->users);
    if (!c->users)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < map->n; i++) {
        const struct el_yaml *n = map->child[i];

        r = el_yaml_expect(n, EL_YAML_SCALAR, err);
        if (r == 0)
            r = check_hash(n, err);
        if (r == 0 && (!n->key[0] || strchr(n->key, ':')))
            r = el_yaml_error(n, err, "a user name is neither empty nor has a colon in it");
        if (r < 0)
            return r;
        c->users[i] = (struct el_web_user){.name = strdup(n->key), .hash = strdup(n->text)};
        c->users_n++;
        if (!c->users[i].name || !c->users[i].hash)
            return -ENOMEM;
    }
    return r;
}

/* "1s", "200ms", "1m30s", "1.5s", "0": a duration as Go writes it. */
static int read_duration(const struct el_yaml *n, void *out_us, struct el_config_error *err)
{
    static const struct {
        const char *unit;
        double us;
    } units[] = {{"ms", 1e3}, {"us", 1}, {"ns", 1e-3}, {"h", 3600e6}, {"m", 60e6}, {"s", 1e6}};
    const char *p = n->text;
    double sum_us = 0;

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    while (*p && strcmp(n->text, "0") != 0) {
        size_t digits = strspn(p, "0123456789."), u = 0;
        char number[16] = "";
        double value = 0;

        if (digits < sizeof number)
            memcpy(number, p, digits);
        p += digits;
        while (u < EL_ARRAY_SIZE(units) && strncmp(p, units[u].unit, strlen(units[u].unit)) != 0)
            u++;
        if (el_num_parse_double(number, &value) < 0 || u == EL_ARRAY_SIZE(units))
            return el_yaml_error(n, err, "got \"%.40s\", expected a duration such as 200ms or 1s", n->text);
        sum_us += value * units[u].us;
        p += strlen(units[u].unit);
    }
    if (sum_us > INTERVAL_MAX_US || (sum_us > 0 && sum_us < 1))
        return el_yaml_error(n, err, "got \"%.40s\", expected 0 or from 1us to 240h", n->text);
    *(int64_t *)out_us = (int64_t)sum_us;
    return 0;
}

static const struct el_field limit_fields[] = {
    {"interval", EL_FIELD_OTHER, W(limit_interval_us), .read = read_duration},
    {"burst", EL_FIELD_UNSIGNED, W(limit_burst), 0, 1000000},
    {0},
};

static int read_limit(const struct el_yaml *map, void *config, struct el_config_error *err)
{
    struct el_web_config *c = config;
    int r = el_fields_read(map, limit_fields, c, NULL, err);

    if (r == 0 && !el_yaml_get(map, "interval"))
        return el_yaml_error(map, err, "interval is missing: nothing would be limited (0 says that)");
    return r == 0 && c->limit_interval_us && c->limit_burst == 0
               ? el_yaml_error(map, err, "burst 0 would let nobody in, expected at least 1")
               : r;
}

static const struct el_field root_fields[] = {
    {"tls_server_config", EL_FIELD_OTHER, .read = read_tls},
    {"http_server_config", EL_FIELD_OTHER, .read = read_http},
    {"basic_auth_users", EL_FIELD_OTHER, .read = read_users},
    {"rate_limit", EL_FIELD_OTHER, .read = read_limit},
    {0},
};

int el_web_config_parse(const char *path, const void *bytes, size_t n, struct el_web_config **out,
                        struct el_config_error *err)
{
    EL_AUTO_YAML struct el_yaml *root = NULL;
    struct el_web_config *c;
    int r = el_yaml_parse(path, bytes, n, &root, err);

    if (r < 0)
        return r;
    snprintf(err->text, sizeof err->text, "%s: out of memory", path);
    c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    c->prefer_server_ciphers = true;
    c->file = el_yaml_shape(root);
    c->min_version = 12;
    c->max_version = 13;
    r = check_stated(root, err);
    if (r == 0)
        r = el_fields_read(root, root_fields, c, NULL, err);
    if (r < 0)
        el_web_config_free(c);
    else
        *out = c;
    return r;
}

int el_web_config_load(const char *path, struct el_web_config **out, struct el_config_error *err)
{
    EL_AUTO_BUF struct el_buf bytes = {0};
    int r = el_file_read(AT_FDCWD, path, EL_YAML_SIZE_MAX, &bytes);

    if (r < 0) {
        snprintf(err->text, sizeof err->text, "%s: cannot be read: %s", path, strerror(-r));
        return r;
    }
    return el_web_config_parse(path, bytes.data ? bytes.data : "", bytes.len, out, err);
}
