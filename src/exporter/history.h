/* The last hour of each slot and card, for the small plots of the status page. Bounded: 240 samples a track, 15 s
 * apart, and at most EL_HISTORY_TRACKS tracks, about 1 MB when full. Not thread-safe. */
#pragma once

#include "exporter/source.h"

#define EL_HISTORY_SAMPLES 240
#define EL_HISTORY_STEP_US (15 * 1000000LL)
#define EL_HISTORY_TRACKS  1024
#define EL_HISTORY_ABSENT  INT16_MIN

struct el_history_sample {
    int16_t temp_dc;      /* 0.1 C; of a card: power, 0.1 W; EL_HISTORY_ABSENT = not known then */
    int16_t cap_permille; /* I/O cap; 1000 = none; EL_HISTORY_ABSENT = not known then */
};

struct el_history;

struct el_history *el_history_new(void);                  /* NULL: out of memory */
struct el_history *el_history_free(struct el_history *h); /* takes NULL, returns NULL */

/* True when it is time for el_history_take. */
bool el_history_due(const struct el_history *h, int64_t now_us);

/* One sample of everything; steps that were missed become absent ones. */
void el_history_take(struct el_history *h, const struct el_snapshot *s, enum el_source_state state, int64_t now_us);

/* The samples of a slot (or of the card itself: slot -1), oldest first, into `out`; false: nothing is known. */
bool el_history_get(const struct el_history *h, const char *card, int slot,
                    struct el_history_sample out[EL_HISTORY_SAMPLES]);
