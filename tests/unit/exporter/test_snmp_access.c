/* Users file, sinks and settings of SNMP. */
#include "base/text.h"
#include "exporter/snmp_plan.h"
#include "support/unit.h"

static char why[512];

static void users_file(void **state)
{
    struct el_snmp_access a;

    assert_int_equal(
        el_snmp_access_parse("# who\n\nuser monitor SHA-256 \"correct horse\" AES \"battery staple\"\r\n"
                             "user two sha-512 long-enough aes-256 also-long-enough # comment\ncommunity \"a b\"",
                             &a, why, sizeof why),
        0);
    assert_int_equal(a.users, 2);
    assert_string_equal(a.user[0].auth_pass, "correct horse");
    assert_string_equal(a.user[1].priv, "aes-256");
    assert_true(el_snmp_access_community(&a, "a b", 3));
    assert_false(el_snmp_access_community(&a, "a bc", 4));
    assert_non_null(el_snmp_access_user(&a, "two"));
    assert_null(el_snmp_access_user(&a, "three"));
    assert_int_equal(el_snmp_access_parse("", &a, why, sizeof why), 0);
    assert_false(el_snmp_access_community(&a, "", 0)); /* no community is not the empty one */
}

static void users_are_quoted_for_the_library(void **state)
{
    struct el_snmp_access a;
    char line[EL_SNMP_USER_LINE];

    assert_int_equal(el_snmp_access_parse("user m SHA-256 \"back\\slash x\" AES quo\"te1234", &a, why, sizeof why), 0);
    el_snmp_access_line(&a.user[0], line);
    assert_string_equal(line, "\"m\" SHA-256 \"back\\\\slash x\" AES \"quo\\\"te1234\" ");
}

static void bad_users_files(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"user monitor MD5 \"correct horse\" AES \"battery staple\"", "line 1: \"MD5\""},
        {"\nuser monitor SHA-256 \"correct horse\" DES \"battery staple\"", "line 2: \"DES\""},
        {"user monitor SHA-256 short AES \"battery staple\"", "8 to 64"},
        {"user monitor SHA-256 \"correct horse\"", "expected: user"},
        {"user monitor SHA-256 \"correct horse AES x", "quote"},
        {"user \"\" SHA-256 \"correct horse\" AES \"battery staple\"", "name"},
        {"user a SHA-256 12345678 AES 12345678\nuser a SHA-256 12345678 AES 12345678", "line 2: user \"a\""},
        {"rwuser monitor", "expected user or community"},
        {"community", "community TEXT"},
        {"community a\ncommunity b", "line 2"},
        {"a b c d e f g h i", "too many"},
    };
    struct el_snmp_access a = {.users = 77};

    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++) {
        assert_int_equal(el_snmp_access_parse(bad[i].text, &a, why, sizeof why), -EINVAL);
        if (!strstr(why, bad[i].says))
            fail_msg("\"%s\" says \"%s\"", bad[i].text, why);
        assert_int_equal(a.users, 77); /* untouched */
    }
}

static void users_file_is_secret(void **state)
{
    char path[] = "/tmp/snmp-users-XXXXXX";
    int fd = mkstemp(path);
    struct el_snmp_access a;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "community x\n", 12), 12);
    fchmod(fd, 0640);
    assert_int_equal(el_snmp_access_load(path, &a, why, sizeof why), -EPERM);
    assert_non_null(strstr(why, "chmod 0600"));
    fchmod(fd, 0600);
    assert_int_equal(el_snmp_access_load(path, &a, why, sizeof why), 0);
    close(fd);
    unlink(path);
    assert_int_equal(el_snmp_access_load(path, &a, why, sizeof why), -ENOENT);
}

static void sinks(void **state)
{
    static const char *const bad[] = {
        "",
        "127.0.0.1:162",
        "udp:192.0.2.1:162",
        "v2c:@udp:1.2.3.4",
        "v2c:public@",
        "v1:public@1.2.3.4",
        "v2c:public@tcp:192.0.2.1:162", /* connecting would hold up everything else */
        "v3@1.2.3.4",
        "v3-inform:user@1.2.3.4",
        "v3-inform:user/0x80@1.2.3.4",
        "v3-inform:user/0x80001f88zz@1.2.3.4",
        "v2c:0123456789012345678901234567890123456789012345678901234567890123456789@1.2.3.4"};
    struct el_snmp_sink k = {0};

    assert_int_equal(el_snmp_sink_parse("agentx", &k, why, sizeof why), 0);
    assert_int_equal(k.kind, EL_SNMP_SINK_AGENTX);
    assert_int_equal(el_snmp_sink_parse("v2c:p@ss@udp:127.0.0.1:162", &k, why, sizeof why), 0);
    assert_int_equal(k.kind, EL_SNMP_SINK_V2C);
    assert_string_equal(k.name, "p@ss");
    assert_string_equal(k.address, "udp:127.0.0.1:162");
    assert_false(k.inform);
    assert_int_equal(el_snmp_sink_parse("v3-inform:monitor/0x80001f8804AAbb@udp6:[::1]:162", &k, why, sizeof why), 0);
    assert_true(k.inform && k.kind == EL_SNMP_SINK_V3);
    assert_string_equal(k.name, "monitor");
    assert_int_equal(k.engine_len, 7);
    assert_int_equal(k.engine[6], 0xbb);
    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++)
        if (el_snmp_sink_parse(bad[i], &k, why, sizeof why) != -EINVAL)
            fail_msg("\"%s\" was taken", bad[i]);
}

static void plans(void **state)
{
    struct el_settings s;
    struct el_snmp_plan p;

    el_settings_default(&s);
    assert_int_equal(el_snmp_plan_read(&s, NULL, &p, why, sizeof why), 0);
    assert_int_equal(p.sinks, 1); /* whoever the master tells */
    assert_int_equal(p.sink[0].kind, EL_SNMP_SINK_AGENTX);
    el_text_copy(s.snmp.base_oid, sizeof s.snmp.base_oid, "1.3.6.1.2.1.47");
    assert_int_equal(el_snmp_plan_read(&s, NULL, &p, why, sizeof why), -EINVAL);
    el_settings_default(&s);
    el_text_copy(s.snmp.standalone, sizeof s.snmp.standalone, "udp:127.0.0.1:1161");
    assert_int_equal(el_snmp_plan_read(&s, "/tmp", &p, why, sizeof why), -EINVAL);
    assert_non_null(strstr(why, "nobody could ask it"));
    el_settings_default(&s);
    s.snmp.sinks = 1;
    el_text_copy(s.snmp.sink[0], sizeof s.snmp.sink[0], "v3:nobody@127.0.0.1");
    assert_int_equal(el_snmp_plan_read(&s, "/tmp", &p, why, sizeof why), -EINVAL);
    assert_non_null(strstr(why, "not in snmp.users_file"));
    el_text_copy(s.snmp.sink[0], sizeof s.snmp.sink[0], "agentx");
    assert_int_equal(el_snmp_plan_read(&s, "/tmp", &p, why, sizeof why), 0);
    s.snmp.agentx = EL_SNMP_OFF;
    assert_int_equal(el_snmp_plan_read(&s, "/tmp", &p, why, sizeof why), -EINVAL);
    assert_non_null(strstr(why, "snmp.agentx is off"));
}

static void addresses(void **state)
{
    static const char *const good[] = {"udp:127.0.0.1:162", "udp6:[2001:db8::1]:162", "udp6:[::1]",
                                       "host.example",      "udp:host.example",       "127.0.0.1:1161"};
    static const char *const bad[] = {"",
                                      "udp:",
                                      "upd:127.0.0.1:162",
                                      "udp:127.0.0.1:99162",
                                      "udp:127.0.0.1:0",
                                      ":162",
                                      "udp:[::1]:162",
                                      "udp6:[]:162",
                                      "udp6:[::1",
                                      "udp6:[::1]162",
                                      "::1",
                                      "udp:a b:162",
                                      "localhost:x",
                                      "udp:127.0.0.1:",
                                      "tcp:127.0.0.1:161",
                                      "tcp6:[::1]:161",
                                      "tcp:host.example",
                                      "unix:/run/x",
                                      "dtlsudp:127.0.0.1:1"};

    struct el_snmp_address a;

    for (size_t i = 0; i < EL_ARRAY_SIZE(good); i++)
        if (!el_snmp_address_parse(good[i], &a))
            fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++)
        if (el_snmp_address_parse(bad[i], &a))
            fail_msg("%s is taken", bad[i]);
    assert_true(el_snmp_address_parse("udp:nms.example:162", &a) && a.named && !a.six);
    assert_string_equal(a.host, "nms.example");
    assert_string_equal(a.port, "162");
    assert_true(el_snmp_address_parse("udp6:[2001:db8::1]", &a) && !a.named && a.six && !a.port);
    assert_true(el_snmp_address_parse("udp6:[fe80::1%lo]:162", &a) && !a.named);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),
        cmocka_unit_test(users_file),
        cmocka_unit_test(users_are_quoted_for_the_library),
        cmocka_unit_test(bad_users_files),
        cmocka_unit_test(users_file_is_secret),
        cmocka_unit_test(sinks),
        cmocka_unit_test(plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
