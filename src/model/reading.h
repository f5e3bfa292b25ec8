/* A reading: a number, when it was taken, and what it is worth. Absent is not zero. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum el_quality {
    EL_ABSENT = 0,  /* the source does not report this, or nothing was read yet: exported as no series */
    EL_GOOD,        /* read and plausible */
    EL_STALE,       /* the last good value, older than its source allows */
    EL_IMPLAUSIBLE, /* read, but cannot be true (stuck sentinel, out of physical range): value kept for `explain`, not
                       exported */
    EL_FAILED,      /* the source answers with errors or not at all */
};

/* `value` is in the unit its name says (temp_mc milli-degrees Celsius, power_mw milliwatts, ...); `time_us` is
 * BOOTTIME. */
struct el_reading {
    int64_t value;
    int64_t time_us;
    enum el_quality quality;
    uint32_t origin; /* enum el_origin */
};

/* Where a number comes from: kept apart in code, metrics and documents. */
enum el_origin { EL_MEASURED = 0, EL_ESTIMATED, EL_ASSUMED };

static inline struct el_reading el_reading_good(int64_t value, int64_t time_us)
{
    return (struct el_reading){.value = value, .time_us = time_us, .quality = EL_GOOD};
}

static inline bool el_reading_usable(const struct el_reading *r)
{
    return r->quality == EL_GOOD;
}

/* A good reading in thousands of its unit (mC as C, mW as W), else NAN. */
static inline double el_reading_kilo(const struct el_reading *r)
{
    return el_reading_usable(r) ? (double)r->value / 1000 : NAN;
}

const char *el_quality_name(enum el_quality q); /* "good", ... */
const char *el_origin_name(enum el_origin o);   /* "measured", "estimated", "assumed" */
