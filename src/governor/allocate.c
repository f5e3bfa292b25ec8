#include "governor/allocate.h"

#include <math.h>

#include "base/base.h"

#define NEAR_W 1e-9 /* of the total */

static double given(double level, double want, double floor, double weight)
{
    return EL_MAX(floor, EL_MIN(want, level * weight));
}

double el_allocate(uint32_t n, const double *want, const double *floor, const double *weight, double total,
                   double *give)
{
    double sum = 0, floors = 0, lo = 0, hi = 0, level;

    for (uint32_t i = 0; i < n; i++) {
        give[i] = EL_MAX(floor[i], want[i]);
        sum += give[i];
        floors += floor[i];
        hi = EL_MAX(hi, give[i] / weight[i]);
    }
    if (!(sum > total))
        return INFINITY;
    level = hi / 2;
    /* The sum grows with the level, in straight pieces: on along each, and by halves where that leads out of the gap.
     */
    for (int k = 0; k < 40 && floors < total; k++) {
        double over = -total, slope = 0, next;

        for (uint32_t i = 0; i < n; i++) {
            over += given(level, want[i], floor[i], weight[i]);
            slope += level * weight[i] > floor[i] && level * weight[i] < want[i] ? weight[i] : 0;
        }
        *(over > NEAR_W ? &hi : &lo) = level;
        if (fabs(over) <= NEAR_W)
            break;
        next = level - over / slope;
        level = next > lo && next < hi ? next : (lo + hi) / 2;
    }
    for (uint32_t i = 0; i < n; i++)
        give[i] = given(lo, want[i], floor[i], weight[i]);
    return lo;
}
