#include "control/world.h"
#include "support/unit.h"

/* `count` slots with these numbers on card `card`. */
static struct el_inventory inventory(uint32_t card, const uint32_t *number, uint32_t count)
{
    struct el_inventory inv = {.n = {.cards = 1, .slots = count}};

    inv.cards = calloc(1, sizeof *inv.cards);
    inv.slots = calloc(count, sizeof *inv.slots);
    inv.cards->number = card;
    inv.cards->slots = count;
    for (uint32_t i = 0; i < count; i++) {
        inv.slots[i].number = number[i];
        inv.slots[i].state = EL_SLOT_UP;
        strcpy(inv.slots[i].controller, "nvme0");
    }
    return inv;
}

static void merge(struct el_world *w, struct el_inventory inv, struct el_remap *r)
{
    assert_int_equal(el_world_merge(w, &inv, r), 0);
    el_inventory_free(&inv);
}

static void rows_follow_their_slots(void **state)
{
    static const uint32_t first[] = {0, 2}, second[] = {0, 1, 2}, other[] = {0};
    struct el_remap r = {0};
    struct el_world w;
    const char *why;

    assert_int_equal(el_world_init(&w), 0);
    merge(&w, inventory(0, first, 2), &r);
    el_remap_free(&r);
    strcpy(el_snapshot_slots(w.s)[1].identify.serial, "TWO");
    el_world_say(&w, EL_SEVERITY_INFO, 0, 1, "about slot 2");

    merge(&w, inventory(0, second, 3), &r);
    assert_int_equal(r.slot[0].old, 0);
    assert_int_equal(r.slot[1].old, -1);
    assert_int_equal(r.slot[2].old, 1);
    assert_string_equal(el_snapshot_slots(w.s)[2].identify.serial, "TWO");
    assert_int_equal(el_snapshot_events(w.s)[0].slot, 2);
    el_remap_free(&r);

    /* Another card; the first is gone, and stays in sight. */
    merge(&w, inventory(1, other, 1), &r);
    assert_int_equal(w.s->cards.count, 2);
    assert_int_equal(w.s->slots.count, 4);
    assert_int_equal(el_snapshot_slots(w.s)[2].state, EL_SLOT_GONE);
    assert_string_equal(el_snapshot_slots(w.s)[2].last_serial, "TWO");
    assert_string_equal(el_snapshot_slots(w.s)[2].identify.serial, "");
    assert_int_equal(el_snapshot_cards(w.s)[1].first_slot, 3);
    el_remap_free(&r);

    el_snapshot_seal(w.s);
    assert_non_null(el_snapshot_check(w.s, w.s->size, &why));
    el_world_free(&w);
}

static void events_are_numbered_without_gaps(void **state)
{
    struct el_world w;

    assert_int_equal(el_world_init(&w), 0);
    for (int i = 0; i < EL_EVENTS_MAX + 50; i++)
        el_world_say(&w, EL_SEVERITY_INFO, -1, -1, "event %d", i + 1);
    assert_int_equal(w.s->events.count, EL_EVENTS_MAX);
    for (uint32_t i = 0; i < w.s->events.count; i++) {
        char text[32];

        assert_int_equal(el_snapshot_events(w.s)[i].seq, 51 + i);
        snprintf(text, sizeof text, "event %u", 51 + i);
        assert_string_equal(el_snapshot_events(w.s)[i].text, text);
    }
    assert_int_equal(w.s->event_next, EL_EVENTS_MAX + 51);
    el_world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_their_slots),
        cmocka_unit_test(events_are_numbered_without_gaps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
