/* The control interface: pure laws over plain data. A law gets time and readings as arguments and returns a decision:
 * no clock, no I/O, no log, no allocation after init. One instance per card. Not thread-safe; one thread per instance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/decision.h"
#include "model/reading.h"

enum el_preference { EL_PREFER_PERFORMANCE = 0, EL_PREFER_COOL, EL_PREFER_QUIET };

/* What a law may know beforehand: declared, never the plant's true parameters. Watts, Celsius, joules; NAN = unknown /
 * no limit. */
struct el_governor_slot {
    double limit_c; /* operator's limit on the composite (true) temperature */
    double warning_c, critical_c;
    double sensor_limit_c[8]; /* limits on single sensors; NAN = none */
    double idle_w, full_w;
    double read_j_per_byte, write_j_per_byte, read_j_per_op, write_j_per_op;
    double weight;         /* share under contention, > 0; 1 is normal */
    double floor_ratio;    /* never capped below this; at least 0.05 */
    uint32_t power_states; /* operational states that save power, in falling order; <= 1 means none usable */
    double power_state_w[8];
    uint8_t power_state_id[8];
    bool can_cap, can_power_state;
    int32_t array;   /* index into arrays, -1 = none */
    char serial[61]; /* what was learnt is kept under it; "" = under the slot's number */
};

struct el_governor_card {
    uint32_t slots, arrays;
    enum el_array_level array_level[EL_CARD_SLOTS_MAX];
    double card_limit_w, switch_limit_c, switch_w;
    double inlet_max_c, airflow_min_lfm;
    double margin_c;
    double period_s;              /* nominal time between steps */
    double write_budget_per_hour; /* cap writes per drive per hour it should stay under; 120 by default */
    enum el_preference preference;
    uint32_t fans;    /* fans it may drive; 0 = none */
    double fan_max_w; /* electrical power of all fans at full speed */
    /* thermal start values; learnt from there */
    double sink_r400_c_per_w, sink_r_exponent, sink_c_j_per_k, drive_r_c_per_w, drive_c_j_per_k;
    double airflow_assumed_lfm; /* where no airflow reading exists */
    double inlet_assumed_c;     /* NAN: inlet is a required sensor */
    struct el_governor_slot slot[EL_CARD_SLOTS_MAX];
};

/* What was seen since the last step. Readings carry time and quality. */
struct el_governor_slot_input {
    bool present;              /* a drive is there */
    struct el_reading temp_mc; /* composite */
    struct el_reading sensor_mc[8];
    uint64_t read_bytes, write_bytes, read_ops, write_ops; /* cumulative, of host I/O */
    bool io_valid;
    struct el_reading power_mw; /* measured drive power, seldom there */
    double cap_ratio_in_force;  /* read back; NAN = unknown */
    bool actuator_failed;
};

struct el_governor_input {
    int64_t now_us;
    struct el_governor_slot_input slot[EL_CARD_SLOTS_MAX];
    struct el_reading inlet_mc, airflow_mlfm, card_power_mw, switch_mc, fan_rpm[8]; /* airflow in 0.001 LFM */
};

/* A law. `state` is `state_size` zeroed bytes, and `slot_size` more for each slot of the card, owned by the caller. The
 * card stays where it is for as long; what it says may change between two steps, its slots never grow. A law keeps a
 * cap at its old value when it wants no write: the governor counts any change as one. `constraint` is its word;
 * `since_us`, `write` and `sensor_valid` are the governor's. `begin` and `observe` (both or neither) come before
 * `step`: the first with what `in` says of the time and the card, then one call for each slot, in any order, with what
 * it says of that slot but for its actuators, and nothing of other slots. */
struct el_governor_law {
    const char *name; /* "element", "none", ... */
    size_t state_size, slot_size;
    int (*init)(void *state, const struct el_governor_card *card);
    void (*begin)(void *state, const struct el_governor_input *in);
    void (*observe)(void *state, const struct el_governor_input *in, uint32_t slot);
    void (*step)(void *state, const struct el_governor_input *in, struct el_decision *out);
    /* What was learnt, as plain text "key value" lines per serial; either may be NULL. */
    size_t (*save)(const void *state, char *out, size_t size);
    void (*load)(void *state, const char *text);
};

extern const struct el_governor_law el_law_none;    /* caps nothing */
extern const struct el_governor_law el_law_element; /* ours */

/* The governor that runs: a law under the safety layer, which can only lower. Opaque; allocated once. */
struct el_governor;
struct el_governor *el_governor_new(const struct el_governor_law *law,
                                    const struct el_governor_card *card); /* NULL: out of memory */
struct el_governor *el_governor_free(struct el_governor *g);              /* takes NULL, returns NULL */
/* What is known of a slot may be taken before the last drive has answered, so that less is left to do then: of `in`
 * that slot, and with the first one of a step the time and the card. */
bool el_governor_begun(const struct el_governor *g, int64_t now_us); /* the step of this time has time and card */
void el_governor_observe(struct el_governor *g, const struct el_governor_input *in, uint32_t slot);
/* Takes what was not taken yet (of slots that were, `cap_ratio_in_force` and `actuator_failed`), and decides: the same
 * in whatever order it came. */
void el_governor_step(struct el_governor *g, const struct el_governor_input *in, struct el_decision *out);
/* Slots beyond those it was made with are left out: more of them need a new governor. */
void el_governor_reconfigure(struct el_governor *g, const struct el_governor_card *card);
/* What it goes by: what it was told, made sound. Valid until it is told anew or freed. */
const struct el_governor_card *el_governor_card(const struct el_governor *g);
/* What was learnt, as text to be kept over restarts. Save returns the bytes it needs (snprintf's way); load ignores
 * what it does not know and bounds what it takes. */
size_t el_governor_save(const struct el_governor *g, char *out, size_t size);
void el_governor_load(struct el_governor *g, const char *text);
const char *el_governor_law_name(const struct el_governor *g);
