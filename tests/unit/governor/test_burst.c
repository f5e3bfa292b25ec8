/* A jump of the card's power is a burst of one drive; the readings of all say whose. */
#include "bed.h"

#define DRIVES 4
#define BUSY   2
#define BURST  1.2

struct table {
    struct bed b;
    struct el_observer o;
    struct el_node node[DRIVES];
    double temp_c[DRIVES], card_w;
};

/* One second of drives that settle at 60 C, and warm by what they draw above that. */
static void second(struct table *t, double extra_w)
{
    t->b.in.now_us += EL_USEC_PER_SEC;
    for (int i = 0; i < DRIVES; i++) {
        double w = i == BUSY ? extra_w : 0;

        t->temp_c[i] += (w * 1.75 - (t->temp_c[i] - 60)) / 21;
        t->b.in.slot[i].temp_mc = el_reading_good((int64_t)llround(t->temp_c[i]) * 1000, t->b.in.now_us);
    }
    t->b.in.card_power_mw = el_reading_good((int64_t)((t->card_w + extra_w) * 1000), t->b.in.now_us);
    bed_observer_step(&t->o, &t->b);
}

static void table_open(struct table *t)
{
    memset(t, 0, sizeof(*t));
    bed_open(&t->b, &el_law_element, DRIVES);
    el_observer_init(&t->o, t->node, &t->b.card);
    t->card_w = 20;
    for (int i = 0; i < DRIVES; i++)
        t->temp_c[i] = 60.3;
    for (int k = 0; k < 300; k++)
        second(t, 0);
}

static double told_w(const struct table *t)
{
    double sum = 0;

    for (int i = 0; i < DRIVES; i++)
        sum += t->node[i].burst_w;
    return sum;
}

static void all_are_suspected_until_readings_tell(void **state)
{
    struct table t;

    table_open(&t);
    assert_true(told_w(&t) == 0);
    second(&t, BURST);
    assert_in_range(t.o.bursts.count, 1, 1);
    assert_true(told_w(&t) > 0.7 * BURST && told_w(&t) <= BURST + 1e-6);
    for (int i = 1; i < DRIVES; i++)
        assert_true(fabs(t.node[i].burst_w - t.node[0].burst_w) < 0.1);
    for (int k = 0; k < 20; k++)
        second(&t, BURST);
    assert_true(t.node[BUSY].burst_w > 0.8 * BURST);
    assert_true(t.node[0].burst_w < 0.1 * BURST);
    assert_true(fabs(t.node[BUSY].x[EL_X_TEMP] - t.temp_c[BUSY]) < 0.5);
    second(&t, 0);
    assert_true(told_w(&t) == 0);
    bed_close(&t.b);
}

static void none_is_believed_for_ever(void **state)
{
    struct table t;

    table_open(&t);
    for (int k = 0; k < 50; k++)
        second(&t, BURST);
    assert_in_range(t.o.bursts.count, 0, 0);
    assert_true(told_w(&t) == 0);
    bed_close(&t.b);
}

static void host_work_and_wild_jumps_are_no_bursts(void **state)
{
    struct table t;

    table_open(&t);
    t.card_w += 9; /* more than any drive does by itself */
    second(&t, 0);
    assert_in_range(t.o.bursts.count, 0, 0);
    for (int k = 0; k < 20; k++) {
        if (k == 10)
            t.card_w += 2;
        t.b.in.slot[0].read_bytes += k < 10 ? 0 : (uint64_t)(2 / 9e-10); /* 2 W of host I/O from then on */
        second(&t, 0);
    }
    assert_in_range(t.o.bursts.count, 0, 0);
    bed_close(&t.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_suspected_until_readings_tell),
        cmocka_unit_test(none_is_believed_for_ever),
        cmocka_unit_test(host_work_and_wild_jumps_are_no_bursts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
