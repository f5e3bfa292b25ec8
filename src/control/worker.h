/* One job at a time on a thread of its own, for calls that may never return. The thread is asked, not trusted: a job
 * that does not come back is abandoned, not joined; its memory goes when it does come back. Without a thread the job
 * runs in el_worker_start, for backends that cannot block. */
#pragma once

#include <stdbool.h>

struct el_worker;

/* `run(arg)` is one job; `drop(arg)` (may be NULL) frees arg once nothing can touch it any more. `done_fd`: an eventfd
 * told after each job, -1 = none; it must outlive the worker. NULL: out of memory or threads, `arg` stays the caller's.
 */
struct el_worker *el_worker_new(void (*run)(void *arg), void (*drop)(void *arg), void *arg, bool thread, int done_fd);

/* Starts a job: `arg` is the job's until el_worker_idle says true. False (and nothing done) while one still runs. */
bool el_worker_start(struct el_worker *w);
bool el_worker_idle(struct el_worker *w);

/* Ends the worker: an idle one is joined, a busy one abandoned. Takes NULL, returns NULL. */
struct el_worker *el_worker_free(struct el_worker *w);
