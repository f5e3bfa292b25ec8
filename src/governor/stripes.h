/* Drives of one array move together. Pure. */
#pragma once

#include "governor/observer.h"
#include "governor/pace.h"

/* The first member of the stripe that drive i belongs to; i itself when it belongs to none. */
uint32_t el_stripe_leader(const struct el_governor_card *card, uint32_t i);
/* Members of a stripe go at the pace of the slowest: what the others could do more would only be heat. Pace is bytes:
 * where declared prices differ, the same pace is different watts. */
void el_stripes_join(const struct el_governor_card *card, const struct el_observer *o, struct el_pace_wish *w);
/* `p` of drive i takes the cap of its leader, in its own watts, when that one has moved. */
void el_stripe_follow(const struct el_observer *o, const struct el_pace *first, uint32_t leader, struct el_pace *p,
                      uint32_t i);
