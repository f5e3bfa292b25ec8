/* Whole rounds over a made-up machine: discovery, polling, states, removal, replacement, hangs, what is published. */
#include "base/clock.h"
#include "base/file.h"
#include "control/actuate.h"
#include "control/card_numbers.h"
#include "control/journal.h"
#include "control/tick.h"
#include "support/unit.h"
#include "fake.h"

static char dir[] = "/tmp/el-tick-XXXXXX";
static struct el_settings settings;
static struct fake fake;

static struct el_tick *start(bool blocking)
{
    struct el_device dev = {blocking ? &fake_ops_blocking : &fake_ops_inline, &fake};
    struct el_tick *t = NULL;

    assert_int_equal(el_tick_new(&dev, &settings, &t), 0);
    return t;
}

static const struct el_snapshot *round_of(struct el_tick *t)
{
    int64_t until = el_clock_boottime_us() + 300000;

    el_tick_begin(t);
    while (el_tick_waiting(t) && el_clock_boottime_us() < until)
        el_clock_sleep_until_us(el_clock_boottime_us() + 1000, NULL);
    assert_int_equal(el_tick_finish(t), 0);
    return el_tick_snapshot(t);
}

static const struct el_slot *slot(const struct el_snapshot *s, int i)
{
    return &el_snapshot_slots(s)[i];
}

/* `slot` -1: of any. */
static bool has_event_of(const struct el_snapshot *s, int32_t slot, const char *text)
{
    for (uint32_t i = 0; i < s->events.count; i++)
        if ((slot < 0 || el_snapshot_events(s)[i].slot == slot) && strstr(el_snapshot_events(s)[i].text, text))
            return true;
    return false;
}

static bool has_event(const struct el_snapshot *s, const char *text)
{
    return has_event_of(s, -1, text);
}

static void publishes_what_it_reads(void **state)
{
    struct el_snapshot *read = NULL;
    const struct el_snapshot *s;
    const char *why;
    char path[128];
    struct el_tick *t;

    fake_init(&fake);
    t = start(false);
    s = round_of(t);
    assert_int_equal(s->slots.count, FAKE_SLOTS);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_UP);
    assert_int_equal(slot(s, 3)->state, EL_SLOT_EMPTY);
    assert_int_equal(slot(s, 0)->temp_mc[0].value, 40000);
    assert_string_equal(slot(s, 1)->identify.serial, "SERIAL1");
    assert_true(slot(s, 0)->decision.limit_c == 76); /* 77 C warning less 1 */
    assert_true(s->daemon.ready);
    snprintf(path, sizeof path, "%s/run/" EL_SNAPSHOT_FILE, dir);
    assert_int_equal(el_snapshot_read(AT_FDCWD, path, &read, &why), 0);
    assert_int_equal(read->seq, 1);
    assert_int_equal(read->size, s->size);
    el_snapshot_free(read);
    el_tick_free(t);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(fake.closed, 1);
}

static void asks_each_drive_once_per_poll(void **state)
{
    struct el_tick *t;
    unsigned before;

    fake_init(&fake);
    fake.drive[0].oacs = 1 << 4; /* claims self-test, refuses the log: asked once, never again */
    t = start(false);
    round_of(t);
    assert_int_equal(fake.drive[0].identify, 1);
    assert_int_equal(fake.drive[0].refused, 1);
    assert_int_equal(fake.drive[1].refused, 0);
    before = fake.drive[0].admin;
    for (int i = 0; i < 5; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 60000, NULL);
        round_of(t);
    }
    /* One command a poll; the single extra one reads the error log, which grew by the refusal. */
    assert_true(fake.drive[0].smart >= 5);
    assert_int_equal(fake.drive[0].admin - before, fake.drive[0].smart - 1 + 1);
    assert_int_equal(slot(el_tick_snapshot(t), 0)->error_log_growth_caused, 1);
    assert_int_equal(fake.drive[1].refused, 0);
    el_tick_free(t);
}

/* Only what a drive says it can: the list of protocols once, discovery where it is listed, nothing after a refusal. */
static void reads_the_state_of_locks(void **state)
{
    const struct el_snapshot *s;
    struct el_tick *t;

    fake_init(&fake);
    fake.drive[1].oacs = fake.drive[2].oacs = 1;
    fake.drive[1].tcg = true;
    t = start(false);
    round_of(t);
    el_clock_sleep_until_us(el_clock_boottime_us() + 60000, NULL);
    s = round_of(t);
    assert_int_equal(fake.drive[0].security, 0);
    assert_true(slot(s, 0)->logs.security_stamp.quality == EL_GOOD && !slot(s, 0)->logs.security.locking_supported);
    assert_int_equal(fake.drive[1].security, 2);
    assert_true(slot(s, 1)->logs.security.locking_enabled && slot(s, 1)->logs.security.locked);
    assert_int_equal(fake.drive[2].security, 1);
    assert_int_equal(slot(s, 2)->logs.security_stamp.quality, EL_FAILED);
    assert_int_equal(slot(s, 2)->read_faults[EL_READ_SECURITY][EL_FAULT_REFUSED], 1);
    el_tick_free(t);
}

static void tells_removed_replaced_and_returned(void **state)
{
    const struct el_snapshot *s;
    struct el_tick *t;

    fake_init(&fake);
    t = start(false);
    round_of(t);
    fake.drive[1].present = false;
    fake.changed = true;
    s = round_of(t);
    assert_int_equal(slot(s, 1)->state, EL_SLOT_GONE);
    assert_string_equal(slot(s, 1)->last_serial, "SERIAL1");
    assert_int_equal(slot(s, 1)->temp_mc[0].quality, EL_ABSENT);
    assert_true(has_event(s, "the drive is gone (serial SERIAL1)"));
    fake.drive[1].present = true;
    strcpy(fake.drive[1].serial, "OTHER");
    fake.changed = true;
    s = round_of(t);
    assert_int_equal(slot(s, 1)->state, EL_SLOT_UP);
    assert_int_equal(slot(s, 1)->replaced, 1);
    assert_string_equal(slot(s, 1)->last_serial, "SERIAL1");
    assert_true(has_event(s, "drive SERIAL1 replaced by OTHER"));
    /* Swapped between two looks, under the same name: found by its Identify. */
    strcpy(fake.drive[1].serial, "THIRD");
    fake.changed = true;
    s = round_of(t);
    assert_int_equal(slot(s, 1)->replaced, 2);
    fake.key_base = 100; /* other kernel names, same drives: nothing happened */
    fake.changed = true;
    s = round_of(t);
    assert_int_equal(slot(s, 1)->replaced, 2);
    assert_int_equal(slot(s, 0)->replaced, 0);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_UP);
    el_tick_free(t);
}

static void stale_then_failed_then_back(void **state)
{
    const struct el_snapshot *s;
    struct el_tick *t;
    enum el_slot_state seen[12];
    int n = 0;

    fake_init(&fake);
    t = start(false);
    round_of(t);
    fake.drive[0].smart_status = 0x06;
    for (; n < 12; n++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        s = round_of(t);
        seen[n] = slot(s, 0)->state;
        assert_int_equal(slot(s, 1)->state, EL_SLOT_UP);
        if (seen[n] == EL_SLOT_FAILED)
            break;
    }
    assert_true(n >= 2 && n < 12 && seen[n - 1] == EL_SLOT_STALE); /* never straight from up to failed */
    assert_non_null(strstr(slot(s, 0)->reason, "NVMe status 0x6"));
    fake.drive[0].smart_status = 0;
    el_clock_sleep_until_us(el_clock_boottime_us() + 250000, NULL);
    s = round_of(t);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_UP);
    assert_string_equal(slot(s, 0)->reason, "");
    el_tick_free(t);
}

/* News about one drive, a hundred times: the others are not asked who they are. */
static void identifies_only_what_is_named(void **state)
{
    unsigned before[FAKE_SLOTS];
    struct el_tick *t;

    fake_init(&fake);
    t = start(true);
    round_of(t);
    for (int i = 0; i < FAKE_SLOTS; i++)
        before[i] = fake.drive[i].identify;
    fake.names = true;
    for (int i = 0; i < 100; i++) {
        fake.changed = true;
        round_of(t);
    }
    for (int i = 0; i < FAKE_SLOTS; i++)
        assert_int_equal(fake.drive[i].identify, before[i]);
    fake.named[1] = true;
    fake.changed = true;
    round_of(t);
    fake.names = false;
    for (int i = 0; i < FAKE_SLOTS; i++)
        assert_true(i == 1 ? fake.drive[i].identify > before[i] : fake.drive[i].identify == before[i]);
    el_tick_free(t);
}

static void hung_drive_delays_nobody(void **state)
{
    const struct el_snapshot *s = NULL;
    struct el_tick *t;
    int64_t deadline = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC;

    fake_init(&fake);
    t = start(true);
    round_of(t);
    fake.drive[0].hang = true;
    el_clock_sleep_until_us(el_clock_boottime_us() + 220000, NULL);
    round_of(t); /* the one round that waits for it */
    do {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        el_tick_begin(t);
        while (el_tick_waiting(t) && el_clock_boottime_us() < deadline)
            el_clock_sleep_until_us(el_clock_boottime_us() + 1000, NULL);
        assert_int_equal(el_tick_finish(t), 0);
        s = el_tick_snapshot(t);
    } while (slot(s, 0)->state != EL_SLOT_FAILED && el_clock_boottime_us() < deadline);
    assert_true(el_clock_boottime_us() < deadline); /* no round waits for it, and it fails in time */
    assert_int_equal(slot(s, 1)->state, EL_SLOT_UP);
    fake.drive[0].hang = false;
    do {
        el_clock_sleep_until_us(el_clock_boottime_us() + 20000, NULL);
        s = round_of(t);
    } while (slot(s, 0)->state != EL_SLOT_UP && el_clock_boottime_us() < deadline);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_UP);
    el_tick_free(t);
}

static void ends_with_a_drive_that_hangs(void **state)
{
    static struct fake hanging; /* of its own: a thread stays in it beyond the daemon's end */
    struct el_device dev = {&fake_ops_blocking, &hanging};
    struct el_tick *t = NULL;
    int64_t begin;

    fake_init(&hanging);
    assert_int_equal(el_tick_new(&dev, &settings, &t), 0);
    round_of(t);
    hanging.drive[0].hang = true;
    el_clock_sleep_until_us(el_clock_boottime_us() + 220000, NULL);
    round_of(t);
    begin = el_clock_boottime_us();
    el_tick_free(t);
    assert_true(el_clock_boottime_us() - begin < 1900000);
    assert_int_equal(hanging.closed, 0); /* someone still stands in there */
    hanging.drive[0].hang = false;
    el_clock_sleep_until_us(el_clock_boottime_us() + 50000,
                            NULL); /* lets the thread go: it frees what it was left with */
}

static void one_daemon_per_state_directory(void **state)
{
    struct el_device dev = {&fake_ops_inline, &fake};
    struct el_tick *t, *second = NULL;

    fake_init(&fake);
    t = start(false);
    assert_int_equal(el_tick_new(&dev, &settings, &second), -EBUSY);
    assert_null(second);
    el_tick_free(t);
}

static void pauses_only_for_the_owner(void **state)
{
    char path[128], text[32];
    struct el_tick *t;
    int n;

    fake_init(&fake);
    t = start(false);
    round_of(t);
    n = snprintf(text, sizeof text, "%lld\n", (long long)el_clock_boottime_us() + 300000);
    snprintf(path, sizeof path, "%s/run/" EL_PAUSE_FILE, dir);
    assert_int_equal(el_file_replace(AT_FDCWD, path, text, (size_t)n, 0644, false), 0);
    assert_true(el_snapshot_cards(round_of(t))[0].paused);
    assert_int_equal(chmod(path, 0666), 0);
    assert_false(el_snapshot_cards(round_of(t))[0].paused);
    assert_int_equal(chmod(path, 0644), 0);
    el_clock_sleep_until_us(el_clock_boottime_us() + 310000, NULL);
    assert_false(el_snapshot_cards(round_of(t))[0].paused); /* over by itself */
    assert_int_equal(access(path, F_OK), -1);
    el_tick_free(t);
}

static void reload_is_told(void **state)
{
    struct el_settings changed = settings;
    const struct el_snapshot *s;
    struct el_tick *t;

    fake_init(&fake);
    t = start(false);
    round_of(t);
    el_tick_reload_failed(t, "file:3: bad");
    assert_false(round_of(t)->daemon.config_ok);
    assert_true(has_event(el_tick_snapshot(t), "file:3: bad"));
    changed.cards = 1;
    strcpy(changed.card[0].card, "fake-0");
    changed.card[0].limit_c = 60;
    el_tick_reload(t, &changed);
    s = round_of(t);
    assert_true(s->daemon.config_ok);
    assert_true(slot(s, 0)->decision.limit_c == 60);
    el_tick_free(t);
}

static void mute_from_the_start_is_named(void **state)
{
    const struct el_snapshot *s;
    struct el_tick *t;

    fake_init(&fake);
    fake.drive[1].mute = true;
    t = start(false);
    s = round_of(t);
    assert_int_equal(slot(s, 1)->state, EL_SLOT_STALE);
    assert_string_equal(slot(s, 1)->identify.serial, "SERIAL1");
    assert_string_equal(slot(s, 1)->identify.model, "");
    assert_int_equal(slot(s, 1)->identify_stamp.quality, EL_FAILED);
    el_tick_free(t);
}

/* A daemon that was killed left a cap on a drive that is cool by now: the next one lifts it, although its law never
 * asked for a cap; while the drive is hot it stays. */
static void lifts_what_an_earlier_run_left(void **state)
{
    struct el_settings before = settings;
    struct el_actuate_target target = {.key = 0, .serial = "SERIAL0", .place = "fake-0 slot 0"};
    struct el_device dev = {&fake_ops_inline, &fake};
    struct el_journal *j = NULL;
    struct el_actuate *a;
    struct el_tick *t;

    fake_init(&fake);
    assert_int_equal(el_file_make_dirs(settings.state_dir, 0700), 0);
    assert_int_equal(el_journal_open(settings.state_dir, &j), 0);
    a = el_actuate_new(&dev, j, false);
    el_actuate_set_acting(a, true);
    el_actuate_want(a, el_actuate_item(a, EL_ACTUATOR_IO_BUDGET, &target),
                    &(struct el_actuator_value){.cap.ratio = 0.3});
    el_actuate_set_hot(a, el_actuate_item(a, EL_ACTUATOR_IO_BUDGET, &target), true);
    assert_int_equal(el_actuate_free(a, 0), 1);
    assert_true(fake.drive[0].cap == 0.3);

    settings.governor.mode = EL_MODE_ENFORCE;
    fake.drive[0].temp_k = 348; /* 75 C of 76 */
    t = start(false);
    round_of(t);
    assert_true(fake.drive[0].cap < 1);
    fake.drive[0].temp_k = 303;
    for (int i = 0; i < 100 && fake.drive[0].cap < 1; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 60000, NULL);
        round_of(t);
    }
    assert_true(fake.drive[0].cap >= 0.99);
    el_tick_free(t);
    assert_true(fake.drive[0].cap == 1);
    settings = before;
}

/* What the journal could not tell apart is not touched: after a kill one of the two would stay set. */
static void sets_nothing_on_drives_of_one_serial(void **state)
{
    struct el_settings before = settings;
    struct el_tick *t;

    fake_init(&fake);
    fake.serials = true;
    strcpy(fake.drive[1].serial, fake.drive[0].serial);
    for (int i = 0; i < FAKE_SLOTS; i++)
        fake.drive[i].temp_k = 351;
    settings.governor.mode = EL_MODE_ENFORCE;
    t = start(false);
    for (int i = 0; i < 5; i++)
        round_of(t);
    assert_int_equal(slot(el_tick_snapshot(t), 0)->action.usable, 0);
    assert_int_equal(fake.drive[0].cap_writes + fake.drive[1].cap_writes, 0);
    assert_true(fake.drive[2].cap < 1);
    el_tick_free(t);
    settings = before;
}

static const char *original_of(const char *serial)
{
    static char text[EL_JOURNAL_ORIGINAL_MAX];
    const struct el_journal_entry *e;
    struct el_journal *j = NULL;

    assert_int_equal(el_journal_open(settings.state_dir, &j), 0);
    e = el_journal_find(j, EL_ACTUATOR_IO_BUDGET, serial);
    snprintf(text, sizeof text, "%s", e ? e->original : "none");
    el_journal_free(j);
    return text;
}

/* Swapped between two rounds with a cap in force, and the new one hangs: nothing is set on it until it has said which
 * one it is, and what stood on it is filed under its own serial. */
static void sets_nothing_on_a_drive_it_does_not_know(void **state)
{
    static struct fake swapped; /* of its own: a thread stays in it while it hangs */
    struct el_settings before = settings;
    struct el_device dev = {&fake_ops_blocking, &swapped};
    struct fake_drive *d = &swapped.drive[0];
    struct el_tick *t = NULL;
    unsigned writes, reads;

    fake_init(&swapped);
    settings.governor.mode = EL_MODE_ENFORCE;
    d->temp_k = 353; /* 80 C, limit 76 */
    assert_int_equal(el_tick_new(&dev, &settings, &t), 0);
    for (int i = 0; i < 600 && d->cap >= 1; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        round_of(t);
    }
    assert_true(d->cap < 1);
    assert_string_equal(original_of("SERIAL0"), "original 100");

    strcpy(d->serial, "OTHER");
    d->hang = true;
    swapped.changed = true;
    round_of(t);
    reads = d->cap_reads; /* what was wished before the swap has been written when two more readings are in */
    for (int i = 0; i < 600 && d->cap_reads < reads + 2; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        round_of(t);
    }
    assert_true(d->cap_reads >= reads + 2);
    d->cap = 0.9;
    writes = d->cap_writes;
    for (int i = 0; i < 8; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 60000, NULL);
        round_of(t);
    }
    assert_int_equal(d->cap_writes, writes);
    assert_true(d->cap == 0.9);
    d->hang = false;
    for (int i = 0; i < 600 && d->cap_writes == writes; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        round_of(t);
    }
    assert_true(d->cap_writes > writes && d->cap < 0.9); /* wanted before it was known, and not forgotten */
    assert_string_equal(original_of("OTHER"), "original 90");
    d->temp_k = 303;
    el_tick_free(t);
    settings = before;
}

/* The saver has a thread and a disk of its own pace. */
static void wait_for_card_file(const char *text)
{
    int64_t until = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC;
    struct el_buf b = {0};
    char path[EL_PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/" EL_CARD_NUMBERS_FILE, settings.state_dir);
    while (el_clock_boottime_us() < until && (!b.data || !strstr(b.data, text))) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 10000, NULL);
        el_buf_clear(&b);
        (void)el_file_read(AT_FDCWD, path, EL_CARD_NUMBERS_FILE_MAX, &b);
    }
    assert_true(b.data && strstr(b.data, text));
    el_buf_free(&b);
}

/* Swapped while nothing ran: told at the start, once, and not of a slot that was empty or drives that changed places.
 */
static void tells_what_was_swapped_before_the_start(void **state)
{
    struct el_device_ops ops = fake_ops_inline;
    struct el_device dev = {&ops, &fake};
    const struct el_snapshot *s;
    struct el_tick *t = NULL;

    fake_init(&fake);
    fake.serials = ops.by_order = true;
    for (int run = 0; run < 3; run++) {
        assert_int_equal(el_tick_new(&dev, &settings, &t), 0);
        s = round_of(t);
        assert_int_equal(slot(s, 0)->replaced, 0);
        assert_int_equal(slot(s, 1)->replaced, run == 1);
        assert_int_equal(slot(s, 3)->replaced, 0);
        assert_int_equal(has_event(s, "replaced"), run == 1);
        wait_for_card_file(run ? "\t1=OTHER" : "\t1=SERIAL1");
        if (run == 1) {
            assert_true(has_event_of(s, 1, "drive SERIAL1 replaced by OTHER"));
            assert_string_equal(slot(s, 1)->last_serial, "SERIAL1");
            strcpy(fake.drive[0].serial, "SERIAL2");
            strcpy(fake.drive[2].serial, "SERIAL0");
        }
        strcpy(fake.drive[1].serial, "OTHER");
        fake.drive[3].present = true;
        el_tick_free(t);
    }
}

static int64_t ahead_us;

static int64_t later(void *dev)
{
    (void)dev;
    return el_clock_boottime_us() + ahead_us;
}

/* Actuators that come and go without an event are noticed within a minute or so. */
static void asks_again_what_can_be_used(void **state)
{
    const uint32_t budget = 1u << EL_ACTUATOR_IO_BUDGET;
    struct el_device_ops ops = fake_ops_inline;
    struct el_device dev = {&ops, &fake};
    struct el_tick *t = NULL;
    unsigned before;

    fake_init(&fake);
    ops.now_us = later;
    fake.drive[0].no_budget = true;
    assert_int_equal(el_tick_new(&dev, &settings, &t), 0);
    round_of(t);
    assert_int_equal(slot(el_tick_snapshot(t), 0)->action.usable, 0);
    assert_int_equal(slot(el_tick_snapshot(t), 1)->action.usable, budget);
    fake.drive[0].no_budget = false;
    fake.drive[1].no_budget = true;
    round_of(t);
    assert_int_equal(slot(el_tick_snapshot(t), 0)->action.usable, 0);
    before = fake.drive[0].admin - fake.drive[0].smart;
    ahead_us = 61 * EL_USEC_PER_SEC;
    round_of(t);
    assert_int_equal(slot(el_tick_snapshot(t), 0)->action.usable, budget);
    assert_int_equal(slot(el_tick_snapshot(t), 1)->action.usable, 0);
    assert_true(has_event_of(el_tick_snapshot(t), 0, "io_budget can now be used"));
    assert_true(has_event_of(el_tick_snapshot(t), 1, "io_budget can no longer be used"));
    assert_int_equal(fake.drive[0].admin - fake.drive[0].smart, before); /* no command is sent for it */
    el_tick_free(t);
    ahead_us = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(publishes_what_it_reads),
        cmocka_unit_test(asks_each_drive_once_per_poll),
        cmocka_unit_test(reads_the_state_of_locks),
        cmocka_unit_test(tells_removed_replaced_and_returned),
        cmocka_unit_test(tells_what_was_swapped_before_the_start),
        cmocka_unit_test(stale_then_failed_then_back),
        cmocka_unit_test(identifies_only_what_is_named),
        cmocka_unit_test(hung_drive_delays_nobody),
        cmocka_unit_test(ends_with_a_drive_that_hangs),
        cmocka_unit_test(one_daemon_per_state_directory),
        cmocka_unit_test(pauses_only_for_the_owner),
        cmocka_unit_test(reload_is_told),
        cmocka_unit_test(asks_again_what_can_be_used),
        cmocka_unit_test(mute_from_the_start_is_named),
        cmocka_unit_test(lifts_what_an_earlier_run_left),
        cmocka_unit_test(sets_nothing_on_drives_of_one_serial),
        cmocka_unit_test(sets_nothing_on_a_drive_it_does_not_know),
    };
    char command[64];
    int r;

    if (!mkdtemp(dir))
        return 1;
    el_settings_default(&settings);
    snprintf(settings.state_dir, sizeof settings.state_dir, "%s/state", dir);
    snprintf(settings.runtime_dir, sizeof settings.runtime_dir, "%s/run", dir);
    snprintf(settings.profiles_dir, sizeof settings.profiles_dir, EL_SOURCE_DIR "/deploy/profiles");
    settings.poll.tick_ms = settings.poll.hot_ms = 100;
    settings.poll.normal_ms = settings.poll.idle_ms = 100;
    el_log_set_level((enum el_log_level)0);
    r = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 ? r : 1;
}
