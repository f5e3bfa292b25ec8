#include "plant.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

#define SUB 4

const char *const plant_kind_name[PLANT_KINDS] = {"constant",  "bursty", "flicker",    "air-step", "inlet-ramp",
                                                  "load-ramp", "uneven", "card-watts", "stripe"};

static double halton(uint64_t i, uint64_t base)
{
    double f = 1, r = 0;

    for (; i; i /= base) {
        f /= (double)base;
        r += f * (double)(i % base);
    }
    return r;
}

static void slot_init(struct plant *p, uint32_t i, double limit_c)
{
    struct plant_slot *s = &p->slot[i];
    struct el_governor_slot *k = &p->card.slot[i];
    struct el_rng *r = &p->rng;
    double full = el_rng_between(r, 5.5, 9.0);

    s->idle_w = el_rng_between(r, 1.5, 3.0);
    s->c_ctrl = el_rng_between(r, 3, 7);
    s->c_nand = el_rng_between(r, 5, 12);
    s->r_cn = el_rng_between(r, 2, 6);
    s->r_cs = el_rng_between(r, 1.8, 4.0);
    s->r_ns = el_rng_between(r, 2.0, 5.0);
    s->share = el_rng_between(r, 0.35, 0.65);
    s->mix = el_rng_between(r, 0.2, 0.9);
    s->leak = el_rng_between(r, 0.004, 0.014);
    s->work_w = (full - s->idle_w) * el_rng_between(r, 0.85, 1.1);
    s->burst_rate = p->o.background ? (1 - p->read_share + 0.15) * el_rng_between(r, 0.3, 1.0) / 90 : 0;
    s->level = 1;
    s->on = true;
    s->t_ctrl = s->t_nand = s->shown = p->inlet_c + 12;
    s->t_sink = p->inlet_c + 8;
    for (int d = 0; d < PLANT_DELAY; d++)
        s->cap_w[d] = INFINITY;
    k->limit_c = limit_c;
    k->warning_c = limit_c + 2;
    k->critical_c = limit_c + 5;
    k->idle_w = s->idle_w * el_rng_between(r, 0.9, 1.1);
    k->full_w = full;
    k->weight = 1;
    k->floor_ratio = 0.05;
    k->can_cap = true;
    k->array = p->o.kind == PLANT_STRIPE && i < 2 + p->o.slots / 4 ? 0 : -1;
    for (int j = 0; j < 8; j++)
        k->sensor_limit_c[j] = NAN;
}

/* True prices first, so that a full drive draws work_w; then what is declared of them, up to 25 % wrong. */
static void prices_init(struct plant *p)
{
    double bytes[2] = {p->full_ops * p->read_share * p->block_bytes,
                       p->full_ops * (1 - p->read_share) * p->block_bytes};
    double ops[2] = {p->full_ops * p->read_share, p->full_ops * (1 - p->read_share)},
           shape[4] = {9e-10, 1.5e-9, 1e-6, 2e-6}, error[4];
    double sum = bytes[0] * shape[0] + bytes[1] * shape[1] + ops[0] * shape[2] + ops[1] * shape[3];

    for (int j = 0; j < 4; j++)
        error[j] = el_rng_between(&p->rng, 0.75, 1.25);
    for (uint32_t i = 0; i < p->o.slots; i++) {
        struct el_governor_slot *k = &p->card.slot[i];
        double scale = (k->full_w - k->idle_w) / sum;

        for (int j = 0; j < 4; j++)
            p->slot[i].price[j] = shape[j] * p->slot[i].work_w / sum;
        k->read_j_per_byte = shape[0] * scale * error[0];
        k->write_j_per_byte = shape[1] * scale * error[1];
        k->read_j_per_op = shape[2] * scale * error[2];
        k->write_j_per_op = shape[3] * scale * error[3];
    }
}

void plant_init(struct plant *p, const struct plant_options *o)
{
    struct el_rng *r = &p->rng;
    double limit;

    memset(p, 0, sizeof(*p));
    p->o = *o;
    p->rng = el_rng_seed(o->seed * 7919 + 13);
    p->sensor_rng = el_rng_seed(o->seed * 104729 + 7);
    p->inlet_c = p->inlet_from = p->inlet_to = 25 + 30 * sqrt(halton(o->seed, 2)) /* more hot ones: there it binds */;
    p->airflow_lfm = 200 + 400 * halton(o->seed, 3);
    limit = 68 + 12 * halton(o->seed, 5);
    p->read_share = halton(o->seed, 7);
    p->block_bytes = el_rng_unit(r) < 0.5 ? 4096 : 65536;
    p->full_ops = p->block_bytes < 5000 ? 3e5 : 4e4;
    p->r_seg400 = el_rng_between(r, 0.25, 0.6) * 4; /* of one of four drives' worth of sink */
    p->exponent = el_rng_between(r, 0.45, 0.69);
    p->c_seg = el_rng_between(r, 35, 80);
    p->g_seg = el_rng_between(r, 0.5, 4);
    p->air_rise = el_rng_between(r, 0.03, 0.15); /* C per W upstream at 400 LFM */
    p->switch_w = el_rng_between(r, 4, 9);
    p->r_switch = el_rng_between(r, 0.8, 1.6);
    p->lag_s = el_rng_between(r, 1, 4.5);
    p->noise_c = el_rng_between(r, 0.05, 0.4);
    p->delay = (uint32_t)el_rng_between(r, 0, 2.99);
    p->inlet_error = el_rng_between(r, -1.5, 1.5);
    p->card = (struct el_governor_card){.slots = o->slots,
                                        .card_limit_w = NAN,
                                        .switch_limit_c = 95,
                                        .switch_w = 5,
                                        .inlet_max_c = 55,
                                        .airflow_min_lfm = 400,
                                        .margin_c = o->margin_c,
                                        .period_s = o->period_s,
                                        .write_budget_per_hour = 120,
                                        .sink_r400_c_per_w = 1.6 / o->slots,
                                        .sink_r_exponent = 0.55,
                                        .sink_c_j_per_k = 56.0 * o->slots,
                                        .drive_r_c_per_w = 1.75,
                                        .drive_c_j_per_k = 12,
                                        .airflow_assumed_lfm = 400,
                                        .inlet_assumed_c = NAN};
    for (uint32_t i = 0; i < o->slots; i++)
        slot_init(p, i, limit);
    prices_init(p);
    p->t_switch = p->inlet_c + 15;
    p->air_step_s = o->kind == PLANT_AIR_STEP ? el_rng_between(r, 0.3, 0.6) * o->duration_s : INFINITY;
    p->air_to = p->airflow_lfm / 2;
    if (o->kind == PLANT_AIR_STEP) {
        p->airflow_lfm = 400;
        p->air_to = 200;
    }
    if (o->kind == PLANT_INLET_RAMP)
        p->inlet_to = el_rng_between(r, 25, 55);
    if (o->kind == PLANT_CARD_WATTS)
        p->card.card_limit_w = p->switch_w + o->slots * el_rng_between(r, 4.2, 6.0);
    if (o->kind == PLANT_STRIPE) {
        p->card.arrays = 1;
        p->card.array_level[0] = EL_ARRAY_STRIPE;
    }
}

/* Demand: 0..1 of what the drive can do. */
static void demand_step(struct plant *p, uint32_t i, double dt)
{
    struct plant_slot *s = &p->slot[i];
    struct el_rng *r = &p->rng;
    double x = p->now_s / p->o.duration_s;

    s->on_left_s -= dt;
    switch (p->o.kind) {
    case PLANT_BURSTY:
    case PLANT_FLICKER:
        if (s->on_left_s <= 0) {
            s->on = !s->on;
            s->on_left_s = p->o.kind == PLANT_BURSTY ? el_rng_between(r, 20, s->on ? 240 : 90)
                                                     : el_rng_between(r, 2, s->on ? 30 : 10);
            s->level = s->on ? el_rng_between(r, 0.7, 1) : el_rng_between(r, 0, 0.4);
        }
        break;
    case PLANT_LOAD_RAMP:
        s->level = 0.15 + 0.85 * fabs(2 * fmod(3 * x, 1) - 1);
        break;
    case PLANT_UNEVEN:
        s->level = i % 2 ? 1 : 0.3;
        break;
    default:
        s->level = 1;
    }
    s->demand = s->level;
    s->burst_left_s -= dt;
    if (s->burst_left_s <= 0) {
        s->burst_w = 0;
        if (el_rng_unit(r) < s->burst_rate * dt) {
            s->burst_w = el_rng_between(r, 0.4, 1.6);
            s->burst_left_s = el_rng_between(r, 5, 40);
        }
    }
}

static void world_step(struct plant *p, double dt)
{
    double x = p->now_s / p->o.duration_s;

    if (p->now_s >= p->air_step_s)
        p->airflow_lfm = p->air_to;
    if (p->o.kind == PLANT_INLET_RAMP)
        p->inlet_c = x < 0.3   ? p->inlet_from
                     : x > 0.7 ? p->inlet_to
                               : p->inlet_from + (p->inlet_to - p->inlet_from) * (x - 0.3) / 0.4;
    for (uint32_t i = 0; i < p->o.slots; i++)
        demand_step(p, i, dt);
}

static double slot_w(const struct plant_slot *s)
{
    return s->idle_w * (1 + s->leak * (s->t_ctrl - 45)) + s->given_w + s->burst_w;
}

double plant_true_c(const struct plant *p, uint32_t i)
{
    return p->slot[i].mix * p->slot[i].t_ctrl + (1 - p->slot[i].mix) * p->slot[i].t_nand;
}

double plant_card_w(const struct plant *p)
{
    double sum = p->switch_w;

    for (uint32_t i = 0; i < p->o.slots; i++)
        sum += slot_w(&p->slot[i]);
    return sum;
}

static void heat(struct plant *p, double dt)
{
    double h = dt / SUB, ratio = 400 / p->airflow_lfm, r = p->r_seg400 * pow(ratio, p->exponent);

    for (int k = 0; k < SUB; k++) {
        double air = p->inlet_c, sink[PLANT_SLOTS];

        for (uint32_t i = 0; i < p->o.slots; i++)
            sink[i] = p->slot[i].t_sink;
        for (uint32_t i = 0; i < p->o.slots; i++) {
            struct plant_slot *s = &p->slot[i];
            double w = slot_w(s), cn = (s->t_ctrl - s->t_nand) / s->r_cn, cs = (s->t_ctrl - sink[i]) / s->r_cs,
                   ns = (s->t_nand - sink[i]) / s->r_ns;
            double out = (sink[i] - air) / r, q = cs + ns - out;

            if (i == p->o.slots / 2) {
                double sw = (p->t_switch - sink[i]) / p->r_switch;

                q += sw;
                p->t_switch += h / 15 * (p->switch_w - sw);
            }
            if (i > 0)
                q += p->g_seg * (sink[i - 1] - sink[i]);
            if (i + 1 < p->o.slots)
                q += p->g_seg * (sink[i + 1] - sink[i]);
            s->t_ctrl += h / s->c_ctrl * (w * s->share - cn - cs);
            s->t_nand += h / s->c_nand * (w * (1 - s->share) + cn - ns);
            s->t_sink += h / p->c_seg * q;
            air += p->air_rise * ratio * out;
        }
    }
}

/* Integer counters grow as the work does. */
static void count(struct plant *p, uint32_t i, double dt)
{
    struct plant_slot *s = &p->slot[i];
    double ops[2] = {p->full_ops * p->read_share * s->done * dt, p->full_ops * (1 - p->read_share) * s->done * dt};

    for (int j = 0; j < 2; j++) {
        s->carry[j] += ops[j];
        s->ops[j] += (uint64_t)s->carry[j];
        s->bytes[j] += (uint64_t)s->carry[j] * (uint64_t)p->block_bytes;
        s->carry[j] -= floor(s->carry[j]);
    }
}

double plant_declared_w(const struct plant *p, uint32_t i)
{
    const struct el_governor_slot *k = &p->card.slot[i];

    return p->full_ops * (p->read_share * (p->block_bytes * k->read_j_per_byte + k->read_j_per_op) +
                          (1 - p->read_share) * (p->block_bytes * k->write_j_per_byte + k->write_j_per_op));
}

static void finish(struct plant *p, double dt)
{
    if (p->o.kind == PLANT_STRIPE) { /* a stripe runs at the pace of its slowest */
        double least = 1;

        for (uint32_t i = 0; i < p->o.slots; i++)
            if (p->card.slot[i].array == 0)
                least = EL_MIN(least, p->slot[i].done);
        for (uint32_t i = 0; i < p->o.slots; i++)
            if (p->card.slot[i].array == 0)
                p->slot[i].done = least;
    }
    for (uint32_t i = 0; i < p->o.slots; i++) {
        p->slot[i].given_w = p->slot[i].done * p->slot[i].work_w;
        count(p, i, dt);
    }
    heat(p, dt);
    for (uint32_t i = 0; i < p->o.slots; i++) {
        struct plant_slot *s = &p->slot[i];
        double k = 1 - exp(-dt / p->lag_s);

        s->shown += k * (plant_true_c(p, i) - s->shown);
        s->shown_s[0] += k * (s->t_ctrl - s->shown_s[0]);
        s->shown_s[1] += k * (s->t_nand - s->shown_s[1]);
    }
    p->now_s += dt;
}

void plant_step(struct plant *p, const double *cap_w)
{
    double dt = p->o.period_s;

    world_step(p, dt);
    for (uint32_t i = 0; i < p->o.slots; i++) {
        struct plant_slot *s = &p->slot[i];

        memmove(s->cap_w + 1, s->cap_w, sizeof(s->cap_w) - sizeof(s->cap_w[0]));
        s->cap_w[0] = cap_w[i];
        s->done = EL_MIN(s->demand, s->cap_w[p->delay] / plant_declared_w(p, i));
    }
    finish(p, dt);
}

/* Host watts that land drive i on its limit at the end of this step. */
static double landing_w(const struct plant *p, uint32_t i, double dt)
{
    struct plant a = *p, b = *p;
    double limit = p->card.slot[i].limit_c, t0, t1;

    a.slot[i].given_w = 0;
    b.slot[i].given_w = 1;
    heat(&a, dt);
    heat(&b, dt);
    t0 = plant_true_c(&a, i);
    t1 = plant_true_c(&b, i);
    return (limit - t0) / (t1 - t0);
}

void plant_step_oracle(struct plant *p)
{
    double dt = p->o.period_s, sum = p->switch_w, want[PLANT_SLOTS], budget;

    world_step(p, dt);
    for (uint32_t i = 0; i < p->o.slots; i++) {
        struct plant_slot *s = &p->slot[i];

        want[i] = EL_CLAMP(landing_w(p, i, dt), 0.05 * s->work_w, s->demand * s->work_w);
        s->given_w = 0;
        sum += slot_w(s);
    }
    budget = p->card.card_limit_w - sum;
    if (isfinite(budget)) { /* equal shares of what the card's watts leave */
        double lo = 0, hi = 10;

        for (int k = 0; k < 40; k++) {
            double level = (lo + hi) / 2, total = 0;

            for (uint32_t i = 0; i < p->o.slots; i++)
                total += EL_MIN(want[i], level);
            *(total > budget ? &hi : &lo) = level;
        }
        for (uint32_t i = 0; i < p->o.slots; i++)
            want[i] = EL_MIN(want[i], EL_MAX(lo, 0.05 * p->slot[i].work_w));
    }
    for (uint32_t i = 0; i < p->o.slots; i++)
        p->slot[i].done = want[i] / p->slot[i].work_w;
    finish(p, dt);
}

void plant_read(struct plant *p, struct el_governor_input *in)
{
    int64_t now = (int64_t)llround(p->now_s * 1e6) + 1;
    struct el_rng *r = &p->sensor_rng;
    double bias = p->o.floor_rounding ? 0.0 : 0.5;

    memset(in, 0, sizeof(*in));
    in->now_us = now;
    for (uint32_t i = 0; i < p->o.slots; i++) {
        struct plant_slot *s = &p->slot[i];
        struct el_governor_slot_input *x = &in->slot[i];

        x->present = x->io_valid = true;
        x->temp_mc = el_reading_good((int64_t)floor(s->shown + p->noise_c * el_rng_normal(r) + bias) * 1000, now);
        for (int j = 0; j < 2; j++) {
            double n = floor(s->shown_s[j] + p->noise_c * el_rng_normal(r) + bias);

            if (p->o.sensors)
                x->sensor_mc[j] = el_reading_good((int64_t)n * 1000, now);
        }
        x->read_bytes = s->bytes[0];
        x->write_bytes = s->bytes[1];
        x->read_ops = s->ops[0];
        x->write_ops = s->ops[1];
        x->cap_ratio_in_force = NAN;
    }
    in->inlet_mc =
        el_reading_good((int64_t)(floor(p->inlet_c + p->inlet_error + 0.2 * el_rng_normal(r) + 0.5) * 1000), now);
    if (p->o.airflow_known)
        in->airflow_mlfm = el_reading_good((int64_t)(p->airflow_lfm * 1000), now);
    if (p->o.power_known)
        in->card_power_mw = el_reading_good((int64_t)((plant_card_w(p) + 0.1 * el_rng_normal(r)) * 1000), now);
    in->switch_mc = el_reading_good((int64_t)floor(p->t_switch + 0.5) * 1000, now);
}
