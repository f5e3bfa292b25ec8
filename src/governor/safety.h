/* The safety layer: stands between the world and any law, knows nothing of the law's model, and can only lower. It screens
 * readings before the law sees them and bounds the caps after. Each rule has its own unit test. Pure; fixed size. */
#pragma once

#include "governor/governor.h"

struct el_screen { /* of one temperature reading */
    int64_t accepted_mc, accepted_us; /* last value believed, and when it was taken */
    int64_t pending_mc, pending_us, pending_since_us; /* a jump that waits for its second vote */
    uint32_t votes;
    bool ever;
};

struct el_stuck { /* power given since a reading last moved */
    int64_t value_mc, since_us;
    double low_w, high_w, slow_w, inlet_low_c, inlet_high_c;
    double cap_then; /* cap when it last moved */
    bool suspect, stuck;
};

struct el_safety_slot {
    struct el_screen composite, sensor[8];
    struct el_stuck stuck;
    int64_t bad_since_us;      /* 0 = the composite is trusted */
    int64_t mismatch_since_us; /* 0 = the cap read back is the cap asked for */
    int64_t last_us;
    uint64_t last_bytes[2], last_ops[2];
    double host_w;             /* host I/O at declared prices, last step */
    double hold;               /* cap when trust was lost */
    bool pays, io_ever;
};

struct el_safety {
    struct el_safety_slot slot[EL_CARD_SLOTS_MAX];
    struct el_screen inlet;
    int64_t start_us, last_us, inlet_bad_since_us;
    bool started, ready; /* every required sensor has reported once */
};

/* `clean` is `in` with every reading that cannot be believed marked so. */
void el_safety_screen(struct el_safety *s, const struct el_governor_card *card, const struct el_governor_input *in,
                      struct el_governor_input *clean);
/* Lowers the caps of `d` to what is safe to allow with the sensors and actuators there are; `previous` is what is in force. */
void el_safety_bound(struct el_safety *s, const struct el_governor_card *card, const struct el_governor_input *clean,
                     const struct el_decision *previous, struct el_decision *d);

/* One reading through plausibility and the two-sample vote: true when `r` may be believed. */
bool el_screen_accept(struct el_screen *s, const struct el_reading *r, double floor_c);
