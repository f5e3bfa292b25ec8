#include "base/clock.h"
#include "control/actuate.h"
#include "support/scratch.h"
#include "fake.h"

static struct fake fake;

static struct el_actuate *make(bool threaded)
{
    struct el_device dev = {threaded ? &fake_ops_blocking : &fake_ops_inline, &fake};
    struct el_journal *j = NULL;
    struct el_actuate *a;

    assert_int_equal(el_journal_open(scratch, &j), 0);
    a = el_actuate_new(&dev, j, threaded);
    assert_non_null(a);
    return a;
}

static struct el_actuate *acting(bool threaded)
{
    struct el_actuate *a = make(threaded);

    el_actuate_set_acting(a, EL_ACTUATE_ALL);
    return a;
}

static struct el_actuate_target target(int i)
{
    struct el_actuate_target t = {.key = (uint32_t)i};

    snprintf(t.serial, sizeof t.serial, "SERIAL%d", i);
    snprintf(t.place, sizeof t.place, "fake-0 slot %d", i);
    return t;
}

static struct el_actuate_item *item(struct el_actuate *a, int i)
{
    struct el_actuate_target t = target(i);

    return el_actuate_item(a, EL_ACTUATOR_IO_BUDGET, &t);
}

static void want(struct el_actuate *a, int i, double ratio)
{
    el_actuate_want(a, item(a, i), &(struct el_actuator_value){.cap.ratio = ratio});
    el_actuate_go(a);
}

static struct el_actuate_status status(struct el_actuate *a, int i)
{
    struct el_actuate_status s;

    el_actuate_status(a, item(a, i), &s);
    return s;
}

static size_t journalled(void)
{
    struct el_journal *j = NULL;
    size_t n;

    assert_int_equal(el_journal_open(scratch, &j), 0);
    n = el_journal_count(j);
    el_journal_free(j);
    return n;
}

static void wait_for(bool (*done)(void *), void *ctx)
{
    for (int i = 0; i < 12000 && !done(ctx); i++) /* a minute: a machine may be busy */
        el_clock_sleep_until_us(el_clock_boottime_us() + 5000, NULL);
    assert_true(done(ctx));
}

static void null_hand_moves_nothing(void **state)
{
    struct el_actuate *a;

    fake_init(&fake);
    a = make(false);
    want(a, 0, 0.5);
    assert_int_equal(fake.drive[0].cap_writes, 0);
    assert_int_equal(journalled(), 0);
    assert_false(status(a, 0).known);
    assert_int_equal(status(a, 0).lowered + status(a, 0).failures, 0);
    assert_int_equal(el_actuate_free(a, 0), 0);
}

static void journals_writes_reads_back_restores(void **state)
{
    struct el_actuate *a;

    fake_init(&fake);
    fake.drive[0].cap = 0.9;
    a = acting(false);
    want(a, 0, 0.5);
    assert_true(fake.drive[0].cap == 0.5);
    assert_int_equal(journalled(), 1);
    assert_int_equal(status(a, 0).lowered, 1);
    assert_true(status(a, 0).known && status(a, 0).in_force.cap.ratio == 0.5);
    want(a, 0, 0.7);
    assert_int_equal(status(a, 0).raised, 1);
    el_actuate_set_acting(a, 0);
    el_actuate_tick(a, 1);
    assert_true(fake.drive[0].cap == 0.9);
    assert_int_equal(journalled(), 0);
    el_actuate_set_acting(a, EL_ACTUATE_ALL); /* what is capped anew is recorded anew */
    fake.drive[0].cap = 0.8;
    want(a, 0, 0.5);
    assert_int_equal(journalled(), 1);
    assert_int_equal(el_actuate_free(a, 0), 0);
    assert_true(fake.drive[0].cap == 0.8);
    assert_int_equal(journalled(), 0);
}

static void set_hot(struct el_actuate *a, struct el_actuate_item *it, bool hot)
{
    struct el_actuate_status s;

    el_actuate_exchange(a, it, hot, EL_DOUBT_NONE, &s);
}

static void hot_drive_is_not_let_go(void **state)
{
    struct el_actuate *a;
    struct el_actuate_item *adopted[EL_ACTUATOR_COUNT] = {0};
    struct el_actuate_target t = target(0);

    fake_init(&fake);
    a = acting(false);
    want(a, 0, 0.5);
    set_hot(a, item(a, 0), true);
    assert_int_equal(el_actuate_free(a, 0), 1);
    assert_true(fake.drive[0].cap == 0.5);
    assert_int_equal(journalled(), 1);

    /* The next run takes it up, holds it while hot, and lets it go when cool, here in advise. */
    a = make(false);
    el_actuate_adopt(a, &t, true, adopted);
    assert_non_null(adopted[EL_ACTUATOR_IO_BUDGET]);
    el_actuate_tick(a, 0);
    assert_true(fake.drive[0].cap == 0.5);
    set_hot(a, adopted[EL_ACTUATOR_IO_BUDGET], false);
    el_actuate_tick(a, 0);
    assert_true(fake.drive[0].cap == 1);
    assert_int_equal(journalled(), 0);
    assert_int_equal(el_actuate_free(a, 0), 0);
}

static void counts_what_does_not_take(void **state)
{
    struct el_actuate *a;

    fake_init(&fake);
    fake.drive[0].ignore_cap = true;
    fake.drive[1].cap_error = -EIO;
    a = acting(false);
    want(a, 0, 0.5);
    want(a, 1, 0.5);
    assert_int_equal(status(a, 0).mismatches, 1);
    assert_true(status(a, 0).failed);
    assert_int_equal(status(a, 0).lowered, 0);
    assert_int_equal(status(a, 1).failures, 1);
    fake.drive[0].ignore_cap = false;
    want(a, 0, 0.5);
    assert_false(status(a, 0).failed);
    fake.drive[0].cap = 1; /* somebody else lifts it */
    el_actuate_tick(a, 0);
    assert_int_equal(status(a, 0).mismatches, 2);
    assert_true(status(a, 0).in_force.cap.ratio == 1);
    el_actuate_free(a, 0);
}

static bool is_written(void *ctx)
{
    return ((struct fake_drive *)ctx)->cap < 0.9;
}

static bool is_begun(void *ctx)
{
    return ((struct fake_drive *)ctx)->cap_writes > 0;
}

static bool is_saved(void *drive)
{
    return ((struct fake_drive *)drive)->saves > 0;
}

static void hung_write_delays_no_neighbour(void **state)
{
    struct el_actuate *a;
    int64_t start;

    fake_init(&fake);
    fake.drive[0].cap_hang = true;
    a = acting(true);
    start = el_clock_boottime_us();
    want(a, 0, 0.5);
    want(a, 1, 0.5);
    assert_true(el_clock_boottime_us() - start < 100000); /* the caller never waits */
    wait_for(is_begun, &fake.drive[0]);
    el_actuate_tick(a, el_clock_boottime_us() + 10 * EL_USEC_PER_SEC);
    assert_true(status(a, 0).failed);
    wait_for(is_written, &fake.drive[1]);
    assert_false(status(a, 1).failed);
    fake.drive[0].cap_hang = false;
    wait_for(is_written, &fake.drive[0]);
    el_actuate_free(a, EL_USEC_PER_SEC);
    assert_int_equal(journalled(), 0);
}

/* Also a drive that hangs when its original is asked for. */
static void hung_save_delays_no_neighbour(void **state)
{
    struct el_actuate *a;

    fake_init(&fake);
    fake.drive[0].save_hang = true;
    a = acting(true);
    want(a, 0, 0.5);
    wait_for(is_saved, &fake.drive[0]);
    want(a, 1, 0.5);
    el_actuate_tick(a, el_clock_boottime_us() + 10 * EL_USEC_PER_SEC);
    wait_for(is_written, &fake.drive[1]);
    assert_int_equal(fake.drive[0].cap_writes, 0);
    fake.drive[0].save_hang = false;
    wait_for(is_written, &fake.drive[0]);
    el_actuate_free(a, EL_USEC_PER_SEC);
    assert_int_equal(journalled(), 0);
}

static bool is_known(void *ctx)
{
    struct el_actuate_status s;

    el_actuate_status(ctx, item(ctx, 0), &s);
    return s.known && s.in_force.cap.ratio == 0.5 && !s.mismatches;
}

/* What an earlier run left is read by the thread: the caller does not wait for a drive that hangs. */
static void adopting_waits_for_nobody(void **state)
{
    struct el_actuate_item *adopted[EL_ACTUATOR_COUNT] = {0};
    struct el_actuate_target t = target(0);
    struct el_actuate *a;
    int64_t start;

    fake_init(&fake);
    a = acting(false);
    want(a, 0, 0.5);
    set_hot(a, item(a, 0), true);
    assert_int_equal(el_actuate_free(a, 0), 1);

    fake.drive[0].read_hang = true;
    a = make(true);
    start = el_clock_boottime_us();
    el_actuate_adopt(a, &t, true, adopted);
    el_actuate_go(a);
    assert_true(el_clock_boottime_us() - start < 500000);
    assert_true(el_actuate_moved(a, item(a, 0)));
    fake.drive[0].read_hang = false;
    wait_for(is_known, a); /* although nothing is being written in this mode */
    set_hot(a, item(a, 0), false);
    el_actuate_free(a, EL_USEC_PER_SEC);
    assert_int_equal(journalled(), 0);
}

/* All drives are written before any is read back: none waits for the reading of another. */
static void writes_before_it_reads(void **state)
{
    struct el_actuate *a;

    fake_init(&fake);
    fake.drive[0].cap_hang = fake.drive[0].read_hang = true;
    a = acting(true);
    want(a, 0, 0.5);
    wait_for(is_begun, &fake.drive[0]);
    want(a, 1, 0.5);
    fake.drive[0].cap_hang = false; /* its reading hangs still */
    wait_for(is_written, &fake.drive[1]);
    fake.drive[0].read_hang = false;
    el_actuate_free(a, EL_USEC_PER_SEC);
    assert_int_equal(journalled(), 0);
}

/* Refused for an hour: asked again, ever more seldom; in force soon after it can be. */
static void failed_wish_is_asked_for_again(void **state)
{
    struct el_actuate_status st;
    struct el_actuate *a;
    int64_t now = EL_USEC_PER_SEC;
    unsigned writes;

    fake_init(&fake);
    fake.drive[0].cap_error = -EIO;
    a = acting(false);
    want(a, 0, 0.5);
    el_actuate_again(a, item(a, 0), now);
    assert_int_equal(fake.drive[0].cap_writes, 2);
    for (int s = 0; s < 3600; s++)
        el_actuate_again(a, item(a, 0), now += EL_USEC_PER_SEC);
    writes = fake.drive[0].cap_writes;
    assert_in_range(writes, 20, 60);
    el_actuate_exchange(a, item(a, 0), true, EL_DOUBT_NONE, &st);
    for (int s = 0; s < 120; s++) /* ... but a hot drive's without rest */
        el_actuate_again(a, item(a, 0), now += EL_USEC_PER_SEC);
    assert_in_range(fake.drive[0].cap_writes, writes + 10, writes + 24);
    writes = fake.drive[0].cap_writes;
    el_actuate_exchange(a, item(a, 0), false, EL_DOUBT_NONE, &st);
    fake.drive[0].cap_error = 0;
    for (int s = 0; s < 81; s++)
        el_actuate_again(a, item(a, 0), now += EL_USEC_PER_SEC);
    assert_true(fake.drive[0].cap == 0.5);
    assert_int_equal(fake.drive[0].cap_writes, writes + 1); /* and no more when it is in force */
    el_actuate_free(a, 0);
    assert_int_equal(journalled(), 0);
}

static bool is_out(void *ctx)
{
    return ((struct fake_drive *)ctx)->cap == 0.8;
}

/* A wish that waits behind a write which hangs: in doubt it is not carried out, and not forgotten. */
static void doubted_wish_waits(void **state)
{
    struct el_actuate_item *it;
    struct el_actuate *a;

    fake_init(&fake);
    fake.drive[0].cap_hang = true;
    a = acting(true);
    it = item(a, 0);
    want(a, 0, 0.8);
    wait_for(is_begun, &fake.drive[0]);
    want(a, 0, 0.5);
    el_actuate_doubt(a, it, EL_DOUBT_SOME);
    fake.drive[0].cap_hang = false;
    wait_for(is_out, &fake.drive[0]);
    for (int i = 0; i < 3; i++)
        el_actuate_tick(a, el_clock_boottime_us());
    el_actuate_wait_written(a, 60 * EL_USEC_PER_SEC);
    assert_int_equal(fake.drive[0].cap_writes, 1);
    el_actuate_doubt(a, it, EL_DOUBT_NONE);
    for (int i = 0; i < 12000 && fake.drive[0].cap != 0.5; i++) {
        el_actuate_again(a, it, el_clock_boottime_us());
        el_actuate_go(a);
        el_clock_sleep_until_us(el_clock_boottime_us() + 5000, NULL);
    }
    assert_true(fake.drive[0].cap == 0.5);
    el_actuate_free(a, EL_USEC_PER_SEC);
    assert_int_equal(journalled(), 0);
}

/* A cap goes with its drive: there is nothing to give back, now or later. */
static void a_drive_that_is_gone_takes_its_cap_along(void **state)
{
    struct el_actuate *a;

    fake_init(&fake);
    a = acting(false);
    want(a, 0, 0.5);
    assert_int_equal(journalled(), 1);
    fake.drive[0].present = false;
    assert_int_equal(el_actuate_free(a, 0), 0);
    assert_int_equal(journalled(), 0);
}

/* Another drive stands in its place: it is neither read nor given the settings of the one that was there. */
static void another_drive_gets_no_orders(void **state)
{
    struct el_actuate_item *it;
    struct el_actuate *a;
    unsigned reads;

    fake_init(&fake);
    a = acting(false);
    it = item(a, 0);
    want(a, 0, 0.5);
    assert_int_equal(journalled(), 1);
    el_actuate_doubt(a, it, EL_DOUBT_REPLACED);
    reads = fake.drive[0].cap_reads;
    el_actuate_tick(a, 1);
    el_actuate_set_acting(a, 0); /* lets go of everything */
    el_actuate_tick(a, 2);
    assert_int_equal(el_actuate_free(a, 0), 1);
    assert_int_equal(fake.drive[0].cap_reads, reads);
    assert_int_equal(fake.drive[0].restores, 0);
    assert_int_equal(journalled(), 1); /* for `elementd restore`, which knows a drive by its serial */
    a = make(false);
    {
        struct el_actuate_item *adopted[EL_ACTUATOR_COUNT] = {0};
        struct el_actuate_target t = target(0);

        assert_int_equal(el_actuate_adopt(a, &t, false, adopted), 1);
    }
    assert_int_equal(el_actuate_free(a, 0), 0);
    assert_int_equal(journalled(), 0);
}

/* The drive is replaced while its write is under way: that does not come back as ours, until the drive does. */
static void replaced_while_it_is_written(void **state)
{
    struct el_actuate_item *adopted[EL_ACTUATOR_COUNT] = {0}, *it;
    struct el_actuate_target t = target(0);
    struct el_actuate_status s;
    struct el_actuate *a;

    for (int before = 0; before < 2; before++) {
        fake_init(&fake);
        a = acting(true);
        it = item(a, 0);
        if (before) { /* its original is in the journal already */
            want(a, 0, 0.8);
            wait_for(is_out, &fake.drive[0]);
            el_actuate_wait_written(a, 60 * EL_USEC_PER_SEC);
        }
        fake.drive[0].cap_writes = 0;
        fake.drive[0].cap_hang = true;
        want(a, 0, 0.5);
        wait_for(is_begun, &fake.drive[0]);
        el_actuate_doubt(a, it, EL_DOUBT_REPLACED);
        fake.drive[0].cap_hang = false;
        el_actuate_wait_written(a, 60 * EL_USEC_PER_SEC);
        assert_false(el_actuate_moved(a, it));
        el_actuate_status(a, it, &s);
        assert_false(s.known);
        assert_int_equal(el_actuate_adopt(a, &t, false, adopted), 1);
        assert_ptr_equal(adopted[EL_ACTUATOR_IO_BUDGET], it);
        assert_true(el_actuate_moved(a, it));
        assert_int_equal(el_actuate_free(a, 60 * EL_USEC_PER_SEC), 0);
        assert_int_equal(journalled(), 0);
    }
}

/* The same, and it is back before the write is: what was taken up stays ours. */
static void back_while_it_is_written(void **state)
{
    struct el_actuate_item *adopted[EL_ACTUATOR_COUNT] = {0}, *it;
    struct el_actuate_target t = target(0);
    struct el_actuate *a;

    fake_init(&fake);
    a = acting(true);
    it = item(a, 0);
    fake.drive[0].cap_hang = true;
    want(a, 0, 0.5);
    wait_for(is_begun, &fake.drive[0]);
    el_actuate_doubt(a, it, EL_DOUBT_REPLACED);
    assert_int_equal(el_actuate_adopt(a, &t, false, adopted), 1);
    fake.drive[0].cap_hang = false;
    el_actuate_wait_written(a, 60 * EL_USEC_PER_SEC);
    assert_true(el_actuate_moved(a, it));
    assert_int_equal(el_actuate_free(a, 60 * EL_USEC_PER_SEC), 0);
    assert_int_equal(journalled(), 0);
}

static void kind_that_is_forbidden_is_let_go(void **state)
{
    struct el_actuate *a;

    fake_init(&fake);
    fake.drive[0].cap = 0.9;
    a = acting(false);
    want(a, 0, 0.5);
    el_actuate_set_acting(a, EL_ACTUATE_ALL & ~(1u << EL_ACTUATOR_FAN));
    el_actuate_tick(a, 1);
    assert_true(fake.drive[0].cap == 0.5);
    el_actuate_set_acting(a, 1u << EL_ACTUATOR_FAN);
    el_actuate_tick(a, 2);
    assert_true(fake.drive[0].cap == 0.9);
    assert_int_equal(journalled(), 0);
    assert_int_equal(el_actuate_free(a, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_hand_moves_nothing),
        cmocka_unit_test(a_drive_that_is_gone_takes_its_cap_along),
        cmocka_unit_test(journals_writes_reads_back_restores),
        cmocka_unit_test(hot_drive_is_not_let_go),
        cmocka_unit_test(counts_what_does_not_take),
        cmocka_unit_test(hung_write_delays_no_neighbour),
        cmocka_unit_test(hung_save_delays_no_neighbour),
        cmocka_unit_test(adopting_waits_for_nobody),
        cmocka_unit_test(writes_before_it_reads),
        cmocka_unit_test(failed_wish_is_asked_for_again),
        cmocka_unit_test(doubted_wish_waits),
        cmocka_unit_test(another_drive_gets_no_orders),
        cmocka_unit_test(replaced_while_it_is_written),
        cmocka_unit_test(back_while_it_is_written),
        cmocka_unit_test(kind_that_is_forbidden_is_let_go),
    };

    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
