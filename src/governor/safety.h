/* The safety layer: stands between the world and any law, knows nothing of the law's model, and can only lower caps
 * (and raise fans). It screens readings before the law sees them and bounds the caps after. Pure; fixed size. */
#pragma once

#include "governor/governor.h"
#include "governor/screen.h"
#include "governor/work.h"

struct el_safety_slot {
    struct el_screen composite, sensor[8];
    struct el_still still;    /* of the composite */
    enum el_constraint doubt; /* why the composite is not trusted; NONE = it is */
    int64_t doubt_us;         /* since when */
    int64_t shown_us;         /* the drive has been here since */
    double trusted_c, slow_c; /* last trusted value, and its mean of late */
    int64_t trusted_us;
    double hold; /* cap when trust was lost */
    bool present;
    enum el_life life;
    struct el_work work;
    double seen_c, peak_w; /* its reading, NAN if doubted, and host watts, of late at most: of the step before; ... */
    double step_c, step_w; /* ... how far they have moved since; */
    double others_c, others_w; /* and how far those of the others have, in the mean, since ever */
    int64_t obeyed_us;         /* kept to its cap last */
    bool disobeys;
};

struct el_safety {
    struct el_screen inlet, sw;
    struct el_screen_pace pace; /* of the step under way, ... */
    struct el_screen_load load; /* ... what all drives share in it, ... */
    double slow;                /* ... and what it counts in slow means */
    int64_t start_us, last_us;
    bool inlet_reported;
    double debt, pay; /* what the neighbours of a drive that cannot be capped give of their caps, slowly and now */
    double paid_s;    /* since that was changed */
    int64_t fan_turned_us[8]; /* last time the fan answered to being driven */
    bool fan_failed;
    struct el_safety_slot slot[]; /* one per slot of the card */
};

/* Marks every reading of `clean` that cannot be believed: first those of the card, then those of each slot. `last` is
 * what was asked for in the step before. */
void el_safety_begin(struct el_safety *s, const struct el_governor_card *card, const struct el_decision *last,
                     struct el_governor_input *clean);
void el_safety_screen(struct el_safety *s, const struct el_governor_card *card, uint32_t slot,
                      const struct el_decision *last, struct el_governor_input *clean);
/* Lowers the caps of `d` to what is safe with the sensors and actuators there are. */
void el_safety_bound(struct el_safety *s, const struct el_governor_card *card, const struct el_governor_input *clean,
                     const struct el_decision *last, struct el_decision *d);
