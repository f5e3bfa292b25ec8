/* Workloads: what the drives are asked for, and what of it they get.
 *
 * A closed loop: outstanding I/Os = published IOPS x published latency stay in flight, so a cap lowers the IOPS and
 * raises the latency in proportion, and an uncapped card gives the published figures exactly. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "twin/plant.h"

/* Bursts, assumed: busy for 40 s on average, then 25 s at up to 30 % of that. "mixed" changes every 3 min on average.
 */
#define BURST_ON_S    40.0
#define BURST_OFF_S   25.0
#define BURST_LOW_MAX 0.3
#define MIXED_S       180.0

static const struct el_workload *find(const struct el_card_profile *c, const char *name)
{
    for (uint32_t i = 0; i < c->workloads; i++)
        if (strcmp(c->workload[i].name, name) == 0)
            return &c->workload[i];
    return NULL;
}

static bool parse(const struct el_card_profile *c, const char *name, struct el_plant_load *out)
{
    static const char bursty[] = "bursty-";

    *out = (struct el_plant_load){0};
    if (strcmp(name, "idle") == 0)
        return true;
    if (strcmp(name, "mixed") == 0 && c->workloads > 0) {
        out->mixed = true;
        out->workload = &c->workload[0];
        return true;
    }
    out->bursty = strncmp(name, bursty, sizeof bursty - 1) == 0;
    out->workload = find(c, out->bursty ? name + sizeof bursty - 1 : name);
    return out->workload;
}

const char *el_twin_default_workload(const struct el_card_profile *card)
{
    static const char heaviest[] = "random-write-4k";

    return find(card, heaviest) ? heaviest : card->workloads ? card->workload[0].name : "idle";
}

bool el_twin_workload_known(const struct el_card_profile *card, const char *name)
{
    struct el_plant_load load;

    return parse(card, name, &load);
}

bool el_plant_set_workload(struct el_plant *p, const char *name)
{
    struct el_plant_load load;

    if (!parse(p->profile, name, &load))
        return false;
    p->load = load;
    for (uint32_t i = 0; i < p->slots; i++) {
        p->drive[i].load = 1;
        p->drive[i].load_left_s = 0;
    }
    return true;
}

static double exponential(struct el_rng *r, double mean)
{
    return -mean * log(1 - el_rng_unit(r));
}

static void burst(struct el_plant_drive *d, double dt_s)
{
    d->load_left_s -= dt_s;
    if (d->load_left_s > 0)
        return;
    d->load = d->load < 1 ? 1 : el_rng_between(&d->rng_load, 0, BURST_LOW_MAX);
    d->load_left_s = exponential(&d->rng_load, d->load < 1 ? BURST_OFF_S : BURST_ON_S);
}

void el_plant_demand(struct el_plant *p, double dt_s)
{
    struct el_plant_load *l = &p->load;

    if (l->mixed) {
        l->mixed_left_s -= dt_s;
        if (l->mixed_left_s <= 0) {
            l->workload = &p->profile->workload[el_rng_u64(&p->rng_card) % p->profile->workloads];
            l->mixed_left_s = exponential(&p->rng_card, MIXED_S);
        }
    }
    p->demand_iops = 0;
    for (uint32_t i = 0; i < p->slots; i++) {
        struct el_plant_drive *d = &p->drive[i];

        if (l->bursty) {
            if (i == 0 || p->array == EL_ARRAY_NONE)
                burst(d, dt_s);
            else
                d->load = p->drive[0].load; /* one array, one load */
        }
        d->demand_iops = l->workload && d->present ? d->load * l->workload->iops / p->slots : 0;
        p->demand_iops += d->demand_iops;
    }
}

static double speed_iops(const struct el_plant *p, const struct el_plant_drive *d)
{
    return d->present ? fmin(d->demand_iops, d->speed * p->load.workload->iops / p->slots) : 0;
}

static void give(struct el_plant_drive *d, double ops, double read_ratio)
{
    d->read_iops = ops * read_ratio;
    d->write_iops = ops * (1 - read_ratio);
}

/* io.cost blocks a thread that submits to a member over its budget, and with it the I/O that the thread would have sent
 * to the other members: one submitter over a capped stripe of two got 10 to 15 of 20 MB/s, and 19 with io.max
 * (measured). More submitters lose less. */
static double stripe_efficiency(const struct el_plant *p, double least)
{
    bool capped = false;

    for (uint32_t i = 0; i < p->slots; i++)
        capped |= p->drive[i].cap.ratio < 1 && least < 0.999 * p->drive[i].demand_iops;
    if (!capped || p->submitters == 0 || p->slots < 2 || p->oracle_on)
        return 1;
    return 1 - (p->io_max ? 0.1 : 0.75) * (1 - 1.0 / p->slots) / (double)p->submitters;
}

/* Each drive on its own; in a stripe, all at the pace of the slowest. */
static void serve_single(struct el_plant *p, const double *allowed_w, const struct el_plant_price *price)
{
    double r = p->load.workload->read_ratio, ops[EL_CARD_SLOTS_MAX], least = INFINITY, efficiency;

    for (uint32_t i = 0; i < p->slots; i++) {
        ops[i] = fmin(speed_iops(p, &p->drive[i]), allowed_w[i] / (r * price[i].read_j + (1 - r) * price[i].write_j));
        least = fmin(least, ops[i]);
    }
    efficiency = stripe_efficiency(p, least);
    p->iops = 0;
    for (uint32_t i = 0; i < p->slots; i++) {
        double given = p->array == EL_ARRAY_STRIPE ? least * efficiency : ops[i];

        give(&p->drive[i], given, r);
        p->iops += given;
    }
}

/* One mirror: every write goes to both, reads go where there is room. A half that is gone leaves all to the other. The
 * pair's own I/Os are x per second, of which each drive sees the writes and its part of the reads. */
static double serve_pair(const struct el_plant *p, struct el_plant_drive *d[2], const double w[2],
                         const struct el_plant_price price[2])
{
    double r = p->load.workload->read_ratio, x, share[2], room[2], cost;
    double full = p->load.workload->iops / p->slots, ops_limit[2];
    double demand = 2 * fmax(d[0]->demand_iops, d[1]->demand_iops) / (r + 2 * (1 - r));

    for (int k = 0; k < 2; k++) /* what throttling leaves, as watts in the same price */
        ops_limit[k] =
            d[k]->present ? fmin(w[k], 2 * d[k]->speed * full * (r * price[k].read_j + (1 - r) * price[k].write_j)) : 0;
    x = demand;
    cost = r * (d[0]->present && d[1]->present ? (price[0].read_j + price[1].read_j) / 2
                : d[0]->present                ? price[0].read_j
                                               : price[1].read_j);
    for (int k = 0; k < 2; k++) {
        if (!d[k]->present)
            continue;
        cost += (1 - r) * price[k].write_j;
        if (r < 1)
            x = fmin(x, ops_limit[k] / ((1 - r) * price[k].write_j));
    }
    x = cost > 0 ? fmin(x, (ops_limit[0] + ops_limit[1]) / cost) : 0;
    for (int k = 0; k < 2; k++)
        room[k] = d[k]->present ? fmax(ops_limit[k] - x * (1 - r) * price[k].write_j, 0) / price[k].read_j : 0;
    /* Reads split evenly while there is room for that, else as far as each half's room goes. */
    share[0] = EL_CLAMP(x * r / 2, fmin(x * r - fmin(room[1], x * r), room[0]), room[0]);
    share[1] = fmax(x * r - share[0], 0);
    for (int k = 0; k < 2; k++) {
        d[k]->read_iops = d[k]->present ? share[k] : 0;
        d[k]->write_iops = d[k]->present ? x * (1 - r) : 0;
    }
    return x;
}

static void serve_mirrors(struct el_plant *p, const double *allowed_w, const struct el_plant_price *price)
{
    double r = p->load.workload->read_ratio;

    p->iops = 0;
    p->demand_iops = 0;
    for (uint32_t i = 0; i + 1 < p->slots; i += 2) {
        struct el_plant_drive *pair[2] = {&p->drive[i], &p->drive[i + 1]};

        p->iops += serve_pair(p, pair, allowed_w + i, price + i);
        p->demand_iops += 2 * fmax(pair[0]->demand_iops, pair[1]->demand_iops) / (r + 2 * (1 - r));
    }
}

void el_plant_serve(struct el_plant *p, const double *allowed_w, const struct el_plant_price *price)
{
    p->iops = 0;
    if (!p->load.workload) {
        for (uint32_t i = 0; i < p->slots; i++)
            give(&p->drive[i], 0, 0);
        return;
    }
    if (p->array == EL_ARRAY_MIRROR)
        serve_mirrors(p, allowed_w, price);
    else
        serve_single(p, allowed_w, price);
}
