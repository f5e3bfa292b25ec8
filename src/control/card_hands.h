/* What moves a card: the kinds of actuators that the settings allow, its drives and its fans. */
#pragma once

#include "control/actuate.h"
#include "control/world.h"
#include "model/settings.h"

#define EL_CARD_FANS_MAX 8

uint32_t el_card_kinds(const struct el_settings *s); /* a bit each, for el_actuate_set_acting */

/* Rows of the fan duties that are mapped to this card, or to none and so to all; returns how many. */
uint32_t el_card_fans(const struct el_world *w, uint32_t card, uint32_t row[EL_CARD_FANS_MAX]);
void el_card_drive_target(const struct el_world *w, uint32_t row, struct el_actuate_target *t);
void el_card_fan_target(const struct el_sensor *s, struct el_actuate_target *t);

/* What an earlier run drove, perhaps before a reboot, whether this one will or not. 0 or -ENOMEM. */
int el_card_fans_take_up(struct el_actuate *a, const struct el_world *w);

/* Near the limit that is held, or not known: no time to let go of a cap. */
bool el_card_is_hot(const struct el_slot *slot, const struct el_settings *s);
