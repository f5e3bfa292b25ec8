#include "control/endurance.h"
#include "support/unit.h"

#define HOUR_US      (3600LL * 1000000)
#define DAY_US       (24 * HOUR_US)
#define EPOCH_US     (1790000000LL * 1000000)
#define UNITS_PER_TB 1953125ULL /* 10^12 / 512,000 */

struct world {
    struct el_endurance *e;
    struct el_snapshot *s;
};

static struct el_slot *slot(struct world *w, uint32_t i)
{
    return &el_snapshot_slots(w->s)[i];
}

static void drive_up(struct el_slot *d, const char *serial)
{
    memset(d, 0, sizeof *d);
    d->state = EL_SLOT_UP;
    d->stamp[EL_READ_SMART].quality = EL_GOOD;
    d->stamp[EL_READ_SMART].time_us = 1;
    strcpy(d->identify.serial, serial);
    d->rated_endurance_bytes = 1000e12;
}

static int setup(void **state)
{
    static struct world w;
    const struct el_snapshot_counts n = {.cards = 1, .slots = 2};

    w.e = el_endurance_new();
    w.s = el_snapshot_new(&n);
    w.s->time_us = 5 * HOUR_US;
    w.s->realtime_us = EPOCH_US;
    drive_up(slot(&w, 0), "S1");
    drive_up(slot(&w, 1), "S2");
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    w->e = el_endurance_free(w->e);
    w->s = el_snapshot_free(w->s);
    return 0;
}

/* Hourly ticks, slot 0 writing `tb_per_day`. */
static void run_hours(struct world *w, int hours, double tb_per_day)
{
    for (int i = 0; i < hours; i++) {
        w->s->time_us += HOUR_US;
        w->s->realtime_us += HOUR_US;
        slot(w, 0)->smart.data_units_written += (uint64_t)(tb_per_day * UNITS_PER_TB / 24);
        el_endurance_step(w->e, w->s);
    }
}

/* A restart: save, forget, load. `off_us` passes on both clocks, `jump_us` on the wall clock alone. */
static void restart(struct world *w, int64_t off_us, int64_t jump_us)
{
    struct el_buf text = {0};

    assert_true(el_endurance_save(w->e, &text));
    el_endurance_free(w->e);
    w->e = el_endurance_new();
    assert_int_equal(el_endurance_load(w->e, text.data, text.len), 0);
    el_buf_free(&text);
    w->s->time_us = HOUR_US;
    w->s->realtime_us += off_us + jump_us;
}

static void says_nothing_before_an_hour(void **state)
{
    struct world *w = *state;

    el_endurance_step(w->e, w->s);
    assert_true(isnan(slot(w, 0)->write_rate_1d));
    assert_true(isnan(slot(w, 0)->wear_days_remaining));
    assert_int_equal(slot(w, 0)->wear_basis, EL_WEAR_NONE);
}

static void forecasts_by_rated_bytes(void **state)
{
    struct world *w = *state;

    slot(w, 0)->smart.data_units_written = 500 * UNITS_PER_TB;
    run_hours(w, 48, 5);
    assert_true(fabs(slot(w, 0)->write_rate_1d - 5e12 / 86400) < 1e5);
    assert_true(fabs(slot(w, 0)->write_rate_30d - 5e12 / 86400) < 1e5);
    assert_true(fabs(slot(w, 0)->wear_days_remaining - 490.0 / 5) < 0.5);
    assert_int_equal(slot(w, 0)->wear_basis, EL_WEAR_RATED_BYTES);
    assert_true(isnan(slot(w, 1)->wear_days_remaining)); /* wrote nothing: no end in sight */
}

static void day_and_month_differ_after_a_change(void **state)
{
    struct world *w = *state;

    run_hours(w, 24 * 20, 1);
    run_hours(w, 30, 9);
    assert_true(fabs(slot(w, 0)->write_rate_1d * 86400 / 1e12 - 9) < 0.1);
    assert_true(slot(w, 0)->write_rate_30d * 86400 / 1e12 < 1.6);
    assert_true(slot(w, 0)->wear_days_low < slot(w, 0)->wear_days_remaining / 4);
    assert_true(slot(w, 0)->wear_days_high >= slot(w, 0)->wear_days_remaining);
}

static void forecasts_by_percentage_used(void **state)
{
    struct world *w = *state;

    slot(w, 0)->rated_endurance_bytes = 0;
    slot(w, 0)->smart.percentage_used = 10;
    run_hours(w, 24 * 20, 1);
    assert_true(isnan(slot(w, 0)->wear_days_remaining));
    slot(w, 0)->smart.percentage_used = 12;
    run_hours(w, 1, 1);
    assert_int_equal(slot(w, 0)->wear_basis, EL_WEAR_PERCENTAGE_USED);
    assert_true(fabs(slot(w, 0)->wear_days_remaining - 88 * 10) < 2);
    assert_true(fabs(slot(w, 0)->wear_days_low - 88 * 20 / 3.0) < 2);
    assert_true(fabs(slot(w, 0)->wear_days_high - 88 * 20) < 2);
}

static void worn_out_is_zero_days(void **state)
{
    struct world *w = *state;

    slot(w, 0)->smart.data_units_written = 1001 * UNITS_PER_TB;
    slot(w, 1)->smart.percentage_used = 130;
    run_hours(w, 2, 1);
    assert_true(slot(w, 0)->wear_days_remaining == 0);
    assert_true(slot(w, 1)->wear_days_remaining == 0);
}

static void history_survives_a_restart(void **state)
{
    struct world *w = *state;

    run_hours(w, 48, 5);
    restart(w, 12 * HOUR_US, 0);
    slot(w, 0)->smart.data_units_written += (uint64_t)(2.5 * UNITS_PER_TB);
    el_endurance_step(w->e, w->s);
    assert_true(fabs(slot(w, 0)->write_rate_1d * 86400 / 1e12 - 5) < 0.1);
}

static void clock_jumps_bend_nothing(void **state)
{
    static const int64_t jumps_us[] = {-20 * 365 * DAY_US, -3 * HOUR_US, 20 * 365 * DAY_US};

    for (size_t i = 0; i < 3; i++) {
        struct world *w = *state;

        run_hours(w, 48, 5);
        w->s->realtime_us += jumps_us[i]; /* while running */
        run_hours(w, 24, 5);
        assert_true(fabs(slot(w, 0)->write_rate_1d * 86400 / 1e12 - 5) < 0.1);
        restart(w, 0, jumps_us[i]); /* between two runs */
        run_hours(w, 48, 5);
        assert_true(fabs(slot(w, 0)->write_rate_1d * 86400 / 1e12 - 5) < 0.1);
        teardown(state);
        setup(state);
    }
}

static void a_swapped_drive_starts_afresh(void **state)
{
    struct world *w = *state;

    run_hours(w, 48, 5);
    drive_up(slot(w, 0), "S3");
    run_hours(w, 1, 0);
    assert_true(isnan(slot(w, 0)->write_rate_1d));
    drive_up(slot(w, 1), "S1"); /* moved: keeps its history */
    slot(w, 1)->smart.data_units_written = 10 * UNITS_PER_TB;
    run_hours(w, 1, 0);
    assert_false(isnan(slot(w, 1)->write_rate_1d));
}

static void a_reset_counter_starts_afresh(void **state)
{
    struct world *w = *state;

    run_hours(w, 48, 5);
    slot(w, 0)->smart.data_units_written = 0;
    run_hours(w, 1, 5);
    assert_true(isnan(slot(w, 0)->write_rate_1d));
    run_hours(w, 3, 5);
    assert_true(fabs(slot(w, 0)->write_rate_1d * 86400 / 1e12 - 5) < 0.1);
}

static void a_lost_drive_says_nothing(void **state)
{
    struct world *w = *state;

    run_hours(w, 48, 5);
    slot(w, 0)->state = EL_SLOT_GONE;
    el_endurance_step(w->e, w->s);
    assert_true(isnan(slot(w, 0)->write_rate_1d));
}

static void stays_bounded(void **state)
{
    struct world *w = *state;
    struct el_buf text = {0};
    char serial[16];

    for (int i = 0; i < EL_ENDURANCE_DRIVES_MAX + 10; i++) {
        snprintf(serial, sizeof serial, "X%d", i);
        drive_up(slot(w, 0), serial);
        run_hours(w, 1, 1);
    }
    drive_up(slot(w, 0), "S1");
    run_hours(w, 24 * 400, 1);
    assert_true(el_endurance_save(w->e, &text));
    assert_true(text.len < EL_ENDURANCE_FILE_MAX / 8);
    assert_null(strstr(text.data, " X5\n")); /* seen longest ago: forgotten */
    assert_non_null(strstr(text.data, " X2050\n"));
    el_buf_free(&text);
}

static void saves_only_what_changed(void **state)
{
    struct world *w = *state;
    struct el_buf text = {0};

    run_hours(w, 1, 1);
    assert_true(el_endurance_due(w->e, w->s->time_us + EL_ENDURANCE_SAVE_US));
    assert_true(el_endurance_save(w->e, &text));
    assert_false(el_endurance_due(w->e, w->s->time_us + EL_ENDURANCE_SAVE_US));
    assert_false(el_endurance_save(w->e, &text));
    el_buf_free(&text);
}

static void refuses_a_broken_file(void **state)
{
    static const char *const bad[] = {
        "",
        "elementd-endurance 2\nend\n",
        "elementd-endurance 1\n",
        "elementd-endurance 1\nclock 5 5\ndrive 1 A\n0 9 1 1\nend\n",
        "elementd-endurance 1\nclock 5 5\n0 1 1 1\nend\n",
        "elementd-endurance 1\nclock 5 5\ndrive 1 A\n7 1 1 1\nend\n",
        "elementd-endurance 1\nclock 5 5\ndrive 1 A\ndrive 1 A\nend\n",
        "elementd-endurance 1\nclock -5 5\nend\n",
        "elementd-endurance 1\nclock 5 5\ndrive 1 A\n0 1 1 999\nend\n",
    };
    struct world *w = *state;

    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++)
        assert_int_equal(el_endurance_load(w->e, bad[i], strlen(bad[i])), -EBADMSG);
    run_hours(w, 3, 5); /* and goes on as new */
    assert_false(isnan(slot(w, 0)->write_rate_1d));
}

static void warranty_ends_by_time_or_wear(void **state)
{
    struct world *w = *state;
    struct el_card *card = el_snapshot_cards(w->s);
    int64_t start_us = 1767225600LL * 1000000; /* 2026-01-01 */

    card->slots = 2;
    card->rated_endurance_bytes = 2000e12;
    slot(w, 0)->smart.data_units_written = 500 * UNITS_PER_TB;
    slot(w, 1)->smart.percentage_used = 40;
    assert_int_equal(el_endurance_warranty(card, slot(w, 0), "2026-01-01", 3, start_us + 365 * DAY_US), 0);
    assert_true(fabs(card->warranty_seconds_remaining / 86400 - 730.7) < 0.1);
    assert_true(fabs(card->warranty_endurance_remaining_ratio - 0.6) < 1e-9);
    assert_int_equal(el_endurance_warranty(card, slot(w, 0), "", 3, start_us), 0);
    assert_true(isnan(card->warranty_seconds_remaining));
    assert_int_equal(el_endurance_warranty(card, slot(w, 0), "2026-02-30", 3, start_us), -EINVAL);
    assert_int_equal(el_endurance_warranty(card, slot(w, 0), "soon", 3, start_us), -EINVAL);
    slot(w, 0)->state = slot(w, 1)->state = EL_SLOT_GONE;
    assert_int_equal(el_endurance_warranty(card, slot(w, 0), "2026-01-01", 3, start_us), 0);
    assert_true(isnan(card->warranty_endurance_remaining_ratio));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(says_nothing_before_an_hour),
        TEST(forecasts_by_rated_bytes),
        TEST(day_and_month_differ_after_a_change),
        TEST(forecasts_by_percentage_used),
        TEST(worn_out_is_zero_days),
        TEST(history_survives_a_restart),
        TEST(clock_jumps_bend_nothing),
        TEST(a_swapped_drive_starts_afresh),
        TEST(a_reset_counter_starts_afresh),
        TEST(a_lost_drive_says_nothing),
        TEST(stays_bounded),
        TEST(saves_only_what_changed),
        TEST(refuses_a_broken_file),
        TEST(warranty_ends_by_time_or_wear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
