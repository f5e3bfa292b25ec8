/* Properties of the small pure parts: sharing, intervals, pacing. */
#include "base/rng.h"
#include "bed.h"
#include "governor/allocate.h"
#include "governor/interval.h"
#include "governor/pace.h"
#include "governor/share.h"

static void shares_meet_the_total(void **state)
{
    struct el_rng r = el_rng_seed(1);

    for (int k = 0; k < 2000; k++) {
        double want[8], floor[8], weight[8], give[8], more[8], total = el_rng_between(&r, 1, 60), sum = 0, floors = 0;
        uint32_t n = 1 + (uint32_t)(el_rng_unit(&r) * 8);

        for (uint32_t i = 0; i < n; i++) {
            want[i] = el_rng_between(&r, 0, 10);
            floor[i] = el_rng_between(&r, 0.1, 0.5);
            weight[i] = el_rng_between(&r, 0.2, 3);
            floors += floor[i];
        }
        (void)el_allocate(n, want, floor, weight, total, give);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(give[i] >= floor[i] - 1e-9 && give[i] <= EL_MAX(want[i], floor[i]) + 1e-9);
            sum += give[i];
        }
        assert_true(sum <= EL_MAX(total, floors) + 1e-6);
        (void)el_allocate(n, want, floor, weight, total + 1, more);
        for (uint32_t i = 0; i < n; i++)
            assert_true(more[i] >= give[i] - 1e-6); /* more for all is less for none */
    }
}

static void moving_few_caps_holds_the_sum(void **state)
{
    struct el_rng r = el_rng_seed(2);

    for (int k = 0; k < 2000; k++) {
        struct el_share_unit u[8];
        double share[8], total = el_rng_between(&r, 4, 40), sum = 0, floors = 0;
        uint32_t n = 1 + (uint32_t)(el_rng_unit(&r) * 8);

        for (uint32_t i = 0; i < n; i++) {
            u[i] = (struct el_share_unit){.want_w = el_rng_between(&r, 0.5, 8),
                                          .cap_w = el_rng_unit(&r) < 0.3 ? INFINITY : el_rng_between(&r, 0.5, 8),
                                          .floor_w = 0.3,
                                          .weight = 1,
                                          .count = 1 + (uint32_t)(el_rng_unit(&r) * 2),
                                          .pressed = el_rng_unit(&r) < 0.7};
            floors += u[i].floor_w * u[i].count;
        }
        el_share(n, u, total, 0.2, share);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(share[i] > 0);
            sum += EL_MAX(u[i].floor_w,
                          EL_MIN(EL_MIN(share[i], u[i].cap_w > share[i] ? share[i] : u[i].cap_w), u[i].want_w)) *
                   u[i].count;
        }
        assert_true(sum <= EL_MAX(total, floors) + 0.3 + 1e-6);
    }
}

static void no_drives_need_no_share(void **state)
{
    el_share(0, NULL, 10, 0.2, NULL);
}

/* Against the integral of the posterior. */
static void interval_update_is_exact(void **state)
{
    static const double cases[][4] = {
        {75, 0.3, 74.5, 75.5}, {74.2, 0.1, 74.5, 75.5}, {76.5, 1.0, 74.5, 75.5}, {75.4, 0.02, 74.5, 75.5}};

    for (size_t c = 0; c < EL_ARRAY_SIZE(cases); c++) {
        double mean = cases[c][0], var = cases[c][1], lo = cases[c][2], hi = cases[c][3], noise = 0.05, z = 0, m = 0,
               q = 0, shift, shrink;

        el_interval_update(mean, var, noise, lo, hi, &shift, &shrink);
        for (double x = mean - 8; x < mean + 8; x += 1e-3) {
            double like = 0.5 * (erf((hi - x) / sqrt(2 * noise)) - erf((lo - x) / sqrt(2 * noise))),
                   p = exp(-0.5 * (x - mean) * (x - mean) / var) * like;

            z += p;
            m += p * x;
            q += p * x * x;
        }
        m /= z;
        assert_true(fabs(mean + shift - m) < 1e-3);
        assert_true(fabs(var - shrink - (q / z - m * m)) < 1e-3);
    }
}

static void far_readings_stay_finite(void **state)
{
    double shift, shrink;

    el_interval_update(30, 0.01, 0.01, 99.5, 100.5, &shift, &shrink);
    assert_true(isfinite(shift) && shift > 0 && shrink > 0 && shrink <= 0.01);
    el_interval_update(100, 0.01, 0.01, 29.5, 30.5, &shift, &shrink);
    assert_true(isfinite(shift) && shift < 0 && shrink > 0 && shrink <= 0.01);
}

static void writes_stay_within_their_budget(void **state)
{
    struct el_rng r = el_rng_seed(3);
    struct el_pace p;
    int writes = 0;

    el_pace_init(&p, 5.5);
    for (int t = 0; t < 3600; t++) { /* what is allowed jumps about all the time */
        double hold = el_rng_between(&r, 1, 5), cap = EL_MIN(p.cap_w, p.full_w);
        struct el_pace_wish w = {.hold_w = hold,
                                 .share_w = INFINITY,
                                 .guard_w = 20,
                                 .used_w = cap,
                                 .excess_c = (cap - hold) * 0.7,
                                 .floor_w = 0.3};

        writes += el_pace_step(&p, &w, 120, 1);
    }
    assert_true(writes > 20 && writes <= 230);
}

static void too_hot_is_mended_at_once_even_without_credit(void **state)
{
    struct el_pace p;
    struct el_pace_wish w = {
        .hold_w = 1, .share_w = INFINITY, .guard_w = 2, .used_w = 5.4, .excess_c = 3, .floor_w = 0.3};

    el_pace_init(&p, 5.5);
    p.credit = -5;
    assert_true(el_pace_step(&p, &w, 120, 1));
    assert_true(p.cap_w <= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_meet_the_total),
        cmocka_unit_test(moving_few_caps_holds_the_sum),
        cmocka_unit_test(no_drives_need_no_share),
        cmocka_unit_test(interval_update_is_exact),
        cmocka_unit_test(far_readings_stay_finite),
        cmocka_unit_test(writes_stay_within_their_budget),
        cmocka_unit_test(too_hot_is_mended_at_once_even_without_credit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
