/* The control loop of each card: gathers readings for its governor, and hands the decision to its rows and to the
 * actuators. Tick thread only. */
#pragma once

#include "base/buf.h"
#include "control/card_hands.h"
#include "control/drive_set.h"
#include "control/profiles.h"
#include "governor/governor.h"

#define EL_CARD_READINGS 5 /* readings of a card row that board sensors fill */

struct el_card_loop {
    int32_t sensor[EL_CARD_READINGS];         /* sensor row of each, -1 = none; they move with the inventory only */
    uint32_t tacho[EL_CARD_FANS_MAX], tachos; /* sensor rows of its fans' speeds */
    struct el_governor *governor;             /* NULL: observing, or out of memory */
    bool stale_facts;                         /* a drive was identified: tell the governor */
    int64_t again_us; /* when to tell the governor again, as not everything could be told; 0 = all was */
    enum el_failsafe failsafe_was;
    struct el_actuate_item *fan[EL_CARD_FANS_MAX];
};

struct el_cards {
    struct el_device dev;
    const struct el_settings *settings;
    struct el_profiles *profiles;
    struct el_actuate *hands;
    struct el_card_loop *loop; /* one per card row */
    uint32_t n;
    bool acting, assert_all;     /* assert_all: acting has just begun, whatever is wanted is written */
    char *learnt;                /* of an earlier run, for governors made later; owned */
    struct el_governor_input in; /* scratch, too large for a stack */
    struct el_governor_card facts;
    struct el_decision decision;
};

/* 0 or -ENOMEM. */
int el_cards_remap(struct el_cards *c, const struct el_world *w, const struct el_remap *r);
void el_cards_free(struct el_cards *c);

/* The settings changed: every governor is told. */
void el_cards_reconfigure(struct el_cards *c);

/* After a discovery: writes to a drive that must identify itself again wait until it has. */
void el_cards_doubt(struct el_cards *c, struct el_drive_set *d);

/* The drive in this slot row has answered: its governor is told while others are still waited for. `now_us`: the
 * round's, as for el_cards_step. */
void el_cards_observe(struct el_cards *c, struct el_world *w, const struct el_drive_set *d, uint32_t row,
                      int64_t now_us);

/* One step of every card. `paused`: decide, but move nothing. */
void el_cards_step(struct el_cards *c, struct el_world *w, struct el_drive_set *d, bool paused, int64_t now_us);

/* Asks once a minute which actuators each drive can use. It takes longer than a round's writes, so call it after them.
 */
void el_cards_ask(struct el_cards *c, struct el_world *w, struct el_drive_set *d, int64_t now_us);

/* What changes slowly, to be called after links were read (every few seconds): what is expected of them, and warranty
 * figures. */
void el_cards_refresh(struct el_cards *c, struct el_world *w);

/* Appends what all governors have learnt, as text. */
void el_cards_save(const struct el_cards *c, struct el_buf *out);
