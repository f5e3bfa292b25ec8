/* A child process that is kept running: restarted when it dies, with longer and longer pauses while it keeps dying at
 * once. */
#pragma once

#include <sys/types.h>

#include "base/buf.h"

#define EL_MINDER_TAIL 4 /* log lines kept for the screen */

struct el_minder {
    const char *name, *path; /* path NULL: a program of this name beside our own, or in $PATH */
    char **args;
    pid_t pid; /* 0 = not running */
    int64_t start_us, again_us, first_us;
    uint32_t quick; /* deaths in a row soon after the start */
    uint64_t starts;
    int log_fd; /* the child's standard error when `capture`; -1 = it has ours */
    bool capture;
    char tail[EL_MINDER_TAIL][200];
    unsigned tail_next;
    char part[200]; /* a line not yet ended */
    size_t part_n;
};

/* Nothing is started yet. `name`, `path`, `args` are kept, not copied. */
void el_minder_init(struct el_minder *m, const char *name, const char *path, char **args, bool capture);

/* Reaps and starts. 0, or the exit code (> 0) of a child that ended by itself before it had worked for two seconds.
 * With `ending` nothing is started. */
int el_minder_step(struct el_minder *m, int64_t now_us, bool ending);
void el_minder_signal(const struct el_minder *m, int signal);

/* Reads what the child has logged, and keeps its last lines for the screen. */
void el_minder_read_log(struct el_minder *m);
void el_minder_tail(const struct el_minder *m, struct el_buf *b);
