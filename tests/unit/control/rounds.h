/* Whole rounds over a made-up machine: each test has a fresh machine, fresh settings and directories of its own. */
#pragma once

#include "base/clock.h"
#include "control/journal.h"
#include "control/tick.h"
#include "support/scratch.h"
#include "fake.h"

#define ROUNDS_TEST(test) cmocka_unit_test_setup_teardown(test, rounds_set_up, scratch_tear_down)

static struct el_settings settings;
static struct fake fake;

static inline int rounds_set_up(void **state)
{
    if (scratch_set_up(state) < 0)
        return -1;
    fake_init(&fake);
    el_settings_default(&settings);
    snprintf(settings.state_dir, sizeof settings.state_dir, "%s/state", scratch);
    snprintf(settings.runtime_dir, sizeof settings.runtime_dir, "%s/run", scratch);
    snprintf(settings.profiles_dir, sizeof settings.profiles_dir, EL_SOURCE_DIR "/deploy/profiles");
    settings.poll.tick_ms = settings.poll.hot_ms = settings.poll.normal_ms = settings.poll.idle_ms = 100;
    el_log_set_level((enum el_log_level)0);
    return 0;
}

static inline void pause_ms(int64_t ms)
{
    el_clock_sleep_until_us(el_clock_boottime_us() + ms * EL_USEC_PER_MSEC, NULL);
}

static inline struct el_tick *start_on(const struct el_device_ops *ops, struct fake *f)
{
    struct el_device dev = {ops, f};
    struct el_tick *t = NULL;

    assert_int_equal(el_tick_new(&dev, &settings, &t), 0);
    return t;
}

static inline struct el_tick *start(void)
{
    return start_on(&fake_ops_inline, &fake);
}

static inline const struct el_snapshot *round_of(struct el_tick *t)
{
    int64_t until_us = el_clock_boottime_us() + 300000;

    el_tick_begin(t);
    while (el_tick_take(t) && el_clock_boottime_us() < until_us)
        pause_ms(1);
    assert_int_equal(el_tick_finish(t), 0);
    return el_tick_snapshot(t);
}

/* A round `ms` of the machine's time later; the workers get a real millisecond to finish. */
static inline const struct el_snapshot *round_after(struct el_tick *t, int64_t ms)
{
    fake_skipped_us += ms * EL_USEC_PER_MSEC;
    pause_ms(1);
    return round_of(t);
}

/* Rounds until `done`, an expression; a minute is too long. */
#define ROUNDS_UNTIL(t, done)                                                                                          \
    do {                                                                                                               \
        int64_t until_us_ = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC;                                             \
        while (!(done) && el_clock_boottime_us() < until_us_)                                                          \
            round_after(t, 50);                                                                                        \
        assert_true(done);                                                                                             \
    } while (0)

static inline const struct el_slot *slot(const struct el_snapshot *s, int i)
{
    return &el_snapshot_slots(s)[i];
}
