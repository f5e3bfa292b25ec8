/* Small things every room needs, and the standard headers that nearly every file wants. Knows nothing about drives. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EL_ARRAY_SIZE(a)    (sizeof(a) / sizeof((a)[0]))
#define EL_MIN(a, b)        ((a) < (b) ? (a) : (b))
#define EL_MAX(a, b)        ((a) > (b) ? (a) : (b))
#define EL_CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v)) /* passes NaN: test with isfinite first */

#define EL_USEC_PER_SEC  1000000LL
#define EL_USEC_PER_MSEC 1000LL

/* A 128-bit unsigned counter as NVMe log pages carry them. */
typedef unsigned __int128 el_u128;

/* True for an -errno that only says what the machine lacks right now (memory, descriptors, ...): it is no answer, so
 * the question must be asked again. */
static inline bool el_is_shortage(int r)
{
    return r == -ENOMEM || r == -EMFILE || r == -ENFILE || r == -EIO || r == -EAGAIN || r == -EINTR;
}

#define EL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Scope-bound ownership: `EL_AUTO_FREE char *p = ...`. */
static inline void el_auto_free_(void *p)
{
    free(*(void **)p);
}
static inline void el_auto_close_(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}
static inline void el_auto_fclose_(FILE **f)
{
    if (*f)
        fclose(*f);
}
#define EL_AUTO_FREE   __attribute__((cleanup(el_auto_free_)))
#define EL_AUTO_CLOSE  __attribute__((cleanup(el_auto_close_)))
#define EL_AUTO_FCLOSE __attribute__((cleanup(el_auto_fclose_)))
