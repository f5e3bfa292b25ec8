/* The oracle: at each step the power that lands exactly on the limit. The plant is cooperative (heat anywhere never
 * cools anything), so keeping every temperature as high as allowed keeps the sum of throughput maximal for equal
 * prices. */
#include <math.h>

#include "base/base.h"
#include "twin/plant.h"

/* The total that brings the switch to its limit and keeps it there. The switch responds slowly to the sum of all
 * drives, so that sum is steered by distance and slope. */
#define SWITCH_NEAR_S 100.0
#define SWITCH_DAMP_S 60.0

static double switch_total_w(struct el_plant *p)
{
    const double dt = EL_PLANT_STEP_S;
    double most = 0, slope = (p->t_switch - p->oracle_switch_c) / dt;

    if (!p->profile->has_switch || !isfinite(p->oracle.switch_limit_c))
        return INFINITY;
    for (uint32_t i = 0; i < p->slots; i++)
        most += p->drive[i].profile->full_w;
    if (p->oracle_switch_c == 0) { /* the first step */
        p->oracle_total_w = most / 2;
        slope = 0;
    }
    p->oracle_switch_c = p->t_switch;
    p->oracle_total_w += dt / SWITCH_NEAR_S * p->g_section * p->sections *
                         (p->oracle.switch_limit_c - p->t_switch - SWITCH_DAMP_S * slope);
    return p->oracle_total_w = EL_CLAMP(p->oracle_total_w, 0, most);
}

/* Water-filling: the highest equal share of `left_w` when drive i wants at most want[i]. */
static double water_level(const double *want, uint32_t n, double left_w)
{
    double lo = 0, hi = fmax(left_w, 0);

    for (int k = 0; k < 30; k++) {
        double level = (lo + hi) / 2, sum = 0;

        for (uint32_t i = 0; i < n; i++)
            sum += fmin(want[i], level);
        if (sum > left_w)
            hi = level;
        else
            lo = level;
    }
    return lo;
}

void el_plant_oracle(struct el_plant *p, const double *drift_c_per_s, const struct el_plant_price *price,
                     double *allowed_w)
{
    const double dt = EL_PLANT_STEP_S;
    double want[EL_CARD_SLOTS_MAX], sum = 0, left = p->oracle.card_limit_w - (p->profile->has_switch ? p->switch_w : 0),
                                    level;

    for (uint32_t i = 0; i < p->slots; i++) {
        const struct el_plant_drive *d = &p->drive[i];
        double per_w =
            dt * (d->composite_ctl * d->ctl_share / d->c_ctl + (1 - d->composite_ctl) * (1 - d->ctl_share) / d->c_nand);
        double lands = (p->oracle.limit_c[i] - el_plant_composite_c(d) - dt * drift_c_per_s[i]) / per_w;
        double r = p->load.workload ? p->load.workload->read_ratio : 0;

        allowed_w[i] = isnan(lands) ? INFINITY : fmax(lands, 0);
        want[i] = fmin(allowed_w[i], d->demand_iops * (r * price[i].read_j + (1 - r) * price[i].write_j));
        sum += want[i];
        left -= d->power_w; /* idle, leakage and background work so far */
    }
    left = fmin(left, switch_total_w(p)); /* fmin takes the number when there is no limit on watts */
    if (!(sum > left))
        return;
    level = water_level(want, p->slots, left);
    for (uint32_t i = 0; i < p->slots; i++)
        allowed_w[i] = fmin(allowed_w[i], level);
}
