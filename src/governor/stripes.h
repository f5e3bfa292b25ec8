/* Drives of one array move together. Pure. */
#pragma once

#include "governor/governor.h"
#include "governor/pace.h"

/* The first member of the stripe that drive i belongs to; i itself when it belongs to none. */
uint32_t el_stripe_leader(const struct el_governor_card *card, uint32_t i);
/* Members of a stripe go at the pace of the slowest: what the others could do more would only be heat. */
void el_stripes_join(const struct el_governor_card *card, struct el_pace_wish *w);
