#include "device/price.h"
#include "support/unit.h"

static const struct el_cap cap = {
    .ratio = 0.5,
    .budget_w = 3,
    .read_j_per_byte = 1e-9,
    .write_j_per_byte = 2e-9,
    .read_j_per_op = 4e-6,
    .write_j_per_op = 0,
};

/* What the kernel would charge a request: its bytes by the byte price, and an operation at what is left of the iops
 * price after the page in it (block/blk-iocost.c, calc_lcoefs). */
static double kernel_joules(uint64_t bps, uint64_t iops, double watts, double bytes)
{
    double page = watts / (double)bps * 4096, op = watts / (double)iops;

    return bytes / 4096 * page + (op > page ? op - page : 0);
}

static void model_charges_the_joules_it_was_made_of(void **state)
{
    const double sizes[] = {4096, 65536, 1 << 20};
    struct el_price_model m = el_price_model(&cap, 3);

    for (size_t i = 0; i < EL_ARRAY_SIZE(sizes); i++) {
        assert_float_equal(kernel_joules(m.rbps, m.riops, 3, sizes[i]) / (4e-6 + sizes[i] * 1e-9), 1, 1e-4);
        assert_float_equal(kernel_joules(m.wbps, m.wiops, 3, sizes[i]) / (sizes[i] * 2e-9), 1, 1e-4);
    }
}

static void prices_are_positive_integers(void **state)
{
    struct el_cap nothing = {.ratio = 1, .budget_w = 1};
    struct el_price_model m = el_price_model(&nothing, 1e-12);

    assert_true(m.rbps > 0 && m.wiops > 0);
    m = el_price_model(&cap, 1e-12);
    assert_int_equal(m.rbps, 1);
}

static void floor_holds(void **state)
{
    struct el_cap low = cap;

    assert_float_equal(el_price_budget_w(&cap), 3, 1e-12);
    low.ratio = 0.01;
    low.budget_w = 0.06;
    assert_float_equal(el_price_budget_w(&low), 0.3, 1e-12);
    low.ratio = NAN;
    assert_true(isnan(el_price_budget_w(&low)));
    low.ratio = 0;
    assert_true(isnan(el_price_budget_w(&low)));
    low = cap;
    low.budget_w = INFINITY;
    assert_true(isnan(el_price_budget_w(&low)));
}

static void limits_never_buy_more_than_the_budget(void **state)
{
    struct el_slot_io io = {.read_bytes = 64 << 20, .read_ops = 1024, .write_bytes = 16 << 20, .write_ops = 4096};
    struct el_price_max m = el_price_max(&cap, 3, &io);
    double read_w, write_w;

    for (double size = 512; size <= 1 << 20; size *= 2) { /* whatever size comes: bytes or operations bind */
        read_w = fmin((double)m.rbps / size, (double)m.riops) * (4e-6 + size * 1e-9);
        write_w = fmin((double)m.wbps / size, (double)m.wiops) * (size * 2e-9);
        assert_true(read_w + write_w <= 3.001);
    }
    read_w = (double)m.riops * (4e-6 + 65536 * 1e-9);
    write_w = (double)m.wiops * (4096 * 2e-9);
    assert_float_equal(read_w + write_w, 3, 0.01); /* and all of it at the sizes seen */
}

static void split_follows_demand_and_leaves_a_start(void **state)
{
    const double demand[] = {3, 0, 1}, none[] = {0, 0};
    double share[3];

    el_price_split(demand, 3, share);
    assert_float_equal(share[0] + share[1] + share[2], 1, 1e-12);
    assert_true(share[0] > share[2] && share[2] > share[1] && share[1] > 0.03);
    el_price_split(none, 2, share);
    assert_float_equal(share[0], 0.5, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_charges_the_joules_it_was_made_of),
        cmocka_unit_test(prices_are_positive_integers),
        cmocka_unit_test(floor_holds),
        cmocka_unit_test(limits_never_buy_more_than_the_budget),
        cmocka_unit_test(split_follows_demand_and_leaves_a_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
