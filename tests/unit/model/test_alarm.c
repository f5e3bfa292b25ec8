#include "model/alarm.h"
#include "support/unit.h"

/* One card with two drives, a link and a fan; all well. */
struct world {
    struct el_snapshot *s;
    struct el_alarm_table *table;
    struct el_event event[64];
    uint32_t events;
};

static struct el_slot *slot(struct world *w, uint32_t i)
{
    return &el_snapshot_slots(w->s)[i];
}

static int setup(void **state)
{
    const struct el_snapshot_counts n = {.cards = 1, .slots = 2, .links = 2, .sensors = 1};
    struct world *w = calloc(1, sizeof *w);
    struct el_card *c;

    w->s = el_snapshot_new(&n);
    w->table = el_alarm_table_new();
    w->s->daemon.config_ok = true;
    c = el_snapshot_cards(w->s);
    c->slots = 2, c->links = 2, c->number = 7;
    c->card_limit_w = c->switch_limit_c = c->warranty_seconds_remaining = c->warranty_endurance_remaining_ratio = NAN;
    c->inlet_min_c = 0, c->inlet_max_c = 55, c->humidity_min_ratio = NAN, c->humidity_max_ratio = NAN;
    for (uint32_t i = 0; i < 2; i++) {
        slot(w, i)->number = i;
        slot(w, i)->state = EL_SLOT_UP;
        slot(w, i)->stamp[EL_READ_SMART].quality = EL_GOOD;
        slot(w, i)->smart.available_spare = 100;
        slot(w, i)->identify.wctemp_k = 273 + 77, slot(w, i)->identify.cctemp_k = 273 + 85;
        slot(w, i)->temp_mc[0] = el_reading_good(40000, 0);
        snprintf(slot(w, i)->identify.serial, 20, "S%u", i);
    }
    el_snapshot_sensors(w->s)[0] = (struct el_sensor){.kind = EL_SENSOR_FAN, .name = "fan1", .limit_min = INT64_MIN};
    snprintf(el_snapshot_links(w->s)[0].address, 24, "0000:03:00.0");
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    el_snapshot_free(w->s);
    el_alarm_table_free(w->table);
    free(w);
    return 0;
}

static void keep(void *ctx, const struct el_event *e)
{
    struct world *w = ctx;

    assert_true(w->events < EL_ARRAY_SIZE(w->event));
    assert_true(e->card >= -1 && e->slot >= -1);
    w->event[w->events++] = *e;
}

/* Steps of two seconds over `seconds`. */
static void run(struct world *w, double seconds)
{
    for (double t = 0; t < seconds; t += 2) {
        w->s->time_us += 2 * EL_USEC_PER_SEC;
        w->s->realtime_us += 2 * EL_USEC_PER_SEC;
        el_alarm_table_step(w->table, w->s, keep, w);
    }
}

static bool active(struct world *w, enum el_alarm_id id)
{
    struct el_alarm a[32];
    uint32_t n = el_alarm_table_active(w->table, a, 32);

    for (uint32_t i = 0; i < n; i++)
        if (a[i].id == id)
            return true;
    return false;
}

static void all_well(void **state)
{
    struct world *w = *state;
    struct el_alarm a;

    run(w, 100);
    assert_int_equal(el_alarm_table_active(w->table, &a, 1), 0);
    assert_int_equal(w->events, 0);
    for (int id = 1; id < EL_ALARM_COUNT; id++) { /* each alarm has its words */
        assert_non_null(el_alarm_kind(id));
        assert_non_null(el_alarm_kind(id)->title);
    }
    assert_null(el_alarm_kind(0));
    assert_null(el_alarm_kind(EL_ALARM_COUNT));
}

static void temperature_raises_and_clears_with_hysteresis(void **state)
{
    struct world *w = *state;

    slot(w, 1)->temp_mc[0].value = 78000;
    run(w, 8);
    assert_false(active(w, EL_ALARM_DRIVE_TEMPERATURE)); /* not long enough */
    run(w, 4);
    assert_true(active(w, EL_ALARM_DRIVE_TEMPERATURE));
    assert_int_equal(w->events, 1);
    assert_int_equal(w->event[0].slot, 1);
    assert_true(w->event[0].raised);
    assert_string_equal(w->event[0].text, "drive hot: 78 C, limit 77 C");
    slot(w, 1)->temp_mc[0].value = 76000; /* below the limit, inside the hysteresis */
    run(w, 100);
    assert_true(active(w, EL_ALARM_DRIVE_TEMPERATURE));
    slot(w, 1)->temp_mc[0].value = 74000;
    run(w, 28);
    assert_true(active(w, EL_ALARM_DRIVE_TEMPERATURE));
    run(w, 4);
    assert_false(active(w, EL_ALARM_DRIVE_TEMPERATURE));
    assert_int_equal(w->events, 2);
    assert_false(w->event[1].raised);
}

static void flapping_is_one_alarm(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < 20; i++) {
        slot(w, 0)->temp_mc[0].value = 78000;
        run(w, 12);
        slot(w, 0)->temp_mc[0].value = 60000;
        run(w, 12);
    }
    assert_int_equal(w->events, 1);
}

static void one_odd_sample_is_none(void **state)
{
    struct world *w = *state;

    slot(w, 0)->temp_mc[0].value = 90000;
    run(w, 2);
    slot(w, 0)->temp_mc[0].value = 40000;
    run(w, 60);
    assert_int_equal(w->events, 0);
}

static void silence_holds_and_loss_ends(void **state)
{
    struct world *w = *state;

    slot(w, 1)->temp_mc[0].value = 90000;
    run(w, 20);
    assert_true(active(w, EL_ALARM_DRIVE_TEMPERATURE_CRITICAL));
    slot(w, 1)->state = EL_SLOT_FAILED;
    snprintf(slot(w, 1)->reason, 20, "no answer");
    run(w, 200);
    assert_true(active(w, EL_ALARM_DRIVE_TEMPERATURE_CRITICAL)); /* nobody can tell */
    assert_true(active(w, EL_ALARM_DRIVE_LOST));
    slot(w, 1)->state = EL_SLOT_GONE;
    run(w, 2);
    assert_false(active(w, EL_ALARM_DRIVE_TEMPERATURE_CRITICAL));
    assert_true(active(w, EL_ALARM_DRIVE_LOST));
    for (uint32_t i = 0; i < w->events; i++) { /* the end of an alarm names the slot that its beginning named */
        assert_int_equal(w->event[i].card, 0);
        assert_int_equal(w->event[i].slot, 1);
    }
    assert_false(w->event[w->events - 1].raised);
}

static void replaced_drive_starts_anew(void **state)
{
    struct world *w = *state;

    slot(w, 0)->smart.media_errors = 5;
    run(w, 2);
    slot(w, 0)->smart.media_errors = 9;
    run(w, 2);
    assert_true(active(w, EL_ALARM_MEDIA_ERRORS));
    snprintf(slot(w, 0)->identify.serial, 20, "NEW");
    slot(w, 0)->smart.media_errors = 70; /* the new drive's own past */
    slot(w, 0)->replaced = 1;
    run(w, 4);
    assert_false(active(w, EL_ALARM_MEDIA_ERRORS));
    assert_int_equal(w->events, 3);
    assert_int_equal(w->event[1].kind, EL_ALARM_DRIVE_REPLACED);
    assert_string_equal(w->event[1].text, "drive S0 replaced by NEW");
    assert_false(w->event[2].raised);
}

static void counter_reset_is_no_growth(void **state)
{
    struct world *w = *state;

    slot(w, 0)->smart.media_errors = (el_u128)1 << 40;
    run(w, 4);
    slot(w, 0)->smart.media_errors = 0; /* firmware in failure mode */
    run(w, 4);
    assert_int_equal(w->events, 0);
    slot(w, 0)->smart.media_errors = 1;
    run(w, 2);
    assert_true(active(w, EL_ALARM_MEDIA_ERRORS));
    run(w, 3700);
    assert_false(active(w, EL_ALARM_MEDIA_ERRORS));
}

static void health_bits(void **state)
{
    struct world *w = *state;

    slot(w, 0)->smart.critical_warning = 0x1c;
    slot(w, 1)->smart.available_spare = 0; /* no bit set, yet below the threshold */
    slot(w, 1)->smart.available_spare_threshold = 10;
    slot(w, 1)->smart.percentage_used = 255;
    run(w, 2);
    assert_true(active(w, EL_ALARM_RELIABILITY));
    assert_true(active(w, EL_ALARM_READ_ONLY));
    assert_true(active(w, EL_ALARM_PLP_FAILING));
    assert_true(active(w, EL_ALARM_SPARE));
    assert_true(active(w, EL_ALARM_ENDURANCE));
}

static void drives_that_do_not_say(void **state)
{
    struct world *w = *state;

    slot(w, 0)->identify.wctemp_k = slot(w, 0)->identify.cctemp_k = 65535; /* no limit at all */
    slot(w, 0)->temp_mc[0].value = 120000;
    slot(w, 1)->temp_mc[0] = (struct el_reading){.quality = EL_ABSENT};
    run(w, 60);
    assert_int_equal(w->events, 0);
    slot(w, 0)->smart.critical_warning = 2;
    run(w, 20);
    assert_true(active(w, EL_ALARM_DRIVE_TEMPERATURE)); /* its own word counts */
}

static void card_conditions(void **state)
{
    struct world *w = *state;
    struct el_card *c = el_snapshot_cards(w->s);

    c->governed = true;
    c->inlet_mc = el_reading_good(56000, 0);
    c->failsafe = EL_FAILSAFE_FLOOR, c->failsafe_reason = EL_CONSTRAINT_STARTUP;
    run(w, 2);
    assert_int_equal(w->events, 0); /* starting up is no alarm */
    c->failsafe_reason = EL_CONSTRAINT_STALE_SENSOR;
    run(w, 2);
    assert_true(active(w, EL_ALARM_FAILSAFE));
    run(w, 60);
    assert_true(active(w, EL_ALARM_INLET_OUT_OF_RANGE));
    c->inlet_mc.origin = EL_ASSUMED; /* an assumption is no reading: nobody can tell */
    run(w, 300);
    assert_true(active(w, EL_ALARM_INLET_OUT_OF_RANGE));
    c->inlet_mc = el_reading_good(30000, 0);
    run(w, 130);
    assert_false(active(w, EL_ALARM_INLET_OUT_OF_RANGE));
    w->s->daemon.config_ok = false;
    run(w, 2);
    assert_true(active(w, EL_ALARM_CONFIG_RELOAD_FAILED));
}

static void links_and_fans(void **state)
{
    struct world *w = *state;
    struct el_link *l = el_snapshot_links(w->s);
    struct el_sensor *fan = el_snapshot_sensors(w->s);

    l->degraded = true;
    fan->value = el_reading_good(0, 0); /* a fan may rest */
    run(w, 40);
    assert_int_equal(w->events, 0); /* unknown speed is not degraded */
    l->known = true;
    fan->fault = true;
    run(w, 20);
    assert_true(active(w, EL_ALARM_LINK_DEGRADED));
    assert_true(active(w, EL_ALARM_FAN_FAILED));
}

static uint32_t raised(const struct world *w)
{
    struct el_alarm a[8];

    return el_alarm_table_active(w->table, a, 8);
}

/* Both ends of a slow link see it: one alarm, the lower end's, which knows its slot. A port whose lower end cannot be
 * read speaks itself. */
static void one_alarm_a_link(void **state)
{
    struct world *w = *state;
    struct el_link *port = el_snapshot_links(w->s), *drive = port + 1;
    struct el_alarm a;

    *drive = (struct el_link){.role = EL_LINK_DRIVE, .slot = 1, .address = "0000:04:00.0", .parent = "0000:03:00.0"};
    port->role = EL_LINK_DOWNSTREAM;
    port->slot = 1;
    port->known = port->degraded = drive->known = drive->degraded = true;
    run(w, 20);
    assert_int_equal(raised(w), 1);
    el_alarm_table_active(w->table, &a, 1);
    assert_int_equal(a.index, 1);
    assert_int_equal(a.slot, 1);
    assert_int_equal(w->events, 1);
    drive->known = drive->degraded = false;
    run(w, 60);
    assert_int_equal(raised(w), 1);
    el_alarm_table_active(w->table, &a, 1);
    assert_int_equal(a.index, 0);
    port->degraded = false;
    run(w, 60);
    assert_int_equal(raised(w), 0);
}

/* What is shown is what is so now: a drive that was slow to answer is found dead. */
static void text_follows(void **state)
{
    struct world *w = *state;
    struct el_alarm a;

    slot(w, 1)->state = EL_SLOT_STALE;
    run(w, 2);
    slot(w, 1)->state = EL_SLOT_FAILED;
    run(w, 2);
    el_alarm_table_active(w->table, &a, 1);
    assert_string_equal(a.text, "drive failed");
    assert_int_equal(w->events, 1);
}

/* A card is plugged in before ours: rows move, alarms stay; then ours goes: they end without pointing at another row.
 */
static void rows_may_move(void **state)
{
    struct world *w = *state;
    const struct el_snapshot_counts none = {0}, two = {.cards = 2, .slots = 4};
    struct el_snapshot *old = w->s, *moved = el_snapshot_new(&two);
    struct el_alarm a;

    slot(w, 1)->smart.critical_warning = 4;
    run(w, 2);
    assert_int_equal(el_alarm_table_active(w->table, &a, 1), 1);
    assert_int_equal(a.slot, 1);
    moved->time_us = old->time_us;
    moved->daemon = old->daemon;
    el_snapshot_cards(moved)[1] = *el_snapshot_cards(old);
    el_snapshot_cards(moved)[0] = *el_snapshot_cards(old);
    el_snapshot_cards(moved)[0].number = 1;
    for (uint32_t i = 0; i < 2; i++) {
        el_snapshot_slots(moved)[i].number = i;
        el_snapshot_slots(moved)[2 + i] = *slot(w, i);
        el_snapshot_slots(moved)[2 + i].card = 1;
    }
    w->s = moved;
    run(w, 2);
    assert_int_equal(el_alarm_table_active(w->table, &a, 1), 1);
    assert_int_equal(a.card, 1);
    assert_int_equal(a.slot, 3);
    w->s = el_snapshot_new(&none);
    w->s->daemon.config_ok = true;
    w->s->time_us = moved->time_us;
    run(w, 2);
    assert_int_equal(el_alarm_table_active(w->table, &a, 1), 0);
    assert_int_equal(w->events, 2);
    assert_int_equal(w->event[1].slot, -1);
    el_snapshot_free(old);
    el_snapshot_free(moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(all_well),
        T(temperature_raises_and_clears_with_hysteresis),
        T(flapping_is_one_alarm),
        T(one_odd_sample_is_none),
        T(silence_holds_and_loss_ends),
        T(replaced_drive_starts_anew),
        T(counter_reset_is_no_growth),
        T(health_bits),
        T(drives_that_do_not_say),
        T(card_conditions),
        T(links_and_fans),
        T(one_alarm_a_link),
        T(text_follows),
        T(rows_may_move),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
