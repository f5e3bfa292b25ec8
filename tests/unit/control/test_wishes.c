/* Whole rounds that set caps, while the state directory fails, discovery fails, a drive is swapped, or an earlier run
 * left one: nothing wished is lost, nothing is filed under the serial of another. */
#include "base/file.h"
#include "control/actuate.h"
#include "rounds.h"

static void set_hot(struct el_actuate *a, struct el_actuate_item *it, bool hot)
{
    struct el_actuate_status s;

    el_actuate_exchange(a, it, hot, EL_DOUBT_NONE, &s);
}

static int set_up(void **state)
{
    int r = rounds_set_up(state);

    settings.governor.mode = EL_MODE_ENFORCE;
    return r;
}

static const char *original_of(const char *serial)
{
    static char text[EL_ORIGINAL_MAX];
    const struct el_journal_entry *e;
    struct el_journal *j = NULL;

    assert_int_equal(el_journal_open(settings.state_dir, &j), 0);
    e = el_journal_find(j, EL_ACTUATOR_IO_BUDGET, serial);
    snprintf(text, sizeof text, "%s", e ? e->original : "none");
    el_journal_free(j);
    return text;
}

/* The journal cannot be written, and in the meantime all drives are identified anew: the cap is still wished. */
static void cap_is_set_when_the_journal_can_be_written(void **state)
{
    char path[EL_PATH_MAX + 32];
    struct el_tick *t;

    fake.drive[0].temp_k = 353;
    t = start();
    snprintf(path, sizeof path, "%s/" EL_JOURNAL_FILE ".new", settings.state_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    round_of(t);
    ROUNDS_UNTIL(t, slot(el_tick_snapshot(t), 0)->action.failures);
    assert_int_equal(fake.drive[0].cap_writes, 0);
    fake.changed = true;
    for (int i = 0; i < 20; i++)
        round_after(t, 100);
    assert_int_equal(fake.drive[0].cap_writes, 0);
    rmdir(path);
    ROUNDS_UNTIL(t, fake.drive[0].cap < 1);
    fake.drive[0].temp_k = 303;
    round_of(t);
    el_tick_free(t);
}

/* Swapped while nobody can say which drives there are: what is set on the new one is filed under its serial. */
static void swapped_unseen_is_filed_under_its_own_serial(void **state)
{
    struct fake_drive *d = &fake.drive[0];
    struct el_tick *t;
    unsigned writes;

    d->temp_k = 353;
    t = start();
    ROUNDS_UNTIL(t, d->cap < 1);
    fake.discover_error = -EIO;
    fake.changed = true;
    strcpy(d->serial, "UNSEEN");
    d->cap = 0.9;
    writes = d->cap_writes;
    ROUNDS_UNTIL(t, d->cap_writes > writes);
    assert_string_equal(original_of("UNSEEN"), "original 90");
    d->temp_k = 303;
    round_of(t);
    el_tick_free(t);
}

/* A daemon that was killed left a cap on a drive that is cool by now: the next one lifts it, although its law never
 * asked for a cap; while the drive is hot it stays, also when it has to say meanwhile once more who it is. */
static void lifts_what_an_earlier_run_left(void **state)
{
    struct el_actuate_target target = {.key = 0, .serial = "SERIAL0", .place = "fake-0 slot 0"};
    struct el_device dev = {&fake_ops_inline, &fake};
    struct el_journal *j = NULL;
    struct el_actuate *a;
    struct el_tick *t;

    assert_int_equal(el_file_make_dirs(settings.state_dir, 0700), 0);
    assert_int_equal(el_journal_open(settings.state_dir, &j), 0);
    a = el_actuate_new(&dev, j, false);
    el_actuate_set_acting(a, EL_ACTUATE_ALL);
    el_actuate_want(a, el_actuate_item(a, EL_ACTUATOR_IO_BUDGET, &target),
                    &(struct el_actuator_value){.cap.ratio = 0.3});
    set_hot(a, el_actuate_item(a, EL_ACTUATOR_IO_BUDGET, &target), true);
    assert_int_equal(el_actuate_free(a, 0), 1);
    assert_true(fake.drive[0].cap == 0.3);

    fake.drive[0].temp_k = 343; /* 70 C of 76: hot, and nothing to slow */
    t = start();
    round_of(t);
    assert_true(fake.drive[0].cap < 1);
    fake.changed = true;
    round_of(t);
    round_of(t);
    assert_true(fake.drive[0].cap < 1);
    fake.drive[0].temp_k = 303;
    ROUNDS_UNTIL(t, fake.drive[0].cap >= 0.99);
    el_tick_free(t);
    assert_true(fake.drive[0].cap == 1);
}

/* What the journal could not tell apart is not touched: after a kill one of the two would stay set. */
static void sets_nothing_on_drives_of_one_serial(void **state)
{
    struct el_tick *t;

    fake.serials = true;
    strcpy(fake.drive[1].serial, fake.drive[0].serial);
    for (int i = 0; i < FAKE_SLOTS; i++)
        fake.drive[i].temp_k = 351;
    t = start();
    for (int i = 0; i < 5; i++)
        round_of(t);
    assert_int_equal(slot(el_tick_snapshot(t), 0)->action.usable, 0);
    assert_int_equal(fake.drive[0].cap_writes + fake.drive[1].cap_writes, 0);
    assert_true(fake.drive[2].cap < 1);
    el_tick_free(t);
}

/* Swapped between two rounds with a cap in force, and the new one hangs: nothing is set on it until it has said which
 * one it is, and what stood on it is filed under its own serial. */
static void sets_nothing_on_a_drive_it_does_not_know(void **state)
{
    static struct fake swapped; /* of its own: a thread stays in it while it hangs */
    struct fake_drive *d = &swapped.drive[0];
    struct el_tick *t;
    unsigned writes, reads, before;

    fake_init(&swapped);
    d->temp_k = 353; /* 80 C, limit 76 */
    t = start_on(&fake_ops_blocking, &swapped);
    ROUNDS_UNTIL(t, d->cap < 1);
    assert_string_equal(original_of("SERIAL0"), "original 100");

    strcpy(d->serial, "OTHER");
    d->hang = true;
    swapped.changed = true;
    round_of(t);
    reads = d->cap_reads; /* what was wished before the swap has been written when two more readings are in */
    ROUNDS_UNTIL(t, d->cap_reads >= reads + 2);
    d->cap = 0.9;
    writes = d->cap_writes;
    for (int i = 0; i < 8; i++)
        round_after(t, 60);
    assert_int_equal(d->cap_writes, writes);
    assert_true(d->cap == 0.9);
    d->hang = false;
    ROUNDS_UNTIL(t, d->cap_writes > writes && d->cap < 0.9); /* wanted before it was known, and not forgotten */
    assert_string_equal(original_of("OTHER"), "original 90");
    d->temp_k = 303;
    before = d->restores;
    el_tick_free(t);
    assert_true(d->restores <= before + 1); /* not to what the drive before it had */
    assert_string_equal(original_of("SERIAL0"), "original 100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cap_is_set_when_the_journal_can_be_written, set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(swapped_unseen_is_filed_under_its_own_serial, set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(lifts_what_an_earlier_run_left, set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(sets_nothing_on_drives_of_one_serial, set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(sets_nothing_on_a_drive_it_does_not_know, set_up, scratch_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
