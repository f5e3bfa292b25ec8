/* What the governor wants, and why. Written by governor/, obeyed by control/, shown by every view. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"

/* The one limit that binds a cap. */
enum el_constraint {
    EL_CONSTRAINT_NONE = 0,
    EL_CONSTRAINT_DRIVE_TEMPERATURE,
    EL_CONSTRAINT_SENSOR_TEMPERATURE,
    EL_CONSTRAINT_CARD_POWER,
    EL_CONSTRAINT_SWITCH_TEMPERATURE,
    EL_CONSTRAINT_INLET,
    EL_CONSTRAINT_AIRFLOW,
    EL_CONSTRAINT_ARRAY,        /* held back to the pace of its stripe */
    EL_CONSTRAINT_STALE_SENSOR, /* from here on failsafe: what it needs to know is old */
    EL_CONSTRAINT_FAILED_SENSOR,
    EL_CONSTRAINT_ACTUATOR, /* a neighbour's actuator failed: this one pays */
    EL_CONSTRAINT_STARTUP,  /* until every required sensor has reported */
    EL_CONSTRAINT_COUNT
};
const char *
el_constraint_name(enum el_constraint c); /* "drive temperature", "card power", ...: for people and labels */

/* Graded failsafe of a card. */
enum el_failsafe { EL_FAILSAFE_NONE = 0, EL_FAILSAFE_HOLD, EL_FAILSAFE_REDUCE, EL_FAILSAFE_FLOOR, EL_FAILSAFE_COUNT };
const char *el_failsafe_name(enum el_failsafe f); /* "none", "hold", "reduce", "floor" */

enum el_mode { EL_MODE_OBSERVE = 0, EL_MODE_ADVISE, EL_MODE_ENFORCE, EL_MODE_COUNT };
const char *el_mode_name(enum el_mode m);

/* How the drives of one md array share its work: a stripe runs at the pace of its slowest member, a mirror writes to
 * all of them and spreads its reads. */
enum el_array_level { EL_ARRAY_NONE = 0, EL_ARRAY_STRIPE, EL_ARRAY_MIRROR };

/* One slot. */
struct el_slot_decision {
    double cap_ratio;    /* of full host I/O power, (0, 1]; 1 = no cap */
    double budget_w;     /* host I/O power above idle that the cap stands for; meaningless when cap_ratio is 1 */
    int32_t power_state; /* wanted NVMe power state; -1 = leave alone */
    enum el_constraint constraint;
    int64_t since_us;        /* BOOTTIME this constraint began to bind; 0 when none */
    int64_t lift_us;         /* BOOTTIME the cap is expected to lift; 0 = not foreseeable */
    double limit_c;          /* the drive limit in force, margin included; NAN = unknown */
    double headroom_c;       /* limit less the (estimated) temperature; NAN = unknown */
    double temp_estimate_c;  /* sub-degree estimate; NAN = none */
    double power_estimate_w; /* whole drive; NAN = none */
    double withheld_ratio;   /* share of demanded throughput withheld, 0..1 */
    bool write;              /* this tick wants an actuator write for the cap */
    bool sensor_valid;
};

/* One card. */
struct el_decision {
    uint32_t slots;
    double fan_pwm_ratio; /* wanted, 0..1; NAN = leave alone */
    bool fan_write;
    enum el_failsafe failsafe;
    enum el_constraint failsafe_reason;
    double card_power_estimate_w, card_limit_w; /* NAN = none */
    double sink_resistance_c_per_w;             /* learnt; NAN = none */
    double unknown_heat_w;                      /* lumped error of the whole card; NAN = none */
    double airflow_estimate_lfm;                /* inferred from resistance; NAN = none */
    double airflow_wish_lfm;                    /* the air it would like to have; NAN = content */
    double switch_headroom_c;                   /* NAN = unknown */
    bool air_failing;
    struct el_slot_decision slot[EL_CARD_SLOTS_MAX]; /* the first `slots` of them; the rest is never touched */
};

/* A decision that asks for nothing: every cap 1, every number unknown. */
void el_decision_clear(struct el_decision *d, uint32_t slots);
