/* How soon a reading that stands still is told from one that lives. */
#include "governor/screen.h"
#include "support/unit.h"

struct sensor {
    struct el_screen screen;
    struct el_still still;
    int64_t now_us;
};

/* One second. */
static enum el_life live(struct sensor *s, double temp_c, const struct el_screen_load *load)
{
    struct el_screen_pace pace = el_screen_pace(1);
    struct el_reading r;

    s->now_us += 1000000;
    r = el_reading_good((int64_t)(temp_c * 1000), s->now_us);
    assert_int_equal(el_screen_step(&s->screen, &r, s->now_us, -INFINITY, 60), EL_BELIEVE);
    return el_screen_stuck(&s->screen, &s->still, s->now_us, load, &pace);
}

/* Whether a drive near its limit is put to the proof, or failed it. `rest_w` is what the card draws beside host I/O,
 * NAN = nobody tells. */
static bool look_beside(struct sensor *s, double temp_c, double host_w, double rest_w)
{
    struct el_screen_load load = {
        .host_w = host_w, .inlet_c = 35, .limit_c = 62, .card_host_w = 8 + host_w, .card_rest_w = rest_w};

    return live(s, temp_c, &load) >= EL_LIFE_TRIED;
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

/* Seconds at 61 C and `host_w` until it is, 3600 at most. */
static int until_doubted(struct sensor *s, double host_w)
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
    much = until_doubted(&s, 6);
    settle(&s, 2, false);
    some = until_doubted(&s, 4);
    assert_true(much < 60 && some > 1.7 * much && some < 200);
    settle(&s, 2, false);
    assert_int_equal(until_doubted(&s, 2.3), 3600); /* within its grain */
}

static void a_reading_that_flickered_tells_sooner(void **state)
{
    struct sensor s;
    int still, flickered;

    settle(&s, 2, false);
    still = until_doubted(&s, 3.2);
    settle(&s, 2, true);
    flickered = until_doubted(&s, 3.2);
    assert_true(flickered < 0.7 * still);
}

/* What it did when it moved last says nothing: it may have fallen since, within the grain. */
static void a_rise_is_counted_from_the_lowest(void **state)
{
    struct sensor s;

    settle(&s, 4, true);
    for (int t = 0; t < 100; t++)
        assert_false(look(&s, 61, 2.8));
    assert_true(until_doubted(&s, 5) < 150);
}

static void falling_power_counts_less(void **state)
{
    struct sensor s;
    int rising, falling;

    settle(&s, 1, true);
    rising = until_doubted(&s, 4);
    settle(&s, 4, true);
    falling = until_doubted(&s, 1);
    assert_true(falling > 1.4 * rising && falling < 600);
}

static void it_is_alive_when_it_moves(void **state)
{
    struct sensor s;

    settle(&s, 1, true);
    assert_true(until_doubted(&s, 5) < 100);
    for (int t = 0; t < 100; t++)
        assert_false(look(&s, 62 + t / 10 % 2, 5));
    assert_true(until_doubted(&s, 5) == 3600);
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

/* Little is missing: a burst that was made room for may have ended. A cut tells, and only near the limit is it made. */
static void a_little_is_put_to_the_proof(void **state)
{
    for (int what = 0; what < 3; what++) {
        bool lives = what == 1, cool = what == 2;
        struct el_screen_load load = {.inlet_c = 35, .limit_c = cool ? 90 : 62, .card_rest_w = NAN};
        struct sensor s;
        int tried = 0, stuck = 0;

        settle(&s, 3, true);
        for (int t = 0; t < 1200; t++) {
            load.host_w = load.card_host_w = s.still.tried_s > 0 ? EL_MIN(4.8, s.still.tried_w) : 4.8;
            switch (live(&s, lives && s.still.tried_s > 30 ? 60 : 61, &load)) {
            case EL_LIFE_TRIED:
                tried++;
                assert_true(s.still.tried_w < 4.8 - 1.5);
                break;
            case EL_LIFE_STUCK:
                stuck++;
                break;
            default:
                break;
            }
        }
        assert_int_equal(stuck > 0, !lives && !cool);
        assert_int_equal(tried > 0, !cool);
        assert_true(lives || tried < 120);
    }
}

/* Cooler air lets all do more at the same temperature, whatever the inlet's sensor makes of it. Who does more alone, or
 * among others that warm, has to move. */
static void all_may_do_more_in_cooler_air(void **state)
{
    for (int what = 0; what < 3; what++) {
        bool alone = what == 1, warm = what == 2, stuck = false;
        struct el_screen_load load = {.inlet_c = 35, .limit_c = 62, .card_rest_w = NAN, .drives = 4};
        struct sensor s = {0};

        for (int t = 0; t < 1800 && !stuck; t++) {
            double more = EL_CLAMP((t - 600) / 100.0, 0, 3);

            load.host_w = 2 + (s.still.tried_s > 0 ? EL_MIN(more, s.still.tried_w - 2) : more);
            load.card_host_w = 6 + load.host_w + (alone ? 0 : 3 * more);
            load.others_c = warm ? 2 * more : 0;
            load.inlet_c = 35 - (alone || warm ? 0 : 5 * more);
            stuck = live(&s, t < 600 ? 60 + t / 10 % 2 : 61, &load) == EL_LIFE_STUCK;
        }
        assert_int_equal(stuck, alone || warm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(much_tells_sooner_than_little),     cmocka_unit_test(a_reading_that_flickered_tells_sooner),
        cmocka_unit_test(a_rise_is_counted_from_the_lowest), cmocka_unit_test(falling_power_counts_less),
        cmocka_unit_test(it_is_alive_when_it_moves),         cmocka_unit_test(a_burst_that_was_made_room_for_is_no_lie),
        cmocka_unit_test(a_little_is_put_to_the_proof),      cmocka_unit_test(all_may_do_more_in_cooler_air),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
