/* A card to try laws on, built apart from any controller and harder than the law's own model: controller and NAND
 * nodes, a heatsink in segments, air that warms along the card, leakage, background bursts, declared prices that are
 * wrong, lag, noise, 1 C steps, delayed caps. Every parameter is drawn from the seed, so no law can know it. Beside the
 * product's own twin it is a second opinion. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "governor/governor.h"

#define PLANT_SLOTS 8
#define PLANT_DELAY 4

enum plant_kind {
    PLANT_CONSTANT = 0,
    PLANT_BURSTY,
    PLANT_FLICKER,
    PLANT_AIR_STEP,
    PLANT_INLET_RAMP,
    PLANT_LOAD_RAMP,
    PLANT_UNEVEN,
    PLANT_CARD_WATTS,
    PLANT_STRIPE,
    PLANT_KINDS
};
extern const char *const plant_kind_name[PLANT_KINDS];

struct plant_options {
    uint64_t seed;
    enum plant_kind kind;
    uint32_t slots;
    double period_s, duration_s;
    double margin_c;
    bool background, floor_rounding, airflow_known, power_known, sensors;
};

struct plant_slot {
    double t_ctrl, t_nand, t_sink, shown, shown_s[2]; /* C */
    double c_ctrl, c_nand, r_cn, r_cs, r_ns, share, mix,
        leak;                        /* J/K, C/W, share of power in the controller, of it in the composite, 1/K */
    double idle_w, price[4], work_w; /* true joules per count; host watts of a full drive */
    double burst_w, burst_left_s, burst_rate;
    double demand, on_left_s, level; /* 0..1 now; of the pattern */
    bool on;
    double done, given_w; /* share of full work that ran, host watts, in the last step */
    uint64_t bytes[2], ops[2];
    double carry[4];
    double cap_w[PLANT_DELAY]; /* declared watts: newest first */
};

struct plant {
    struct plant_options o;
    struct el_governor_card card; /* what a law may know */
    struct el_rng rng, sensor_rng;
    struct plant_slot slot[PLANT_SLOTS];
    double read_share, block_bytes, full_ops; /* of the workload */
    double t_switch, switch_w, r_switch, c_seg, g_seg, r_seg400, exponent, air_rise;
    double inlet_c, airflow_lfm, inlet_error, lag_s, noise_c, now_s;
    double air_step_s, air_to, inlet_from, inlet_to;
    uint32_t delay;
};

void plant_init(struct plant *p, const struct plant_options *o);
void plant_read(struct plant *p, struct el_governor_input *in);
/* One period under these caps (declared host watts, INFINITY = none). */
void plant_step(struct plant *p, const double *cap_w);
/* One period of the oracle: knows everything but the future. */
void plant_step_oracle(struct plant *p);
double plant_true_c(const struct plant *p, uint32_t slot);
double plant_card_w(const struct plant *p);
/* Declared host watts of a drive that does everything it is asked for. */
double plant_declared_w(const struct plant *p, uint32_t i);
