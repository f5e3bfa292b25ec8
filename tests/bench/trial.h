/* One law on one plant, and what came of it. */
#pragma once

#include "plant.h"

struct trial {
    double ratio;                       /* work done / the oracle's */
    double demand_ratio;                /* oracle's work / asked for: below 0.995 the envelope binds */
    double own_ratio;                   /* work done / asked for */
    double over_c, oracle_over_c;       /* greatest true temperature above the limit */
    double above_s_h, warning_s_h;      /* seconds per hour above limit + 0.5 C and above warning, of the worst drive */
    double critical_s_h, avoidable_s_h; /* above critical; 0 where even idle neighbours could not have prevented it */
    double oracle_above_s_h;
    double writes, writes_worst; /* per drive and hour: mean over drives, the worst drive */
    double cycle_c; /* 5..95 % range of true temperature in the last third, mean over drives; NAN where load moves */
    double jain, oracle_jain;
    double power_over_w;   /* mean excess above the card's watts when above */
    double air_reported_s; /* from the air step to the report; NAN = never, or no step */
    bool air_false;        /* reported though no air was lost, or before it was */
    double tick_us;
};

/* What breaks on the second drive, for a third of the time from the middle on; of TRIAL_INLET_LOST the inlet sensor. */
enum trial_fault {
    TRIAL_SOUND = 0,
    TRIAL_STUCK,
    TRIAL_LOST,
    TRIAL_JUMPS,
    TRIAL_CAP_IGNORED,
    TRIAL_INLET_LOST,
    TRIAL_FAULTS
};

void trial_run(const struct el_governor_law *law, const struct plant_options *o, enum trial_fault fault,
               struct trial *t); /* law NULL: the oracle */
