/* Rules of the safety layer and of the governor's book-keeping, each under a law that does nothing else but try it. */
#include "base/rng.h"
#include "bed.h"
#include "governor/screen.h"

static struct { /* what the next law wants of every drive and of the fans, and what it was let see */
    double cap, pwm;
    bool air_failing;
    struct el_governor_input seen;
} puppet;

static int puppet_init(void *state, const struct el_governor_card *card)
{
    return 0;
}

static void puppet_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    puppet.seen = *in;
    for (uint32_t i = 0; i < out->slots; i++)
        out->slot[i].cap_ratio = puppet.cap;
    out->fan_pwm_ratio = puppet.pwm;
    out->air_failing = puppet.air_failing;
}

static const struct el_governor_law law = {.name = "puppet", .state_size = 1, .init = puppet_init, .step = puppet_step};

static void open_puppet(struct bed *b, uint32_t slots, double cap)
{
    puppet.cap = cap;
    puppet.pwm = NAN;
    puppet.air_failing = false;
    bed_open(b, &law, slots);
    bed_run(b, 3);
}

/* A fall that nothing cools by is kept for ten minutes; then the sensor is believed again by and by: recovery from a
 * wrong verdict takes a bounded time. */
static void what_was_added_to_a_reading_fades(void **state)
{
    struct el_screen s = {0};
    struct el_reading r;

    for (int t = 1; t < 600 + 12 * 600 + 60; t++) {
        r = el_reading_good(t < 100 ? 76000 : 64000, t * EL_USEC_PER_SEC);
        if (el_screen_step(&s, &r, t * EL_USEC_PER_SEC, NAN, 60) != EL_BELIEVE)
            assert_int_equal(t, 100); /* waits for its second vote */
        else if (t < 700)
            assert_int_equal(r.value, 76000);
        else
            assert_in_range(r.value, 64000, 76000);
        if (t == 700 + 6 * 600)
            assert_in_range(r.value, 69500, 70500);
    }
    r = el_reading_good(64000, 8000 * EL_USEC_PER_SEC);
    assert_int_equal(el_screen_step(&s, &r, 8000 * EL_USEC_PER_SEC, NAN, 60), EL_BELIEVE);
    assert_int_equal(r.value, 64000);
}

/* A reading that stands still while power does not brings a drive back to what it did before, but never below its
 * floor. */
static void nothing_goes_below_the_floor(void **state)
{
    struct bed b;
    int doubted = 0;

    open_puppet(&b, 1, 1);
    b.card.slot[0].floor_ratio = 0.3;
    el_governor_reconfigure(b.g, &b.card);
    b.host_w[0] = 0;
    bed_run(&b, 300);
    puppet.cap = 0.32;
    b.host_w[0] = 6;
    for (int t = 0; t < 600; t++) {
        b.in.slot[0].read_bytes += (uint64_t)(4 / 9e-10); /* and ignores it */
        bed_step(&b);
        doubted += b.d.failsafe == EL_FAILSAFE_HOLD;
        assert_true(b.d.slot[0].cap_ratio >= 0.3);
    }
    assert_true(doubted > 0);
    bed_close(&b);
}

/* When air fails, neighbours that warm at even watts betray a reading that does not join them. Those that warm by their
 * own work do not, nor any while the air does its work: background work of their own may warm them. */
static void heat_of_the_others_betrays_a_reading_that_stands_still(void **state)
{
    enum { AIR, WORK, SOUND_AIR, CASES };

    for (int what = AIR; what < CASES; what++) {
        struct bed b;
        bool found = false;

        open_puppet(&b, 4, 1);
        for (int t = 0; t < 1800; t++) {
            puppet.air_failing = t > 400 && what != SOUND_AIR;
            for (uint32_t i = 0; i < 4; i++) {
                bool warms = t >= 300 && i != 1;

                b.temp_c[i] = warms ? 60 + EL_MIN((t - 300) / 20, 8) : t < 300 ? 60 + t / 10 % 2 : 60;
                b.host_w[i] = warms && what == WORK ? 5 : 2;
            }
            bed_step(&b);
            found = found || b.d.slot[1].constraint == EL_CONSTRAINT_FAILED_SENSOR;
        }
        assert_int_equal(found, what == AIR);
        bed_close(&b);
    }
}

static void a_blind_drive_alone_goes_deeper(void **state)
{
    struct bed b;

    open_puppet(&b, 1, 1);
    b.temp_c[0] = NAN;
    bed_run(&b, 100);
    assert_float_equal(b.d.slot[0].cap_ratio, 0.65, 1e-9);
    bed_run(&b, 100);
    assert_float_equal(b.d.slot[0].cap_ratio, 0.45, 1e-9);
    bed_close(&b);
}

/* It has a part of what the same air lets its neighbours do, in moves that are worth a write. */
static void a_blind_drive_follows_what_neighbours_may(void **state)
{
    struct bed b;

    open_puppet(&b, 4, 1);
    b.temp_c[0] = NAN;
    bed_run(&b, 200);
    assert_float_equal(b.d.slot[0].cap_ratio, 0.9, 1e-9);
    puppet.cap = 0.9; /* 0.81 is not worth one */
    bed_run(&b, 10);
    assert_float_equal(b.d.slot[0].cap_ratio, 0.9, 1e-9);
    puppet.cap = 0.5;
    bed_run(&b, 10);
    assert_float_equal(b.d.slot[0].cap_ratio, 0.45, 1e-9);
    bed_close(&b);
}

/* Neighbours that see tell of a blind drive's air only while the air is sound. */
static void failing_air_ends_seeing(void **state)
{
    struct bed b;

    open_puppet(&b, 4, 1);
    puppet.air_failing = true;
    b.temp_c[0] = NAN;
    bed_run(&b, 310);
    assert_int_equal(b.d.failsafe, EL_FAILSAFE_FLOOR);
    assert_true(b.d.slot[0].cap_ratio <= 0.05);
    bed_close(&b);
}

static void a_fan_told_to_be_slow_may_stand(void **state)
{
    struct bed b;

    for (int told = 0; told < 2; told++) {
        open_puppet(&b, 1, 1);
        puppet.pwm = told ? 0.1 : 0.5;
        for (int t = 0; t < 40; t++) {
            b.in.fan_rpm[0] = el_reading_good(0, b.in.now_us);
            bed_step(&b);
        }
        assert_int_equal(b.d.air_failing, !told);
        bed_close(&b);
    }
}

/* Half power at the start, a held and a reduced cap: none of it is more than the law wants. */
static void safety_only_lowers(void **state)
{
    struct bed b;

    puppet.cap = 0.3;
    bed_open(&b, &law, 2);
    b.temp_c[1] = NAN;
    bed_step(&b);
    assert_int_equal(b.d.failsafe_reason, EL_CONSTRAINT_STARTUP);
    assert_true(b.d.slot[0].cap_ratio == 0.3);
    b.temp_c[1] = 60;
    bed_run(&b, 3);
    b.temp_c[1] = NAN;
    puppet.cap = 0.1;
    for (int t = 0; t < 200; t++) {
        bed_step(&b);
        assert_true(b.d.slot[1].cap_ratio <= 0.1);
    }
    bed_close(&b);
}

/* A cap that is not in force is written again, each time after twice as long, 80 s at most. */
static void a_lost_cap_is_set_again(void **state)
{
    struct bed b;
    int writes = 0;

    open_puppet(&b, 1, 0.5);
    b.in.slot[0].cap_ratio_in_force = 0.5;
    for (int t = 0; t < 100; t++, writes += b.d.slot[0].write)
        bed_step(&b);
    assert_int_equal(writes, 0);
    b.in.slot[0].cap_ratio_in_force = 1;
    for (int t = 0; t < 8; t++, writes += b.d.slot[0].write)
        bed_step(&b);
    assert_in_range(writes, 1, 2);
    for (int t = 0; t < 3600; t++, writes += b.d.slot[0].write)
        bed_step(&b);
    assert_in_range(writes, 40, 55);
    bed_close(&b);
}

/* A counter that went back tells nothing, and nothing that follows is counted until it ran soundly for a while. */
static void a_counter_reset_is_not_counted(void **state)
{
    struct bed b;

    open_puppet(&b, 1, 1);
    assert_true(puppet.seen.slot[0].io_valid);
    b.in.slot[0].read_bytes = 0;
    bed_run(&b, 30);
    assert_false(puppet.seen.slot[0].io_valid);
    bed_run(&b, 3);
    assert_true(puppet.seen.slot[0].io_valid);
    bed_close(&b);
}

/* One impossible sample of any sensor never reaches a law; the sound one after it does. */
static void every_sensor_is_screened(void **state)
{
    struct bed b;

    open_puppet(&b, 2, 1);
    for (int t = 0; t < 6; t++) {
        const int64_t c = t == 4 ? 200000 : 60000, now = b.in.now_us + EL_USEC_PER_SEC;

        b.in.inlet_mc = b.in.switch_mc = el_reading_good(c, now);
        for (int k = 0; k < 8; k++)
            b.in.slot[1].sensor_mc[k] = el_reading_good(c, now);
        bed_step(&b);
        assert_int_equal(el_reading_usable(&puppet.seen.inlet_mc), t != 4);
        assert_int_equal(el_reading_usable(&puppet.seen.switch_mc), t != 4);
        for (int k = 0; k < 8; k++)
            assert_int_equal(el_reading_usable(&puppet.seen.slot[1].sensor_mc[k]), t != 4);
    }
    bed_close(&b);
}

/* A poll's reading is seen in each step up to the next: seeing it again is no second sample. */
static void a_sample_does_not_vote_twice(void **state)
{
    struct bed b;

    open_puppet(&b, 1, 1);
    b.temp_c[0] = 90;
    for (int t = 0; t < 5; t++) {
        bed_step(&b);
        b.frozen[0] = true;
        assert_false(el_reading_usable(&puppet.seen.slot[0].temp_mc));
    }
    b.frozen[0] = false;
    bed_step(&b);
    assert_true(el_reading_usable(&puppet.seen.slot[0].temp_mc));
    bed_close(&b);
}

/* A second of a card at its limits, with a drive away or blind now and then. */
static void busy_second(struct bed *b, struct el_rng *r)
{
    for (uint32_t i = 0; i < b->card.slots; i++) {
        b->temp_c[i] = el_rng_unit(r) < 0.02 ? NAN : floor(el_rng_between(r, 72, 76));
        b->host_w[i] = el_rng_between(r, 0, 6);
        b->in.slot[i].present = el_rng_unit(r) < 0.995;
        b->in.slot[i].cap_ratio_in_force = el_rng_unit(r) < 0.1 ? 1 : b->d.slots ? b->d.slot[i].cap_ratio : NAN;
        b->in.slot[i].actuator_failed = el_rng_unit(r) < 0.05;
        b->in.slot[i].sensor_mc[0] = el_reading_good((int64_t)el_rng_between(r, 70000, 80000), b->in.now_us);
    }
    b->in.card_power_mw = el_reading_good((int64_t)el_rng_between(r, 30000, 40000), b->in.now_us);
    b->in.inlet_mc = el_reading_good((int64_t)el_rng_between(r, 30000, 33000), b->in.now_us);
    bed_step(b);
}

/* Drives answer in any order, and are taken as they do: the decision is that of all taken at once, to the bit. What is
 * said of a drive later in the same step, but for its actuators, is not heard. */
static void the_order_of_answers_decides_nothing(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct el_rng r = el_rng_seed(seed);
        struct bed at_once, by_and_by;

        bed_open(&at_once, &el_law_element, 8);
        bed_open(&by_and_by, &el_law_element, 8);
        for (int t = 0; t < 200; t++) {
            struct el_governor_input *in = &by_and_by.in;

            busy_second(&at_once, &r);
            *in = at_once.in;
            for (uint64_t k = el_rng_u64(&r) % 12; k > 0; k--) {
                uint32_t i = (uint32_t)(el_rng_u64(&r) % 9); /* the card has no ninth */

                el_governor_observe(by_and_by.g, in, i);
                in->slot[i].present = false;
                in->slot[i].temp_mc = el_reading_good(20000, in->now_us);
                in->inlet_mc.quality = EL_FAILED;
            }
            el_governor_step(by_and_by.g, in, &by_and_by.d);
            for (uint32_t i = 0; i < 8; i++) {
                const struct el_slot_decision *one = &at_once.d.slot[i], *other = &by_and_by.d.slot[i];

                assert_true(one->cap_ratio == other->cap_ratio && one->budget_w == other->budget_w);
                assert_true(one->write == other->write && one->constraint == other->constraint);
                assert_memory_equal(&one->temp_estimate_c, &other->temp_estimate_c, sizeof one->temp_estimate_c);
            }
            assert_true(at_once.d.card_power_estimate_w == by_and_by.d.card_power_estimate_w);
            assert_int_equal(at_once.d.failsafe, by_and_by.d.failsafe);
        }
        bed_close(&at_once);
        bed_close(&by_and_by);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_to_a_reading_fades),
        cmocka_unit_test(nothing_goes_below_the_floor),
        cmocka_unit_test(heat_of_the_others_betrays_a_reading_that_stands_still),
        cmocka_unit_test(a_blind_drive_alone_goes_deeper),
        cmocka_unit_test(a_blind_drive_follows_what_neighbours_may),
        cmocka_unit_test(failing_air_ends_seeing),
        cmocka_unit_test(a_fan_told_to_be_slow_may_stand),
        cmocka_unit_test(safety_only_lowers),
        cmocka_unit_test(a_lost_cap_is_set_again),
        cmocka_unit_test(a_counter_reset_is_not_counted),
        cmocka_unit_test(every_sensor_is_screened),
        cmocka_unit_test(a_sample_does_not_vote_twice),
        cmocka_unit_test(the_order_of_answers_decides_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
