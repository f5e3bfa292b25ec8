/* What a drive does for its host, in watts at declared prices, and whether its I/O counters can be believed. Pure;
 * fixed size. */
#pragma once

#include "governor/governor.h"

struct el_work {
    uint64_t count[4];
    int64_t count_us; /* when that was read; 0 = not yet */
    int64_t lied_us;  /* the counters did what no drive can; 0 = never */
    double host_w;    /* over the last step that was believed */
};

/* One step. False: they are absent or cannot be believed, and `host_w` is what was believed last. */
bool el_work_step(struct el_work *w, const struct el_governor_slot *card, const struct el_governor_slot_input *in,
                  int64_t now_us);
