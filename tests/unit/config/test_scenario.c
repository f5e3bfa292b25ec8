#include "config/config.h"
#include "support/unit.h"

static struct el_config_error err;
static struct el_scenario s;

static int load(const char *text)
{
    char path[] = "/tmp/elscenXXXXXX";
    int fd = mkstemp(path), r;

    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    r = el_config_load_scenario(path, &s, &err);
    unlink(path);
    return r;
}

static void a_whole_scenario(void **state)
{
    assert_int_equal(load("title: Fan dies\ncard: element-aic\ninlet: 45\nseeds: 5\nabsent: [airflow, card-power]\n"
                          "events:\n  - {at: 600, event: fan-dead, index: 1}\n  - {at: 10, for: 30, event: "
                          "sensor-lying, slot: 2, sensor: sensor1, value: -5}\n"
                          "expect:\n  overshoot_celsius: {max: 1.0}\n"),
                     0);
    assert_int_equal(s.events, 2);
    assert_int_equal(s.event[0].kind, EL_SCENARIO_FAN_DEAD);
    assert_int_equal(s.event[0].slot, -1);
    assert_int_equal(s.event[1].sensor, 1);
    assert_true(s.event[1].value == -5 && s.event[1].for_s == 30);
    assert_true(el_scenario_lacks(&s, EL_SCENARIO_BOARD_AIRFLOW) && !el_scenario_lacks(&s, EL_SCENARIO_BOARD_INLET));
    assert_true(isnan(s.airflow_lfm) && isnan(s.expect[0].min) && s.expect[0].max == 1.0);
}

static void refuses(const char *text, const char *message)
{
    assert_true(load(text) < 0);
    if (!strstr(err.text, message))
        fail_msg("got \"%s\", expected \"%s\"", err.text, message);
}

static void bad_scenarios(void **state)
{
    refuses("events:\n  - {at: 1, event: explode}\n", ":2: events[0].event: got \"explode\", expected inlet, airflow");
    refuses("events:\n  - {at: 1, event: inlet}\n", ":2: events[0]: event inlet needs value");
    refuses("events:\n  - {event: fan-dead}\n", "needs at");
    refuses("inlet: hot\n", ":1: inlet: got \"hot\"");
    refuses("weather: fine\n", "weather: unknown key");
    refuses("expect:\n  overshoot_celsius: 1\n", "expected `key: value` lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_scenario),
        cmocka_unit_test(bad_scenarios),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
