#include "control/world.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "model/fill.h"

#define EVENT_ROOM_MIN 16
#define ALARM_ROOM_MIN 8

static void trim(struct el_world *w)
{
    struct el_snapshot *s = w->s;

    s->size = ((uint64_t)s->alarms.offset + s->alarms.count * sizeof(struct el_alarm) + 15) & ~(uint64_t)15;
}

/* A block with this much room, its header and unchanged tables taken over from the old one. */
static struct el_snapshot *block_new(const struct el_world *w, const struct el_snapshot_counts *room)
{
    struct el_snapshot *s = el_snapshot_new(room), *old = w->s;

    if (!s)
        return NULL;
    if (old) {
        s->seq = old->seq;
        s->time_us = old->time_us;
        s->realtime_us = old->realtime_us;
        s->period_ms = old->period_ms;
        memcpy(s->boot_id, old->boot_id, sizeof s->boot_id);
        s->event_next = old->event_next;
        s->daemon = old->daemon;
        s->events.count = EL_MIN(old->events.count, room->events);
        memcpy(el_snapshot_events(s), el_snapshot_events(old), s->events.count * sizeof(struct el_event));
        s->alarms.count = EL_MIN(old->alarms.count, room->alarms);
        memcpy(el_snapshot_alarms(s), el_snapshot_alarms(old), s->alarms.count * sizeof(struct el_alarm));
    } else {
        s->event_next = 1;
        s->events.count = s->alarms.count = 0;
    }
    return s;
}

static void block_take(struct el_world *w, struct el_snapshot *s, const struct el_snapshot_counts *room)
{
    el_snapshot_free(w->s);
    w->s = s;
    w->event_room = room->events;
    w->alarm_room = room->alarms;
    trim(w);
}

static struct el_snapshot_counts room_of(const struct el_world *w)
{
    return (struct el_snapshot_counts){.cards = w->s->cards.count,
                                       .slots = w->s->slots.count,
                                       .namespaces = w->s->namespaces.count,
                                       .links = w->s->links.count,
                                       .sensors = w->s->sensors.count,
                                       .events = w->event_room,
                                       .alarms = w->alarm_room};
}

/* Only events or alarms need more room: all rows are copied as they are. */
static int grow(struct el_world *w, uint32_t events, uint32_t alarms)
{
    struct el_snapshot_counts room = room_of(w);
    struct el_snapshot *s, *old = w->s;

    room.events = events;
    room.alarms = alarms;
    s = block_new(w, &room);
    if (!s)
        return -ENOMEM;
    memcpy(el_snapshot_cards(s), el_snapshot_cards(old), s->events.offset - s->cards.offset); /* up to the events */
    block_take(w, s, &room);
    return 0;
}

int el_world_init(struct el_world *w)
{
    const struct el_snapshot_counts room = {.events = EVENT_ROOM_MIN, .alarms = ALARM_ROOM_MIN};
    struct el_snapshot *s;

    memset(w, 0, sizeof *w);
    s = block_new(w, &room);
    if (!s)
        return -ENOMEM;
    block_take(w, s, &room);
    return 0;
}

void el_world_free(struct el_world *w)
{
    w->s = el_snapshot_free(w->s);
}

void el_remap_free(struct el_remap *r)
{
    free(r->card);
    free(r->slot);
    *r = (struct el_remap){0};
}

/* What a backend says of a card's place; what was read or decided stays. */
static void take_card(struct el_card *c, const struct el_card *inv)
{
    memcpy(c->name, inv->name, sizeof c->name);
    if (inv->profile[0]) /* else what the settings said stays */
        memcpy(c->profile, inv->profile, sizeof c->profile);
    memcpy(c->title, inv->title, sizeof c->title);
    memcpy(c->address, inv->address, sizeof c->address);
    memcpy(c->serial, inv->serial, sizeof c->serial);
    c->number = inv->number;
    c->has_switch = inv->has_switch;
}

static void new_card(struct el_card *c, const struct el_card *inv)
{
    *c = *inv;
    c->card_limit_w = c->switch_limit_c = c->inlet_min_c = c->inlet_max_c = c->airflow_min_lfm = NAN;
    c->humidity_min_ratio = c->humidity_max_ratio = NAN;
    c->warranty_seconds_remaining = c->warranty_endurance_remaining_ratio = NAN;
    c->power_estimate_w = c->sink_resistance_c_per_w = c->unknown_heat_w = c->airflow_estimate_lfm = NAN;
    c->airflow_wish_lfm = c->switch_headroom_c = c->fan_pwm_ratio = NAN;
}

/* A slot known before, as the backend sees it now. 1: a drive came, -1: it went, 0: neither. */
static int take_slot(struct el_slot *s, const struct el_slot *inv)
{
    bool was = el_slot_pollable(s), is = el_slot_pollable(inv);

    s->key = inv->key;
    memcpy(s->controller, inv->controller, sizeof s->controller);
    memcpy(s->address, inv->address, sizeof s->address);
    memcpy(s->label, inv->label, sizeof s->label);
    memcpy(s->transport, inv->transport, sizeof s->transport);
    memcpy(s->ctrl_state, inv->ctrl_state, sizeof s->ctrl_state);
    memcpy(s->driver, inv->driver, sizeof s->driver);
    memcpy(s->array, inv->array, sizeof s->array);
    s->array_level = inv->array_level;
    if (inv->profile[0])
        memcpy(s->profile, inv->profile, sizeof s->profile);
    s->numa_node = inv->numa_node;
    if (is && was && inv->state != EL_SLOT_FAILED && s->state != EL_SLOT_FAILED)
        return 0; /* its polls say whether it is up */
    memcpy(s->reason, inv->reason, sizeof s->reason);
    if (is) {
        s->state = inv->state == EL_SLOT_FAILED ? EL_SLOT_FAILED : EL_SLOT_STALE;
        return !was;
    }
    if (was)
        el_fill_forget(s);
    s->state = inv->state == EL_SLOT_EMPTY && (was || s->last_serial[0]) ? EL_SLOT_GONE : inv->state;
    if (!was)
        return 0;
    if (s->state == EL_SLOT_GONE)
        el_text_copy(s->reason, sizeof s->reason, "removed");
    return -1;
}

static void new_slot(struct el_slot *s, const struct el_slot *inv)
{
    struct el_decision nothing;

    el_decision_clear(&nothing, 1);
    *s = *inv;
    s->decision = nothing.slot[0];
    s->action.cap_ratio_in_force = NAN;
    s->action.power_state_in_force = -1;
    s->wear_days_remaining = s->wear_days_low = s->wear_days_high = s->write_rate_1d = s->write_rate_30d = NAN;
    if (s->state == EL_SLOT_UP)
        s->state = EL_SLOT_STALE; /* until it has answered */
    if (s->state == EL_SLOT_STALE && !s->reason[0])
        el_text_copy(s->reason, sizeof s->reason, "not read yet");
}

/* Rows as they were stay where they are; new cards follow. */
static void plan_cards(struct el_remap *r, const struct el_world *w, const struct el_inventory *inv)
{
    const struct el_card *old = el_snapshot_cards(w->s);
    uint32_t known = w->s->cards.count;

    for (; r->cards < known; r->cards++)
        r->card[r->cards] = (struct el_remap_card){.old = (int32_t)r->cards, .inv = -1};
    for (uint32_t i = 0; i < inv->n.cards; i++) {
        uint32_t c = 0;

        while (c < known && old[c].number != inv->cards[i].number)
            c++;
        if (c == known)
            r->card[c = r->cards++].old = -1;
        r->card[c].inv = (int32_t)i;
    }
}

/* Slots of one card: both sides in order of slot number, merged. */
static void plan_slots(struct el_remap *r, const struct el_world *w, const struct el_inventory *inv, uint32_t card)
{
    const struct el_card *oc = r->card[card].old < 0 ? NULL : &el_snapshot_cards(w->s)[r->card[card].old];
    const struct el_card *ic = r->card[card].inv < 0 ? NULL : &inv->cards[r->card[card].inv];
    const struct el_slot *os = oc ? &el_snapshot_slots(w->s)[oc->first_slot] : NULL,
                         *is = ic ? &inv->slots[ic->first_slot] : NULL;
    uint32_t o = 0, i = 0, on = oc ? oc->slots : 0, in = ic ? ic->slots : 0;

    while (o < on || i < in) {
        bool take_old = o < on && (i >= in || os[o].number <= is[i].number);
        bool take_inv = i < in && (o >= on || is[i].number <= os[o].number);

        r->slot[r->slots++] = (struct el_remap_slot){.card = card,
                                                     .old = take_old ? (int32_t)(oc->first_slot + o++) : -1,
                                                     .inv = take_inv ? (int32_t)(ic->first_slot + i++) : -1};
    }
}

/* The row in which `from` (an old or an inventory row; one every `stride` bytes) is `what`. */
static int32_t row_of(const int32_t *from, size_t stride, uint32_t n, int32_t what)
{
    for (uint32_t i = 0; what >= 0 && i < n; i++)
        if (from[i * stride / sizeof *from] == what)
            return (int32_t)i;
    return -1;
}

static int32_t slot_of_inv(const struct el_remap *r, int32_t inv)
{
    return row_of(&r->slot->inv, sizeof *r->slot, r->slots, inv);
}

static int32_t slot_of_old(const struct el_remap *r, int32_t old)
{
    return row_of(&r->slot->old, sizeof *r->slot, r->slots, old);
}

static void fill_slots(const struct el_world *w, struct el_snapshot *s, struct el_remap *r,
                       const struct el_inventory *inv)
{
    const struct el_slot empty = {.state = EL_SLOT_EMPTY, .numa_node = -1};
    struct el_slot *slots = el_snapshot_slots(s);
    struct el_card *cards = el_snapshot_cards(s);

    for (uint32_t i = 0; i < r->slots; i++) {
        struct el_remap_slot *m = &r->slot[i];
        struct el_card *c = &cards[m->card];
        const struct el_slot *iv = m->inv < 0 ? &empty : &inv->slots[m->inv];

        if (m->old < 0) {
            new_slot(&slots[i], iv);
        } else {
            slots[i] = el_snapshot_slots(w->s)[m->old];
            m->change = take_slot(&slots[i], iv);
        }
        slots[i].card = m->card;
        m->named = m->inv >= 0 && (!inv->named || inv->named[m->inv]);
        if (!c->slots)
            c->first_slot = i;
        c->slots++;
    }
}

static void fill_rest(struct el_snapshot *s, const struct el_remap *r, const struct el_inventory *inv)
{
    struct el_card *cards = el_snapshot_cards(s);
    uint32_t used = 0;

    for (uint32_t i = 0; i < inv->n.namespaces; i++) {
        struct el_namespace *n = &el_snapshot_namespaces(s)[i];

        *n = inv->namespaces[i];
        n->slot = (uint32_t)slot_of_inv(r, (int32_t)n->slot);
    }
    for (uint32_t c = 0; c < r->cards; c++) {
        const struct el_card *ic = r->card[c].inv < 0 ? NULL : &inv->cards[r->card[c].inv];

        cards[c].first_link = used;
        cards[c].links = ic ? ic->links : 0;
        for (uint32_t i = 0; i < cards[c].links; i++) {
            struct el_link *l = &el_snapshot_links(s)[used++];

            *l = inv->links[ic->first_link + i];
            l->card = c;
            l->slot = slot_of_inv(r, l->slot);
        }
    }
    s->links.count = used;
    for (uint32_t i = 0; i < inv->n.sensors; i++) {
        struct el_sensor *n = &el_snapshot_sensors(s)[i];

        *n = inv->sensors[i];
        n->card = row_of(&r->card->inv, sizeof *r->card, r->cards, n->card);
    }
}

static void fill_cards(const struct el_world *w, struct el_snapshot *s, const struct el_remap *r,
                       const struct el_inventory *inv)
{
    for (uint32_t c = 0; c < r->cards; c++) {
        const struct el_remap_card *m = &r->card[c];
        struct el_card *card = &el_snapshot_cards(s)[c];

        if (m->old < 0)
            new_card(card, &inv->cards[m->inv]);
        else
            *card = el_snapshot_cards(w->s)[m->old];
        if (m->old >= 0 && m->inv >= 0)
            take_card(card, &inv->cards[m->inv]);
        card->first_slot = card->slots = 0;
    }
}

static void remap_events(struct el_snapshot *s, const struct el_remap *r)
{
    struct el_event *e = el_snapshot_events(s);
    struct el_alarm *a = el_snapshot_alarms(s);

    for (uint32_t i = 0; i < s->events.count; i++)
        e[i].slot = slot_of_old(r, e[i].slot);
    for (uint32_t i = 0; i < s->alarms.count; i++)
        a[i].slot = slot_of_old(r, a[i].slot);
}

static void say_changes(struct el_world *w, const struct el_remap *r)
{
    for (uint32_t i = 0; i < r->slots; i++) {
        const struct el_slot *s = &el_snapshot_slots(w->s)[i];

        if (r->slot[i].change > 0)
            el_world_say(w, EL_SEVERITY_INFO, (int32_t)s->card, (int32_t)i, "a drive was plugged in");
        else if (r->slot[i].change < 0)
            el_world_say(w, EL_SEVERITY_WARNING, (int32_t)s->card, (int32_t)i, "the drive is gone (serial %s)",
                         s->last_serial[0] ? s->last_serial : "unknown");
    }
}

int el_world_merge(struct el_world *w, const struct el_inventory *inv, struct el_remap *remap)
{
    struct el_remap r = {.card = calloc(w->s->cards.count + inv->n.cards + 1, sizeof *r.card),
                         .slot = calloc(w->s->slots.count + inv->n.slots + 1, sizeof *r.slot)};
    struct el_snapshot_counts room = room_of(w);
    struct el_snapshot *s = NULL;

    if (r.card && r.slot) {
        plan_cards(&r, w, inv);
        for (uint32_t c = 0; c < r.cards; c++)
            plan_slots(&r, w, inv, c);
        room.cards = r.cards;
        room.slots = r.slots;
        room.namespaces = inv->n.namespaces;
        room.links = inv->n.links;
        room.sensors = inv->n.sensors;
        s = block_new(w, &room);
    }
    if (!s) {
        el_remap_free(&r);
        return -ENOMEM;
    }
    fill_cards(w, s, &r, inv);
    fill_slots(w, s, &r, inv);
    fill_rest(s, &r, inv);
    remap_events(s, &r);
    block_take(w, s, &room);
    say_changes(w, &r);
    *remap = r;
    return 0;
}

void el_world_event(struct el_world *w, const struct el_event *e)
{
    struct el_snapshot *s = w->s;

    if (s->events.count == w->event_room && w->event_room < EL_EVENTS_MAX) {
        if (grow(w, EL_MIN(w->event_room * 2, (uint32_t)EL_EVENTS_MAX), w->alarm_room) == 0)
            s = w->s;
    }
    struct el_event *ring = el_snapshot_events(s);
    if (s->events.count == w->event_room) {
        memmove(ring, ring + 1, (s->events.count - 1) * sizeof *ring);
        s->events.count--;
    }
    ring[s->events.count] = *e;
    ring[s->events.count].seq = s->event_next++;
    ring[s->events.count++].realtime_us = s->realtime_us;
}

int el_world_reserve_events(struct el_world *w)
{
    return w->event_room < EL_EVENTS_MAX && w->s->events.count * 2 > w->event_room
               ? grow(w, EL_EVENTS_MAX, w->alarm_room)
               : 0;
}

void el_world_say(struct el_world *w, enum el_severity severity, int32_t card, int32_t slot, const char *fmt, ...)
{
    struct el_event e = {.severity = severity, .card = card, .slot = slot};
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(e.text, sizeof e.text, fmt, ap);
    va_end(ap);
    el_world_event(w, &e);
}

int el_world_alarms(struct el_world *w, const struct el_alarm_table *t)
{
    uint32_t n = el_alarm_table_active(t, el_snapshot_alarms(w->s), w->alarm_room);

    if (n > w->alarm_room) {
        if (grow(w, w->event_room, n + n / 2) < 0)
            return -ENOMEM;
        n = el_alarm_table_active(t, el_snapshot_alarms(w->s), w->alarm_room);
    }
    w->s->alarms.count = EL_MIN(n, w->alarm_room);
    trim(w);
    return 0;
}

/* The first disk of the drive in a slot: two paths to one drive show the same. */
static const char *disk_of(const struct el_snapshot *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->namespaces.count; i++)
        if (el_snapshot_namespaces(s)[i].slot == row)
            return el_snapshot_namespaces(s)[i].block;
    return "";
}

bool el_world_shares_serial(const struct el_world *w, uint32_t row)
{
    const struct el_slot *slots = el_snapshot_slots(w->s), *s = &slots[row];
    const char *disk = disk_of(w->s, row);

    for (uint32_t i = 0; s->identify.serial[0] && i < w->s->slots.count; i++) {
        if (i == row || !el_slot_pollable(&slots[i]) || strcmp(slots[i].identify.serial, s->identify.serial) != 0)
            continue;
        if (i < row || !disk[0] || strcmp(disk_of(w->s, i), disk) != 0)
            return true;
    }
    return false;
}
