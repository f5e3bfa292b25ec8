/* The only place that reads a clock. Logic gets time as an argument. Thread-safe. */
#pragma once

#include <stdint.h>

/* Microseconds since boot, suspend included (CLOCK_BOOTTIME). Every age is a difference of these. */
int64_t el_clock_boottime_us(void);

/* Microseconds since the epoch (CLOCK_REALTIME). For people and for `_timestamp_seconds`; never for ages. */
int64_t el_clock_realtime_us(void);

/* CPU time of the process / of the calling thread, microseconds. */
int64_t el_clock_process_cpu_us(void);
int64_t el_clock_thread_cpu_us(void);

/* Sleeps until BOOTTIME `when_us`. A signal ends the sleep only when `*stop` is non-zero by then (`stop` may be NULL).
 */
void el_clock_sleep_until_us(int64_t when_us, const volatile int *stop);

/* Kernel boot id as 32 hex digits. 0, or -errno with `out` all zero digits (-ENOENT: this kernel has none). */
int el_clock_boot_id(char out[33]);

/* CLOCK_MONOTONIC: what the service manager wants to be told at a reload. It stands still during suspend, so never use
 * it for ages. */
int64_t el_clock_monotonic_us(void);

/* CLOCK_MONOTONIC `us` from now, for timed waits of condition variables set up with that clock. */
struct timespec;
void el_clock_monotonic_after(int64_t us, struct timespec *out);
