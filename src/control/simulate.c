#include "control/simulate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/text.h"
#include "control/simulate_figures.h"
#include "control/simulate_machine.h"

#define PERIOD_S 2.0 /* the daemon's own tick near a limit */
#define SAMPLE_S 0.5

const struct el_governor_law *el_simulate_law(const char *name)
{
    static const struct el_governor_law *const laws[] = {&el_law_element, &el_law_none};

    for (size_t i = 0; i < EL_ARRAY_SIZE(laws); i++)
        if (strcmp(laws[i]->name, name) == 0)
            return laws[i];
    return NULL;
}

/* Lives through `seconds`, sampling the truth. */
static void live(struct el_twin *t, double seconds, struct el_figures *f)
{
    struct el_twin_truth truth;

    for (double done = 0; done < seconds - 1e-9; done += SAMPLE_S) {
        el_twin_advance(t, SAMPLE_S);
        el_twin_truth(t, 0, &truth);
        el_figures_sample(f, &truth);
    }
}

static void tell(const struct el_simulate_options *o, struct el_twin *twin, double t_s,
                 const struct el_governor_card *facts, const struct el_governor_input *in, const struct el_decision *d)
{
    struct el_twin_truth truth;
    struct el_simulate_tick tick = {.t_s = t_s, .facts = facts, .in = in, .decision = d, .truth = &truth};

    if (!o->watch)
        return;
    el_twin_truth(twin, 0, &truth);
    o->watch(o->watch_ctx, &tick);
}

/* The oracle by itself: no pages, no decisions, the plant is told to be at its limit. */
static int run_oracle(const struct el_simulate_options *o, const struct el_governor_card *facts, bool watch,
                      struct el_simulate_result *out, char *why, size_t why_size)
{
    static const struct el_governor_input nothing;
    struct el_decision free_run = {.slots = facts->slots};
    struct el_device dev;
    struct el_figures f;
    int r = el_sim_twin(o, &dev, why, why_size);

    if (r < 0)
        return r;
    r = el_figures_init(&f, facts, SAMPLE_S, o->hours * 3600);
    for (uint32_t i = 0; i < facts->slots; i++)
        free_run.slot[i].cap_ratio = 1;
    el_sim_hold(dev.dev, facts);
    for (double t = 0; r == 0 && t < f.duration_s - 1e-9; t += PERIOD_S) {
        if (watch)
            tell(o, dev.dev, t, facts, &nothing, &free_run);
        live(dev.dev, PERIOD_S, &f);
    }
    if (r == 0)
        el_figures_finish(&f, out);
    dev.ops->close(dev.dev);
    return r;
}

static int run_law(const struct el_simulate_options *o, const struct el_governor_card *facts,
                   struct el_simulate_result *out, char *why, size_t why_size)
{
    struct el_governor *g = el_governor_new(o->law, facts);
    struct el_sim_machine *m = malloc(sizeof *m);
    struct el_decision d = {.slots = 0};
    int64_t start = el_clock_thread_cpu_us(), in_steps = 0;
    struct el_figures f = {0};
    struct el_device dev;
    uint64_t steps = 0;
    int r = g && m ? el_sim_twin(o, &dev, why, why_size) : -ENOMEM;

    if (r == 0)
        r = el_sim_machine_init(m, &dev, facts);
    if (r == 0 && (r = el_figures_init(&f, facts, SAMPLE_S, o->hours * 3600)) < 0)
        el_sim_machine_free(m);
    for (double t = 0; r == 0 && t < f.duration_s - 1e-9; t += PERIOD_S, steps++) {
        int64_t step_start;

        el_sim_machine_read(m, PERIOD_S);
        step_start =
            steps % 16 ? 0 : el_clock_thread_cpu_us(); /* reading the CPU clock costs as much as a step: sample it */
        el_governor_step(g, &m->in, &d);
        if (steps % 16 == 0)
            in_steps += el_clock_thread_cpu_us() - step_start;
        el_figures_decision(&f, t, &d);
        tell(o, dev.dev, t, facts, &m->in, &d);
        el_sim_machine_act(m, &d);
        live(dev.dev, PERIOD_S, &f);
    }
    if (r == 0) {
        out->writes_per_drive_per_hour = (double)m->writes / facts->slots / o->hours;
        out->admin_commands_per_drive_per_hour = (double)m->admin_commands / facts->slots / o->hours;
        el_figures_finish(&f, out);
        el_sim_machine_free(m);
        out->step_us = (double)in_steps / (double)(steps / 16 + 1);
        out->speed = o->hours * 3600 / fmax((double)(el_clock_thread_cpu_us() - start) / EL_USEC_PER_SEC, 1e-6);
    }
    free(m);
    el_governor_free(g);
    return r;
}

int el_simulate(const struct el_simulate_options *o, struct el_simulate_result *out, char *why, size_t why_size)
{
    struct el_simulate_result oracle = {.iops = NAN}, mine = {.step_us = NAN, .speed = NAN};
    struct el_governor_card *facts = malloc(sizeof *facts);
    int r = facts ? 0 : -ENOMEM;

    el_text_copy(why, why_size, "out of memory");
    if (facts)
        r = el_simulate_facts(o, facts, why, why_size);
    if (r == 0 && (!o->no_oracle || !o->law))
        r = run_oracle(o, facts, !o->law, &oracle, why, why_size);
    if (r == 0 && o->law)
        r = run_law(o, facts, &mine, why, why_size);
    free(facts);
    if (r < 0)
        return r;
    if (!o->law) {
        mine = oracle;
        mine.step_us = mine.speed = NAN;
    }
    mine.throughput_ratio_to_oracle = oracle.iops > 0 ? mine.iops / oracle.iops : NAN;
    mine.overshoot_beyond_oracle_celsius = fmax(mine.overshoot_celsius - oracle.overshoot_celsius, 0);
    mine.jain_fairness_of_oracle = oracle.jain_fairness;
    mine.oracle_binding_ratio = 1 - oracle.throughput_ratio_to_demand;
    *out = mine;
    return 0;
}
