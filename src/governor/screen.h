/* Whether a temperature reading can be believed: range, the two-sample vote, impossible falls, age, and a sensor that
 * does not move when the power does. Knows no model. Pure; fixed size. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/reading.h"

/* What moves a reading; NAN = not known. */
struct el_screen_load {
    double host_w, inlet_c;
    double limit_c;            /* of this drive */
    double card_host_w;        /* host watts of all drives of the card, ... */
    double card_rest_w;        /* ... and what the card draws beside them */
    uint32_t drives;           /* on the card */
    bool air_failing;          /* what others tell of heat counts only then: else it may be work of their own */
    double peak_w;             /* host watts, of late at most: what warms comes at once and goes slowly */
    double others_c, others_w; /* how far the other drives' readings and peaks have moved in the mean, since ever */
};

struct el_screen {
    int64_t accepted_mc, accepted_us; /* last value believed, as read, and when it was taken */
    int64_t pending_mc, pending_us;   /* a jump that waits for its second vote */
    uint32_t votes;
    bool ever;
    double shift_c;  /* fell faster than anything cools: it is taken to read this much too low */
    double credit_c; /* jumped up before: a fall of as much is a return, not a lie */
    int64_t shift_us;
    bool stuck; /* until it moves */
};

/* Moves and power, for the stuck test. */
struct el_still {
    bool begun;
    int64_t first_us, moved_mc, moved_us, away_us;
    double moved_w, usual_s;           /* the longest it stood still of late, and was alive; */
    double longer;                     /* how much longer it stands still now */
    struct el_screen_load slow, since; /* smoothed; and as it was when it moved, ... */
    struct el_screen_load least, most; /* ... and at the extremes of host power since then */
    double evidence_c_s, sure_c_s; /* how far and how long it should have moved and did not: by a trial, and without */
    struct el_screen_load tried;   /* as it was when the trial began, ... */
    double tried_s, proof_s;       /* ... how long ago, and how long the cut should have shown */
    double tried_w;                /* host watts allowed in a trial */
};

enum el_belief { EL_BELIEVE = 0, EL_DOUBT_ABSENT, EL_DOUBT_IMPLAUSIBLE, EL_DOUBT_STALE, EL_DOUBT_STUCK };

/* One reading at `now_us`; `least_c` is the coldest it can be. Believed: `r->value` is what to go by. Doubted:
 * `r->quality` says so. */
enum el_belief el_screen_step(struct el_screen *s, struct el_reading *r, int64_t now_us, double least_c,
                              double max_age_s);

/* A step, and what it counts in the slow means of power and air. */
struct el_screen_pace {
    double dt_s, power, air;
};
struct el_screen_pace el_screen_pace(double dt_s);

/* It should have moved by now: no more power on its word (suspect), less for a while, so that it has to move (tried).
 */
enum el_life { EL_LIFE_ALIVE = 0, EL_LIFE_SUSPECT, EL_LIFE_TRIED, EL_LIFE_STUCK };
/* The stuck test of a drive's composite, once per step after el_screen_step: what should move it against a reading that
 * stays the same. `t` begins zeroed; in a trial `t->tried_w` is what the drive may do. */
enum el_life el_screen_stuck(struct el_screen *s, struct el_still *t, int64_t now_us, const struct el_screen_load *load,
                             const struct el_screen_pace *pace);
