#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"

struct tally {
    double work[PLANT_SLOTS], asked[PLANT_SLOTS], above[PLANT_SLOTS], warning[PLANT_SLOTS], critical[PLANT_SLOTS], over;
    uint32_t histogram[PLANT_SLOTS][400]; /* of true temperature less limit, 0.05 C, in the last third */
};

static void tally(struct tally *y, const struct plant *p)
{
    double dt = p->o.period_s;

    for (uint32_t i = 0; i < p->o.slots; i++) {
        double e = plant_true_c(p, i) - p->card.slot[i].limit_c;

        y->work[i] += p->slot[i].done * dt;
        y->asked[i] += p->slot[i].demand * dt;
        if (p->now_s < 600) /* the run begins cold and settles */
            continue;
        y->over = EL_MAX(y->over, e);
        y->above[i] += e > 0.5 ? dt : 0;
        y->warning[i] += e > p->card.slot[i].warning_c - p->card.slot[i].limit_c ? dt : 0;
        y->critical[i] += e > p->card.slot[i].critical_c - p->card.slot[i].limit_c ? dt : 0;
        if (p->now_s > p->o.duration_s * 2 / 3)
            y->histogram[i][(int)EL_CLAMP((e + 15) * 20, 0, 399)]++;
    }
}

static double jain(const struct tally *y, uint32_t n)
{
    double s = 0, q = 0;

    for (uint32_t i = 0; i < n; i++) {
        double x = y->work[i] / EL_MAX(y->asked[i], 1e-9);

        s += x;
        q += x * x;
    }
    return s * s / (n * q);
}

static double range90(const uint32_t *h)
{
    uint32_t sum = 0, at = 0;
    int lo = -1, hi = 0;

    for (int k = 0; k < 400; k++)
        sum += h[k];
    for (int k = 0; k < 400; k++) {
        at += h[k];
        if (lo < 0 && at >= sum * 0.05)
            lo = k;
        if (at <= sum * 0.95)
            hi = k + 1;
    }
    return EL_MAX(0, hi - lo) * 0.05;
}

static double total(const double *v, uint32_t n)
{
    double s = 0;

    for (uint32_t i = 0; i < n; i++)
        s += v[i];
    return s;
}

static double most(const double *v, uint32_t n)
{
    double m = 0;

    for (uint32_t i = 0; i < n; i++)
        m = EL_MAX(m, v[i]);
    return m;
}

/* Every law and every margin meets the same oracle: each plant's is run once. Good until the next call. */
static const struct tally *oracle_of(const struct plant_options *o)
{
    static struct {
        struct plant_options o;
        struct tally t;
    } known[256];
    static struct plant p;
    struct tally *y = &known[o->seed % 256].t;
    struct plant_options *k = &known[o->seed % 256].o;

    if (k->seed == o->seed && k->kind == o->kind && k->slots == o->slots && k->period_s == o->period_s &&
        k->duration_s == o->duration_s && k->background == o->background)
        return y;
    *k = *o;
    memset(y, 0, sizeof(*y));
    y->over = -100;
    plant_init(&p, o);
    while (p.now_s < o->duration_s) {
        plant_step_oracle(&p);
        tally(y, &p);
    }
    return y;
}

static int64_t clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

#define BROKEN  1 /* the drive that breaks */
#define JUMP_C  15
#define JUMP_S  300.0
#define JUMPS_S 3.0

static bool broken(const struct plant *p)
{
    return p->now_s > p->o.duration_s / 2 && p->now_s < p->o.duration_s * 5 / 6;
}

/* `stuck` keeps the last sound value. */
static void break_readings(const struct plant *p, enum trial_fault fault, struct el_governor_input *in, int64_t *stuck)
{
    struct el_reading *r = &in->slot[BROKEN].temp_mc;

    if (!broken(p)) {
        *stuck = r->value;
        return;
    }
    if (fault == TRIAL_STUCK)
        r->value = *stuck;
    else if (fault == TRIAL_LOST)
        r->quality = EL_FAILED;
    else if (fault == TRIAL_JUMPS && fmod(p->now_s, JUMP_S) < JUMPS_S)
        r->value += fmod(p->now_s, 2 * JUMP_S) < JUMP_S ? JUMP_C * 1000 : -JUMP_C * 1000;
    else if (fault == TRIAL_INLET_LOST)
        in->inlet_mc.quality = EL_FAILED;
    if (fault == TRIAL_LOST || fault == TRIAL_STUCK)
        for (int k = 0; k < 8; k++)
            in->slot[BROKEN].sensor_mc[k].quality = EL_ABSENT;
}

static void run_law(const struct el_governor_law *law, const struct plant_options *o, enum trial_fault fault,
                    struct tally *y, struct trial *t, double *seen_s)
{
    static struct plant p;
    static struct el_governor_input in;
    static struct el_decision d;
    struct el_governor *g;
    uint32_t writes[PLANT_SLOTS] = {0};
    int64_t spent = 0, ticks = 0, stuck = 0;
    double over_w = 0, cap[PLANT_SLOTS];
    const char *trace = getenv("TRACE");
    FILE *f = trace ? fopen(trace, "w") : NULL;

    plant_init(&p, o);
    g = el_governor_new(law, &p.card);
    t->air_reported_s = NAN;
    while (p.now_s < o->duration_s) {
        int64_t before;

        plant_read(&p, &in);
        break_readings(&p, fault, &in, &stuck);
        before = clock_ns();
        el_governor_step(g, &in, &d);
        spent += clock_ns() - before;
        ticks++;
        for (uint32_t i = 0; i < o->slots; i++) {
            cap[i] = d.slot[i].cap_ratio >= 1 ? INFINITY : d.slot[i].budget_w;
            writes[i] += d.slot[i].write;
        }
        if (fault == TRIAL_CAP_IGNORED && broken(&p)) {
            if (*seen_s == 0 && plant_declared_w(&p, BROKEN) * p.slot[BROKEN].done > cap[BROKEN])
                *seen_s = p.now_s;
            cap[BROKEN] = INFINITY;
        }
        if (f) {
            fprintf(f, "%.0f", p.now_s);
            for (uint32_t i = 0; i < o->slots; i++)
                fprintf(f, ",%.3f,%.0f,%.3f,%.3f,%.3f,%.3f,%.3f", plant_true_c(&p, i) - p.card.slot[i].limit_c,
                        (double)in.slot[i].temp_mc.value / 1000 - p.card.slot[i].limit_c,
                        d.slot[i].temp_estimate_c - p.card.slot[i].limit_c, EL_MIN(cap[i], 99), p.slot[i].done,
                        p.slot[i].demand, p.slot[i].burst_w);
            fprintf(f, "\n");
        }
        if (d.air_failing && p.now_s < p.air_step_s)
            t->air_false = true;
        else if (d.air_failing && isnan(t->air_reported_s))
            t->air_reported_s = p.now_s - p.air_step_s;
        plant_step(&p, cap);
        tally(y, &p);
        if (p.now_s > 600)
            over_w += EL_MAX(0, plant_card_w(&p) - p.card.card_limit_w) * o->period_s;
    }
    if (f)
        fclose(f);
    for (uint32_t i = 0; i < o->slots; i++) {
        t->writes += writes[i] * 3600 / o->duration_s / o->slots;
        t->writes_worst = EL_MAX(t->writes_worst, writes[i] * 3600 / o->duration_s);
    }
    t->power_over_w = isfinite(p.card.card_limit_w) ? over_w / (o->duration_s - 600) : 0;
    t->tick_us = (double)spent * 1e-3 / (double)ticks;
    el_governor_free(g);
}

/* What no law could have prevented: every drive that obeys stands at its floor from the moment the fault can be seen.
 */
static void run_resigned(const struct plant_options *o, enum trial_fault fault, double seen_s, struct tally *y)
{
    static struct plant p;
    double cap[PLANT_SLOTS];

    plant_init(&p, o);
    while (p.now_s < o->duration_s) {
        if (!broken(&p) || p.now_s < seen_s) {
            plant_step_oracle(&p);
        } else {
            for (uint32_t i = 0; i < o->slots; i++)
                cap[i] = fault == TRIAL_CAP_IGNORED && i == BROKEN
                             ? INFINITY
                             : p.card.slot[i].floor_ratio * (p.card.slot[i].full_w - p.card.slot[i].idle_w);
            plant_step(&p, cap);
        }
        tally(y, &p);
    }
}

void trial_run(const struct el_governor_law *law, const struct plant_options *o, enum trial_fault fault,
               struct trial *t)
{
    static struct tally ours, resigned;
    const struct tally *oracle = oracle_of(o);
    double hours = (o->duration_s - 600) / 3600, seen_s = 0;
    bool steady = o->kind != PLANT_BURSTY && o->kind != PLANT_FLICKER && o->kind != PLANT_LOAD_RAMP &&
                  o->kind != PLANT_INLET_RAMP;

    memset(&ours, 0, sizeof(ours));
    memset(t, 0, sizeof(*t));
    ours.over = -100;
    if (law)
        run_law(law, o, fault, &ours, t, &seen_s);
    else
        ours = *oracle;
    t->ratio = total(ours.work, o->slots) / total(oracle->work, o->slots);
    t->demand_ratio = total(oracle->work, o->slots) / total(oracle->asked, o->slots);
    t->own_ratio = total(ours.work, o->slots) / total(ours.asked, o->slots);
    t->over_c = ours.over;
    t->oracle_over_c = EL_MAX(0, oracle->over);
    t->above_s_h = most(ours.above, o->slots) / hours;
    t->oracle_above_s_h = most(oracle->above, o->slots) / hours;
    t->warning_s_h = most(ours.warning, o->slots) / hours;
    t->critical_s_h = most(ours.critical, o->slots) / hours;
    memset(&resigned, 0, sizeof(resigned));
    if (t->critical_s_h > 0)
        run_resigned(o, fault, seen_s, &resigned);
    t->avoidable_s_h = most(resigned.critical, o->slots) > 0 ? 0 : t->critical_s_h;
    t->jain = jain(&ours, o->slots);
    t->oracle_jain = jain(oracle, o->slots);
    t->cycle_c = steady ? 0 : NAN;
    for (uint32_t i = 0; steady && i < o->slots; i++)
        t->cycle_c += range90(ours.histogram[i]) / o->slots;
}
