/* Figures of a simulated run, gathered sample by sample. Inside of control/. */
#pragma once

#include "control/simulate.h"

#define EL_FIGURES_WINDOW_S   300.0
#define EL_FIGURES_PER_OCTAVE 8
#define EL_FIGURES_LATENCIES  (26 * EL_FIGURES_PER_OCTAVE) /* up to a minute */

struct el_figures {
    const struct el_governor_card *facts;
    double sample_s, duration_s;
    struct el_twin_truth last;
    double overshoot_c, hottest_c, over_limit_s, over_warning_s, over_critical_s, over_watts_s, throttled_s;
    double over_switch_s, switch_hottest_c;
    double low_c[EL_CARD_SLOTS_MAX], high_c[EL_CARD_SLOTS_MAX], window_left_s;
    double latency_ops[EL_FIGURES_LATENCIES]; /* I/Os by latency, EL_FIGURES_PER_OCTAVE bins an octave from 1 us */
    double *swing;                            /* half peak to peak per window and drive; owned */
    size_t swings, swings_max;
    enum el_failsafe failsafe; /* of the last decision */
    uint32_t failsafe_entries;
    double first_air_alert_s; /* NAN = never */
};

int el_figures_init(struct el_figures *f, const struct el_governor_card *facts, double sample_s,
                    double duration_s); /* 0 or -ENOMEM */
void el_figures_decision(struct el_figures *f, double t_s, const struct el_decision *d);
void el_figures_sample(struct el_figures *f, const struct el_twin_truth *t);
void el_figures_finish(struct el_figures *f,
                       struct el_simulate_result *out); /* the figures that one run gives by itself; frees */
