/* A drive that cannot be capped, and one of which it only seems so. */
#include "bed.h"

/* Two drives, the first above its limit and running over its cap. */
static void open_runaway(struct bed *b, double temp_c)
{
    bed_open(b, &el_law_none, 2);
    b->temp_c[0] = temp_c;
    b->host_w[0] = b->host_w[1] = 5.5;
    b->in.slot[0].actuator_failed = true;
    bed_run(b, 90);
}

static void neighbours_give_nothing_below_warning(void **state)
{
    struct bed b;

    open_runaway(&b, 77);
    bed_run(&b, 900);
    assert_true(b.d.slot[1].cap_ratio == 1);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    bed_close(&b);
}

static void neighbours_give_what_keeps_it_from_critical(void **state)
{
    struct bed b;
    double half;
    int writes = 0;

    open_runaway(&b, 78);
    bed_run(&b, 30);
    half = b.d.slot[1].cap_ratio;
    assert_true(half > 0.5 && half < 1);
    assert_int_equal(b.d.slot[1].constraint, EL_CONSTRAINT_ACTUATOR);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_REDUCE);
    assert_true(b.d.slot[0].cap_ratio == 1); /* which it would ignore */
    b.temp_c[0] = 82;
    bed_run(&b, 20);
    assert_true(b.d.slot[1].cap_ratio < 0.1);
    for (int k = 0; k < 600; k++) { /* readings that flicker around it are not worth a write each */
        b.temp_c[0] = k / 3 % 2 ? 77 : 78;
        b.temp_c[1] = k / 9 % 2 ? 60 : 61;
        bed_step(&b);
        writes += b.d.slot[1].write;
    }
    assert_true(writes < 40);
    b.in.slot[0].actuator_failed = false;
    for (int k = 0; k < 90; k++, b.temp_c[1] += 0.1)
        bed_step(&b);
    assert_true(b.d.slot[1].cap_ratio == 1);
    bed_close(&b);
}

/* Rising fast: they do not wait until it is there. */
static void neighbours_see_it_coming(void **state)
{
    struct bed b;

    open_runaway(&b, 70);
    for (int k = 0; k < 12; k++) {
        b.temp_c[0] += 0.5;
        bed_step(&b);
    }
    assert_true(b.d.slot[1].cap_ratio < 1);
    bed_close(&b);
}

/* Nothing is known of it but that it does as it likes. */
static void neighbours_give_for_one_that_never_told(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_none, 2);
    b.temp_c[0] = NAN;
    b.in.slot[0].actuator_failed = true;
    bed_run(&b, 70);
    assert_true(b.d.slot[1].cap_ratio < 0.9);
    assert_int_equal(b.d.slot[1].constraint, EL_CONSTRAINT_ACTUATOR);
    bed_close(&b);
}

/* Watts that no drive draws, or counters that go back, say nothing of a cap. */
static void a_lie_is_no_runaway(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_element, 2);
    b.temp_c[0] = 79;
    b.host_w[0] = 5.5;
    bed_run(&b, 5);
    assert_true(b.d.slot[0].cap_ratio < 1);
    for (int k = 0; k < 120; k++) {
        b.in.slot[0].read_bytes += k % 2 ? (uint64_t)1 << 50 : -((uint64_t)1 << 49);
        bed_step(&b);
        assert_int_not_equal(b.d.slot[1].constraint, EL_CONSTRAINT_ACTUATOR);
    }
    for (int k = 0; k < 90; k++) { /* after half a minute of sound ones they count again */
        b.in.slot[0].read_bytes += (uint64_t)(5.0 / 9e-10);
        bed_step(&b);
        assert_true(k > 25 || b.d.slot[1].constraint != EL_CONSTRAINT_ACTUATOR);
    }
    assert_int_equal(b.d.slot[1].constraint, EL_CONSTRAINT_ACTUATOR);
    bed_close(&b);
}

static void a_cap_that_is_run_over_counts_as_failed(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_element, 2);
    b.temp_c[0] = 78;
    b.host_w[0] = 5.5;
    b.host_w[1] = 5.5;
    bed_run(&b, 5);
    assert_true(b.d.slot[0].cap_ratio < 1);
    for (int k = 0; k < 90; k++) { /* the drive does as it likes */
        b.in.slot[0].read_bytes += (uint64_t)(5.0 / 9e-10);
        bed_step(&b);
    }
    assert_true(b.d.slot[1].cap_ratio < 1);
    assert_int_equal(b.d.slot[1].constraint, EL_CONSTRAINT_ACTUATOR);
    bed_close(&b);
}

/* One that the kernel says is in force is set again too, as often as a refused one; a hot drive's without rest. */
static void cap_that_is_run_over_is_set_again(void **state)
{
    struct bed b;
    int writes[2] = {0};

    bed_open(&b, &el_law_element, 1);
    b.temp_c[0] = 79;
    b.host_w[0] = 5.5;
    bed_run(&b, 60);
    assert_true(b.d.slot[0].cap_ratio < 0.1);
    for (int k = 0; k < 1200; k++) {
        b.temp_c[0] = EL_CLAMP(139 - k * 0.1, 75, 79) + k / 7 % 2;
        b.in.slot[0].read_bytes += (uint64_t)(5.0 / 9e-10);
        b.in.slot[0].cap_ratio_in_force = b.d.slot[0].cap_ratio;
        bed_step(&b);
        writes[k >= 600] += b.d.slot[0].write;
    }
    assert_in_range(writes[0], 90, 110); /* every sixth second, from the twentieth on */
    assert_in_range(writes[1], 5, 60); /* ever more seldom, and what the law moves */
    bed_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_give_nothing_below_warning),
        cmocka_unit_test(neighbours_give_what_keeps_it_from_critical),
        cmocka_unit_test(neighbours_see_it_coming),
        cmocka_unit_test(neighbours_give_for_one_that_never_told),
        cmocka_unit_test(a_lie_is_no_runaway),
        cmocka_unit_test(a_cap_that_is_run_over_counts_as_failed),
        cmocka_unit_test(cap_that_is_run_over_is_set_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
