/* A governor against somebody else's plant. The governor sees what the plant answers and nothing else; figures come
 * from the same answers, so those that need a truth or an oracle are NAN. */
#pragma once

#include "control/simulate.h"

/* `o` gives card, drives, law, limits where the plant states none, hours where it states no duration, and the watch. 0
 * or -errno with the reason in `why`. `hours` gets how long it ran. The caller ignores SIGPIPE. */
int el_simulate_plant(const struct el_simulate_options *o, const char *command, struct el_simulate_result *out,
                      double *hours, char *why, size_t why_size);
