#include "config/config.h"
#include "control/simulate_seeds.h"
#include "support/unit.h"

#define PROFILES EL_SOURCE_DIR "/deploy/profiles"

static struct el_card_profile card;
static struct el_drive_profile drives[EL_CARD_SLOTS_MAX];

static struct el_simulate_options options(const char *name, const char *workload)
{
    struct el_config_error err;

    if (el_config_load_card_drives(PROFILES, name, &card, drives, &err) < 0)
        fail_msg("%s", err.text);
    return (struct el_simulate_options){.card = &card,
                                        .drives = drives,
                                        .workload = workload,
                                        .inlet_c = 25,
                                        .airflow_lfm = 400,
                                        .hours = 0.1,
                                        .seed = 1,
                                        .law = &el_law_none,
                                        .limit_c = NAN,
                                        .card_watts = NAN};
}

static struct el_simulate_result run(const struct el_simulate_options *o)
{
    struct el_simulate_result r;
    char why[512];

    if (el_simulate(o, &r, why, sizeof why) < 0)
        fail_msg("%s", why);
    return r;
}

/* Both cards, sixteen workloads each: the published IOPS and latency within 2 %. */
static void uncapped_cards_give_the_published_table(void **state)
{
    static const char *const cards[] = {"element-aic", "lqd4500"};
    unsigned checked = 0;

    for (int c = 0; c < 2; c++) {
        (void)options(cards[c], "idle");
        for (uint32_t w = 0; w < card.workloads; w++) {
            struct el_simulate_options o = options(cards[c], card.workload[w].name);
            struct el_simulate_result r = run(&o);

            if (fabs(r.iops / card.workload[w].iops - 1) > 0.02 ||
                fabs(r.latency_us / card.workload[w].latency_us - 1) > 0.02)
                fail_msg("%s %s: %.0f IOPS at %.1f us", cards[c], card.workload[w].name, r.iops, r.latency_us);
            checked++;
        }
    }
    assert_int_equal(checked, 32);
}

static void the_aic_draws_its_typical_power(void **state)
{
    struct el_simulate_options o = options("element-aic", "sequential-read-64k");
    struct el_simulate_result r;

    o.seed = 0;
    r = run(&o);
    assert_true(fabs(r.card_watts_mean - 25) < 1);
    o = options("element-aic", "random-write-4k");
    o.seed = 0;
    assert_true(run(&o).card_watts_mean > 35); /* full load exceeds typical */
    o = options("lqd4500", "random-write-4k");
    o.seed = 0;
    assert_true(fabs(run(&o).card_watts_mean - 65) < 4);
}

/* 55 C and 400 LFM at 25 W: no drive of the nominal card comes to its limit, a degree below its warning. */
static void the_aic_meets_its_rating(void **state)
{
    struct el_simulate_options o = options("element-aic", "sequential-read-64k");
    struct el_simulate_result r;

    o.seed = 0;
    o.inlet_c = 55;
    o.hours = 0.5;
    o.law = NULL;
    o.card_watts = 25;
    r = run(&o);
    assert_true(r.card_watts_mean > 24.9 && r.card_watts_mean < 25.01);
    assert_true(r.hottest_celsius > 75 && r.hottest_celsius < 75.95);
}

static void the_governor_holds_the_limit(void **state)
{
    struct el_simulate_options o = options("element-aic", "random-write-4k");
    struct el_simulate_result none, ours, oracle;

    o.inlet_c = 50;
    o.limit_c = 75;
    o.hours = 1;
    none = run(&o);
    o.law = &el_law_element;
    ours = run(&o);
    o.law = NULL;
    oracle = run(&o);
    assert_true(none.seconds_above_limit_per_hour > 1000);
    assert_true(ours.seconds_above_limit_per_hour < 300 && ours.seconds_above_critical_per_hour == 0);
    assert_true(ours.throughput_ratio_to_oracle > 0.85 && ours.throughput_ratio_to_oracle < 1.05);
    assert_true(oracle.throughput_ratio_to_oracle == 1 && oracle.overshoot_celsius < 0.5);
    assert_true(oracle.oracle_binding_ratio > 0.1);
}

static void card_watts_are_held(void **state)
{
    struct el_simulate_options o = options("lqd4500", "random-write-4k");
    struct el_simulate_result r;

    o.law = NULL;
    o.card_watts = 40;
    r = run(&o);
    assert_true(r.card_watts_mean < 40.01 && r.card_watts_mean > 38);
    assert_true(r.card_watts_above_limit_seconds_per_hour == 0);
}

static void seeds_run_side_by_side_as_alone(void **state)
{
    struct el_simulate_options o = options("element-aic", "bursty-sql");
    struct el_simulate_result many[3], alone, mean, worst;
    char why[200];

    assert_int_equal(el_simulate_seeds(&o, 3, many, why, sizeof why), 0);
    o.seed = 3;
    alone = run(&o);
    assert_true(many[2].iops == alone.iops && many[2].hottest_celsius == alone.hottest_celsius);
    el_simulate_summary(many, 3, &mean, &worst);
    assert_true(worst.iops <= mean.iops && worst.hottest_celsius >= mean.hottest_celsius);
}

static void expectations_name_the_failing_seeds(void **state)
{
    struct el_scenario_expect e = {.figure = "hottest_celsius", .min = NAN, .max = 80},
                              m = {.figure = "mean_iops", .min = 150, .max = NAN};
    struct el_simulate_result r[2] = {{.iops = 100, .hottest_celsius = 85}, {.iops = 200, .hottest_celsius = 70}};
    EL_AUTO_BUF struct el_buf b = {0};

    assert_false(el_simulate_expect(&e, 7, r, 2, &b));
    assert_string_equal(b.data, "hottest_celsius: seed 7: got 85, expected at most 80\n");
    el_buf_clear(&b);
    assert_true(el_simulate_expect(&m, 7, r, 2, &b));
    m.min = 151;
    assert_false(el_simulate_expect(&m, 7, r, 2, &b));
    assert_true(el_simulate_expect_known(&m));
    strcpy(m.figure, "happiness");
    assert_false(el_simulate_expect_known(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uncapped_cards_give_the_published_table),
        cmocka_unit_test(the_aic_draws_its_typical_power),
        cmocka_unit_test(the_aic_meets_its_rating),
        cmocka_unit_test(the_governor_holds_the_limit),
        cmocka_unit_test(card_watts_are_held),
        cmocka_unit_test(seeds_run_side_by_side_as_alone),
        cmocka_unit_test(expectations_name_the_failing_seeds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
