/* Power states: only when caps are not enough, in the mean what is allowed, each kept for a while. */
#include "bed.h"
#include "governor/power.h"

static const struct el_governor_slot steps = {.can_power_state = true,
                                              .power_states = 3,
                                              .power_state_w = {8, 6, 4},
                                              .power_state_id = {0, 1, 3},
                                              .can_cap = true};

static void caps_that_work_leave_the_state_alone(void **state)
{
    struct el_power p = {0};
    struct el_power_need need = {.capped = true, .obeyed = true, .allowed_w = 5, .excess_c = 2};

    for (int t = 0; t < 600; t++)
        assert_int_equal(el_power_step(&p, &steps, &need, 1), -1);
}

static void drives_without_states_are_left_alone(void **state)
{
    struct el_governor_slot s = steps;
    struct el_power p = {0};
    struct el_power_need need = {.allowed_w = 1, .excess_c = 9};

    s.can_cap = false;
    s.power_states = 1;
    assert_int_equal(el_power_step(&p, &s, &need, 100), -1);
    s = steps;
    s.can_cap = s.can_power_state = false;
    assert_int_equal(el_power_step(&p, &s, &need, 100), -1);
}

static void the_mean_is_what_is_allowed(void **state)
{
    struct el_governor_slot s = steps;
    struct el_power_need need = {.allowed_w = 6.8};
    struct el_power p = {0};
    int32_t last = -2;
    double sum = 0;
    int kept = 1000;

    s.can_cap = false;
    for (int t = 0; t < 7200; t++, kept++) {
        int32_t id = el_power_step(&p, &s, &need, 1);

        if (id != last && last >= 0) {
            assert_true(kept >= 30);
            kept = 0;
        }
        assert_true(t < 60 || id == 0 || id == 1);
        last = id;
        sum += id == 1 ? 6 : 8;
    }
    assert_true(fabs(sum / 7200 - 6.8) < 0.1);
}

static void a_cap_that_is_ignored_brings_the_states_and_obedience_takes_them_back(void **state)
{
    struct el_power_need need = {.capped = true, .obeyed = false, .allowed_w = 4.2, .excess_c = 3};
    struct el_power p = {0};
    int32_t id = -1;

    for (int t = 0; t < 15; t++)
        assert_int_equal(el_power_step(&p, &steps, &need, 1), -1);
    for (int t = 0; t < 30; t++)
        id = el_power_step(&p, &steps, &need, 1);
    assert_int_equal(id, 3); /* the strongest, by its own number */
    need = (struct el_power_need){.capped = true, .obeyed = true, .allowed_w = 4.2, .excess_c = -1};
    for (int t = 0; t < 200; t++)
        id = el_power_step(&p, &steps, &need, 1);
    assert_int_equal(id, 0);
}

/* At its floor a cap has nothing to give back: what the state brought below the limit would only come back. */
static void a_state_stays_while_the_cap_stands_at_its_floor(void **state)
{
    struct el_power_need need = {.capped = true, .obeyed = true, .at_floor = true, .allowed_w = 3, .excess_c = 3};
    struct el_power p = {0};
    int32_t id = -1;

    (void)state;
    for (int t = 0; t < 60; t++)
        id = el_power_step(&p, &steps, &need, 1);
    assert_int_equal(id, 3);
    need.excess_c = 0.2;
    for (int t = 0; t < 600; t++)
        assert_int_equal(el_power_step(&p, &steps, &need, 1), 3);
    need.at_floor = false;
    for (int t = 0; t < 200; t++)
        id = el_power_step(&p, &steps, &need, 1);
    assert_int_equal(id, 0);
}

/* A drive whose cap does nothing says why it is held back even though its cap is none. */
static void a_state_names_its_constraint(void **state)
{
    struct bed b;
    bool seen = false;

    bed_open(&b, &el_law_element, 1);
    b.card.slot[0].can_cap = false;
    b.card.slot[0].can_power_state = true;
    b.card.slot[0].power_states = 3;
    memcpy(b.card.slot[0].power_state_w, steps.power_state_w, sizeof steps.power_state_w);
    memcpy(b.card.slot[0].power_state_id, steps.power_state_id, sizeof steps.power_state_id);
    el_governor_reconfigure(b.g, &b.card);
    b.host_w[0] = 5.4;
    for (int t = 0; t < 300; t++) {
        b.temp_c[0] = EL_MIN(60 + t * 0.2, 77);
        bed_step(&b);
        seen |= b.d.slot[0].power_state == 3 && b.d.slot[0].constraint == EL_CONSTRAINT_DRIVE_TEMPERATURE &&
                b.d.slot[0].cap_ratio >= 1 && b.d.slot[0].since_us > 0;
    }
    assert_true(seen);
    bed_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_that_work_leave_the_state_alone),
        cmocka_unit_test(drives_without_states_are_left_alone),
        cmocka_unit_test(the_mean_is_what_is_allowed),
        cmocka_unit_test(a_cap_that_is_ignored_brings_the_states_and_obedience_takes_them_back),
        cmocka_unit_test(a_state_stays_while_the_cap_stands_at_its_floor),
        cmocka_unit_test(a_state_names_its_constraint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
