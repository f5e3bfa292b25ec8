#include "control/simulate_plant.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/clock.h"
#include "control/simulate_figures.h"
#include "twin/external.h"

#define BELOW_WARNING_C 1.0                      /* as the daemon's own limit */
#define START_US        (1000 * EL_USEC_PER_SEC) /* BOOTTIME 0 would mean "never" */

struct run {
    struct el_external *plant;
    struct el_external_facts told;
    struct el_governor_card facts;
    struct el_governor *governor;
    struct el_governor_input in;
    struct el_decision decision;
    struct el_external_command command;
    struct el_external_state state;
    struct el_figures figures;
    struct el_twin_truth seen;         /* the answers in the shape the figures want */
    double counted[EL_CARD_SLOTS_MAX]; /* I/Os of the drive that is there, as last answered */
    double step_s;
    uint64_t steps, writes;
    int64_t step_cpu_us;
};

static void take(double *into, double stated)
{
    if (isfinite(stated))
        *into = stated;
}

/* What the plant declares goes over what the profile says, and what the operator asks for over both. */
static void merge_facts(struct run *r, const struct el_simulate_options *o)
{
    const struct el_external_facts *t = &r->told;
    struct el_governor_card *g = &r->facts;

    for (uint32_t i = g->slots; i < t->slots; i++)
        g->slot[i] = g->slot[0];
    g->slots = t->slots;
    g->period_s = r->step_s;
    g->inlet_assumed_c = 35; /* a plant may measure no inlet */
    g->card_limit_w = isfinite(o->card_watts) ? o->card_watts : t->card_limit_w;
    g->switch_limit_c = o->switch_limit_c > 0 ? o->switch_limit_c : t->switch_limit_c; /* else none */
    g->fans = t->fans;
    for (uint32_t i = 0; i < g->slots; i++) {
        struct el_governor_slot *s = &g->slot[i];

        s->limit_c = isfinite(o->limit_c)   ? o->limit_c
                     : isfinite(t->limit_c) ? t->limit_c
                                            : fmin(s->limit_c, t->warning_c - BELOW_WARNING_C);
        take(&s->warning_c, t->warning_c);
        take(&s->critical_c, t->critical_c);
        take(&s->idle_w, t->idle_w);
        take(&s->full_w, t->full_w);
        take(&s->read_j_per_byte, t->read_j_per_byte);
        take(&s->write_j_per_byte, t->write_j_per_byte);
        take(&s->read_j_per_op, t->read_j_per_op);
        take(&s->write_j_per_op, t->write_j_per_op);
        s->can_cap = true;
        s->can_power_state = false; /* what its states do, a plant does not declare */
        s->array = -1;
    }
    g->arrays = t->arrays;
    for (uint32_t a = 0; a < t->arrays; a++) {
        g->array_level[a] = t->array[a].mirror ? EL_ARRAY_MIRROR : EL_ARRAY_STRIPE;
        for (uint32_t k = 0; k < t->array[a].slots; k++)
            g->slot[t->array[a].slot[k]].array = (int32_t)a;
    }
}

static struct el_reading reading(double v, int64_t now_us)
{
    return isfinite(v) ? el_reading_good(llround(v * 1000), now_us) : (struct el_reading){.quality = EL_ABSENT};
}

static void read_answer(struct run *r, int64_t now_us)
{
    const struct el_external_state *s = &r->state;

    r->in.now_us = now_us;
    r->in.inlet_mc = reading(s->inlet_c, now_us);
    r->in.airflow_mlfm = reading(s->airflow_lfm, now_us);
    r->in.card_power_mw = reading(s->card_w, now_us);
    r->in.switch_mc = reading(s->switch_c, now_us);
    for (uint32_t i = 0; i < EL_ARRAY_SIZE(r->in.fan_rpm); i++)
        r->in.fan_rpm[i] = reading(s->fan_rpm[i] / 1000, now_us); /* whole revolutions */
    for (uint32_t i = 0; i < r->facts.slots; i++) {
        struct el_governor_slot_input *in = &r->in.slot[i];
        const struct el_external_slot *p = &s->slot[i];

        in->present = p->present;
        in->temp_mc = reading(p->temp_c, now_us);
        for (uint32_t k = 0; k < EL_ARRAY_SIZE(in->sensor_mc); k++)
            in->sensor_mc[k] = reading(p->present ? p->sensor_c[k] : NAN, now_us);
        in->io_valid = p->io_valid;
        if (p->io_valid) {
            in->read_bytes = p->read_bytes;
            in->write_bytes = p->write_bytes;
            in->read_ops = p->read_ops;
            in->write_ops = p->write_ops;
        }
        in->cap_ratio_in_force = r->command.slot[i].cap_ratio;
    }
}

static void count(struct run *r, double t_s)
{
    struct el_twin_truth *seen = &r->seen;

    seen->time_s = t_s;
    seen->slots = r->facts.slots;
    seen->card_w = r->state.card_w;
    seen->switch_c = r->state.switch_c;
    seen->energy_j += r->state.card_w * r->step_s; /* NAN stays NAN */
    seen->served_ops = 0;
    for (uint32_t i = 0; i < seen->slots; i++) {
        const struct el_external_slot *p = &r->state.slot[i];

        seen->slot[i].present = p->present && isfinite(p->temp_c);
        seen->slot[i].temp_c = p->temp_c;
        if (p->io_valid) {
            double ops = (double)p->read_ops + (double)p->write_ops;

            seen->slot[i].served_ops += ops - (ops < r->counted[i] ? 0 : r->counted[i]); /* another drive counts anew */
            r->counted[i] = ops;
        }
        seen->served_ops += seen->slot[i].served_ops;
    }
    el_figures_sample(&r->figures, seen);
}

static void decide(struct run *r, double t_s)
{
    struct el_decision *d = &r->decision;
    int64_t start = el_clock_thread_cpu_us();

    el_governor_step(r->governor, &r->in, d);
    r->step_cpu_us += el_clock_thread_cpu_us() - start;
    r->steps++;
    el_figures_decision(&r->figures, t_s, d);
    for (uint32_t i = 0; i < r->facts.slots; i++) {
        double full = EL_MAX(r->facts.slot[i].full_w - r->facts.slot[i].idle_w,
                             0.1); /* the profile's and the plant's may be mixed */

        r->writes += d->slot[i].write;
        r->command.slot[i].cap_ratio = d->slot[i].cap_ratio;
        r->command.slot[i].budget_w =
            d->slot[i].cap_ratio >= 1 || !isfinite(d->slot[i].budget_w) ? full : d->slot[i].budget_w;
        r->command.slot[i].power_state = EL_MAX(d->slot[i].power_state, 0);
    }
    for (uint32_t i = 0; i < r->facts.fans; i++)
        r->command.pwm_ratio[i] = isfinite(d->fan_pwm_ratio) ? d->fan_pwm_ratio : 1; /* not known: full */
}

/* Command for t_s, then the state at t_s; the first command is made without any reading. */
static int steps(struct run *r, const struct el_simulate_options *o, double duration_s, double *t_s)
{
    int result = 0;

    r->in.now_us = START_US;
    for (uint32_t i = 0; i < r->facts.slots; i++)
        r->in.slot[i].present = true; /* and nothing known of it: failsafe */
    for (*t_s = 0; result == 0 && *t_s < duration_s - 1e-9;) {
        struct el_simulate_tick tick = {.t_s = *t_s, .facts = &r->facts, .in = &r->in, .decision = &r->decision};

        decide(r, *t_s);
        if (o->watch)
            o->watch(o->watch_ctx, &tick);
        r->command.t_s = (double)r->steps * r->step_s;
        result = el_external_step(r->plant, &r->told, &r->command, &r->state);
        if (result != 0)
            break;
        *t_s = r->command.t_s;
        read_answer(r, START_US + llround(*t_s * EL_USEC_PER_SEC));
        count(r, *t_s);
    }
    return EL_MIN(result, 0);
}

static int run(struct run *r, const struct el_simulate_options *o, const char *command, double *t_s, char *why,
               size_t why_size)
{
    double duration_s;
    int result = el_external_start(command, &r->plant, why, why_size);

    if (result == 0)
        result = el_external_hello(r->plant, o->card->name, o->card->slots, r->step_s, &r->told);
    if (result < 0)
        return result;
    result = el_simulate_facts(o, &r->facts, why, why_size);
    if (result < 0)
        return result;
    merge_facts(r, o);
    duration_s = isfinite(r->told.duration_s) ? r->told.duration_s : o->hours * 3600;
    snprintf(why, why_size, "out of memory");
    r->governor = el_governor_new(o->law, &r->facts);
    if (!r->governor || el_figures_init(&r->figures, &r->facts, r->step_s, duration_s) < 0)
        return -ENOMEM;
    result = steps(r, o, duration_s, t_s);
    if (result == 0 && *t_s <= 0) {
        snprintf(why, why_size, "the plant ended before the first step");
        result = -EPIPE;
    }
    return result;
}

int el_simulate_plant(const struct el_simulate_options *o, const char *command, double step_s,
                      struct el_simulate_result *out, struct el_simulate_plant_run *ran, char *why, size_t why_size)
{
    struct run *r = calloc(1, sizeof *r);
    double t_s = 0;
    int result;

    if (!r) {
        snprintf(why, why_size, "out of memory");
        return -ENOMEM;
    }
    r->step_s = step_s;
    r->seen.outstanding_seconds = NAN;
    result = run(r, o, command, &t_s, why, why_size);
    if (result == 0) {
        *ran = (struct el_simulate_plant_run){t_s / 3600, r->facts.slot[0].limit_c, r->facts.card_limit_w};
        for (uint32_t i = 1; i < r->facts.slots; i++)
            ran->limit_c = fmin(ran->limit_c, r->facts.slot[i].limit_c);
        r->figures.duration_s = t_s;
        *out = (struct el_simulate_result){0};
        el_figures_finish(&r->figures, out);
        out->throughput_ratio_to_oracle = out->overshoot_beyond_oracle_celsius = out->jain_fairness_of_oracle =
            out->oracle_binding_ratio = NAN;
        out->firmware_throttled_seconds_per_hour = out->speed = NAN;
        out->writes_per_drive_per_hour = (double)r->writes / r->facts.slots / ran->hours;
        out->admin_commands_per_drive_per_hour = NAN;
        out->step_us = (double)r->step_cpu_us / (double)r->steps;
    } else {
        free(r->figures.swing);
    }
    el_governor_free(r->governor);
    el_external_free(r->plant);
    free(r);
    return result;
}
