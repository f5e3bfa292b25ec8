#include "governor/share.h"

#include <math.h>

#include "base/base.h"
#include "governor/allocate.h"
#include "governor/governor.h"

#define UNFAIR 1.3 /* nobody keeps more than this much of the fair part for long */
#define GIFT   2.0 /* nobody is given more than this much of it */
#define OVER   1.5 /* slacks above the total that may wait: half of all moves of demand end by themselves */

static double taken(const struct el_share_unit *u)
{
    return EL_MAX(u->floor_w, EL_MIN(u->cap_w, u->want_w));
}

/* The unit that has most more than `give` (sign 1), or most less and could use it (sign -1); n when there is none. */
static uint32_t furthest(uint32_t n, const struct el_share_unit *u, const double *give, const double *share,
                         double sign)
{
    uint32_t best = n;
    double most = 1e-6;

    for (uint32_t i = 0; i < n; i++) {
        double off = sign * (EL_MIN(share[i], taken(&u[i])) - give[i]) / u[i].weight;

        if (off <= most || (sign < 0 && !u[i].pressed))
            continue;
        most = off;
        best = i;
    }
    return best;
}

static void take_back(uint32_t n, const struct el_share_unit *u, const double *give, double excess, double *share)
{
    uint32_t k;

    for (uint32_t i = 0; i < n; i++)
        if (taken(&u[i]) > UNFAIR * give[i]) {
            excess -= (taken(&u[i]) - give[i]) * u[i].count;
            share[i] = give[i];
        }
    for (uint32_t tries = 0; tries < n && excess > 1e-9 && (k = furthest(n, u, give, share, 1)) < n; tries++) {
        double old = EL_MIN(share[k], taken(&u[k])), now = EL_MAX(give[k], old - excess / u[k].count);

        excess -= (old - now) * u[k].count;
        share[k] = now;
    }
}

void el_share(uint32_t n, const struct el_share_unit *u, double total_w, double slack_w, double *share)
{
    double want[EL_CARD_SLOTS_MAX], floor[EL_CARD_SLOTS_MAX], weight[EL_CARD_SLOTS_MAX], give[EL_CARD_SLOTS_MAX],
        excess = -total_w;
    uint32_t k;

    if (n == 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        want[i] = u[i].want_w * u[i].count;
        floor[i] = u[i].floor_w * u[i].count;
        weight[i] = u[i].weight * u[i].count;
        share[i] = INFINITY;
        excess += taken(&u[i]) * u[i].count;
    }
    if (isinf(el_allocate(n, want, floor, weight, total_w, give)))
        return;
    for (uint32_t i = 0; i < n; i++) {
        give[i] /= u[i].count;
        share[i] = u[i].cap_w;
    }
    if (excess > OVER * slack_w) {
        take_back(n, u, give, excess, share);
    } else if (excess < -slack_w && (k = furthest(n, u, give, share, -1)) < n) {
        share[k] = EL_MIN(u[k].cap_w - excess / u[k].count, GIFT * give[k]);
    }
}
