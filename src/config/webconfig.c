#include "config/webconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "config/yaml.h"

#define BCRYPT_LENGTH   60
#define BCRYPT_COST_MAX 16 /* some 3 s a check: beyond that every scrape would time out */

struct name {
    const char *text;
    unsigned number;
};

/* IANA numbers of the suites by the names that Go has for them. */
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

static const char *const client_auths[] = {"NoClientCert", "RequestClientCert", "RequireAnyClientCert",
                                           "VerifyClientCertIfGiven", "RequireAndVerifyClientCert"};
static const char *const versions[] = {"TLS10", "TLS11", "TLS12", "TLS13"};
static const char *const header_names[] = {"Strict-Transport-Security", "X-Content-Type-Options",  "X-Frame-Options",
                                           "X-XSS-Protection",          "Content-Security-Policy", NULL};

/* Text of a scalar, owned by the caller. An absent or empty one stays NULL. */
static int take_text(const struct el_yaml *map, const char *key, char **out, struct el_config_error *err)
{
    const struct el_yaml *n = el_yaml_get(map, key);

    if (!n || (n->kind == EL_YAML_SCALAR && !n->text[0]))
        return 0;
    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    *out = strdup(n->text);
    return *out ? 0 : -ENOMEM;
}

/* The same for a path: relative ones stand beside the configuration file. */
static int take_path(const struct el_yaml *map, const char *key, char **out, struct el_config_error *err)
{
    const char *file = map->file, *slash = strrchr(file, '/');
    char *plain = NULL;
    int r = take_text(map, key, &plain, err);

    if (r < 0 || !plain || plain[0] == '/' || !slash) {
        *out = plain;
        return r;
    }
    r = asprintf(out, "%.*s/%s", (int)(slash - file), file, plain) < 0 ? -ENOMEM : 0;
    free(plain);
    if (r < 0)
        *out = NULL;
    return r;
}

/* A certificate, key, ...: from a file or inline, not both. */
static int take_pem(const struct el_yaml *map, const char *file_key, const char *inline_key, char **file, char **text,
                    struct el_config_error *err)
{
    int r = take_path(map, file_key, file, err);

    if (r == 0)
        r = take_text(map, inline_key, text, err);
    if (r == 0 && *file && *text)
        r = el_yaml_error(el_yaml_get(map, inline_key), err, "%s is given too, expected one of the two", file_key);
    return r;
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

static int take_numbers(const struct el_yaml *map, const char *key, const struct name *names, size_t count,
                        unsigned **out, size_t *n_out, struct el_config_error *err)
{
    const struct el_yaml *list = el_yaml_get(map, key);
    int r = 0;

    if (!list || el_yaml_is_null(list))
        return 0;
    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    if (list->n == 0)
        return 0;
    *out = calloc(list->n, sizeof **out);
    if (!*out)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < list->n; i++)
        r = find_name(list->child[i], names, count, &(*out)[i], err);
    *n_out = list->n;
    return r;
}

static int take_sans(const struct el_yaml *map, struct el_web_config *c, struct el_config_error *err)
{
    const struct el_yaml *list = el_yaml_get(map, "client_allowed_sans");

    if (!list || el_yaml_is_null(list))
        return 0;
    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    c->client_sans = calloc(list->n + 1, sizeof *c->client_sans);
    if (!c->client_sans)
        return -ENOMEM;
    for (size_t i = 0; i < list->n; i++) {
        if (el_yaml_expect(list->child[i], EL_YAML_SCALAR, err) < 0)
            return -EINVAL;
        c->client_sans[i] = strdup(list->child[i]->text);
        if (!c->client_sans[i])
            return -ENOMEM;
        c->client_sans_n++;
    }
    return 0;
}

static int take_enum(const struct el_yaml *map, const char *key, const char *const *names, size_t count, unsigned *out,
                     struct el_config_error *err)
{
    const struct el_yaml *n = el_yaml_get(map, key);

    if (!n || (n->kind == EL_YAML_SCALAR && !n->text[0]))
        return 0;
    return el_yaml_enum(n, names, count, out, err);
}

static int take_bool(const struct el_yaml *map, const char *key, bool *out, struct el_config_error *err)
{
    const struct el_yaml *n = el_yaml_get(map, key);

    return n ? el_yaml_bool(n, out, err) : 0;
}

/* Fields that are each right but together make no sense. */
static int check_tls(const struct el_yaml *map, const struct el_web_config *c, struct el_config_error *err)
{
    bool cert = c->cert || c->cert_file, key = c->key || c->key_file, ca = c->client_ca || c->client_ca_file;

    if (!cert || !key)
        return el_yaml_error(map, err, "%s is missing: expected cert_file or cert, and key_file or key",
                             cert ? "the key" : "the certificate");
    if (c->min_version > c->max_version)
        return el_yaml_error(map, err, "min_version is above max_version");
    if (ca && c->client_auth == EL_CLIENT_AUTH_NONE)
        return el_yaml_error(map, err, "client_ca_file is given but client_auth_type is not: nobody would be asked");
    if (!ca && c->client_auth >= EL_CLIENT_AUTH_VERIFY_GIVEN)
        return el_yaml_error(map, err, "client_auth_type %s needs client_ca_file", client_auths[c->client_auth]);
    if (c->client_sans_n && c->client_auth != EL_CLIENT_AUTH_REQUIRE_VERIFY)
        return el_yaml_error(map, err, "client_allowed_sans needs client_auth_type RequireAndVerifyClientCert");
    return 0;
}

static int read_tls(const struct el_yaml *map, struct el_web_config *c, struct el_config_error *err)
{
    static const char *const keys[] = {"cert_file",
                                       "key_file",
                                       "cert",
                                       "key",
                                       "client_auth_type",
                                       "client_ca_file",
                                       "client_ca",
                                       "client_allowed_sans",
                                       "min_version",
                                       "max_version",
                                       "cipher_suites",
                                       "prefer_server_cipher_suites",
                                       "curve_preferences",
                                       NULL};
    unsigned auth = 0, min = 2, max = 3;
    int r = el_yaml_expect(map, EL_YAML_MAP, err);

    if (r == 0)
        r = el_yaml_known_keys(map, keys, err);
    if (r == 0)
        r = take_pem(map, "cert_file", "cert", &c->cert_file, &c->cert, err);
    if (r == 0)
        r = take_pem(map, "key_file", "key", &c->key_file, &c->key, err);
    if (r == 0)
        r = take_pem(map, "client_ca_file", "client_ca", &c->client_ca_file, &c->client_ca, err);
    if (r == 0)
        r = take_enum(map, "client_auth_type", client_auths, EL_ARRAY_SIZE(client_auths), &auth, err);
    if (r == 0)
        r = take_sans(map, c, err);
    if (r == 0)
        r = take_enum(map, "min_version", versions, EL_ARRAY_SIZE(versions), &min, err);
    if (r == 0)
        r = take_enum(map, "max_version", versions, EL_ARRAY_SIZE(versions), &max, err);
    if (r == 0)
        r = take_numbers(map, "cipher_suites", ciphers, EL_ARRAY_SIZE(ciphers), &c->ciphers, &c->ciphers_n, err);
    if (r == 0)
        r = take_bool(map, "prefer_server_cipher_suites", &c->prefer_server_ciphers, err);
    if (r == 0)
        r = take_numbers(map, "curve_preferences", curves, EL_ARRAY_SIZE(curves), &c->curves, &c->curves_n, err);
    if (r < 0)
        return r;
    c->tls = true;
    c->client_auth = (enum el_client_auth)auth;
    c->min_version = 10 + min;
    c->max_version = 10 + max;
    return check_tls(map, c, err);
}

static int read_header(const struct el_yaml *n, struct el_web_config *c, struct el_config_error *err)
{
    struct el_web_header *h = &c->headers[c->headers_n];

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    for (const char *p = n->text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return el_yaml_error(n, err, "has a control character in it");
    if (!n->text[0])
        return 0;
    h->name = strdup(n->key);
    h->value = strdup(n->text);
    c->headers_n++;
    return h->name && h->value ? 0 : -ENOMEM;
}

static int read_http(const struct el_yaml *map, struct el_web_config *c, struct el_config_error *err)
{
    static const char *const keys[] = {"http2", "headers", NULL};
    const struct el_yaml *headers = el_yaml_get(map, "headers"), *http2 = el_yaml_get(map, "http2");
    bool want = false;
    int r = el_yaml_expect(map, EL_YAML_MAP, err);

    if (r == 0)
        r = el_yaml_known_keys(map, keys, err);
    if (r == 0)
        r = take_bool(map, "http2", &want, err);
    if (r == 0 && want)
        r = el_yaml_error(http2, err,
                          "HTTP/2 is not offered here: say false or leave the line out (scrapers take HTTP/1.1)");
    if (r < 0 || !headers || el_yaml_is_null(headers))
        return r;
    r = el_yaml_expect(headers, EL_YAML_MAP, err);
    if (r == 0)
        r = el_yaml_known_keys(headers, header_names, err);
    if (r < 0)
        return r;
    c->headers = calloc(headers->n + 1, sizeof *c->headers);
    if (!c->headers)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < headers->n; i++)
        r = read_header(headers->child[i], c, err);
    return r;
}

static int check_hash(const struct el_yaml *n, struct el_config_error *err)
{
    const char *h = n->text;
    size_t len = strlen(h);
    int64_t cost;
    char digits[3] = "";

    if (len == BCRYPT_LENGTH && strncmp(h, "$2", 2) == 0 && strchr("aby", h[2]) && h[3] == '$' && h[6] == '$')
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

static int read_users(const struct el_yaml *map, struct el_web_config *c, struct el_config_error *err)
{
    int r = 0;

    if (el_yaml_is_null(map))
        return 0;
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

/* "1s", "200ms", "1m30s": a duration as Go writes it. */
static int read_duration(const struct el_yaml *n, int64_t *out_us, struct el_config_error *err)
{
    static const struct {
        const char *unit;
        int64_t us;
    } units[] = {{"ms", 1000}, {"us", 1}, {"h", 3600000000}, {"m", 60000000}, {"s", 1000000}};
    const char *p = n->text;
    int64_t sum = 0;

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    while (*p) {
        size_t digits = strspn(p, "0123456789"), u = 0;
        int64_t value = 0;

        for (size_t i = 0; i < digits && i < 9; i++)
            value = value * 10 + (p[i] - '0');
        p += digits;
        while (u < EL_ARRAY_SIZE(units) && strncmp(p, units[u].unit, strlen(units[u].unit)) != 0)
            u++;
        if (digits == 0 || digits > 9 || u == EL_ARRAY_SIZE(units))
            return el_yaml_error(n, err, "got \"%.40s\", expected a duration such as 200ms or 1s", n->text);
        sum += value * units[u].us;
        p += strlen(units[u].unit);
    }
    *out_us = sum;
    return 0;
}

static int read_limit(const struct el_yaml *map, struct el_web_config *c, struct el_config_error *err)
{
    static const char *const keys[] = {"interval", "burst", NULL};
    const struct el_yaml *interval = el_yaml_get(map, "interval"), *burst = el_yaml_get(map, "burst");
    uint64_t n = 0;
    int r = el_yaml_expect(map, EL_YAML_MAP, err);

    if (r == 0)
        r = el_yaml_known_keys(map, keys, err);
    if (r == 0 && interval)
        r = read_duration(interval, &c->limit_interval_us, err);
    if (r == 0 && burst)
        r = el_yaml_u64(burst, 0, 1000000, &n, err);
    if (r == 0 && c->limit_interval_us && n == 0)
        r = el_yaml_error(map, err, "burst 0 would let nobody in, expected at least 1");
    c->limit_burst = (uint32_t)n;
    return r;
}

static int read_root(const struct el_yaml *root, struct el_web_config *c, struct el_config_error *err)
{
    static const char *const keys[] = {"tls_server_config", "http_server_config", "basic_auth_users", "rate_limit",
                                       NULL};
    static const struct {
        const char *key;
        int (*read)(const struct el_yaml *, struct el_web_config *, struct el_config_error *);
    } sections[] = {{"tls_server_config", read_tls},
                    {"http_server_config", read_http},
                    {"basic_auth_users", read_users},
                    {"rate_limit", read_limit}};
    int r = el_yaml_known_keys(root, keys, err);

    for (size_t i = 0; r == 0 && i < EL_ARRAY_SIZE(sections); i++) {
        const struct el_yaml *n = el_yaml_get(root, sections[i].key);

        if (n && !el_yaml_is_null(n))
            r = sections[i].read(n, c, err);
    }
    return r;
}

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
    r = read_root(root, c, err);
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
