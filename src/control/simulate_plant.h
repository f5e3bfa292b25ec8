/* A governor against somebody else's plant. The governor sees what the plant answers and nothing else; figures come
 * from the same answers, so those that need a truth or an oracle are NAN. */
#pragma once

#include "control/simulate.h"

/* What it came to: how long it ran, and the lowest limit of a drive and that of the card that held. */
struct el_simulate_plant_run {
    double hours, limit_c, card_watts;
};

/* `o` gives card, drives, law, limits where the plant states none, hours where it states no duration, and the watch. A
 * step is `step_s` long. 0 or -errno with the reason in `why`. The caller ignores SIGPIPE. */
int el_simulate_plant(const struct el_simulate_options *o, const char *command, double step_s,
                      struct el_simulate_result *out, struct el_simulate_plant_run *ran, char *why, size_t why_size);
