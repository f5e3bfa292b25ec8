#include "control/simulate_figures.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"

#define LIMIT_TOLERANCE_C 0.5
#define WATTS_TOLERANCE   1.02

#define FIGURE(name)                                                                                                   \
    {                                                                                                                  \
#name, offsetof(struct el_simulate_result, name)                                                               \
    }
const struct el_simulate_figure el_simulate_figures[] = {
    FIGURE(iops),
    FIGURE(latency_us),
    FIGURE(latency_p99_us),
    FIGURE(card_watts_mean),
    FIGURE(throughput_ratio_to_oracle),
    FIGURE(throughput_ratio_to_demand),
    FIGURE(overshoot_celsius),
    FIGURE(overshoot_beyond_oracle_celsius),
    FIGURE(seconds_above_limit_per_hour),
    FIGURE(seconds_above_warning_per_hour),
    FIGURE(seconds_above_critical_per_hour),
    FIGURE(card_watts_above_limit_seconds_per_hour),
    FIGURE(switch_above_limit_seconds_per_hour),
    FIGURE(writes_per_drive_per_hour),
    FIGURE(admin_commands_per_drive_per_hour),
    FIGURE(limit_cycle_celsius),
    FIGURE(jain_fairness),
    FIGURE(jain_fairness_of_oracle),
    FIGURE(failsafe_entries),
    FIGURE(firmware_throttled_seconds_per_hour),
    FIGURE(hottest_celsius),
    FIGURE(switch_hottest_celsius),
    FIGURE(first_air_alert_seconds),
    FIGURE(oracle_binding_ratio),
    FIGURE(step_us),
    FIGURE(speed),
};
const size_t el_simulate_figures_count = EL_ARRAY_SIZE(el_simulate_figures);

static void open_window(struct el_figures *f)
{
    for (uint32_t i = 0; i < EL_CARD_SLOTS_MAX; i++) {
        f->low_c[i] = INFINITY;
        f->high_c[i] = -INFINITY;
    }
    f->window_left_s = EL_FIGURES_WINDOW_S;
}

int el_figures_init(struct el_figures *f, const struct el_governor_card *facts, double sample_s, double duration_s)
{
    *f = (struct el_figures){.facts = facts,
                             .sample_s = sample_s,
                             .duration_s = duration_s,
                             .hottest_c = -INFINITY,
                             .switch_hottest_c = NAN,
                             .first_air_alert_s = NAN};
    f->swings_max = (size_t)(duration_s / EL_FIGURES_WINDOW_S + 2) * facts->slots;
    f->swing = calloc(f->swings_max, sizeof *f->swing);
    open_window(f);
    return f->swing ? 0 : -ENOMEM;
}

static void close_window(struct el_figures *f, double time_s)
{
    if (time_s - EL_FIGURES_WINDOW_S >= f->duration_s / 2 - 1)
        for (uint32_t i = 0; i < f->facts->slots && f->swings < f->swings_max; i++)
            f->swing[f->swings++] = (f->high_c[i] - f->low_c[i]) / 2;
    open_window(f);
}

static void count_latency(struct el_figures *f, const struct el_twin_truth *t)
{
    double ops = t->served_ops - f->last.served_ops,
           us = (t->outstanding_seconds - f->last.outstanding_seconds) / ops * 1e6;

    if (ops > 0 && us >= 1)
        f->latency_ops[(size_t)fmin(log2(us) * EL_FIGURES_PER_OCTAVE, EL_FIGURES_LATENCIES - 1)] += ops;
}

/* Middle of the bin in which the slowest hundredth of all I/Os begins. */
static double latency_p99(const struct el_figures *f)
{
    double all = 0, above = 0;

    for (size_t i = 0; i < EL_FIGURES_LATENCIES; i++)
        all += f->latency_ops[i];
    for (size_t i = EL_FIGURES_LATENCIES; all > 0 && i-- > 0;) {
        above += f->latency_ops[i];
        if (above > all / 100)
            return exp2((i + 0.5) / EL_FIGURES_PER_OCTAVE);
    }
    return NAN;
}

void el_figures_decision(struct el_figures *f, double t_s, const struct el_decision *d)
{
    f->failsafe_entries += d->failsafe != EL_FAILSAFE_NONE && f->failsafe == EL_FAILSAFE_NONE &&
                           d->failsafe_reason != EL_CONSTRAINT_STARTUP;
    f->failsafe = d->failsafe;
    if (d->air_failing && isnan(f->first_air_alert_s))
        f->first_air_alert_s = t_s;
}

void el_figures_sample(struct el_figures *f, const struct el_twin_truth *t)
{
    const double dt = f->sample_s;
    bool limit = false, warning = false, critical = false, throttled = false;

    for (uint32_t i = 0; i < t->slots; i++) {
        const struct el_twin_slot_truth *s = &t->slot[i];
        const struct el_governor_slot *g = &f->facts->slot[i];

        if (!s->present)
            continue;
        f->hottest_c = fmax(f->hottest_c, s->temp_c);
        f->overshoot_c = fmax(f->overshoot_c, s->temp_c - g->limit_c);
        limit |= s->temp_c > g->limit_c + LIMIT_TOLERANCE_C;
        warning |= s->temp_c > g->warning_c;
        critical |= s->temp_c > g->critical_c;
        throttled |= s->firmware_throttled;
        f->low_c[i] = fmin(f->low_c[i], s->temp_c);
        f->high_c[i] = fmax(f->high_c[i], s->temp_c);
    }
    f->over_limit_s += limit * dt;
    f->over_warning_s += warning * dt;
    f->over_critical_s += critical * dt;
    f->throttled_s += throttled * dt;
    f->over_watts_s += (t->card_w > f->facts->card_limit_w * WATTS_TOLERANCE) * dt; /* false without a limit */
    f->over_switch_s += (t->switch_c > f->facts->switch_limit_c + LIMIT_TOLERANCE_C) * dt;
    f->switch_hottest_c = fmax(f->switch_hottest_c, t->switch_c);
    count_latency(f, t);
    f->window_left_s -= dt;
    if (f->window_left_s < dt / 2)
        close_window(f, t->time_s);
    f->last = *t;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double jain(const struct el_twin_truth *t)
{
    double sum = 0, squares = 0, n = 0;

    for (uint32_t i = 0; i < t->slots; i++) {
        double x = t->slot[i].served_ops / t->slot[i].demand_ops;

        if (!(t->slot[i].demand_ops > 0))
            continue;
        sum += x;
        squares += x * x;
        n++;
    }
    return squares > 0 ? sum * sum / (n * squares) : NAN;
}

void el_figures_finish(struct el_figures *f, struct el_simulate_result *out)
{
    const struct el_twin_truth *t = &f->last;
    double hours = f->duration_s / 3600;

    out->iops = t->served_ops / t->time_s;
    out->latency_us = t->served_ops > 0 ? t->outstanding_seconds / t->served_ops * 1e6 : NAN;
    out->latency_p99_us = latency_p99(f);
    out->card_watts_mean = t->energy_j / t->time_s;
    out->throughput_ratio_to_demand = t->demand_ops > 0 ? t->served_ops / t->demand_ops : NAN;
    out->overshoot_celsius = f->overshoot_c;
    out->hottest_celsius = f->hottest_c;
    out->seconds_above_limit_per_hour = f->over_limit_s / hours;
    out->seconds_above_warning_per_hour = f->over_warning_s / hours;
    out->seconds_above_critical_per_hour = f->over_critical_s / hours;
    out->card_watts_above_limit_seconds_per_hour = f->over_watts_s / hours;
    out->switch_above_limit_seconds_per_hour = f->over_switch_s / hours;
    out->switch_hottest_celsius = f->switch_hottest_c;
    out->firmware_throttled_seconds_per_hour = f->throttled_s / hours;
    out->jain_fairness = jain(t);
    out->failsafe_entries = f->failsafe_entries;
    out->first_air_alert_seconds = f->first_air_alert_s;
    qsort(f->swing, f->swings, sizeof *f->swing, compare);
    out->limit_cycle_celsius = f->swings ? f->swing[f->swings / 2] : NAN;
    free(f->swing);
    f->swing = NULL;
}
