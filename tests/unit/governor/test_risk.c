/* What is not known costs margin, and only where it is not known. */
#include "bed.h"

#include "governor/risk.h"

static double margin_after(double above_c, double doubt_c)
{
    struct el_risk r;

    el_risk_init(&r);
    for (int t = 0; t < 600; t++)
        el_risk_step(&r, above_c, doubt_c, 1);
    return r.margin_c;
}

static void doubt_is_paid_for(void **state)
{
    assert_true(margin_after(0.2, 0.5) > margin_after(0.2, 0.05) + 0.2);
    assert_true(margin_after(0.1, 0.05) < 0.1); /* surely below what counts: shrinks from its start */
    assert_true(margin_after(0.7, 0.05) > 0.5); /* surely above */
    assert_true(margin_after(5, 0.5) <= 0.8);   /* bounded */
    assert_true(margin_after(-9, 3) == 0.1);    /* far from the limit nothing is learnt */
    assert_true(margin_after(0, 0) > -0.2);     /* and no doubt at all divides by nothing */
}

static void silence_and_foresight_raise_doubt(void **state)
{
    struct bed b;
    struct el_observer o;
    struct el_node node = {0};
    double first;

    bed_open(&b, &el_law_element, 1);
    el_observer_init(&o, &node, &b.card);
    for (int t = 0; t < 120; t++) {
        b.in.now_us += EL_USEC_PER_SEC;
        b.in.slot[0].present = b.in.slot[0].io_valid = true;
        b.in.slot[0].temp_mc = el_reading_good(60000, b.in.now_us);
        bed_observer_step(&o, &b);
    }
    first = el_observer_doubt(&o, 0, el_observer_ahead(&o, 9));
    assert_true(first > 0 && first < 3);
    assert_true(first > el_observer_doubt(&o, 0, el_observer_ahead(&o, 0)));
    for (int t = 0; t < 30; t++) {
        b.in.now_us += EL_USEC_PER_SEC; /* the reading stays behind */
        bed_observer_step(&o, &b);
    }
    assert_true(el_observer_doubt(&o, 0, el_observer_ahead(&o, 9)) > 1.2 * first);
    bed_close(&b);
}

/* A burst in small corrections that agree: the filter opens before any single one is improbable. */
static void agreeing_corrections_open_the_filter(void **state)
{
    struct bed b;
    struct el_observer o;
    struct el_node node = {0};
    double least = 9, most = 0;

    bed_open(&b, &el_law_element, 1);
    el_observer_init(&o, &node, &b.card);
    for (int t = 0; t < 400; t++) {
        double c = 60 + (t > 300 ? 0.12 * (t - 300) : 0);

        b.in.now_us += EL_USEC_PER_SEC;
        b.in.slot[0].present = b.in.slot[0].io_valid = true;
        b.in.slot[0].temp_mc = el_reading_good((int64_t)floor(c + 0.5) * 1000, b.in.now_us);
        bed_observer_step(&o, &b);
        if (t == 300)
            least = o.node[0].p[EL_X_POWER][EL_X_POWER];
        if (t > 300 && t < 330)
            most = EL_MAX(most, o.node[0].p[EL_X_POWER][EL_X_POWER]);
    }
    assert_true(most > least + 0.5);
    bed_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubt_is_paid_for),
        cmocka_unit_test(agreeing_corrections_open_the_filter),
        cmocka_unit_test(silence_and_foresight_raise_doubt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
