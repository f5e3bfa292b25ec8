/* How soon a reading that stands still is told from one that lives. */
#include "governor/screen.h"
#include "support/unit.h"

struct sensor {
    struct el_screen screen;
    struct el_still still;
    int64_t now_us;
};

/* One second; `rest_w` is what the card draws beside host I/O, NAN = nobody tells. */
static bool look_beside(struct sensor *s, double temp_c, double host_w, double rest_w)
{
    struct el_screen_pace pace = el_screen_pace(1);
    struct el_screen_load load = {.host_w = host_w, .inlet_c = 35, .card_host_w = 8 + host_w, .card_rest_w = rest_w};
    struct el_reading r;
    bool suspect;

    s->now_us += 1000000;
    r = el_reading_good((int64_t)(temp_c * 1000), s->now_us);
    assert_int_equal(el_screen_step(&s->screen, &r, s->now_us, -INFINITY, 60), EL_BELIEVE);
    return el_screen_stuck(&s->screen, &s->still, s->now_us, &load, &pace, &suspect);
}

static bool look(struct sensor *s, double temp_c, double host_w)
{
    return look_beside(s, temp_c, host_w, NAN);
}

/* Ten minutes at 60 C and `before_w`; flickering or not. */
static void settle(struct sensor *s, double before_w, bool flickers)
{
    memset(s, 0, sizeof *s);
    for (int t = 0; t < 600; t++)
        assert_false(look(s, 60 + (flickers && t / 10 % 2), before_w));
}

/* Seconds at 61 C and `host_w` until it counts as stuck, 3600 at most. */
static int until_stuck(struct sensor *s, double host_w)
{
    int t = 0;

    while (t < 3600 && !look(s, 61, host_w))
        t++;
    return t;
}

static void much_tells_sooner_than_little(void **state)
{
    struct sensor s;
    int much, some;

    settle(&s, 2, false);
    much = until_stuck(&s, 6);
    settle(&s, 2, false);
    some = until_stuck(&s, 4);
    assert_true(much < 60 && some > 1.7 * much && some < 200);
    settle(&s, 2, false);
    assert_int_equal(until_stuck(&s, 2.3), 3600); /* within its grain */
}

static void a_reading_that_flickered_tells_sooner(void **state)
{
    struct sensor s;
    int still, flickered;

    settle(&s, 2, false);
    still = until_stuck(&s, 3.2);
    settle(&s, 2, true);
    flickered = until_stuck(&s, 3.2);
    assert_true(flickered < 0.7 * still);
}

/* What it did when it moved last says nothing: it may have fallen since, within the grain. */
static void a_rise_is_counted_from_the_lowest(void **state)
{
    struct sensor s;

    settle(&s, 4, true);
    for (int t = 0; t < 100; t++)
        assert_false(look(&s, 61, 2.8));
    assert_true(until_stuck(&s, 5) < 150);
}

static void falling_power_counts_less(void **state)
{
    struct sensor s;
    int rising, falling;

    settle(&s, 1, true);
    rising = until_stuck(&s, 4);
    settle(&s, 4, true);
    falling = until_stuck(&s, 1);
    assert_true(falling > 1.4 * rising && falling < 600);
}

static void it_is_alive_when_it_moves(void **state)
{
    struct sensor s;

    settle(&s, 1, true);
    assert_true(until_stuck(&s, 5) < 100);
    for (int t = 0; t < 100; t++)
        assert_false(look(&s, 62 + t / 10 % 2, 5));
    assert_true(until_stuck(&s, 5) == 3600);
}

/* The law takes from the host what a burst of the drive's own takes: nothing is to move. */
static void a_burst_that_was_made_room_for_is_no_lie(void **state)
{
    struct sensor s;

    settle(&s, 6, true);
    for (int t = 0; t < 600; t++)
        assert_false(look_beside(&s, 61, t / 40 % 2 ? 3.5 : 6, t / 40 % 2 ? 12.5 : 10));
    settle(&s, 2, true);
    for (int t = 0; t < 60; t++)
        assert_false(look_beside(&s, 61, 2, 10));
    for (int t = 0; t < 300 && !look_beside(&s, 61, 6, 9.5); t++) /* what prices err by hides no rise */
        assert_true(t < 299);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(much_tells_sooner_than_little),     cmocka_unit_test(a_reading_that_flickered_tells_sooner),
        cmocka_unit_test(a_rise_is_counted_from_the_lowest), cmocka_unit_test(falling_power_counts_less),
        cmocka_unit_test(it_is_alive_when_it_moves),         cmocka_unit_test(a_burst_that_was_made_room_for_is_no_lie),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
