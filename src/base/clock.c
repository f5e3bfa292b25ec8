#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/file.h"

static int64_t clock_us(clockid_t id)
{
    struct timespec ts;

    if (clock_gettime(id, &ts) < 0)
        return 0;
    return (int64_t)ts.tv_sec * EL_USEC_PER_SEC + ts.tv_nsec / 1000;
}

int64_t el_clock_boottime_us(void)
{
    return clock_us(CLOCK_BOOTTIME);
}

int64_t el_clock_realtime_us(void)
{
    return clock_us(CLOCK_REALTIME);
}

int64_t el_clock_process_cpu_us(void)
{
    return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t el_clock_thread_cpu_us(void)
{
    return clock_us(CLOCK_THREAD_CPUTIME_ID);
}

void el_clock_sleep_until_us(int64_t when_us, const volatile int *stop)
{
    struct timespec ts = {.tv_sec = when_us / EL_USEC_PER_SEC, .tv_nsec = when_us % EL_USEC_PER_SEC * 1000};

    while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &ts, NULL) == EINTR && !(stop && *stop))
        ;
}

int el_clock_boot_id(char out[33])
{
    char line[64];
    int n = 0, r = el_file_read_line(AT_FDCWD, "/proc/sys/kernel/random/boot_id", line, sizeof line);

    memset(out, '0', 32);
    out[32] = '\0';
    for (const char *p = line; r == 0 && n < 32 && *p; p++)
        if (isxdigit((unsigned char)*p))
            out[n++] = *p;
    return r;
}

int64_t el_clock_monotonic_us(void)
{
    return clock_us(CLOCK_MONOTONIC);
}

void el_clock_monotonic_after(int64_t us, struct timespec *out)
{
    int64_t when = clock_us(CLOCK_MONOTONIC) + us;

    *out = (struct timespec){.tv_sec = when / EL_USEC_PER_SEC, .tv_nsec = when % EL_USEC_PER_SEC * 1000};
}
