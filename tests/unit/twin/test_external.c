#include <signal.h>

#include "support/unit.h"
#include "twin/external.h"

static char why[300];
static struct el_external_facts facts;
static struct el_external_state state;
static const struct el_external_command command = {.t_s = 1, .slot = {{1, 5.5, 0}, {0.5, 2.75, 0}}};

/* Hello and one step with a plant in shell; what the first thing that fails returned, or the step. */
static int talk(const char *plant)
{
    struct el_external *x = NULL;
    int r = el_external_start(plant, &x, why, sizeof why);

    if (r == 0)
        r = el_external_hello(x, "test-card", 2, 1, &facts);
    if (r == 0)
        r = el_external_step(x, &facts, &command, &state);
    el_external_free(x);
    return r;
}

static void a_plant_is_heard(void **state_)
{
    (void)state_;
    assert_int_equal(
        talk("read l; echo '{\"limit_c\":75,\"fans\":1,\"arrays\":[{\"level\":\"raid1\",\"slots\":[0,1]}]}'; read l;"
             "echo "
             "'{\"slots\":[{\"temperature_c\":61,\"sensors_c\":[61,null],\"read_bytes\":1,\"write_bytes\":2,\"read_"
             "ops\":3,"
             "\"write_ops\":4},null],\"inlet_c\":50.5,\"airflow_lfm\":null}'"),
        0);
    assert_true(facts.slots == 2 && facts.limit_c == 75 && isnan(facts.warning_c) && facts.fans == 1);
    assert_true(facts.arrays == 1 && facts.array[0].mirror && facts.array[0].slots == 2);
    assert_true(state.slot[0].present && state.slot[0].temp_c == 61 && state.slot[0].io_valid &&
                state.slot[0].write_ops == 4);
    assert_true(state.slot[0].sensor_c[0] == 61 && isnan(state.slot[0].sensor_c[1]));
    assert_false(state.slot[1].present);
    assert_true(state.inlet_c == 50.5 && isnan(state.airflow_lfm) && isnan(state.card_w));
}

static void the_command_is_as_documented(void **state_)
{
    (void)state_;
    assert_int_equal(talk("read h; echo '{}'; read l;"
                          "[ \"$h\" = '{\"hello\":1,\"card\":\"test-card\",\"slots\":2,\"dt_s\":1}' ] || exit 5;"
                          "[ \"$l\" = '{\"t_s\":1,\"slots\":[{\"cap_ratio\":1,\"budget_watts\":5.5,\"power_state\":0},"
                          "{\"cap_ratio\":0.5,\"budget_watts\":2.75,\"power_state\":0}],\"fans\":[]}' ] || exit 6;"
                          "echo '{\"slots\":[null,null]}'"),
                     0);
}

static void broken_plants_are_named(void **state_)
{
    static const struct {
        const char *plant;
        int result;
        const char *says;
    } cases[] = {
        {"read l; echo rubbish", -EBADMSG, "line 1 of the plant is no JSON"},
        {"read l; echo '[]'", -EBADMSG, "no JSON object"},
        {"read l; echo '{\"limit_c\":\"hot\"}'", -EBADMSG, "limit_c: expected a number"},
        {"read l; echo '{\"slots\":99}'", -EBADMSG, "slots"},
        {"read l; echo '{\"arrays\":[{\"level\":\"raid5\",\"slots\":[0]}]}'", -EBADMSG, "arrays.level"},
        {"read l; echo '{}'; read l; echo '{\"slots\":[{\"temperature_c\":1e300},null]}'", -EBADMSG,
         "line 2 of the plant: temperature_c"},
        {"read l; echo '{}'; read l; echo '{\"slots\":[{\"read_bytes\":-5},null]}'", -EBADMSG, "read_bytes"},
        {"read l; echo '{}'; read l; echo '{\"slots\":[null]}'", -EBADMSG, "as many slots"},
        {"read l; echo '{}'; read l; exit 4", -EPIPE, "ended with status 4 after 1 lines"},
        {"read l; echo '{}'; read l; kill -9 $$", -EPIPE, "died of signal 9"},
        {"read l; echo '{}'; read l; exit 0", 1, ""},
        {"read l; echo '{}'; read l; printf half; exit 0", -EBADMSG, "in the middle of line 2"},
        {"exit 0", -EPIPE, "before it answered hello"},
    };
    (void)state_;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int r;

        why[0] = 0;
        r = talk(cases[i].plant);
        if (r != cases[i].result || (r < 0 && !strstr(why, cases[i].says)))
            fail_msg("%s: got %d \"%s\"", cases[i].plant, r, why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plant_is_heard),
        cmocka_unit_test(the_command_is_as_documented),
        cmocka_unit_test(broken_plants_are_named),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
