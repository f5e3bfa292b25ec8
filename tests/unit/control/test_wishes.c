/* Whole rounds over a made-up machine whose state directory or discovery fails: nothing wished is lost, nothing is
 * filed under the serial of another. */
#include <sys/stat.h>

#include "base/clock.h"
#include "control/journal.h"
#include "control/tick.h"
#include "support/unit.h"
#include "fake.h"

static char dir[] = "/tmp/el-wishes-XXXXXX";
static struct el_settings settings;
static struct fake fake;

static struct el_tick *start(void)
{
    struct el_device dev = {&fake_ops_inline, &fake};
    struct el_tick *t = NULL;

    assert_int_equal(el_tick_new(&dev, &settings, &t), 0);
    return t;
}

static const struct el_snapshot *round_of(struct el_tick *t)
{
    el_tick_begin(t);
    assert_int_equal(el_tick_finish(t), 0);
    return el_tick_snapshot(t);
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

/* The journal cannot be written, and in the meantime all drives are identified anew: the cap is still wished. */
static void cap_is_set_when_the_journal_can_be_written(void **state)
{
    char path[EL_PATH_MAX + 32];
    struct el_tick *t;

    fake_init(&fake);
    snprintf(settings.state_dir, sizeof settings.state_dir, "%s/full", dir);
    fake.drive[0].temp_k = 353;
    t = start();
    snprintf(path, sizeof path, "%s/" EL_JOURNAL_FILE ".new", settings.state_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int i = 0; i < 600 && !el_snapshot_slots(round_of(t))[0].action.failures; i++)
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
    assert_int_equal(fake.drive[0].cap_writes, 0);
    fake.changed = true;
    for (int i = 0; i < 20; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        round_of(t);
    }
    assert_int_equal(fake.drive[0].cap_writes, 0);
    rmdir(path);
    for (int i = 0; i < 1200 && fake.drive[0].cap >= 1; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        round_of(t);
    }
    assert_true(fake.drive[0].cap < 1);
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

    fake_init(&fake);
    snprintf(settings.state_dir, sizeof settings.state_dir, "%s/unseen", dir);
    d->temp_k = 353;
    t = start();
    for (int i = 0; i < 600 && d->cap >= 1; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        round_of(t);
    }
    assert_true(d->cap < 1);
    fake.discover_error = -EIO;
    fake.changed = true;
    strcpy(d->serial, "UNSEEN");
    d->cap = 0.9;
    writes = d->cap_writes;
    for (int i = 0; i < 600 && d->cap_writes == writes; i++) {
        el_clock_sleep_until_us(el_clock_boottime_us() + 100000, NULL);
        round_of(t);
    }
    assert_true(d->cap_writes > writes);
    assert_string_equal(original_of("UNSEEN"), "original 90");
    d->temp_k = 303;
    round_of(t);
    el_tick_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cap_is_set_when_the_journal_can_be_written),
        cmocka_unit_test(swapped_unseen_is_filed_under_its_own_serial),
    };
    char command[64];
    int r;

    if (!mkdtemp(dir))
        return 1;
    el_settings_default(&settings);
    settings.governor.mode = EL_MODE_ENFORCE;
    snprintf(settings.runtime_dir, sizeof settings.runtime_dir, "%s/run", dir);
    snprintf(settings.profiles_dir, sizeof settings.profiles_dir, EL_SOURCE_DIR "/deploy/profiles");
    settings.poll.tick_ms = settings.poll.hot_ms = 100;
    settings.poll.normal_ms = settings.poll.idle_ms = 100;
    el_log_set_level((enum el_log_level)0);
    r = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 ? r : 1;
}
