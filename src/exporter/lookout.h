/* What else is ready, and when it is time: descriptors and an alarm behind one descriptor that somebody else's loop
 * waits for with its own. Nothing is set up anew for a wait, which poll() would do for each of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EL_LOOKOUT_MAX 40 /* descriptors that el_lookout_ready tells of at once */

struct el_lookout {
    int fd; /* readable while there is something to tell */
    int timer_fd;
    int64_t due_us;
};

/* 0 or -errno; to be closed in either case. */
int el_lookout_open(struct el_lookout *l);
void el_lookout_close(struct el_lookout *l);

/* Tells of `fd` while it is readable. One that is closed goes by itself. 0 or -errno. */
int el_lookout_add(struct el_lookout *l, int fd);

/* Wakes up for more that has come from it, or its end, but does not tell of it; or no longer. */
void el_lookout_wake(struct el_lookout *l, int fd, bool on);

/* Stops telling of it, or tells again. */
void el_lookout_heed(struct el_lookout *l, int fd, bool on);

/* From `at_us` (BOOTTIME, not 0) on there is something to tell, until the next alarm is set. */
void el_lookout_alarm(struct el_lookout *l, int64_t at_us);

/* Those that are readable now; never waits. Their number. */
int el_lookout_ready(struct el_lookout *l, int fds[EL_LOOKOUT_MAX]);
