/* Hands what was decided for a card to its actuators. Waits for nothing: el_actuate_go sends it off. Tick thread only.
 */
#pragma once

#include "control/cards.h"

/* The decision in the drive's slot row; `g` has its prices and abilities. */
void el_cards_act_drive(struct el_cards *c, const struct el_world *w, struct el_drive *d, uint32_t row,
                        const struct el_governor_slot *g);

/* What c->decision wants of the card's fans. */
void el_cards_act_fans(struct el_cards *c, const struct el_world *w, uint32_t card);
