/* A small, seeded random source (SplitMix64): the same numbers on every machine. Not for secrets. */
#pragma once

#include <math.h>
#include <stdint.h>

struct el_rng {
    uint64_t state;
};

static inline struct el_rng el_rng_seed(uint64_t seed)
{
    return (struct el_rng){.state = seed};
}

static inline uint64_t el_rng_u64(struct el_rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15ULL);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double el_rng_unit(struct el_rng *r)
{
    return (double)(el_rng_u64(r) >> 11) * 0x1.0p-53;
}

static inline double el_rng_between(struct el_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * el_rng_unit(r);
}

/* Standard normal (Box-Muller). */
static inline double el_rng_normal(struct el_rng *r)
{
    double u = 1.0 - el_rng_unit(r);

    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * el_rng_unit(r));
}
