/* The law in a closed loop with the simplest card there is, and against inputs no card would send. */
#include "base/rng.h"
#include "bed.h"

struct world { /* drives on one sink */
    double drive_c[EL_CARD_SLOTS_MAX], sink_c, sink_j_per_c, inlet_c, resistance;
};

static void world_open(struct bed *b, struct world *w, uint32_t slots, double inlet_c)
{
    bed_open(b, &el_law_element, slots);
    *w = (struct world){.inlet_c = inlet_c, .sink_c = inlet_c + 5, .sink_j_per_c = 225, .resistance = 0.4};
    for (uint32_t i = 0; i < slots; i++) {
        w->drive_c[i] = inlet_c + 10;
        b->host_w[i] = 5.5;
    }
}

static double given_w(const struct bed *b, uint32_t i)
{
    return b->d.slots && b->d.slot[i].cap_ratio < 1 ? EL_MIN(b->host_w[i], b->d.slot[i].budget_w) : b->host_w[i];
}

static void world_step(struct bed *b, struct world *w)
{
    double q = 5 - (w->sink_c - w->inlet_c) / w->resistance;

    for (uint32_t i = 0; i < b->card.slots; i++) {
        double out = (w->drive_c[i] - w->sink_c) / 1.75;

        w->drive_c[i] += (2.5 + given_w(b, i) - out) / 12;
        b->temp_c[i] = floor(w->drive_c[i] + 0.5);
        q += out;
    }
    w->sink_c += q / w->sink_j_per_c;
    b->in.inlet_mc = el_reading_good((int64_t)(w->inlet_c * 1000), b->in.now_us + 1000000);
    bed_step(b);
}

/* The same with a sensor of what the card draws, in W. */
static double metered_step(struct bed *b, struct world *w)
{
    double watts = 5;

    for (uint32_t i = 0; i < b->card.slots; i++)
        watts += 2.5 + given_w(b, i);
    b->in.card_power_mw = el_reading_good((int64_t)(watts * 1000), b->in.now_us + 1000000);
    world_step(b, w);
    return watts;
}

static void idle_envelope_means_no_caps_and_no_writes(void **state)
{
    struct bed b;
    struct world w;

    world_open(&b, &w, 4, 25);
    for (int t = 0; t < 3600; t++) {
        world_step(&b, &w);
        for (uint32_t i = 0; i < 4 && t > 2; i++) {
            assert_true(b.d.slot[i].cap_ratio == 1);
            assert_false(b.d.slot[i].write);
            assert_int_equal(b.d.slot[i].constraint, EL_CONSTRAINT_NONE);
        }
    }
    bed_close(&b);
}

static void limit_is_held_and_reasons_are_given(void **state)
{
    struct bed b;
    struct world w;
    double most = 0, sum = 0;
    int writes = 0;

    world_open(&b, &w, 4, 50);
    for (int t = 0; t < 3600; t++) {
        world_step(&b, &w);
        most = t > 300 ? EL_MAX(most, w.drive_c[0]) : most;
        sum += t >= 1800 ? w.drive_c[0] : 0;
        writes += b.d.slot[0].write;
    }
    assert_true(most < 76);
    assert_true(sum / 1800 > 74.3 && sum / 1800 < 75.3);
    assert_true(writes <= 120);
    assert_int_equal(b.d.slot[0].constraint, EL_CONSTRAINT_DRIVE_TEMPERATURE);
    assert_true(b.d.slot[0].since_us > 0);
    assert_true(fabs(b.d.slot[0].temp_estimate_c - w.drive_c[0]) < 0.6);
    bed_close(&b);
}

enum lie { RANDOM, BACKWARDS, FROZEN, JUMPS };

/* The counters of drive 1 lie: its temperature alone still holds it at its limit (below, where they say that it idles),
 * and its neighbours lose nothing. */
static void counters_that_lie_do_not_heat(void **state)
{
    for (enum lie lie = RANDOM; lie <= JUMPS; lie++) {
        struct el_rng r = el_rng_seed(lie + 1);
        struct bed b;
        struct world w;
        double most = 0, sum = 0, neighbours = 0;

        world_open(&b, &w, 4, 50);
        for (int t = 0; t < 3000; t++) {
            uint64_t *bytes = &b.in.slot[1].read_bytes;

            if (t > 600 && lie == RANDOM)
                *bytes = el_rng_u64(&r);
            else if (t > 600 && (lie == BACKWARDS || lie == FROZEN))
                *bytes -= (uint64_t)(given_w(&b, 1) * (lie == FROZEN ? 1 : 2) / 9e-10);
            else if (t > 600 && t % 20 == 0)
                *bytes += el_rng_u64(&r) >> 8;
            world_step(&b, &w);
            most = t > 300 ? EL_MAX(most, w.drive_c[1]) : most;
            sum += t >= 1200 ? w.drive_c[1] : 0;
            neighbours += t >= 1200 ? w.drive_c[0] : 0;
        }
        assert_true(most < 76);
        assert_true(sum / 1800 > (lie == FROZEN ? 70 : 74.3) && sum / 1800 < 75.4);
        assert_true(neighbours / 1800 > 74.3);
        bed_close(&b);
    }
}

static void higher_limit_never_means_less(void **state)
{
    double before = 0;

    for (double limit = 66; limit <= 80; limit += 2) {
        struct bed b;
        struct world w;
        double sum = 0;

        world_open(&b, &w, 4, 50);
        for (uint32_t i = 0; i < 4; i++)
            b.card.slot[i].limit_c = limit;
        el_governor_reconfigure(b.g, &b.card);
        for (int t = 0; t < 1800; t++) {
            world_step(&b, &w);
            sum += given_w(&b, 1);
        }
        assert_true(sum >= before * 0.995);
        before = sum;
        bed_close(&b);
    }
}

static void card_watts_are_held(void **state)
{
    struct bed b;
    struct world w;
    double sum = 0, most = 0, each[4] = {0};

    world_open(&b, &w, 4, 25);
    b.card.card_limit_w = 27;
    el_governor_reconfigure(b.g, &b.card);
    for (int t = 0; t < 1800; t++) {
        double watts = metered_step(&b, &w);

        for (uint32_t i = 0; i < 4 && t > 60; i++)
            each[i] += given_w(&b, i);
        sum += t > 60 ? watts : 0;
        most = t > 60 ? EL_MAX(most, watts) : most;
    }
    assert_true(sum / 1739 < 27.3 && sum / 1739 > 25.7);
    assert_true(most < 27.8);
    assert_int_equal(b.d.slot[0].constraint, EL_CONSTRAINT_CARD_POWER);
    assert_true(b.d.slot[0].lift_us == 0); /* cool as they are: nobody knows when the others will want less */
    for (int i = 1; i < 4; i++)
        assert_true(fabs(each[i] - each[0]) < 0.25 * each[0]);
    bed_close(&b);
}

static void no_end_is_foreseen_where_nothing_changes(void **state)
{
    struct bed b;
    struct world w;
    unsigned capped = 0, foreseen = 0;

    world_open(&b, &w, 4, 50);
    for (int t = 0; t < 1800; t++) {
        world_step(&b, &w);
        for (uint32_t i = 0; i < 4 && t > 300; i++) {
            capped += b.d.slot[i].cap_ratio < 1;
            foreseen += b.d.slot[i].lift_us != 0;
        }
    }
    assert_true(capped > 1000);
    if (foreseen > capped / 10)
        fail_msg("%u of %u", foreseen, capped);
    bed_close(&b);
}

static void shared_watts_go_by_weight(void **state)
{
    struct bed b;
    struct world w;
    double each[4] = {0};

    world_open(&b, &w, 4, 25);
    b.card.card_limit_w = 24;
    b.card.slot[2].weight = b.card.slot[3].weight = 2;
    el_governor_reconfigure(b.g, &b.card);
    for (int t = 0; t < 1800; t++) {
        (void)metered_step(&b, &w);
        for (uint32_t i = 0; i < 4 && t > 300; i++)
            each[i] += given_w(&b, i);
    }
    assert_true(fabs(each[2] / each[0] - 2) < 0.4 && fabs(each[3] / each[1] - 2) < 0.4);
    assert_true(fabs(each[1] / each[0] - 1) < 0.2 && fabs(each[3] / each[2] - 1) < 0.2);
    bed_close(&b);
}

static void members_of_a_stripe_are_equal(void **state)
{
    struct bed b;
    struct world w;

    world_open(&b, &w, 4, 50);
    b.card.arrays = 1;
    b.card.array_level[0] = EL_ARRAY_STRIPE;
    b.card.slot[1].array = b.card.slot[2].array = b.card.slot[3].array = 0;
    b.card.slot[2].limit_c = 70;
    el_governor_reconfigure(b.g, &b.card);
    for (int t = 0; t < 1200; t++) {
        world_step(&b, &w);
        for (uint32_t i = 2; i < 4 && t >= 5; i++)
            assert_true(fabs(b.d.slot[i].budget_w - b.d.slot[1].budget_w) < 1e-3);
    }
    assert_true(b.d.slot[1].cap_ratio < 1);
    assert_true(b.d.slot[0].cap_ratio > b.d.slot[1].cap_ratio);
    bed_close(&b);
}

/* Equal pace is equal bytes: a member whose bytes are declared dearer gets more watts for them. */
static void members_of_a_stripe_are_equal_in_bytes(void **state)
{
    struct bed b;
    struct world w;

    world_open(&b, &w, 4, 50);
    b.card.arrays = 1;
    b.card.array_level[0] = EL_ARRAY_STRIPE;
    b.card.slot[0].array = b.card.slot[1].array = 0;
    b.card.slot[1].read_j_per_byte *= 1.3;
    el_governor_reconfigure(b.g, &b.card);
    for (int t = 0; t < 1200; t++) {
        double bytes[2] = {given_w(&b, 0) / b.card.slot[0].read_j_per_byte,
                           given_w(&b, 1) / b.card.slot[1].read_j_per_byte};
        double pace = EL_MIN(bytes[0], bytes[1]);

        for (uint32_t i = 0; i < 2; i++) /* the slowest sets the pace */
            b.host_w[i] = EL_MIN(5.5, pace * b.card.slot[i].read_j_per_byte);
        if (t % 20 == 0) /* and asks again for all it could do */
            b.host_w[0] = b.host_w[1] = 5.5;
        world_step(&b, &w);
    }
    assert_true(b.d.slot[0].cap_ratio < 1 && b.d.slot[1].cap_ratio < 1);
    assert_true(fabs(b.d.slot[1].budget_w / b.d.slot[0].budget_w - 1.3) < 0.02);
    bed_close(&b);
}

static void failing_air_is_reported_in_time(void **state)
{
    struct bed b;
    struct world w;
    int reported = -1;
    double most = 0;

    world_open(&b, &w, 4, 45);
    for (int t = 0; t < 3000; t++) {
        w.resistance = t < 1800 ? 0.4 : 0.4 * 1.46; /* 400 to 200 LFM */
        world_step(&b, &w);
        assert_true(t >= 1800 || !b.d.air_failing);
        if (reported < 0 && b.d.air_failing)
            reported = t - 1800;
        most = t > 300 ? EL_MAX(most, w.drive_c[0]) : most;
    }
    assert_true(reported > 0 && reported <= 120);
    assert_true(most < 76);
    assert_true(b.d.airflow_estimate_lfm < 330 && b.d.airflow_estimate_lfm > 120);
    bed_close(&b);
}

/* A sink slower than declared stays warm behind an inlet that falls: that is no lost air. */
static void a_falling_inlet_is_no_failing_air(void **state)
{
    struct bed b;
    struct world w;

    world_open(&b, &w, 4, 50);
    w.sink_j_per_c = 500;
    for (int t = 0; t < 6000; t++) {
        w.inlet_c = 50 - EL_CLAMP((t - 1800) / 20.0, 0, 20);
        world_step(&b, &w);
        assert_false(b.d.air_failing);
    }
    bed_close(&b);
}

static void what_was_learnt_survives(void **state)
{
    struct bed b, c;
    struct world w;
    char text[1024], again[1024];

    world_open(&b, &w, 4, 50);
    for (int t = 0; t < 900; t++)
        world_step(&b, &w);
    assert_true(el_governor_save(b.g, text, sizeof(text)) < sizeof(text));
    bed_open(&c, &el_law_element, 4);
    el_governor_load(c.g, text);
    el_governor_load(c.g, "nonsense\ndrive slot1 gain_permille 99999999 margin_mc -5\n\n");
    bed_step(&c);
    (void)el_governor_save(c.g, again, sizeof(again));
    assert_non_null(strstr(again, "drive slot1 gain_permille 1800 margin_mc 0"));
    assert_memory_equal(text, again, 20);
    assert_true(el_governor_save(b.g, text, 10) > 10);
    bed_close(&b);
    bed_close(&c);
}

/* Whatever comes in, what goes out is a cap. */
static void anything_in_sane_caps_out(void **state)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct el_rng r = el_rng_seed(seed);
        struct bed b;

        bed_open(&b, &el_law_element, 1 + (uint32_t)(el_rng_unit(&r) * 31));
        b.card.card_limit_w = seed % 3 ? NAN : 20;
        b.card.margin_c = seed % 5 ? 0 : NAN;
        b.card.slot[0].full_w = seed % 7 ? 8 : NAN;
        b.card.slot[0].limit_c = seed % 4 ? 75 : NAN;
        b.card.sink_r400_c_per_w = seed % 6 ? 0.4 : 0;
        b.card.period_s = seed % 8 ? 1 : 0;
        el_governor_reconfigure(b.g, &b.card);
        for (int t = 0; t < 300; t++) {
            for (uint32_t i = 0; i < b.card.slots; i++) {
                b.temp_c[i] = el_rng_unit(&r) < 0.1 ? NAN : el_rng_between(&r, -300, 300);
                b.host_w[i] = el_rng_between(&r, 0, 50);
                b.in.slot[i].present = el_rng_unit(&r) < 0.97;
                b.in.slot[i].cap_ratio_in_force = el_rng_unit(&r) < 0.5 ? NAN : el_rng_unit(&r);
                b.in.slot[i].sensor_mc[i % 8] = el_reading_good((int64_t)el_rng_between(&r, -1e6, 1e6), b.in.now_us);
            }
            b.in.card_power_mw = el_reading_good((int64_t)el_rng_between(&r, -1e6, 1e7), b.in.now_us);
            b.in.inlet_mc = el_reading_good((int64_t)el_rng_between(&r, -1e5, 1e5), b.in.now_us);
            b.in.airflow_mlfm = el_reading_good((int64_t)el_rng_between(&r, -1e6, 1e7), b.in.now_us);
            b.in.now_us += el_rng_unit(&r) < 0.02 ? 100000000 : 0;
            bed_step(&b);
            for (uint32_t i = 0; i < b.card.slots; i++) {
                assert_true(b.d.slot[i].cap_ratio >= 0.05 && b.d.slot[i].cap_ratio <= 1);
                assert_true(isfinite(b.d.slot[i].budget_w) && b.d.slot[i].budget_w > 0);
            }
        }
        bed_close(&b);
    }
}

/* A drive that was reset runs free until the cap is written again; one that refuses is not hammered. */
static void forgotten_cap_is_written_again(void **state)
{
    struct bed b;
    struct world w;
    int writes = 0;

    world_open(&b, &w, 1, 50);
    b.card.slot[0].limit_c = 60;
    el_governor_reconfigure(b.g, &b.card);
    for (int t = 0; t < 1800; t++) {
        world_step(&b, &w);
        b.in.slot[0].cap_ratio_in_force = b.d.slot[0].cap_ratio;
    }
    for (int t = 0; t < 8; t++) {
        b.in.slot[0].cap_ratio_in_force = 1;
        bed_step(&b);
        writes += b.d.slot[0].write;
    }
    assert_true(writes >= 1);
    for (int t = 0; t < 3600; t++) {
        b.in.slot[0].cap_ratio_in_force = 1;
        bed_step(&b);
        writes += b.d.slot[0].write;
    }
    assert_true(writes < 200);
    bed_close(&b);
}

static void fans_come_before_throttling(void **state)
{
    struct bed b;
    struct world w;
    double pwm = 0;

    world_open(&b, &w, 4, 48);
    b.card.fans = 1;
    el_governor_reconfigure(b.g, &b.card);
    for (int t = 0; t < 1800; t++) {
        w.resistance = 0.4 * pow(0.6 / EL_MAX(pwm, 0.1), 0.55);
        world_step(&b, &w);
        pwm = b.d.fan_pwm_ratio;
    }
    assert_true(pwm > 0.7);
    assert_true(b.d.slot[0].cap_ratio > 0.6);
    bed_close(&b);
}

/* A switch of its own making: `gain_c_per_w` per watt of all drives above `base_c`, a first-order lag, whole degrees.
 */
static double switch_after(struct bed *b, double base_c, double gain_c_per_w, int seconds)
{
    double c = base_c, hottest = 0, own[EL_CARD_SLOTS_MAX];

    for (int t = 0; t < seconds; t++) {
        double w = 0;

        for (uint32_t i = 0; i < b->card.slots; i++)
            w += own[i] =
                b->d.slots && b->d.slot[i].cap_ratio < 1 ? EL_MIN(b->host_w[i], b->d.slot[i].budget_w) : b->host_w[i];
        for (uint32_t i = 0; i < b->card.slots; i++) /* drives follow too, on a sink at (c + 35) / 2 */
            b->temp_c[i] += ((c + 35) / 2 + 1.75 * (2.5 + own[i]) - b->temp_c[i]) / 20;
        c += (base_c + gain_c_per_w * w - c) / 120;
        b->in.switch_mc = el_reading_good(llround(c) * 1000, b->in.now_us + 1000000);
        bed_step(b);
        hottest = t > seconds / 2 ? EL_MAX(hottest, c) : hottest;
    }
    return hottest;
}

static void the_switch_is_held_at_its_limit(void **state)
{
    struct bed b;
    double hottest;

    bed_open(&b, &el_law_element, 4);
    b.card.switch_limit_c = 70;
    el_governor_reconfigure(b.g, &b.card);
    for (int i = 0; i < 4; i++)
        b.host_w[i] = i ? 5 : 0.5; /* the first asks for little and keeps it */
    hottest = switch_after(&b, 60, 1, 7200);
    if (!(hottest > 69 && hottest < 71))
        fail_msg("%.2f C", hottest);
    assert_true(b.d.switch_headroom_c < 1);
    assert_true(b.d.slot[0].cap_ratio >= 1 || b.d.slot[0].budget_w >= 0.5);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(b.d.slot[i].constraint, EL_CONSTRAINT_SWITCH_TEMPERATURE);
        assert_true(b.d.slot[i].budget_w > 2 && b.d.slot[i].budget_w < 4.5);
    }
    bed_close(&b);
}

static void a_switch_too_hot_for_idle_floors_everything(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_element, 4);
    b.card.switch_limit_c = 70;
    el_governor_reconfigure(b.g, &b.card);
    for (int i = 0; i < 4; i++)
        b.host_w[i] = 5;
    (void)switch_after(&b, 80, 1, 600);
    for (int i = 0; i < 4; i++) {
        assert_true(b.d.slot[i].cap_ratio < 0.06);
        assert_int_equal(b.d.slot[i].constraint, EL_CONSTRAINT_SWITCH_TEMPERATURE);
    }
    bed_close(&b);
}

/* Nor without a power sensor, from declared watts alone. */
static void a_card_limit_below_idle_floors_everything(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_element, 4);
    b.card.card_limit_w = 10; /* the switch and four idle drives need 15 */
    el_governor_reconfigure(b.g, &b.card);
    for (int i = 0; i < 4; i++)
        b.host_w[i] = 5;
    bed_run(&b, 60);
    for (int i = 0; i < 4; i++) {
        assert_true(b.d.slot[i].cap_ratio < 0.06);
        assert_int_equal(b.d.slot[i].constraint, EL_CONSTRAINT_CARD_POWER);
    }
    bed_close(&b);
}

/* Nothing is known at first, then the counters' first reading, which tells no watts, comes with the card's power. */
static void a_card_limit_holds_from_the_first_watts_on(void **state)
{
    struct bed b;

    bed_open(&b, &el_law_element, 4);
    b.card.card_limit_w = 27;
    el_governor_reconfigure(b.g, &b.card);
    for (int t = 0; t < 60; t++) {
        double watts = 5;

        for (int i = 0; i < 4; i++) {
            b.in.slot[i].io_valid = t > 0;
            b.temp_c[i] = t > 0 ? 50 : NAN;
            b.host_w[i] = 5.5;
            watts += 2.5 + (t > 1 ? EL_MIN(5.5, b.d.slot[i].cap_ratio < 1 ? b.d.slot[i].budget_w : 5.5) : 0.275);
        }
        if (t > 0)
            b.in.card_power_mw = el_reading_good((int64_t)(watts * 1000), b.in.now_us + 1000000);
        if (t > 4)
            assert_true(watts < 27 * 1.03);
        bed_step(&b);
    }
    bed_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_switch_is_held_at_its_limit),
        cmocka_unit_test(a_switch_too_hot_for_idle_floors_everything),
        cmocka_unit_test(a_card_limit_below_idle_floors_everything),
        cmocka_unit_test(a_card_limit_holds_from_the_first_watts_on),
        cmocka_unit_test(idle_envelope_means_no_caps_and_no_writes),
        cmocka_unit_test(limit_is_held_and_reasons_are_given),
        cmocka_unit_test(counters_that_lie_do_not_heat),
        cmocka_unit_test(higher_limit_never_means_less),
        cmocka_unit_test(card_watts_are_held),
        cmocka_unit_test(shared_watts_go_by_weight),
        cmocka_unit_test(no_end_is_foreseen_where_nothing_changes),
        cmocka_unit_test(members_of_a_stripe_are_equal),
        cmocka_unit_test(members_of_a_stripe_are_equal_in_bytes),
        cmocka_unit_test(failing_air_is_reported_in_time),
        cmocka_unit_test(a_falling_inlet_is_no_failing_air),
        cmocka_unit_test(what_was_learnt_survives),
        cmocka_unit_test(anything_in_sane_caps_out),
        cmocka_unit_test(forgotten_cap_is_written_again),
        cmocka_unit_test(fans_come_before_throttling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
