/* Whole rounds over a made-up machine: discovery, polling, states, removal, replacement, hangs, what is published. */
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "base/file.h"
#include "control/card_numbers.h"
#include "rounds.h"

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
    struct el_tick *t = start();

    s = round_of(t);
    assert_int_equal(s->slots.count, FAKE_SLOTS);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_UP);
    assert_int_equal(slot(s, 3)->state, EL_SLOT_EMPTY);
    assert_int_equal(slot(s, 0)->temp_mc[0].value, 40000);
    assert_string_equal(slot(s, 1)->identify.serial, "SERIAL1");
    assert_true(slot(s, 0)->decision.limit_c == 76); /* 77 C warning less 1 */
    assert_true(s->daemon.ready);
    snprintf(path, sizeof path, "%s/run/" EL_SNAPSHOT_FILE, scratch);
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

    fake.drive[0].oacs = 1 << 4; /* claims self-test, refuses the log: asked once, never again */
    t = start();
    round_of(t);
    assert_int_equal(fake.drive[0].identify, 1);
    assert_int_equal(fake.drive[0].refused, 1);
    assert_int_equal(fake.drive[1].refused, 0);
    before = fake.drive[0].admin;
    for (int i = 0; i < 5; i++)
        round_after(t, 60);
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

    fake.drive[1].oacs = fake.drive[2].oacs = 1;
    fake.drive[1].tcg = true;
    t = start();
    round_of(t);
    s = round_after(t, 60);
    assert_int_equal(fake.drive[0].security, 0);
    assert_true(slot(s, 0)->stamp[EL_READ_SECURITY].quality == EL_GOOD && !slot(s, 0)->logs.security.locking_supported);
    assert_int_equal(fake.drive[1].security, 2);
    assert_true(slot(s, 1)->logs.security.locking_enabled && slot(s, 1)->logs.security.locked);
    assert_int_equal(fake.drive[2].security, 1);
    assert_int_equal(slot(s, 2)->stamp[EL_READ_SECURITY].quality, EL_FAILED);
    assert_int_equal(slot(s, 2)->read_faults[EL_READ_SECURITY][EL_FAULT_REFUSED], 1);
    el_tick_free(t);
}

static void tells_removed_replaced_and_returned(void **state)
{
    const struct el_snapshot *s;
    struct el_tick *t = start();

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
    struct el_tick *t = start();
    enum el_slot_state seen[12];
    int n = 0;

    round_of(t);
    fake.drive[0].smart_status = 0x06;
    for (; n < 12; n++) {
        s = round_after(t, 100);
        seen[n] = slot(s, 0)->state;
        assert_int_equal(slot(s, 1)->state, EL_SLOT_UP);
        if (seen[n] == EL_SLOT_FAILED)
            break;
    }
    assert_true(n >= 2 && n < 12 && seen[n - 1] == EL_SLOT_STALE); /* never straight from up to failed */
    assert_non_null(strstr(slot(s, 0)->reason, "NVMe status 0x6"));
    fake.drive[0].smart_status = 0;
    s = round_after(t, 250);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_UP);
    assert_string_equal(slot(s, 0)->reason, "");
    el_tick_free(t);
}

/* What the kernel has given up is looked at when its drive falls, event or none, and does not miss three polls first.
 */
static void dead_drive_fails_at_once(void **state)
{
    struct el_tick *t = start();
    const struct el_snapshot *s = round_of(t);

    fake.names = true; /* as the host does */
    fake.drive[0].smart_status = -ENODEV;
    fake.drive[0].given_up = true;
    for (int n = 0; n < 12 && slot(s, 0)->state == EL_SLOT_UP; n++)
        s = round_after(t, 100);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_STALE);
    s = round_of(t);
    assert_int_equal(slot(s, 0)->state, EL_SLOT_FAILED);
    assert_int_equal(slot(s, 1)->state, EL_SLOT_UP);
    el_tick_free(t);
}

static bool all_up(const struct el_tick *t)
{
    uint32_t present = 0, up = 0;

    for (int i = 0; i < FAKE_SLOTS; i++)
        present += fake.drive[i].present;
    for (uint32_t i = 0; i < el_tick_snapshot(t)->slots.count; i++)
        up += slot(el_tick_snapshot(t), (int)i)->state == EL_SLOT_UP;
    return up == present;
}

/* News about one drive, a hundred times: the others are not asked who they are. */
static void identifies_only_what_is_named(void **state)
{
    unsigned before[FAKE_SLOTS];
    struct el_tick *t = start_on(&fake_ops_blocking, &fake);

    ROUNDS_UNTIL(t, all_up(t));
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
    ROUNDS_UNTIL(t, fake.drive[1].identify > before[1]);
    fake.names = false;
    for (int i = 0; i < FAKE_SLOTS; i++)
        assert_true(i == 1 ? fake.drive[i].identify > before[i] : fake.drive[i].identify == before[i]);
    el_tick_free(t);
}

static void hung_drive_delays_nobody(void **state)
{
    const struct el_snapshot *s = NULL;
    struct el_tick *t = start_on(&fake_ops_blocking, &fake);
    int64_t deadline;

    ROUNDS_UNTIL(t, all_up(t));
    fake.drive[0].hang = true;
    ROUNDS_UNTIL(t, slot(el_tick_snapshot(t), 0)->state != EL_SLOT_UP); /* one of these rounds waits for it */
    deadline = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC;
    do {
        pause_ms(100);
        el_tick_begin(t);
        while (el_tick_take(t) && el_clock_boottime_us() < deadline)
            pause_ms(1);
        assert_int_equal(el_tick_finish(t), 0);
        s = el_tick_snapshot(t);
    } while (slot(s, 0)->state != EL_SLOT_FAILED && el_clock_boottime_us() < deadline);
    assert_true(el_clock_boottime_us() < deadline); /* no round waits for it, and it fails in time */
    assert_int_equal(slot(s, 1)->state, EL_SLOT_UP);
    fake.drive[0].hang = false;
    ROUNDS_UNTIL(t, slot(el_tick_snapshot(t), 0)->state == EL_SLOT_UP);
    el_tick_free(t);
}

/* A drive that misses a poll now and then falls each time and says so once a minute. */
static void flapping_is_said_once(void **state)
{
    const struct el_snapshot *s;
    struct el_tick *t = start();
    unsigned falls = 0, said = 0;

    round_of(t);
    for (int i = 0; i < 8; i++) {
        fake.drive[1].smart_status = i % 2 ? 0 : -EIO;
        round_after(t, 110);
        falls += slot(el_tick_snapshot(t), 1)->state == EL_SLOT_STALE;
    }
    s = el_tick_snapshot(t);
    for (uint32_t i = 0; i < s->events.count; i++)
        said += el_snapshot_events(s)[i].kind == 0 && strstr(el_snapshot_events(s)[i].text, "cannot be read") != NULL;
    assert_true(falls > 1);
    assert_int_equal(said, 1);
    el_tick_free(t);
}

static void ends_with_a_drive_that_hangs(void **state)
{
    static struct fake hanging; /* of its own: a thread stays in it beyond the daemon's end */
    struct el_tick *t;
    int64_t begin;

    fake_init(&hanging);
    t = start_on(&fake_ops_blocking, &hanging);
    round_of(t);
    hanging.drive[0].hang = true;
    round_after(t, 220);
    begin = el_clock_boottime_us();
    el_tick_free(t);
    assert_true(el_clock_boottime_us() - begin < 1900000);
    assert_int_equal(hanging.closed, 0); /* someone still stands in there */
    hanging.drive[0].hang = false;
    pause_ms(50); /* lets the thread go: it frees what it was left with */
}

/* In time, with its cap still in the journal and its name in the log; the others get theirs back. */
static void stops_beside_a_drive_in_an_endless_sleep(void **state)
{
    static struct fake hanging;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct el_journal *j = NULL;
    char said[4096] = "";
    struct el_tick *t;
    int64_t begin;
    ssize_t n;

    snprintf(to.sun_path, sizeof to.sun_path, "%s/log", scratch);
    assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof to), 0);
    settings.governor.mode = EL_MODE_ENFORCE;
    fake_init(&hanging);
    hanging.drive[0].temp_k = hanging.drive[1].temp_k = 355;
    t = start_on(&fake_ops_blocking, &hanging);
    ROUNDS_UNTIL(t, hanging.drive[0].cap < 1 && hanging.drive[1].cap < 1);
    hanging.drive[1].temp_k = 313;
    hanging.drive[0].hang = true;
    ROUNDS_UNTIL(t, slot(el_tick_snapshot(t), 0)->state != EL_SLOT_UP &&
                        slot(el_tick_snapshot(t), 1)->temp_mc[0].value == 40000);
    for (int k = 0; k < 3; k++) /* its hand learns a round later that it is cool */
        round_after(t, 50);
    el_log_setup("elementd", EL_LOG_WARNING, EL_LOG_JOURNAL);
    assert_int_equal(el_log_open_journal(to.sun_path), 0);
    begin = el_clock_boottime_us();
    el_tick_free(t);
    assert_true(el_clock_boottime_us() - begin < 1900000);
    while (!strstr(said, "SERIAL0") && (n = recv(fd, said, sizeof said - 1, MSG_DONTWAIT)) > 0)
        said[n] = '\0';
    assert_non_null(strstr(said, "SERIAL0): a command to it has not come back"));
    assert_true(hanging.drive[1].cap == 1);
    assert_true(hanging.drive[0].cap < 1);
    assert_int_equal(el_journal_open(settings.state_dir, &j), 0);
    assert_int_equal(el_journal_count(j), 1);
    assert_string_equal(el_journal_at(j, 0)->serial, "SERIAL0");
    el_journal_free(j);
    close(fd);
    el_log_setup("elementd", EL_LOG_ERROR, EL_LOG_TEXT);
    hanging.drive[0].hang = false;
    pause_ms(50);
}

static void one_daemon_per_state_directory(void **state)
{
    struct el_device dev = {&fake_ops_inline, &fake};
    struct el_tick *t, *second = NULL;

    t = start();
    assert_int_equal(el_tick_new(&dev, &settings, &second), -EBUSY);
    assert_null(second);
    el_tick_free(t);
}

static void pause_until(const char *path, int64_t until_us)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%lld\n", (long long)until_us);

    assert_int_equal(el_file_replace(AT_FDCWD, path, text, (size_t)n, 0644, false), 0);
}

static void pauses_only_for_the_owner(void **state)
{
    struct el_tick *t = start();
    char path[128];

    round_of(t);
    snprintf(path, sizeof path, "%s/run/" EL_PAUSE_FILE, scratch);
    pause_until(path, el_clock_boottime_us() + 600 * EL_USEC_PER_SEC);
    assert_true(el_snapshot_cards(round_of(t))[0].paused);
    assert_int_equal(chmod(path, 0666), 0);
    assert_false(el_snapshot_cards(round_of(t))[0].paused);
    pause_until(path, el_clock_boottime_us() - 1);
    assert_false(el_snapshot_cards(round_of(t))[0].paused); /* over by itself */
    assert_int_equal(access(path, F_OK), -1);
    el_tick_free(t);
}

/* What no restart would mend does not end it; but it sets nothing, and the file stays. */
static void lost_journal_pauses(void **state)
{
    static const char *const bad[] = {"", "{\"version\": 1, \"entr"};
    char path[128];

    snprintf(path, sizeof path, "%s/state/" EL_JOURNAL_FILE, scratch);
    for (int i = 0; i < 2; i++) {
        struct el_settings changed = settings;
        unsigned before = fake.drive[0].cap_writes;
        struct el_tick *t;
        struct stat st;

        assert_int_equal(el_file_make_dirs(settings.state_dir, 0700), 0);
        assert_int_equal(el_file_replace(AT_FDCWD, path, bad[i], strlen(bad[i]), 0600, false), 0);
        changed.governor.mode = EL_MODE_ENFORCE;
        fake.drive[0].temp_k = 368;
        t = start();
        el_tick_reload(t, &changed);
        for (int k = 0; k < 5; k++)
            assert_true(el_snapshot_cards(round_of(t))[0].paused);
        assert_int_equal(slot(el_tick_snapshot(t), 0)->state, EL_SLOT_UP);
        el_tick_free(t);
        assert_int_equal(fake.drive[0].cap_writes, before);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, strlen(bad[i]));
    }
    unlink(path);
}

static void reload_is_told(void **state)
{
    struct el_settings changed = settings;
    const struct el_snapshot *s;
    struct el_tick *t = start();

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

    fake.drive[1].mute = true;
    t = start();
    s = round_of(t);
    assert_int_equal(slot(s, 1)->state, EL_SLOT_STALE);
    assert_string_equal(slot(s, 1)->identify.serial, "SERIAL1");
    assert_string_equal(slot(s, 1)->identify.model, "");
    assert_int_equal(slot(s, 1)->stamp[EL_READ_IDENTIFY].quality, EL_FAILED);
    el_tick_free(t);
}

/* The saver has a thread and a disk of its own pace. */
static void wait_for_card_file(const char *text)
{
    int64_t until = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC;
    struct el_buf b = {0};
    char path[EL_PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/" EL_CARD_NUMBERS_FILE, settings.state_dir);
    while (el_clock_boottime_us() < until && (!b.data || !strstr(b.data, text))) {
        pause_ms(10);
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
    const struct el_snapshot *s;
    struct el_tick *t;

    fake.serials = ops.by_order = true;
    for (int run = 0; run < 3; run++) {
        t = start_on(&ops, &fake);
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

static _Atomic int64_t ahead_us;

static int64_t later(void *dev)
{
    (void)dev;
    return el_clock_boottime_us() + ahead_us;
}

/* A poll starts within a period of the hang, and two more make it failed: three in all, also when the rounds after a
 * late one come sooner. */
static void hung_drive_fails_within_three_periods(void **state)
{
    const int64_t period_us = 100 * EL_USEC_PER_SEC; /* long beside what the test itself takes */
    const enum el_slot_state states[] = {EL_SLOT_UP, EL_SLOT_STALE, EL_SLOT_FAILED};
    static struct el_device_ops ops; /* a poll that is under way at the end still reads it */
    struct pollfd done;
    struct el_tick *t;
    uint64_t told;

    ops = fake_ops_blocking;
    ops.now_us = later;
    settings.poll.tick_ms = settings.poll.hot_ms = settings.poll.normal_ms = settings.poll.idle_ms =
        (uint32_t)(period_us / 1000);
    t = start_on(&ops, &fake);
    done = (struct pollfd){.fd = el_tick_done_fd(t), .events = POLLIN};
    ROUNDS_UNTIL(t, slot(el_tick_snapshot(t), 0)->state == EL_SLOT_UP);
    assert_false(el_tick_missing(t));
    fake.drive[0].hang = true;
    for (size_t i = 0; i < EL_ARRAY_SIZE(states); i++) {
        ahead_us += i ? period_us * 9 / 10 : period_us;
        el_tick_begin(t);
        assert_int_equal(el_tick_finish(t), 0);
        assert_int_equal(slot(el_tick_snapshot(t), 0)->state, states[i]);
    }
    assert_true(el_tick_missing(t));
    (void)!read(done.fd, &told, sizeof told);
    fake.drive[0].hang = false;
    do { /* its return is told, before or after those of others, and then a round has them all up */
        assert_int_equal(poll(&done, 1, 60000), 1);
        (void)!read(done.fd, &told, sizeof told);
        el_tick_begin(t);
        assert_int_equal(el_tick_finish(t), 0);
    } while (slot(el_tick_snapshot(t), 0)->state != EL_SLOT_UP || el_tick_missing(t));
    el_tick_free(t);
    ahead_us = 0;
}

/* The command that hung fails in the end, as the kernel gives up or resets: the drive is asked anew in the very round
 * that is told of it, and is back with that. */
static void asked_anew_as_soon_as_what_hung_has_failed(void **state)
{
    struct el_tick *t = start_on(&fake_ops_blocking, &fake);

    ROUNDS_UNTIL(t, slot(el_tick_snapshot(t), 0)->state == EL_SLOT_UP);
    fake.drive[0].hang = true;
    ROUNDS_UNTIL(t, slot(el_tick_snapshot(t), 0)->state == EL_SLOT_FAILED);
    assert_true(el_tick_missing(t));
    assert_false(el_tick_answered(t));
    fake.drive[0].smart_status = 6;
    fake.drive[0].hang = false;
    for (int64_t end_us = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC; !el_tick_answered(t);) {
        assert_true(el_clock_boottime_us() < end_us);
        pause_ms(1);
    }
    fake.drive[0].smart_status = 0;
    el_tick_begin(t);
    for (int64_t end_us = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC; el_tick_take(t);) {
        assert_true(el_clock_boottime_us() < end_us);
        pause_ms(1);
    }
    assert_int_equal(el_tick_finish(t), 0);
    assert_int_equal(slot(el_tick_snapshot(t), 0)->state, EL_SLOT_UP);
    assert_false(el_tick_answered(t));
    el_tick_free(t);
}

/* Actuators that come and go without an event are noticed within a minute or so. */
static void asks_again_what_can_be_used(void **state)
{
    const uint32_t budget = 1u << EL_ACTUATOR_IO_BUDGET;
    struct el_device_ops ops = fake_ops_inline;
    struct el_tick *t;
    unsigned before;

    ops.now_us = later;
    fake.drive[0].no_budget = true;
    t = start_on(&ops, &fake);
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
        ROUNDS_TEST(publishes_what_it_reads),
        ROUNDS_TEST(asks_each_drive_once_per_poll),
        ROUNDS_TEST(reads_the_state_of_locks),
        ROUNDS_TEST(tells_removed_replaced_and_returned),
        ROUNDS_TEST(tells_what_was_swapped_before_the_start),
        ROUNDS_TEST(stale_then_failed_then_back),
        ROUNDS_TEST(dead_drive_fails_at_once),
        ROUNDS_TEST(identifies_only_what_is_named),
        ROUNDS_TEST(hung_drive_delays_nobody),
        ROUNDS_TEST(hung_drive_fails_within_three_periods),
        ROUNDS_TEST(ends_with_a_drive_that_hangs),
        ROUNDS_TEST(stops_beside_a_drive_in_an_endless_sleep),
        ROUNDS_TEST(asked_anew_as_soon_as_what_hung_has_failed),
        ROUNDS_TEST(one_daemon_per_state_directory),
        ROUNDS_TEST(pauses_only_for_the_owner),
        ROUNDS_TEST(lost_journal_pauses),
        ROUNDS_TEST(reload_is_told),
        ROUNDS_TEST(flapping_is_said_once),
        ROUNDS_TEST(asks_again_what_can_be_used),
        ROUNDS_TEST(mute_from_the_start_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
