#include "governor/allocate.h"

#include <math.h>

#include "base/base.h"

static double given(double level, double want, double floor, double weight)
{
    return EL_MAX(floor, EL_MIN(want, level * weight));
}

double el_allocate(uint32_t n, const double *want, const double *floor, const double *weight, double total,
                   double *give)
{
    double sum = 0, lo = 0, hi = 0;

    for (uint32_t i = 0; i < n; i++) {
        give[i] = EL_MAX(floor[i], want[i]);
        sum += give[i];
        hi = EL_MAX(hi, give[i] / weight[i]);
    }
    if (!(sum > total))
        return INFINITY;
    for (int k = 0; k < 40; k++) { /* the sum grows with the level: halve the gap to below a microwatt */
        double level = (lo + hi) / 2;

        sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += given(level, want[i], floor[i], weight[i]);
        *(sum > total ? &hi : &lo) = level;
    }
    for (uint32_t i = 0; i < n; i++)
        give[i] = given(lo, want[i], floor[i], weight[i]);
    return lo;
}
