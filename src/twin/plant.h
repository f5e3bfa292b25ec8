/* Physics of one card. Richer than what the governor assumes, on purpose: two nodes per drive, a sink in sections with
 * air that warms along it, leakage, background work, noise. Pure computation: no clock, no device, no allocation.
 *
 * Each seed draws the parameters in the ranges of plant.c; seed 0 takes their middle. Units: W, C, J/K, C/W, s. */
#pragma once

#include "base/rng.h"
#include "model/device.h"
#include "model/profile.h"
#include "twin/twin.h"

#define EL_PLANT_STEP_S   0.25 /* the fastest node has about 10 s */
#define EL_PLANT_SECTIONS ((EL_CARD_SLOTS_MAX + 1) / 2)
#define EL_PLANT_SENSORS  3 /* composite, NAND, controller: what the drive's sensors are made of */

/* Joules of one read and one write of the present block size. */
struct el_plant_price {
    double read_j, write_j;
};

struct el_plant_drive {
    const struct el_drive_profile *profile;
    /* drawn */
    double c_ctl, c_nand, r_ctl, r_nand, g_between; /* nodes, to the sink, to each other */
    double composite_ctl;                           /* share of the controller in the composite */
    double ctl_share;                               /* of the heat that arises in the controller */
    double leak_w, leak_per_k;                      /* at 50 C; growth */
    double price_factor_read, price_factor_write;   /* true price over declared price */
    double gc_per_byte;                             /* background debt per byte written */
    double sensor_lag_s, sensor_noise_c;
    bool throttles_hard;
    uint32_t section;
    struct el_rng rng_gc, rng_load, rng_noise;
    /* inputs */
    bool present, resetting; /* a controller in reset takes no I/O: the host's queues stand */
    struct el_cap cap;       /* ratio >= 1: none */
    bool cap_ignored;        /* a fault: the cap echoes, I/O runs free */
    int32_t power_state;
    int32_t tmt1_c, tmt2_c; /* 0 = off */
    /* state */
    double t_ctl, t_nand, lagged[EL_PLANT_SENSORS];
    double gc_debt, gc_trigger, gc_left_s, gc_w;
    double price_noise; /* AR(1), of content: around 1 */
    double throttle;    /* firmware: share of full speed, (0, 1] */
    bool throttled;
    double speed;             /* share of full speed that throttle, HCTM and power state leave */
    double load, load_left_s; /* of full demand, and until that changes */
    /* outputs */
    double power_w, background_w, host_w, demand_iops, read_iops, write_iops;
    double demand_ops, read_ops, write_ops, read_bytes, write_bytes;
    double throttle_s[2];
    uint32_t throttle_events;
};

struct el_plant_load {
    const struct el_workload *workload; /* NULL = idle */
    bool bursty, mixed;
    double mixed_left_s;
};

struct el_plant {
    const struct el_card_profile *profile;
    enum el_array_level array;
    /* drawn */
    double g_conv400, r_exponent, air_j_per_k400; /* whole sink to air; heat the air carries per K, at 400 LFM */
    double g_lateral, c_section;
    double c_switch, r_switch;
    struct el_rng rng_card;
    uint32_t slots, sections;
    /* inputs */
    double inlet_c, airflow_lfm;
    struct el_plant_load load;
    uint64_t submitters; /* of a stripe's I/O; 0 = many */
    bool io_max;         /* caps are io.max, not io.cost */
    bool oracle_on;
    struct el_twin_oracle oracle;
    double oracle_switch_c, oracle_total_w; /* its own state for the switch: last temperature, watts for all drives */
    /* state */
    double time_s, t_section[EL_PLANT_SECTIONS], t_switch, lagged_switch;
    double airflow_of_g, g_section, air_j_per_k; /* for airflow_of_g */
    struct el_plant_drive drive[EL_CARD_SLOTS_MAX];
    /* outputs */
    double card_w, switch_w, iops, demand_iops, served_ops, demand_ops, outstanding_seconds, energy_j;
};

/* `profile` and `drives` (one per slot) must outlive the plant. Starts in the idle equilibrium of inlet and airflow. */
void el_plant_init(struct el_plant *p, const struct el_card_profile *profile, const struct el_drive_profile *drives,
                   enum el_array_level array, uint64_t seed, double inlet_c, double airflow_lfm);

/* False: no such workload; the old one stays. */
bool el_plant_set_workload(struct el_plant *p, const char *name);

void el_plant_step(struct el_plant *p); /* by EL_PLANT_STEP_S */

/* As if the present workload had run for `seconds` under these limits. Counters and time stay at 0. */
void el_plant_warm(struct el_plant *p, double seconds, const struct el_twin_oracle *limits);

double el_plant_composite_c(const struct el_plant_drive *d);

/* load.c: what the drives are asked for, and what of it they get under `allowed_w` of host power each (INFINITY = no
 * cap), counted in `price`. Fills read_iops, write_iops and the card's iops. */
void el_plant_demand(struct el_plant *p, double dt_s);
void el_plant_serve(struct el_plant *p, const double *allowed_w, const struct el_plant_price *price);

/* oracle.c: host power each drive may take in the coming step. `drift_c_per_s`: slope of the composite without host
 * power. */
void el_plant_oracle(struct el_plant *p, const double *drift_c_per_s, const struct el_plant_price *price,
                     double *allowed_w);
