/* What ThreadSanitizer does not know of itself, for the preset `tsan`, which includes this first: the one of gcc 12
 * does not see pthread_mutex_clocklock, and takes the unlock for one too many. */
#pragma once

#include <pthread.h>
#include <sanitizer/tsan_interface.h>

static inline int tsan_mutex_clocklock(pthread_mutex_t *lock, clockid_t clock, const struct timespec *until)
{
    int r;

    __tsan_mutex_pre_lock(lock, __tsan_mutex_try_lock);
    r = pthread_mutex_clocklock(lock, clock, until);
    __tsan_mutex_post_lock(lock, __tsan_mutex_try_lock | (r ? __tsan_mutex_try_lock_failed : 0), 0);
    return r;
}
#define pthread_mutex_clocklock tsan_mutex_clocklock
