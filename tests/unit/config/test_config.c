#include "base/buf.h"
#include "base/file.h"
#include "config/config.h"
#include "support/unit.h"

static struct el_settings s, untouched;
static struct el_config_error err;

static int load(const char *text)
{
    char path[] = "/tmp/el-config-XXXXXX";
    int fd = mkstemp(path), r;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    memset(&s, 0x5a, sizeof s);
    err.text[0] = '\0';
    r = el_config_load(path, &s, &err);
    unlink(path);
    return r;
}

static void refuses(const char *text, const char *message)
{
    assert_int_equal(load(text), -EINVAL);
    if (!strstr(err.text, message))
        fail_msg("got: %s\nexpected: %s", err.text, message);
    assert_memory_equal(&s, &untouched, sizeof s); /* never half applied */
}

static void takes_each_type(void **state)
{
    assert_int_equal(load("log: {level: debug, format: json}\npoll:\n  tick_ms: 1000\n  hot_ms: 1000\n"
                          "governor: {mode: enforce, preference: quiet, fans: true}\n"
                          "web: {listen_addresses: ['127.0.0.1:1', '[::1]:2']}\n"
                          "cards:\n  - {card: '*', limit_c: 75.5, weight: [1, 2]}\n  - {card: x, card_limit_w: 40}\n"
                          "sensors:\n  - {source: 'file:/run/inlet', role: inlet, kind: temperature}\n"),
                     0);
    assert_int_equal(s.log_level, EL_LOG_DEBUG);
    assert_int_equal(s.log_format, EL_LOG_JSON);
    assert_int_equal(s.poll.tick_ms, 1000);
    assert_int_equal(s.governor.mode, EL_MODE_ENFORCE);
    assert_true(s.governor.use_fans);
    assert_int_equal(s.web.listen_addresses, 2);
    assert_string_equal(s.web.listen_address[1], "[::1]:2");
    assert_int_equal(s.cards, 2);
    assert_true(s.card[0].limit_c == 75.5 && s.card[0].weight[1] == 2 && s.card[0].weight[2] == 1);
    assert_true(isnan(s.card[1].limit_c) && s.card[1].card_limit_w == 40);
    assert_int_equal(s.sensor[0].role, EL_ROLE_INLET);
    assert_true(s.sensor[0].scale == 1);
}

static void refuses_with_place_and_expectation(void **state)
{
    refuses("poll:\n  tick_mss: 5\n", ":2: poll.tick_mss: unknown key; did you mean \"tick_ms\"?");
    refuses("pol: {}\n", ":1: pol: unknown key; did you mean \"poll\"?");
    refuses("governer: {}\n", "did you mean \"governor\"?");
    refuses("card: []\n", "did you mean \"cards\"?");
    refuses("governor:\n\n  mode: fast\n", ":3: governor.mode: got \"fast\", expected observe, advise or enforce");
    refuses("log: {level: loud}\n", "expected error, warning, info or debug");
    refuses("poll: {tick_ms: 5}\n", "poll.tick_ms: got \"5\", expected a whole number from 100 to 10000");
    refuses("poll: 5\n", ":1: poll:");
    refuses("poll: {hot_ms: 9000}\n", "expected them in rising order");
    refuses("governor: {fans: maybe}\n", "governor.fans:");
    refuses("cards: [{card: a, limit_c: warm}]\n", "cards[0].limit_c: got \"warm\", expected a number from 20 to 120");
    refuses("cards: [{limit_c: 70}]\n", "\"card\" is missing");
    refuses("cards: [{card: a, warranty_start: soon}]\n", "expected a date like 2026-01-31");
    refuses("web: {telemetry_path: metrics}\n", "expected a path that starts with /");
    refuses("poll.tick_ms: 500\n", "unknown key");
    refuses("poll: {tick_ms: \"500\"}\n", "got the text \"500\", expected a whole number");
    refuses("state_dir: \"\"\n", ":1: state_dir: got nothing, expected a value");
    refuses("cards: [{card: \"\"}]\n", "cards[0].card: got nothing");
    refuses("sensors: [{source: x, min: 5, max: 3}]\n", ":1: sensors[0]: min 5, max 3: expected min below max");
    refuses("poll: {tick_ms: 500}\npoll: {}\n", "given twice");
    refuses("cards: [{card: a, warranty_start: \"2026-02-29\"}]\n", "expected a date like 2026-01-31");
    refuses("web: {collect: bogus}\n", ":1: web.collect: there is no metric group \"bogus\"");
    refuses("web:\n  listen_addresses:\n    - \":80\"\n    - nonsense\n",
            ":4: web.listen_addresses[1]: got \"nonsense\", expected HOST:PORT");
    refuses("web: {listen_addresses: [\"127.0.0.1:99999\"]}\n", "expected HOST:PORT");
    refuses("web: {listen_addresses: [\"::1:80\"]}\n", "[IPV6]:PORT");
    refuses("snmp: {base_oid: 1.2.x}\n", ":1: snmp.base_oid: got \"1.2.x\", expected an OID below enterprises");
    refuses("log: {format: \"\xff\xfe\"}\n", "not valid YAML");
}

static void reports_everything_at_once(void **state)
{
    refuses("poll: {tick_ms: 1}\nnonsense: 1\nlog: {level: x}\n", ":2: nonsense: unknown key");
    assert_non_null(strstr(err.text, ":1: poll.tick_ms"));
    assert_non_null(strstr(err.text, ":3: log.level"));
    refuses("poll: {tick_ms: 1}\nlog: {level: x, level: info}\npoll: {}\n", ":2: level: given twice (first on line 2)");
    assert_non_null(strstr(err.text, ":3: poll: given twice (first on line 1)"));
    assert_non_null(strstr(err.text, ":1: poll.tick_ms"));
    assert_non_null(strstr(err.text, ":2: log.level"));
}

static void takes_every_form_of_address(void **state)
{
    assert_int_equal(load("web: {listen_addresses: [\":80\", \"[::1]:81\", \"0.0.0.0:82\", \"host.example:http\"]}\n"),
                     0);
    assert_int_equal(s.web.listen_addresses, 4);
    assert_int_equal(load("cards: [{card: a, warranty_start: \"2028-02-29\"}]\n"), 0);
}

static void missing_file_has_its_name(void **state)
{
    assert_int_equal(el_config_load("/nonexistent/elementd.yaml", &s, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/elementd.yaml"));
}

/* The shipped example is the printed one, and means the defaults. */
static void example_is_true(void **state)
{
    EL_AUTO_BUF struct el_buf printed = {0}, shipped = {0};
    static struct el_settings defaults;

    el_config_example(&printed);
    assert_int_equal(el_file_read(AT_FDCWD, EL_SOURCE_DIR "/deploy/elementd.yaml", 1 << 20, &shipped), 0);
    if (strcmp(printed.data, shipped.data) != 0)
        fail_msg("deploy/elementd.yaml is out of date: elementd check --example >deploy/elementd.yaml");
    assert_int_equal(load(shipped.data), 0);
    el_settings_default(&defaults);
    assert_true(s.poll.tick_ms == defaults.poll.tick_ms && s.log_level == defaults.log_level);
    assert_string_equal(s.web.telemetry_path, defaults.web.telemetry_path);
    assert_string_equal(s.snmp.base_oid, defaults.snmp.base_oid);
    assert_true(s.governor.write_budget_per_hour == defaults.governor.write_budget_per_hour);
    assert_int_equal(s.cards, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_each_type),
        cmocka_unit_test(refuses_with_place_and_expectation),
        cmocka_unit_test(reports_everything_at_once),
        cmocka_unit_test(takes_every_form_of_address),
        cmocka_unit_test(missing_file_has_its_name),
        cmocka_unit_test(example_is_true),
    };

    memset(&untouched, 0x5a, sizeof untouched);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
