#include "twin/plant.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

/* Ranges from which parameters are drawn, all assumed, around what the profile states. A spread of 0.2 means x
 * 0.8..1.2. */
#define SPREAD_SINK        0.18 /* resistance and heat capacity of sink and drives */
#define SPREAD_DRIVE       0.12
#define SPREAD_PRICE_CARD  0.20 /* true joules over declared joules: all drives of a card ... */
#define SPREAD_PRICE_DRIVE 0.05 /* ... and each by itself: 25 % together */
#define EXPONENT_LOW       0.45 /* fit over plausible limits of a published table: 0.45..0.69 */
#define EXPONENT_HIGH      0.69
#define AIR_SHARE_LOW      0.20 /* share of the sink's resistance at 400 LFM that is due to air warming along the card */
#define AIR_SHARE_HIGH     0.40
#define STACKED_FACTOR     1.12 /* the upper drive of a double stack stands further from the sink */
#define AIRFLOW_FREE_LFM   35.0 /* airflow that natural convection still gives */
#define SWITCH_RISE_C      14.0 /* rise of the switch above its part of the sink, at its nominal power */
#define SWITCH_J_PER_K     18.0
#define SWITCH_LAG_S       3.0
/* Background work. The steady cost of garbage collection is in the price of a write; these are the bursts on top of it.
 * At full random writes there is one every two or three minutes on average, half a minute of up to a quarter of the
 * drive's full power. */
#define GC_PER_BYTE_LOW    0.2 /* debt per byte written */
#define GC_PER_BYTE_HIGH   0.5
#define GC_TRIGGER_LOW     10e9 /* debt at which a burst begins, drawn for each */
#define GC_TRIGGER_HIGH    60e9
#define GC_S_LOW           8.0
#define GC_S_HIGH          40.0
#define GC_SHARE_LOW       0.10 /* of full power */
#define GC_SHARE_HIGH      0.28
#define GC_SHARE_NAND      0.7  /* where its heat arises */
#define NOISE_SIGMA        0.02 /* content changes the joules of an I/O */
#define NOISE_TAU_S        10.0
#define THROTTLE_DEFAULT_C 80.0 /* where a drive that states neither limit nor WCTEMP starts to throttle */

struct dice {
    struct el_rng rng;
    bool nominal; /* seed 0: the middle of every range */
};

static double draw(struct dice *d, double lo, double hi)
{
    return d->nominal ? (lo + hi) / 2 : el_rng_between(&d->rng, lo, hi);
}

static double spread(struct dice *d, double middle, double by)
{
    return middle * draw(d, 1 - by, 1 + by);
}

static void init_drive(struct el_plant *p, uint32_t i, const struct el_drive_profile *profile, struct dice *dice,
                       double price_card)
{
    struct el_plant_drive *d = &p->drive[i];
    const struct el_card_profile *c = p->profile;
    double stacked = p->sections < p->slots && i % 2 ? STACKED_FACTOR : 1;
    double capacity = spread(dice, c->drive_c_j_per_k, SPREAD_DRIVE),
           r = stacked * spread(dice, c->drive_r_c_per_w, SPREAD_DRIVE);
    uint64_t stream = el_rng_u64(&dice->rng);

    *d = (struct el_plant_drive){.profile = profile,
                                 .present = true,
                                 .cap = {.ratio = 1},
                                 .speed = 1,
                                 .throttle = 1,
                                 .price_noise = 1,
                                 .load = 1};
    d->ctl_share = draw(dice, 0.5, 0.65);
    d->composite_ctl = draw(dice, 0.35, 0.65);
    /* The controller sits hotter per watt than the flash; together they rise by about the profile's resistance. */
    d->r_ctl = 1.1 * r / d->ctl_share;
    d->r_nand = 0.9 * r / (1 - d->ctl_share);
    d->c_ctl = 0.35 * capacity;
    d->c_nand = 0.65 * capacity;
    d->g_between = draw(dice, 0.05, 0.15);
    d->leak_w = profile->idle_w * draw(dice, 0.1, 0.25);
    d->leak_per_k = draw(dice, 0.012, 0.022);
    d->price_factor_read = price_card * spread(dice, 1, SPREAD_PRICE_DRIVE);
    d->price_factor_write = price_card * spread(dice, 1, SPREAD_PRICE_DRIVE);
    d->gc_per_byte = draw(dice, GC_PER_BYTE_LOW, GC_PER_BYTE_HIGH);
    d->sensor_lag_s = draw(dice, 1, 4);
    d->sensor_noise_c = draw(dice, 0.05, 0.25);
    d->throttles_hard = !dice->nominal && el_rng_u64(&dice->rng) % 3 == 0;
    d->section = i * p->sections / p->slots;
    d->rng_gc = el_rng_seed(stream);
    d->rng_load = el_rng_seed(stream ^ 0x6c6f6164);
    d->rng_noise = el_rng_seed(stream ^ 0x6e6f6973);
    d->gc_trigger = el_rng_between(&d->rng_gc, GC_TRIGGER_LOW, GC_TRIGGER_HIGH);
}

static void set_air(struct el_plant *p)
{
    double v = fmax(p->airflow_lfm, AIRFLOW_FREE_LFM) / 400;

    if (p->airflow_of_g == p->airflow_lfm)
        return;
    p->airflow_of_g = p->airflow_lfm;
    p->g_section = p->g_conv400 * pow(v, p->r_exponent) / p->sections;
    p->air_j_per_k = p->air_j_per_k400 * v;
}

/* As after a long idle time at this inlet: good enough as a start, the plant settles the rest. */
static void init_temperatures(struct el_plant *p)
{
    double idle = p->profile->switch_w, sink;

    for (uint32_t i = 0; i < p->slots; i++)
        idle += p->drive[i].profile->idle_w;
    set_air(p);
    sink = p->inlet_c + idle / (p->g_section * p->sections) + idle / (2 * p->air_j_per_k);
    for (uint32_t s = 0; s < p->sections; s++)
        p->t_section[s] = sink;
    for (uint32_t i = 0; i < p->slots; i++) {
        struct el_plant_drive *d = &p->drive[i];

        d->t_ctl = d->t_nand = sink + p->profile->drive_r_c_per_w * d->profile->idle_w;
        for (int k = 0; k < EL_PLANT_SENSORS; k++)
            d->lagged[k] = d->t_ctl;
    }
    p->card_w = idle;
    p->switch_w = p->profile->switch_w;
    p->t_switch = p->lagged_switch = sink + (p->profile->has_switch ? SWITCH_RISE_C : 0);
}

void el_plant_init(struct el_plant *p, const struct el_card_profile *profile, const struct el_drive_profile *drives,
                   enum el_array_level array, uint64_t seed, double inlet_c, double airflow_lfm)
{
    struct dice dice = {.rng = el_rng_seed(seed * 0x9e3779b97f4a7c15ULL + 1), .nominal = seed == 0};
    double r400, air_share, price_card;

    memset(p, 0, sizeof *p);
    p->profile = profile;
    p->array = array;
    p->slots = profile->slots;
    p->sections = p->slots > 4 ? (p->slots + 1) / 2 : p->slots; /* more than four drives stand double-stacked */
    p->inlet_c = inlet_c;
    p->airflow_lfm = airflow_lfm;
    p->airflow_of_g = NAN; /* of nothing yet */
    r400 = spread(&dice, profile->sink_r400_c_per_w, SPREAD_SINK);
    air_share = draw(&dice, AIR_SHARE_LOW, AIR_SHARE_HIGH);
    p->g_conv400 = 1 / (r400 * (1 - air_share));
    p->air_j_per_k400 = 0.5 / (r400 * air_share); /* the mean section sees half of the air's rise */
    p->r_exponent = draw(&dice, EXPONENT_LOW, EXPONENT_HIGH);
    p->g_lateral = draw(&dice, 1.5, 4);
    p->c_section = spread(&dice, profile->sink_c_j_per_k, SPREAD_SINK) / p->sections;
    p->c_switch = SWITCH_J_PER_K;
    p->r_switch = profile->has_switch ? SWITCH_RISE_C / profile->switch_w * draw(&dice, 0.8, 1.2) : 1;
    price_card = spread(&dice, 1, SPREAD_PRICE_CARD);
    p->rng_card = el_rng_seed(el_rng_u64(&dice.rng));
    for (uint32_t i = 0; i < p->slots; i++)
        init_drive(p, i, &drives[i], &dice, price_card);
    init_temperatures(p);
}

double el_plant_composite_c(const struct el_plant_drive *d)
{
    return d->composite_ctl * d->t_ctl + (1 - d->composite_ctl) * d->t_nand;
}

/* Garbage collection follows writes: debt builds up, and a burst of work pays it back when it reaches a limit. */
static void background(struct el_plant_drive *d, double dt)
{
    struct el_rng *r = &d->rng_gc;

    if (d->gc_left_s > 0) {
        d->gc_left_s -= dt;
        if (d->gc_left_s <= 0)
            d->gc_w = 0;
        return;
    }
    if (d->gc_debt < d->gc_trigger)
        return;
    d->gc_debt = 0;
    d->gc_trigger = el_rng_between(r, GC_TRIGGER_LOW, GC_TRIGGER_HIGH);
    d->gc_left_s = el_rng_between(r, GC_S_LOW, GC_S_HIGH);
    d->gc_w = el_rng_between(r, GC_SHARE_LOW, GC_SHARE_HIGH) * d->profile->full_w;
}

/* How much of its speed the drive's firmware and power state leave it. Soft firmware steps down while above its trip
 * and up again below it; hard firmware drops to a quarter until the drive has cooled well below. */
static void firmware(const struct el_plant *p, struct el_plant_drive *d, double dt)
{
    const struct el_drive_profile *f = d->profile;
    double t = el_plant_composite_c(d), trip = isfinite(f->firmware_throttle_c) ? f->firmware_throttle_c : f->wctemp_c;
    double speed, j;

    trip = isfinite(trip) ? trip : THROTTLE_DEFAULT_C;
    if (d->throttles_hard)
        d->throttle = t > trip + 1 ? 0.25 : t < trip - 6 ? 1 : d->throttle;
    else
        d->throttle = EL_CLAMP(d->throttle + dt * (t > trip ? -0.05 : t < trip - 1 ? 0.02 : 0), 0.1, 1.0);
    if (isfinite(f->cctemp_c) && t > f->cctemp_c - 1)
        d->throttle = fmin(d->throttle, 0.1);
    speed = d->throttle;
    if (d->tmt2_c && t >= d->tmt2_c) {
        speed = fmin(speed, 0.3);
        d->throttle_s[1] += dt;
    } else if (d->tmt1_c && t >= d->tmt1_c) {
        speed = fmin(speed, 0.7);
        d->throttle_s[0] += dt;
    }
    d->throttle_events += speed < 1 && !d->throttled;
    d->throttled = speed < 1;
    if (d->power_state > 0 && p->load.workload) {
        const struct el_workload *w = p->load.workload;

        j = w->read_ratio * (f->read_j_per_byte * w->block_bytes + f->read_j_per_op) +
            (1 - w->read_ratio) * (f->write_j_per_byte * w->block_bytes + f->write_j_per_op);
        speed = fmin(speed, fmax(f->power_state[d->power_state].max_w - 0.9 * f->idle_w, 0.1 * f->idle_w) * p->slots /
                                (j * w->iops));
    }
    d->speed = d->resetting ? 0 : speed;
}

static struct el_plant_price declared(const struct el_plant *p, const struct el_plant_drive *d,
                                      const struct el_cap *cap)
{
    const struct el_drive_profile *f = d->profile;
    bool own = cap && cap->read_j_per_byte + cap->read_j_per_op > 0 && cap->write_j_per_byte + cap->write_j_per_op > 0;
    double block = p->load.workload ? p->load.workload->block_bytes : 4096;

    if (own)
        return (struct el_plant_price){cap->read_j_per_byte * block + cap->read_j_per_op,
                                       cap->write_j_per_byte * block + cap->write_j_per_op};
    return (struct el_plant_price){f->read_j_per_byte * block + f->read_j_per_op,
                                   f->write_j_per_byte * block + f->write_j_per_op};
}

static struct el_plant_price true_price(const struct el_plant *p, const struct el_plant_drive *d)
{
    struct el_plant_price price = declared(p, d, NULL);

    price.read_j *= d->price_factor_read * d->price_noise;
    price.write_j *= d->price_factor_write * d->price_noise;
    return price;
}

/* Heat that enters each node in this step, before host I/O is added; W. */
struct flows {
    double section[EL_PLANT_SECTIONS], ctl[EL_CARD_SLOTS_MAX], nand[EL_CARD_SLOTS_MAX], sw;
};

static void sink_flows(struct el_plant *p, struct flows *f)
{
    double air = p->inlet_c, half = p->g_section / (2 * p->air_j_per_k);

    for (uint32_t s = 0; s < p->sections; s++) {
        double q = p->g_section * (p->t_section[s] - air) / (1 + half);

        f->section[s] = -q;
        air += q / p->air_j_per_k;
        if (s > 0) {
            double lateral = p->g_lateral * (p->t_section[s - 1] - p->t_section[s]);

            f->section[s] += lateral;
            f->section[s - 1] -= lateral;
        }
    }
    if (p->profile->has_switch) {
        uint32_t last = p->sections - 1;
        double q = (p->t_switch - p->t_section[last]) / p->r_switch;
        double full = p->load.workload ? p->load.workload->iops : 1;

        p->switch_w = p->profile->switch_w * (0.85 + 0.15 * fmin(p->iops / full, 1));
        f->sw = p->switch_w - q;
        f->section[last] += q;
    }
}

static void drive_flows(struct el_plant *p, uint32_t i, struct flows *f, double dt)
{
    struct el_plant_drive *d = &p->drive[i];
    double sink = p->t_section[d->section], to_ctl = (d->t_ctl - sink) / d->r_ctl,
           to_nand = (d->t_nand - sink) / d->r_nand;
    double between = d->g_between * (d->t_ctl - d->t_nand), idle = d->profile->idle_w, leak;

    f->section[d->section] += to_ctl + to_nand;
    f->ctl[i] = -to_ctl - between;
    f->nand[i] = -to_nand + between;
    d->background_w = 0;
    d->power_w = 0;
    if (!d->present)
        return;
    background(d, dt);
    leak = d->leak_w * (exp(d->leak_per_k * (d->t_ctl - 50)) - 1);
    if (d->power_state > 0)
        idle = fmin(idle, 0.9 * d->profile->power_state[d->power_state].max_w);
    d->background_w = d->gc_w;
    d->power_w = idle + leak + d->gc_w;
    f->ctl[i] += idle * d->ctl_share + leak + d->gc_w * (1 - GC_SHARE_NAND);
    f->nand[i] += idle * (1 - d->ctl_share) + d->gc_w * GC_SHARE_NAND;
    d->price_noise += (1 - d->price_noise) * dt / NOISE_TAU_S +
                      NOISE_SIGMA * sqrt(2 * dt / NOISE_TAU_S) * el_rng_normal(&d->rng_noise);
    firmware(p, d, dt);
}

/* Applies the caps in force: the block layer counts joules in the prices it was given. */
static void serve_capped(struct el_plant *p)
{
    double allowed[EL_CARD_SLOTS_MAX];
    struct el_plant_price price[EL_CARD_SLOTS_MAX];

    for (uint32_t i = 0; i < p->slots; i++) {
        struct el_plant_drive *d = &p->drive[i];

        allowed[i] = d->cap.ratio >= 1 || d->cap_ignored ? INFINITY : fmax(d->cap.budget_w, 0);
        price[i] = declared(p, d, &d->cap);
    }
    el_plant_serve(p, allowed, price);
}

static void serve_oracle(struct el_plant *p, const struct flows *f)
{
    double allowed[EL_CARD_SLOTS_MAX], drift[EL_CARD_SLOTS_MAX];
    struct el_plant_price price[EL_CARD_SLOTS_MAX];

    for (uint32_t i = 0; i < p->slots; i++) {
        struct el_plant_drive *d = &p->drive[i];

        drift[i] = d->composite_ctl * f->ctl[i] / d->c_ctl + (1 - d->composite_ctl) * f->nand[i] / d->c_nand;
        price[i] = true_price(p, d);
    }
    el_plant_oracle(p, drift, price, allowed);
    el_plant_serve(p, allowed, price);
}

static void lag(double *y, double x, double dt, double tau)
{
    *y += (x - *y) * dt / (tau + dt);
}

static void move_drive(struct el_plant *p, uint32_t i, const struct flows *f, double dt)
{
    struct el_plant_drive *d = &p->drive[i];
    struct el_plant_price price = true_price(p, d);
    double block = p->load.workload ? p->load.workload->block_bytes : 0;

    d->host_w = d->read_iops * price.read_j + d->write_iops * price.write_j;
    d->power_w += d->host_w;
    d->t_ctl += dt * (f->ctl[i] + d->host_w * d->ctl_share) / d->c_ctl;
    d->t_nand += dt * (f->nand[i] + d->host_w * (1 - d->ctl_share)) / d->c_nand;
    lag(&d->lagged[0], el_plant_composite_c(d), dt, d->sensor_lag_s);
    lag(&d->lagged[1], d->t_nand, dt, d->sensor_lag_s);
    lag(&d->lagged[2], d->t_ctl, dt, d->sensor_lag_s);
    d->demand_ops += d->demand_iops * dt;
    d->read_ops += d->read_iops * dt;
    d->write_ops += d->write_iops * dt;
    d->read_bytes += d->read_iops * dt * block;
    d->write_bytes += d->write_iops * dt * block;
    d->gc_debt += d->write_iops * dt * block * d->gc_per_byte;
}

static void count_card(struct el_plant *p, double dt)
{
    const struct el_workload *w = p->load.workload;

    p->card_w = p->profile->has_switch ? p->switch_w : 0;
    for (uint32_t i = 0; i < p->slots; i++)
        p->card_w += p->drive[i].power_w;
    p->energy_j += p->card_w * dt;
    p->demand_ops += p->demand_iops * dt;
    p->served_ops += p->iops * dt;
    if (w)
        p->outstanding_seconds += dt * p->demand_iops * w->latency_us * 1e-6;
    p->time_s += dt;
}

void el_plant_step(struct el_plant *p)
{
    const double dt = EL_PLANT_STEP_S;
    struct flows f = {.sw = 0};

    set_air(p);
    el_plant_demand(p, dt);
    sink_flows(p, &f);
    for (uint32_t i = 0; i < p->slots; i++)
        drive_flows(p, i, &f, dt);
    if (p->oracle_on)
        serve_oracle(p, &f);
    else
        serve_capped(p);
    for (uint32_t i = 0; i < p->slots; i++)
        move_drive(p, i, &f, dt);
    for (uint32_t s = 0; s < p->sections; s++)
        p->t_section[s] += dt * f.section[s] / p->c_section;
    if (p->profile->has_switch) {
        p->t_switch += dt * f.sw / p->c_switch;
        lag(&p->lagged_switch, p->t_switch, dt, SWITCH_LAG_S);
    }
    count_card(p, dt);
}

void el_plant_warm(struct el_plant *p, double seconds, const struct el_twin_oracle *limits)
{
    p->oracle = *limits;
    p->oracle_on = true;
    for (double t = 0; t < seconds; t += EL_PLANT_STEP_S)
        el_plant_step(p);
    p->oracle_on = false;
    p->time_s = p->served_ops = p->demand_ops = p->outstanding_seconds = p->energy_j = 0;
    for (uint32_t i = 0; i < p->slots; i++) {
        struct el_plant_drive *d = &p->drive[i];

        d->demand_ops = d->read_ops = d->write_ops = d->read_bytes = d->write_bytes = 0;
        d->throttle_s[0] = d->throttle_s[1] = 0;
        d->throttle_events = 0;
    }
}
