/* A Gaussian belief meets a reading of which only the step is known. Pure. */
#pragma once

/* Belief N(mean, variance) of what is read with noise of `noise_variance` and was found in [lo, hi): exact first two
 * moments.
 * `*shift` is added to the mean, `*shrink` is the variance it loses. A reading the belief all but excludes pulls to its
 * nearer edge. */
void el_interval_update(double mean, double variance, double noise_variance, double lo, double hi, double *shift,
                        double *shrink);
