/* Each rule of the safety layer, under a law that never caps anything. */
#include "bed.h"

static void open_settled(struct bed *b)
{
    bed_open(b, &el_law_none, 4);
    bed_run(b, 3);
    assert_int_equal(b->d.failsafe, EL_FAILSAFE_NONE);
    assert_true(b->d.slot[0].cap_ratio == 1);
}

static void failsafe_until_every_drive_reported(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_none, 4);
    b.temp_c[2] = NAN;
    bed_step(&b);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_FLOOR);
    assert_int_equal(b.d.failsafe_reason, EL_CONSTRAINT_STARTUP);
    assert_true(b.d.slot[2].cap_ratio <= 0.05);
    assert_true(b.d.slot[0].cap_ratio <= 0.5);
    b.temp_c[2] = 60;
    bed_step(&b);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    assert_true(b.d.slot[0].cap_ratio == 1 && b.d.slot[2].cap_ratio == 1);
    bed_close(&b);
}

static void neighbours_are_freed_when_one_never_reports(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_none, 4);
    b.temp_c[2] = NAN;
    bed_run(&b, 62);
    assert_true(b.d.slot[0].cap_ratio == 1);
    assert_true(b.d.slot[2].cap_ratio <= 0.05);
    bed_close(&b);
}

static void required_inlet_holds_the_start(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_none, 4);
    b.card.inlet_assumed_c = NAN;
    el_governor_reconfigure(b.g, &b.card);
    bed_run(&b, 2);
    assert_int_equal(b.d.failsafe_reason, EL_CONSTRAINT_STARTUP);
    assert_true(b.d.slot[0].cap_ratio <= 0.5);
    b.in.inlet_mc = el_reading_good(40000, b.in.now_us + 1000000);
    bed_step(&b);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    bed_close(&b);
}

/* 304, 304, 356, 304, 304 K: one sample is no fever. */
static void one_hot_sample_does_nothing(void **state)
{
    struct bed b;

    open_settled(&b);
    for (int k = 0; k < 3; k++) {
        b.temp_c[0] = k == 1 ? 83 : 31;
        bed_step(&b);
        assert_true(b.d.slot[0].cap_ratio == 1);
        b.temp_c[0] = 60;
        bed_run(&b, 1);
    }
    bed_close(&b);
}

/* 78, 78, -1, 78: one bad read holds what was decided. */
static void one_bad_sample_holds(void **state)
{
    struct bed b;
    double cap;

    bed_open(&b, &el_law_element, 1);
    b.temp_c[0] = 78;
    b.host_w[0] = 5.5;
    bed_run(&b, 30);
    cap = b.d.slot[0].cap_ratio;
    assert_true(cap < 1);
    b.temp_c[0] = -1;
    bed_step(&b);
    assert_true(b.d.slot[0].cap_ratio <= cap);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_HOLD);
    b.temp_c[0] = 78;
    bed_step(&b);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    assert_true(b.d.slot[0].cap_ratio <= cap + 0.1);
    bed_close(&b);
}

static void two_hot_samples_are_believed(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_element, 1);
    b.host_w[0] = 5;
    bed_run(&b, 30);
    b.temp_c[0] = 85;
    bed_run(&b, 3);
    assert_true(b.d.slot[0].cap_ratio <= 0.2);
    bed_close(&b);
}

static void lost_sensor_is_graded(void **state)
{
    struct bed b;

    open_settled(&b);
    b.temp_c[1] = NAN;
    bed_run(&b, 5);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_HOLD);
    assert_true(b.d.slot[1].cap_ratio == 1);
    bed_run(&b, 30);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_REDUCE);
    assert_true(b.d.slot[1].cap_ratio < 0.95 && b.d.slot[1].cap_ratio > 0.6);
    bed_run(&b, 300);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_REDUCE); /* its neighbours see that the air does its work */
    assert_true(b.d.slot[1].cap_ratio < 0.95 && b.d.slot[1].cap_ratio > 0.6);
    assert_true(b.d.slot[0].cap_ratio == 1); /* one sick drive does not throttle all */
    b.temp_c[1] = 58;
    bed_run(&b, 2);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    assert_true(b.d.slot[1].cap_ratio == 1); /* and recovers by itself */
    bed_close(&b);
}

/* With nobody left who sees, or with a fan that stands still, the clock has the last word. */
static void a_blind_drive_alone_goes_to_its_floor(void **state)
{
    struct bed b;

    for (int still = 0; still < 2; still++) {
        open_settled(&b);
        for (uint32_t i = 0; i < (still ? 1U : 4U); i++)
            b.temp_c[i] = NAN;
        for (int t = 0; t < 310; t++) {
            if (still)
                b.in.fan_rpm[0] = el_reading_good(0, b.in.now_us + 1000000);
            bed_step(&b);
        }
        assert_int_equal(b.d.failsafe, EL_FAILSAFE_FLOOR);
        assert_true(b.d.slot[0].cap_ratio <= 0.05);
        bed_close(&b);
    }
}

/* A blind drive gets a part of what the same air lets its neighbours do. */
static void a_blind_drive_follows_its_neighbours(void **state)
{
    struct bed b;
    double before, mean = 0;

    bed_open(&b, &el_law_element, 4);
    bed_run(&b, 3);
    b.temp_c[0] = NAN;
    bed_run(&b, 200);
    before = b.d.slot[0].cap_ratio;
    for (uint32_t i = 1; i < 4; i++)
        b.host_w[i] = 5.5;
    for (int t = 0; t < 150; t++) {
        for (uint32_t i = 1; i < 4; i++)
            b.temp_c[i] = EL_MIN(60 + t, 77);
        bed_step(&b);
    }
    for (uint32_t i = 1; i < 4; i++)
        mean += b.d.slot[i].cap_ratio / 3;
    assert_true(mean < 0.8);
    assert_true(b.d.slot[0].cap_ratio < 0.9 * before && b.d.slot[0].cap_ratio <= mean);
    assert_int_equal(b.d.slot[0].constraint, EL_CONSTRAINT_FAILED_SENSOR);
    bed_close(&b);
}

/* A card of which drives 0 and 1 are a stripe: each settles 5.6 C above 45 for each watt, in 20 s. Drive 1 shows
 * `stuck_c` unless that is NAN. What the stripe does of full work in the end. */
static double stripe_runs(struct bed *b, double *true_c, double stuck_c, int seconds)
{
    double pace = 0;

    while (seconds-- > 0) {
        pace = EL_MIN(b->d.slot[0].cap_ratio, b->d.slot[1].cap_ratio);
        for (uint32_t i = 0; i < 4; i++) {
            b->host_w[i] = 5.5 * (i < 2 ? pace : 1);
            true_c[i] += (45 + 5.6 * EL_MIN(b->host_w[i], 5.5 * b->d.slot[i].cap_ratio) - true_c[i]) / 20;
            b->temp_c[i] = round(i == 1 && isfinite(stuck_c) ? stuck_c : true_c[i]);
        }
        bed_step(b);
    }
    return pace;
}

/* A sensor that stands still at the limit asks for ever less. When it is found out, what it said meanwhile counts for
 * nothing; when it moves again it has fallen further than anything cools, and is believed. */
static void a_stuck_sensor_does_not_drag_its_stripe(void **state)
{
    struct bed b;
    double true_c[4] = {60, 60, 60, 60};

    bed_open(&b, &el_law_element, 4);
    b.card.arrays = 1;
    b.card.array_level[0] = EL_ARRAY_STRIPE;
    b.card.slot[0].array = b.card.slot[1].array = 0;
    b.card.slot[1].critical_c = 85;
    el_governor_reconfigure(b.g, &b.card);
    bed_step(&b);
    assert_true(stripe_runs(&b, true_c, NAN, 600) > 0.9);
    assert_true(stripe_runs(&b, true_c, 77, 400) > 0.55);
    assert_int_equal(b.d.slot[1].constraint, EL_CONSTRAINT_FAILED_SENSOR);
    assert_true(stripe_runs(&b, true_c, NAN, 120) > 0.85);
    bed_close(&b);
}

/* The same value with the same time stamp. */
static void frozen_reading_is_stale_within_a_minute(void **state)
{
    struct bed b;

    open_settled(&b);
    b.frozen[0] = true;
    bed_run(&b, 61);
    assert_int_equal(
        b.d.slot[0].constraint == EL_CONSTRAINT_STALE_SENSOR || b.d.failsafe_reason == EL_CONSTRAINT_STALE_SENSOR, 1);
    assert_true(b.d.failsafe >= EL_FAILSAFE_HOLD);
    bed_run(&b, 30);
    assert_true(b.d.slot[0].cap_ratio < 1);
    bed_close(&b);
}

static void hot_frozen_reading_is_stale_soon(void **state)
{
    struct bed b;

    open_settled(&b);
    for (b.temp_c[0] = 61; b.temp_c[0] <= 73; b.temp_c[0] += 1)
        bed_step(&b);
    b.frozen[0] = true;
    bed_run(&b, 15);
    assert_true(b.d.failsafe >= EL_FAILSAFE_HOLD);
    bed_run(&b, 20);
    assert_true(b.d.slot[0].cap_ratio < 0.95);
    bed_close(&b);
}

/* Fresh time stamps, but the reading does not follow the power. */
static void stuck_sensor_is_found_by_power(void **state)
{
    struct bed b;

    open_settled(&b);
    bed_run(&b, 60);
    b.host_w[0] = 5.5;
    bed_run(&b, 150);
    assert_true(b.d.failsafe >= EL_FAILSAFE_REDUCE);
    assert_int_equal(b.d.slot[0].constraint, EL_CONSTRAINT_FAILED_SENSOR);
    assert_true(b.d.slot[1].cap_ratio == 1);
    b.temp_c[0] = 66;
    bed_run(&b, 8);
    assert_true(b.d.slot[0].cap_ratio == 1);
    bed_close(&b);
}

/* No burst of work is long enough by itself; together they are, where they may bring the drive near its limit. What it
 * did when it moved last is the measure. */
static void stuck_sensor_is_found_by_bursts(void **state)
{
    struct bed b;

    open_settled(&b);
    for (; b.temp_c[0] < 70; b.temp_c[0] += 1)
        bed_step(&b);
    bed_run(&b, 60);
    for (int t = 0; t < 400; t++) {
        b.host_w[0] = t / 40 % 2 ? 2 : 4.5;
        bed_step(&b);
        assert_true(t > 40 || b.d.failsafe == EL_FAILSAFE_NONE);
    }
    assert_int_equal(b.d.slot[0].constraint, EL_CONSTRAINT_FAILED_SENSOR);
    assert_true(b.d.slot[0].cap_ratio < 0.5);
    bed_close(&b);
}

/* Less power in warmer air: the drive may well stand still. */
static void air_may_make_up_for_power(void **state)
{
    struct bed b;

    open_settled(&b);
    for (int t = -60; t < 300; t++) {
        b.host_w[0] = t < 0 ? 2 : 2 - EL_MIN(t / 60.0, 1.9);
        b.in.inlet_mc = el_reading_good(35000 + EL_CLAMP(t * 20, 0, 5000), b.in.now_us + 1000000);
        for (uint32_t i = 1; i < 4; i++)
            b.temp_c[i] = 60 + EL_CLAMP(t / 50, 0, 5);
        bed_step(&b);
        assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    }
    bed_close(&b);
}

static void moving_sensor_is_not_stuck(void **state)
{
    struct bed b;

    open_settled(&b);
    bed_run(&b, 60);
    b.host_w[0] = 5.5;
    for (int k = 0; k < 150; k++) {
        b.temp_c[0] = 60 + floor(8 * (1 - exp(-k / 30.0)));
        bed_step(&b);
        assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    }
    bed_close(&b);
}

/* Nothing cools by 12 C in a second: the sensor lies, the drive is as hot as before. */
static void impossible_fall_is_not_believed(void **state)
{
    struct bed b;
    double cap;

    bed_open(&b, &el_law_element, 1);
    b.temp_c[0] = 76;
    b.host_w[0] = 5.5;
    bed_run(&b, 60);
    cap = b.d.slot[0].cap_ratio;
    assert_true(cap < 0.9);
    b.temp_c[0] = 64;
    bed_run(&b, 120);
    assert_true(b.d.slot[0].cap_ratio <= cap + 0.02);
    bed_close(&b);
}

static void colder_than_its_air_is_implausible(void **state)
{
    struct bed b;

    open_settled(&b);
    for (int k = 0; k < 40; k++) {
        b.in.inlet_mc = el_reading_good(45000, b.in.now_us + 1000000);
        b.temp_c[3] = 30;
        bed_step(&b);
    }
    assert_false(b.d.slot[3].sensor_valid);
    assert_true(b.d.slot[3].cap_ratio < 1);
    bed_close(&b);
}

static void neighbours_pay_for_a_failed_actuator(void **state)
{
    struct bed b;

    open_settled(&b);
    b.in.slot[0].actuator_failed = true;
    bed_run(&b, 30);
    assert_true(b.d.slot[1].cap_ratio == 1); /* cool: nothing to pay */
    for (; b.temp_c[0] < 79; b.temp_c[0] += 1)
        bed_step(&b);
    bed_run(&b, 40);
    assert_true(b.d.slot[1].cap_ratio < 0.8);
    assert_int_equal(b.d.slot[1].constraint, EL_CONSTRAINT_ACTUATOR);
    b.in.slot[0].actuator_failed = false;
    for (; b.temp_c[0] > 60; b.temp_c[0] -= 0.5, b.temp_c[1] += 0.1)
        bed_step(&b);
    bed_run(&b, 60);
    assert_true(b.d.slot[1].cap_ratio == 1);
    bed_close(&b);
}

static void stopped_fan_turns_the_others_up(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_none, 4);
    b.card.fans = 2;
    el_governor_reconfigure(b.g, &b.card);
    for (int k = 0; k < 40; k++) {
        b.in.fan_rpm[0] = el_reading_good(k < 10 ? 3000 : 0, b.in.now_us);
        b.in.fan_rpm[1] = el_reading_good(3000, b.in.now_us);
        bed_step(&b);
    }
    assert_true(b.d.fan_pwm_ratio == 1);
    assert_int_equal(b.d.failsafe_reason, EL_CONSTRAINT_AIRFLOW);
    assert_true(b.d.air_failing);
    bed_close(&b);
}

static double dial; /* what the next law gives every drive */
static void dial_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    for (uint32_t i = 0; i < out->slots; i++)
        out->slot[i].cap_ratio = dial;
}

static int dial_init(void *state, const struct el_governor_card *card)
{
    return 0;
}
static const struct el_governor_law dialled = {.name = "dial", .state_size = 1, .init = dial_init, .step = dial_step};

static void out_of_range_or_absent_is_never_believed(void **state)
{
    struct bed b;

    open_settled(&b);
    b.temp_c[0] = 130;
    b.frozen[1] = true;
    b.in.slot[1].temp_mc.quality = EL_ABSENT;
    bed_run(&b, 40);
    assert_true(b.d.slot[1].cap_ratio < 0.95);
    assert_false(b.d.slot[0].sensor_valid);
    assert_true(b.d.slot[0].cap_ratio < 0.95);
    bed_close(&b);
}

/* Whatever the law wants: blind, nothing rises. */
static void one_bad_sample_holds_against_any_law(void **state)
{
    struct bed b;

    dial = 0.5;
    bed_open(&b, &dialled, 2);
    bed_run(&b, 5);
    b.temp_c[0] = NAN;
    for (int k = 0; k < 3; k++) {
        dial = k == 1 ? 0.3 : 1;
        bed_step(&b);
        assert_true(b.d.slot[0].cap_ratio <= (k ? 0.3 : 0.5));
    }
    assert_true(b.d.slot[1].cap_ratio == 1);
    bed_close(&b);
}

/* Not stuck yet, but it should have moved by now. */
static void a_suspect_sensor_gives_no_more_power(void **state)
{
    struct bed b;

    dial = 0.5;
    bed_open(&b, &dialled, 2);
    b.host_w[0] = 0.5;
    bed_run(&b, 65);
    b.host_w[0] = 5.5;
    bed_run(&b, 70);
    dial = 1;
    bed_step(&b);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    assert_true(b.d.slot[0].cap_ratio <= 0.5 && b.d.slot[1].cap_ratio == 1);
    bed_close(&b);
}

/* A drive that was hot when it was seen last may be hotter now. */
static void a_hot_blind_drive_is_taken_to_warm(void **state)
{
    struct bed b;

    for (int very = 0; very < 2; very++) {
        open_settled(&b);
        for (; b.temp_c[0] < (very ? 79 : 76); b.temp_c[0] += 1)
            bed_step(&b);
        bed_step(&b);
        b.temp_c[0] = NAN;
        bed_run(&b, 9);
        assert_int_equal(b.d.failsafe, EL_FAILSAFE_HOLD);
        bed_run(&b, 7);
        assert_int_equal(b.d.failsafe, very ? EL_FAILSAFE_FLOOR : EL_FAILSAFE_REDUCE);
        bed_close(&b);
    }
}

static void a_cap_that_reads_back_wrong_counts_as_failed(void **state)
{
    struct bed b;

    dial = 0.5;
    bed_open(&b, &dialled, 2);
    for (; b.temp_c[0] < 79; b.temp_c[0] += 1)
        bed_step(&b);
    b.in.slot[0].cap_ratio_in_force = 1;
    bed_run(&b, 60);
    assert_true(b.d.slot[1].cap_ratio < 0.5);
    assert_int_equal(b.d.slot[1].constraint, EL_CONSTRAINT_ACTUATOR);
    bed_close(&b);
}

static void a_blind_drive_gets_all_the_air(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_none, 4);
    b.card.fans = 1;
    el_governor_reconfigure(b.g, &b.card);
    bed_run(&b, 3);
    assert_true(isnan(b.d.fan_pwm_ratio));
    b.temp_c[1] = NAN;
    bed_run(&b, 30);
    assert_true(b.d.fan_pwm_ratio == 1);
    bed_close(&b);
}

static void mad_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    for (uint32_t i = 0; i < out->slots; i++)
        out->slot[i].cap_ratio = out->slot[i].budget_w = i % 2 ? NAN : -INFINITY;
    out->fan_pwm_ratio = INFINITY;
}

static int mad_init(void *state, const struct el_governor_card *card)
{
    return 0;
}

static void nothing_that_is_no_number_passes(void **state)
{
    static const struct el_governor_law mad = {.name = "mad", .state_size = 1, .init = mad_init, .step = mad_step};
    struct bed b;

    bed_open(&b, &mad, 4);
    bed_run(&b, 5);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(b.d.slot[i].cap_ratio >= 0.05 && b.d.slot[i].cap_ratio <= 1);
        assert_true(b.d.slot[i].budget_w > 0 && b.d.slot[i].budget_w <= 5.5);
    }
    assert_true(isnan(b.d.fan_pwm_ratio));
    bed_close(&b);
}

static void swapped_drive_starts_anew(void **state)
{
    struct bed b;

    open_settled(&b);
    b.in.slot[0].present = false;
    bed_run(&b, 10);
    assert_true(b.d.slot[0].cap_ratio == 1);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    b.in.slot[0].present = true;
    b.temp_c[0] = 40;
    bed_run(&b, 2);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_NONE);
    assert_true(b.d.slot[0].cap_ratio == 1);
    bed_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failsafe_until_every_drive_reported),
        cmocka_unit_test(neighbours_are_freed_when_one_never_reports),
        cmocka_unit_test(required_inlet_holds_the_start),
        cmocka_unit_test(one_hot_sample_does_nothing),
        cmocka_unit_test(one_bad_sample_holds),
        cmocka_unit_test(two_hot_samples_are_believed),
        cmocka_unit_test(lost_sensor_is_graded),
        cmocka_unit_test(a_blind_drive_alone_goes_to_its_floor),
        cmocka_unit_test(a_blind_drive_follows_its_neighbours),
        cmocka_unit_test(a_stuck_sensor_does_not_drag_its_stripe),
        cmocka_unit_test(frozen_reading_is_stale_within_a_minute),
        cmocka_unit_test(hot_frozen_reading_is_stale_soon),
        cmocka_unit_test(stuck_sensor_is_found_by_power),
        cmocka_unit_test(stuck_sensor_is_found_by_bursts),
        cmocka_unit_test(air_may_make_up_for_power),
        cmocka_unit_test(moving_sensor_is_not_stuck),
        cmocka_unit_test(impossible_fall_is_not_believed),
        cmocka_unit_test(colder_than_its_air_is_implausible),
        cmocka_unit_test(neighbours_pay_for_a_failed_actuator),
        cmocka_unit_test(stopped_fan_turns_the_others_up),
        cmocka_unit_test(out_of_range_or_absent_is_never_believed),
        cmocka_unit_test(one_bad_sample_holds_against_any_law),
        cmocka_unit_test(a_suspect_sensor_gives_no_more_power),
        cmocka_unit_test(a_hot_blind_drive_is_taken_to_warm),
        cmocka_unit_test(a_cap_that_reads_back_wrong_counts_as_failed),
        cmocka_unit_test(a_blind_drive_gets_all_the_air),
        cmocka_unit_test(nothing_that_is_no_number_passes),
        cmocka_unit_test(swapped_drive_starts_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
