/* A governor against the twin, in virtual time: the same pages, decoders, safety layer and actuators as on a real
 * machine. */
#pragma once

#include "governor/governor.h"
#include "model/scenario.h"
#include "twin/twin.h"

/* What one tick was: for traces and plots. Pointers are valid during the call. */
struct el_simulate_tick {
    double t_s; /* since the start; the decision is made at this time */
    const struct el_governor_card *facts;
    const struct el_governor_input *in;
    const struct el_decision *decision;
    const struct el_twin_truth *truth; /* NULL: an external plant keeps its own */
};
typedef void el_simulate_watch(void *ctx, const struct el_simulate_tick *tick);

struct el_simulate_options {
    const struct el_card_profile *card;
    const struct el_drive_profile *drives; /* one per slot */
    const char *workload;
    double inlet_c, airflow_lfm, hours;
    uint64_t seed;
    const struct el_governor_law *law; /* NULL = the oracle */
    double
        limit_c; /* on the true composite; NAN = a degree below each drive's warning temperature, as the daemon does */
    double card_watts;     /* NAN = none */
    double switch_limit_c; /* NAN or 0 = the profile's */
    double margin_c;       /* the governor aims this much below the limit */
    enum el_array_level array;
    enum el_preference preference;
    const struct el_scenario *scenario; /* NULL = none */
    bool no_oracle;                     /* skip the reference run: ratios to it are NAN */
    el_simulate_watch *watch;           /* NULL = none */
    void *watch_ctx;
};

/* The figures. Times count on the true composite of each drive, sampled every half second; "any drive" means that
 * seconds in which several drives are above count once. NAN = not known. */
struct el_simulate_result {
    double iops;           /* mean I/Os served per second, whole card (an array's own I/Os) */
    double latency_us;     /* mean: I/Os in flight over I/Os per second */
    double latency_p99_us; /* of the means of half seconds, weighted by their I/Os */
    double card_watts_mean;
    double throughput_ratio_to_oracle; /* I/Os served over those the oracle serves on the same plant and seed */
    double throughput_ratio_to_demand; /* I/Os served over I/Os an unlimited card would have served */
    double overshoot_celsius;          /* highest temperature above the limit, any drive; 0 = never above */
    double
        overshoot_beyond_oracle_celsius; /* less what the oracle could not avoid either (background work); at least 0 */
    double seconds_above_limit_per_hour; /* any drive more than 0.5 C above its limit */
    double seconds_above_warning_per_hour, seconds_above_critical_per_hour; /* any drive above WCTEMP, CCTEMP */
    double card_watts_above_limit_seconds_per_hour; /* card power above its limit by more than 2 % */
    double switch_above_limit_seconds_per_hour;     /* the switch more than 0.5 C above its limit */
    double writes_per_drive_per_hour;               /* cap and power state writes */
    double admin_commands_per_drive_per_hour;       /* what watching costs */
    double limit_cycle_celsius; /* half of peak to peak within windows of five minutes: median of windows and drives,
                                   second half of the run */
    double jain_fairness;       /* of served over demanded I/Os per drive: 1 = all alike, 1/n = one gets all */
    double jain_fairness_of_oracle;
    double failsafe_entries;                    /* times the card went from no failsafe to one, start-up aside */
    double firmware_throttled_seconds_per_hour; /* any drive's own firmware held it back */
    double hottest_celsius, switch_hottest_celsius;
    double first_air_alert_seconds; /* when failing air was reported first; NAN = never */
    double oracle_binding_ratio;    /* 1 - oracle's I/Os over demand: how much the envelope takes at least */
    double step_us;                 /* CPU time of one governor step, mean */
    double speed;                   /* simulated seconds per second of CPU time, oracle aside */
};

/* Runs it. 0, -ENOMEM, or -EINVAL with the reason in `why`. */
int el_simulate(const struct el_simulate_options *o, struct el_simulate_result *out, char *why, size_t why_size);

/* The figures as a table: names as in the JSON, places in el_simulate_result. */
struct el_simulate_figure {
    const char *name;
    size_t offset;
};
extern const struct el_simulate_figure el_simulate_figures[];
extern const size_t el_simulate_figures_count;
static inline double el_simulate_figure(const struct el_simulate_result *r, size_t i)
{
    return *(const double *)((const char *)r + el_simulate_figures[i].offset);
}

/* What the governor is told beforehand and figures judge by: by the rules of the daemon, from the card's own pages, its
 * profiles and these options. 0 or -errno with the reason in `why`. */
int el_simulate_facts(const struct el_simulate_options *o, struct el_governor_card *out, char *why, size_t why_size);

/* Law by name ("element", "none"), or NULL. */
const struct el_governor_law *el_simulate_law(const char *name);
