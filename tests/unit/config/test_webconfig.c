#include "config/webconfig.h"
#include "support/unit.h"

#define HASH "$2y$10$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW"

static void good(void **state)
{
    static const char text[] =
        "tls_server_config:\n"
        "  cert_file: server.crt\n"
        "  key_file: /etc/keys/server.key\n"
        "  client_auth_type: RequireAndVerifyClientCert\n"
        "  client_ca: |\n"
        "    -----BEGIN CERTIFICATE-----\n"
        "    x\n"
        "  client_allowed_sans: [prometheus.example, 192.0.2.7]\n"
        "  min_version: TLS12\n"
        "  max_version: TLS13\n"
        "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n"
        "  prefer_server_cipher_suites: false\n"
        "  curve_preferences: [X25519, CurveP256]\n"
        "http_server_config:\n"
        "  http2: false\n"
        "  headers:\n"
        "    X-Frame-Options: DENY\n"
        "    Strict-Transport-Security: \"max-age=1; includeSubDomains\"\n"
        "basic_auth_users:\n"
        "  alice: " HASH "\n"
        "rate_limit:\n"
        "  interval: 1m200ms\n"
        "  burst: 20\n";
    struct el_web_config *c = NULL;
    struct el_config_error err;

    if (el_web_config_parse("/etc/x/web.yml", text, sizeof text - 1, &c, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(c->tls);
    assert_string_equal(c->cert_file, "/etc/x/server.crt");
    assert_string_equal(c->key_file, "/etc/keys/server.key");
    assert_non_null(strstr(c->client_ca, "BEGIN CERTIFICATE"));
    assert_int_equal(c->client_auth, EL_CLIENT_AUTH_REQUIRE_VERIFY);
    assert_int_equal(c->client_sans_n, 2);
    assert_int_equal(c->min_version, 12);
    assert_int_equal(c->max_version, 13);
    assert_int_equal(c->ciphers_n, 2);
    assert_int_equal(c->ciphers[1], 0xc030);
    assert_false(c->prefer_server_ciphers);
    assert_int_equal(c->curves[0], 29);
    assert_int_equal(c->headers_n, 2);
    assert_string_equal(c->headers[0].value, "DENY");
    assert_string_equal(c->users[0].name, "alice");
    assert_int_equal(c->limit_interval_us, 60200000);
    assert_int_equal(c->limit_burst, 20);
    el_web_config_free(c);
}

static struct el_web_config *parse(const char *text, size_t n)
{
    struct el_web_config *c = NULL;
    struct el_config_error err;

    if (el_web_config_parse("web.yml", text, n, &c, &err) < 0)
        return NULL;
    return c;
}

/* For a start, that is. */
static void empty_is_plain(void **state)
{
    struct el_web_config *c = parse("", 0);

    assert_false(c->tls);
    assert_int_equal(c->users_n, 0);
    assert_true(c->file.empty);
    el_web_config_free(c);
}

/* However much of the file is there when it is read: what is taken has all of the protection, or is seen to have lost
 * some. */
static void half_written_is_noticed(void **state)
{
    static const char text[] = "tls_server_config:\n"
                               "  cert_file: server.crt\n"
                               "  key_file: server.key\n"
                               "  min_version: TLS13\n"
                               "  client_auth_type: RequireAndVerifyClientCert\n"
                               "  client_ca_file: ca.crt\n"
                               "  client_allowed_sans: [prometheus]\n"
                               "basic_auth_users:\n"
                               "  alice: " HASH "\n"
                               "  bob: " HASH "\n";
    struct el_web_config *whole = parse(text, sizeof text - 1);

    assert_null(el_web_config_drops(whole, whole));
    assert_null(el_web_config_drops(NULL, whole));
    assert_string_equal(el_web_config_drops(whole, NULL), "TLS");
    for (size_t n = 0; n < sizeof text - 1; n++) {
        struct el_web_config *part = parse(text, n);
        bool users = part && part->users_n > 0;

        if (part && !el_web_config_drops(whole, part) && !el_text_cut_short(whole->file, part->file) && !users)
            fail_msg("taken:\n%.*s", (int)n, text);
        el_web_config_free(part);
    }
    el_web_config_free(whole);
}

/* A protection less, each by itself. */
static void lost_protection_is_named(void **state)
{
#define BASE "tls_server_config:\n  cert: a\n  key: b\n"
#define CA   "  client_ca: c\n"
    static const struct {
        const char *now, *next, *lost;
    } row[] = {
        {BASE, "http_server_config: {http2: false}\n", "TLS"},
        {BASE CA "  client_auth_type: RequireAndVerifyClientCert\n", BASE, "the check of client certificates"},
        {BASE CA "  client_auth_type: RequireAndVerifyClientCert\n", BASE "  client_auth_type: RequireAnyClientCert\n",
         "the check of client certificates"},
        {BASE CA "  client_auth_type: RequireAndVerifyClientCert\n",
         BASE CA "  client_auth_type: VerifyClientCertIfGiven\n", "the check of client certificates"},
        {BASE "  client_auth_type: RequireAnyClientCert\n", BASE "  client_auth_type: RequestClientCert\n",
         "the check of client certificates"},
        {BASE CA "  client_auth_type: RequireAndVerifyClientCert\n  client_allowed_sans: [x]\n",
         BASE CA "  client_auth_type: RequireAndVerifyClientCert\n", "the names that client certificates must carry"},
        {BASE "basic_auth_users: {a: " HASH "}\n", BASE, "all users"},
        {BASE "  min_version: TLS13\n", BASE, "the least TLS version"},
        {BASE, BASE "  min_version: TLS13\n", NULL},
        {BASE "basic_auth_users: {a: " HASH ", b: " HASH "}\n", BASE "basic_auth_users: {a: " HASH "}\n", NULL},
        {"basic_auth_users: {a: " HASH "}\n", BASE "basic_auth_users: {b: " HASH "}\n", NULL},
    };

    for (size_t i = 0; i < EL_ARRAY_SIZE(row); i++) {
        struct el_web_config *now = parse(row[i].now, strlen(row[i].now)),
                             *next = parse(row[i].next, strlen(row[i].next));
        const char *lost = el_web_config_drops(now, next);

        if (!now || !next || (lost ? !row[i].lost || strcmp(lost, row[i].lost) != 0 : row[i].lost != NULL))
            fail_msg("row %zu: %s", i, lost ? lost : "nothing lost");
        el_web_config_free(now);
        el_web_config_free(next);
    }
}

/* As the exporters' own program reads them. */
static void spelled_otherwise(void **state)
{
    static const struct {
        const char *interval;
        int64_t us;
    } row[] = {{"0", 0}, {"0s", 0}, {"1.5s", 1500000}, {"1h0m0.5s", 3600500000}, {"2000ns", 2}, {".5ms", 500}};
    static const char blank[] = "http_server_config: {headers: {X-Frame-Options: \"\"}}\n",
                      names[] = "tls_server_config: {cert: a, key: b, client_auth_type: RequireAnyClientCert, "
                                "client_allowed_sans: [x]}\n",
                      off[] = "rate_limit: {interval: 0, burst: 0}\n";
    static const char old_name[] = "tls_server_config: {cert: a, key: b, client_auth_type: RequireClientCert}\n";
    struct el_web_config *c = NULL;
    struct el_config_error err;
    char text[80];

    for (size_t i = 0; i < EL_ARRAY_SIZE(row); i++) {
        snprintf(text, sizeof text, "rate_limit: {interval: %s, burst: 2}\n", row[i].interval);
        if (el_web_config_parse("web.yml", text, strlen(text), &c, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(c->limit_interval_us, row[i].us);
        el_web_config_free(c);
    }
    assert_non_null(c = parse(blank, sizeof blank - 1));
    assert_int_equal(c->headers_n, 0);
    el_web_config_free(c);
    assert_non_null(c = parse(names, sizeof names - 1));
    assert_int_equal(c->client_sans_n, 1);
    el_web_config_free(c);
    assert_non_null(c = parse(off, sizeof off - 1));
    el_web_config_free(c);
    assert_int_equal(el_web_config_parse("web.yml", old_name, sizeof old_name - 1, &c, &err), 0);
    assert_int_equal(c->client_auth, EL_CLIENT_AUTH_REQUIRE_ANY);
    el_web_config_free(c);
}

/* Nothing is ignored: what cannot be honoured is refused, with its line. */
static void refused(void **state)
{
#define TLS "tls_server_config:\n  cert_file: a\n  key_file: b\n"
    static const struct {
        const char *text, *expect;
    } row[] = {
        {"tls_config: {}\n", "web.yml:1: tls_config"},
        {"tls_server_config:\n  cert_file: a\n", "the key is missing"},
        {"tls_server_config: {}\n", "web.yml:1: tls_server_config: states nothing"},
        {"tls_server_config:\n", "web.yml:1: tls_server_config: states nothing"},
        {"tls_server_config: ~\n", "states nothing"},
        {"tls_server_config: {key: x}\n", "the certificate is missing"},
        {"basic_auth_users:\n", "web.yml:1: basic_auth_users: states nothing"},
        {"basic_auth_users: {}\n", "states nothing"},
        {"http_server_config:\n", "states nothing"},
        {"rate_limit: {}\n", "states nothing"},
        {TLS "  client_auth_type:\n", "web.yml:4: tls_server_config.client_auth_type: states nothing"},
        {TLS "  client_auth_type: \"\"\n", "states nothing"},
        {TLS "  client_allowed_sans: []\n", "web.yml:4: tls_server_config.client_allowed_sans: states nothing"},
        {TLS "  client_allowed_sans: [\"\"]\n", "client_allowed_sans[0]: states nothing"},
        {TLS "  cipher_suites: []\n", "states nothing"},
        {TLS "  client_ca_file: c\n  client_auth_type: RequestClientCert\n", "checks nothing against it"},
        {TLS "  client_ca_file: c\n  client_auth_type: RequireAnyClientCert\n", "RequireAnyClientCert checks nothing"},
        {TLS "  cert: x\n", "web.yml:4: tls_server_config.cert: cert_file is given too"},
        {TLS "  client_auth_type: Maybe\n", "web.yml:4: tls_server_config.client_auth_type"},
        {TLS "  client_auth_type: RequireAndVerifyClientCert\n", "needs client_ca_file"},
        {TLS "  client_ca_file: c\n", "NoClientCert checks nothing"},
        {TLS "  client_allowed_sans: [x]\n", "client_allowed_sans needs"},
        {TLS "  client_ca_file: c\n  client_auth_type: VerifyClientCertIfGiven\n  client_allowed_sans: [x]\n",
         "client_allowed_sans needs"},
        {TLS "  min_version: TLS13\n  max_version: TLS12\n", "min_version is above max_version"},
        {TLS "  min_version: SSL3\n", "web.yml:4: tls_server_config.min_version"},
        {TLS "  cipher_suites: [TLS_FANCY]\n",
         "web.yml:4: tls_server_config.cipher_suites[0]: \"TLS_FANCY\" is not known"},
        {TLS "  curve_preferences: [CurveP999]\n", "CurveP999"},
        {TLS "  prefer_server_cipher_suites: perhaps\n", "prefer_server_cipher_suites"},
        {TLS "  session_tickets: true\n", "session_tickets"},
        {"http_server_config:\n  http2: true\n", "web.yml:2: http_server_config.http2: HTTP/2 is not offered"},
        {"http_server_config:\n  headers:\n    Server: me\n", "web.yml:3: http_server_config.headers.Server"},
        {"http_server_config:\n  headers:\n    X-Frame-Options: \"a\\r\\nSet-Cookie: b\"\n", "control character"},
        {"http_server_config:\n  headers:\n    X-Frame-Options: ALLOWALL\n",
         "web.yml:3: http_server_config.headers.X-Frame-Options: got \"ALLOWALL\", expected deny or sameorigin"},
        {"http_server_config:\n  headers:\n    X-Content-Type-Options: sniff\n", "expected nosniff"},
        {"basic_auth_users:\n  alice: secret\n", "web.yml:2: basic_auth_users.alice: expected a bcrypt hash"},
        {"basic_auth_users:\n  alice: $2y$ 9$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW\n",
         "expected a bcrypt hash"},
        {"basic_auth_users:\n  alice: $2y$+9$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW\n",
         "expected a bcrypt hash"},
        {"basic_auth_users:\n  alice: $2y$31$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW\n",
         "would take seconds"},
        {"basic_auth_users:\n  alice: $2y$10$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31l!\n",
         "does not belong"},
        {"basic_auth_users:\n  \"a:b\": " HASH "\n", "colon"},
        {"basic_auth_users: [alice]\n", "expected"},
        {"basic_auth_users:\n  alice: " HASH "\n  alice: " HASH "\n", "alice"},
        {"rate_limit:\n  interval: soon\n  burst: 1\n", "got \"soon\""},
        {"rate_limit:\n  interval: 1s\n", "burst 0"},
        {"rate_limit:\n  burst: 3\n", "web.yml:2: rate_limit: interval is missing"},
        {"rate_limit:\n  interval: 5\n  burst: 1\n", "got \"5\""},
        {"rate_limit:\n  interval: 1.2.3s\n  burst: 1\n", "got \"1.2.3s\""},
        {"rate_limit:\n  interval: -1s\n  burst: 1\n", "got \"-1s\""},
        {"rate_limit:\n  interval: 8760h\n  burst: 1000000\n", "to 240h"},
        {"rate_limit:\n  interval: 1ns\n  burst: 1\n", "from 1us"},
        {"rate_limit:\n  interval: 1s\n  burst: -1\n", "burst"},
        {"a: &x 1\nb: *x\n", "web.yml:"},
    };

    for (size_t i = 0; i < EL_ARRAY_SIZE(row); i++) {
        struct el_web_config *c = NULL;
        struct el_config_error err = {""};

        if (el_web_config_parse("web.yml", row[i].text, strlen(row[i].text), &c, &err) == 0)
            fail_msg("row %zu was taken:\n%s", i, row[i].text);
        assert_null(c);
        if (!strstr(err.text, row[i].expect))
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, err.text, row[i].expect);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(good),
                                       cmocka_unit_test(empty_is_plain),
                                       cmocka_unit_test(half_written_is_noticed),
                                       cmocka_unit_test(lost_protection_is_named),
                                       cmocka_unit_test(spelled_otherwise),
                                       cmocka_unit_test(refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
