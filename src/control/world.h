/* Everything known now. The rows live in the very block that is published: they are updated in place, sealed, and
 * written each tick, so there is never a second copy. Pure data: no clock, no I/O, no thread. One owner, the tick
 * thread. */
#pragma once

#include "base/base.h"
#include "model/alarm.h"
#include "model/device.h"

struct el_world {
    struct el_snapshot *s; /* tables may be shorter than their room: events and alarms */
    uint32_t event_room, alarm_room;
};

/* Where the rows of a merge come from: rows of the world before it and rows of the inventory; -1 = none. */
struct el_remap {
    struct el_remap_card {
        int32_t old, inv;
    } * card;
    struct el_remap_slot {
        int32_t old, inv;
        uint32_t card; /* row */
        int change;    /* 1: a drive came, -1: it went */
        bool named;    /* something of its drive may have changed */
    } * slot;
    uint32_t cards, slots;
};

int el_world_init(struct el_world *w); /* an empty machine; 0 or -ENOMEM */
void el_world_free(struct el_world *w);

/* Takes a new inventory: cards are known by their number, which no two share, slots by card and slot number. What is
 * gone stays visible as EL_SLOT_GONE with its last serial; what is new is there with nothing read yet. Rows in events
 * follow. 0 or -ENOMEM (nothing changed). `inv` stays the caller's. */
int el_world_merge(struct el_world *w, const struct el_inventory *inv, struct el_remap *remap);
void el_remap_free(struct el_remap *r);

/* Adds an event; the oldest goes when there are EL_EVENTS_MAX. Rows: -1 = none. */
void el_world_event(struct el_world *w, const struct el_event *e);
/* Room for a round of events: until the next round no event moves the block. 0 or -ENOMEM. */
int el_world_reserve_events(struct el_world *w);
void el_world_say(struct el_world *w, enum el_severity severity, int32_t card, int32_t slot, const char *fmt, ...)
    EL_PRINTF(5, 6);

/* The alarms that hold now, as the last table of the block. 0 or -ENOMEM. */
int el_world_alarms(struct el_world *w, const struct el_alarm_table *t);

/* Another drive says the serial of the one in this slot, or this slot is a further path to a drive that has a slot
 * already: what is set on it could not be told apart in the journal. Nothing must be set. */
bool el_world_shares_serial(const struct el_world *w, uint32_t row);

/* A drive can be asked: its kernel driver is there, and made a controller of it. */
static inline bool el_slot_pollable(const struct el_slot *s)
{
    return s->controller[0] && s->state != EL_SLOT_EMPTY && s->state != EL_SLOT_GONE && s->state != EL_SLOT_UNBOUND;
}
