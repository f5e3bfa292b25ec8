#include "support/unit.h"
#include "profiles.h"

static struct bench b;

static void open_bench(void)
{
    char why[400] = "";

    if (el_twin_open(&b.options, &b.dev, why, sizeof why) < 0)
        fail_msg("%s", why);
}

static void run(double seconds, struct el_twin_truth *out)
{
    el_twin_advance(b.dev.dev, seconds);
    el_twin_truth(b.dev.dev, 0, out);
}

static void close_bench(void)
{
    b.dev.ops->close(b.dev.dev);
}

static void uncapped_gives_the_published_figures(void **state)
{
    struct el_twin_truth t;

    bench_init(&b);
    open_bench();
    run(600, &t);
    assert_true(fabs(t.served_ops / t.time_s / 664399 - 1) < 0.001);
    assert_true(fabs(t.outstanding_seconds / t.served_ops * 1e6 / 30.7 - 1) < 0.001);
    close_bench();
}

static void nominal_full_load_is_the_stated_power(void **state)
{
    struct el_twin_truth t;

    bench_init(&b);
    b.options.seed = 0;
    open_bench();
    run(600, &t);
    assert_true(t.energy_j / t.time_s > 35 &&
                t.energy_j / t.time_s < 40);          /* four drives at 8 W and the switch; background work on top */
    assert_true(t.slot[3].temp_c > t.slot[0].temp_c); /* the air warms along the card */
    close_bench();
}

static void energy_is_conserved(void **state)
{
    struct el_twin_truth t;
    double warm;

    /* At rest the sink's rise over the inlet is what the resistance says, within the spread of the air's share. */
    bench_init(&b);
    b.options.seed = 0;
    b.options.workload = "idle";
    open_bench();
    run(3600, &t);
    warm = (t.slot[0].temp_c + t.slot[1].temp_c + t.slot[2].temp_c + t.slot[3].temp_c) / 4 - 25;
    assert_true(warm > 8 && warm < 12.5); /* 15 W x 0.4 C/W + 2.5 W x 1.75 C/W = 10.4 C */
    close_bench();
}

static void less_air_is_hotter(void **state)
{
    struct el_twin_truth a, c;

    bench_init(&b);
    open_bench();
    run(1800, &a);
    close_bench();
    bench_init(&b);
    b.options.airflow_lfm = 200;
    open_bench();
    run(1800, &c);
    close_bench();
    assert_true(c.slot[0].temp_c > a.slot[0].temp_c + 3);
}

static void a_cap_lowers_iops_and_raises_latency(void **state)
{
    struct el_actuator_value v = {.cap = {.ratio = 0.5, .budget_w = 2.75}};
    struct el_twin_truth t0, t1;

    bench_init(&b);
    open_bench();
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_IO_BUDGET, i, &v), 0);
    run(10, &t0);
    run(100, &t1);
    assert_true(fabs(t1.iops / 664399 - 0.5) < 0.01);
    assert_true(fabs((t1.outstanding_seconds - t0.outstanding_seconds) / (t1.served_ops - t0.served_ops) * 1e6 / 61.4 -
                     1) < 0.02);
    close_bench();
}

static void a_stripe_runs_at_its_slowest_member(void **state)
{
    struct el_actuator_value v = {.cap = {.ratio = 0.5, .budget_w = 2.75}};
    struct el_twin_truth t;

    bench_init(&b);
    b.options.array = EL_ARRAY_STRIPE;
    open_bench();
    b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 2, &v);
    run(10, &t);
    assert_true(fabs(t.iops / 664399 - 0.5) < 0.01);
    assert_true(t.slot[0].iops == t.slot[2].iops);
    close_bench();
}

/* What one submitting thread gets over a stripe of two whose members are capped to half. */
static double one_submitter(bool io_max, uint64_t submitters)
{
    struct el_scenario s = {.io_max = io_max, .submitters = submitters};
    struct el_actuator_value v = {.cap = {.ratio = 0.5, .budget_w = 2.75}};
    struct el_twin_truth t;

    bench_init(&b);
    b.card.slots = 2;
    b.card.workload[1].iops /= 2;
    b.options.array = EL_ARRAY_STRIPE;
    b.options.scenario = &s;
    open_bench();
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(
            b.dev.ops->actuator_write(b.dev.dev, io_max ? EL_ACTUATOR_IO_MAX : EL_ACTUATOR_IO_BUDGET, i, &v), 0);
    run(10, &t);
    close_bench();
    return t.iops / (664399 / 2.0);
}

static void io_cost_blocks_the_one_who_submits(void **state)
{
    assert_true(fabs(one_submitter(false, 0) - 0.5) < 0.01);
    assert_true(one_submitter(false, 1) > 0.25 && one_submitter(false, 1) < 0.375); /* 10 to 15 of 20 */
    assert_true(fabs(one_submitter(true, 1) - 0.475) < 0.01);                       /* 19 of 20 */
    assert_true(one_submitter(false, 16) > 0.48);
}

static void a_mirror_reads_from_the_free_half(void **state)
{
    struct el_actuator_value v = {.cap = {.ratio = 0.5, .budget_w = 1.75}};
    struct el_twin_truth t;

    bench_init(&b);
    b.options.array = EL_ARRAY_MIRROR;
    b.options.workload = "random-read-4k";
    open_bench();
    run(10, &t);
    assert_true(fabs(t.iops / 1454406 - 1) < 0.01);
    b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 0, &v);
    run(10, &t);
    assert_true(t.slot[1].iops > t.slot[0].iops * 1.5);
    assert_true(fabs(t.slot[2].iops - t.slot[3].iops) < 1);
    close_bench();
    /* writes go to both: the slower half holds the pair */
    bench_init(&b);
    b.options.array = EL_ARRAY_MIRROR;
    open_bench();
    run(10, &t);
    assert_true(fabs(t.iops / (664399 / 2.0) - 1) < 0.01);
    b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 0, &v);
    run(10, &t);
    assert_true(t.slot[1].iops == t.slot[0].iops && t.slot[0].iops < 0.4 * 664399 / 4);
    close_bench();
}

static void the_oracle_lands_on_the_limit(void **state)
{
    struct el_twin_oracle o = {.limit_c = {70, 70, 70, 70}, .card_limit_w = NAN, .switch_limit_c = NAN};
    struct el_twin_truth t;

    bench_init(&b);
    b.options.inlet_c = 50;
    open_bench();
    el_twin_set_oracle(b.dev.dev, &o);
    run(1200, &t);
    for (int k = 0; k < 600; k++) {
        run(1, &t);
        for (uint32_t i = 0; i < 4; i++)
            assert_true(t.slot[i].temp_c < 70.01 || t.slot[i].iops == 0); /* background work alone may pass it */
    }
    assert_true(t.slot[0].temp_c > 69.9 && t.slot[3].temp_c > 69.9);
    assert_true(t.iops < 664399 && t.iops > 0.2 * 664399);
    close_bench();
}

static void the_oracle_holds_watts_by_equal_shares(void **state)
{
    struct el_twin_oracle o = {.limit_c = {NAN, NAN, NAN, NAN}, .card_limit_w = 25, .switch_limit_c = NAN};
    struct el_twin_truth t;

    bench_init(&b);
    open_bench();
    el_twin_set_oracle(b.dev.dev, &o);
    run(1000, &t);
    assert_true(t.card_w < 25.01 && t.card_w > 24.9);
    assert_true(t.energy_j / t.time_s < 25.01);
    close_bench();
}

static void firmware_protects_itself(void **state)
{
    struct el_twin_truth t;
    double hottest = 0;

    for (uint64_t seed = 1; seed <= 6; seed++) {
        bench_init(&b);
        b.options.seed = seed;
        b.options.inlet_c = 55;
        b.options.airflow_lfm = 150;
        open_bench();
        run(3600, &t);
        assert_true(t.served_ops < 0.95 * t.demand_ops);
        for (uint32_t i = 0; i < 4; i++)
            hottest = fmax(hottest, t.slot[i].temp_c);
        close_bench();
    }
    assert_true(hottest > 74 && hottest < 84);
}

static void the_same_seed_gives_the_same_card(void **state)
{
    struct el_twin_truth t, u;

    bench_init(&b);
    b.options.workload = "bursty-random-write-4k";
    open_bench();
    run(1000, &t);
    close_bench();
    open_bench();
    run(1000, &u);
    close_bench();
    assert_memory_equal(&t, &u, sizeof t);
    b.options.seed = 2;
    open_bench();
    run(1000, &u);
    close_bench();
    assert_true(t.slot[0].temp_c != u.slot[0].temp_c);
}

static void bad_options_say_what_is_allowed(void **state)
{
    char why[400];

    bench_init(&b);
    b.options.workload = "sqlx";
    assert_int_equal(el_twin_open(&b.options, &b.dev, why, sizeof why), -EINVAL);
    assert_non_null(strstr(why, "random-read-4k"));
    b.options.workload = "idle";
    b.options.inlet_c = NAN;
    assert_int_equal(el_twin_open(&b.options, &b.dev, why, sizeof why), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uncapped_gives_the_published_figures),
        cmocka_unit_test(nominal_full_load_is_the_stated_power),
        cmocka_unit_test(energy_is_conserved),
        cmocka_unit_test(less_air_is_hotter),
        cmocka_unit_test(a_cap_lowers_iops_and_raises_latency),
        cmocka_unit_test(a_stripe_runs_at_its_slowest_member),
        cmocka_unit_test(io_cost_blocks_the_one_who_submits),
        cmocka_unit_test(a_mirror_reads_from_the_free_half),
        cmocka_unit_test(the_oracle_lands_on_the_limit),
        cmocka_unit_test(the_oracle_holds_watts_by_equal_shares),
        cmocka_unit_test(firmware_protects_itself),
        cmocka_unit_test(the_same_seed_gives_the_same_card),
        cmocka_unit_test(bad_options_say_what_is_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
