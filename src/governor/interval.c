#include "governor/interval.h"

#include <math.h>

static double density(double x)
{
    return exp(-0.5 * x * x) * 0.3989422804014327;
}

void el_interval_update(double mean, double variance, double noise_variance, double lo, double hi, double *shift,
                        double *shrink)
{
    double total = sqrt(variance + noise_variance), a = (lo - mean) / total, b = (hi - mean) / total;
    double z, first, second, da, db;

    if (a > 4 || b < -4) { /* far out: the tails have no digits left; the nearer edge as an ordinary measurement */
        *shift = (a > 4 ? a : b) * variance / total;
        *shrink = variance * variance / (total * total);
        return;
    }
    z = 0.5 * (erf(b * M_SQRT1_2) - erf(a * M_SQRT1_2));
    da = density(a);
    db = density(b);
    first = (da - db) / z;
    second = first * first + (b * db - a * da) / z;
    *shift = first * variance / total;
    *shrink = variance * variance / (total * total) * (second < 0 ? 0 : second > 1 ? 1 : second);
}
