/* The trace of a simulated run as CSV: after lines that start with `# ` and hold everything the law was told
 * beforehand, one line per tick with every reading and every decision, written so that they read back exactly. So any
 * decision can be made again from the trace. A reading stands as its value; when it was not taken at the tick or is not
 * good, as value@time_us!quality; when absent, as nothing. */
#pragma once

#include "base/buf.h"
#include "control/simulate.h"

struct el_trace_writer {
    FILE *file; /* the caller's */
    const char *law;
    struct el_buf line;
    bool started;
    int error; /* first -errno of writing; 0 = none */
};
void el_trace_write(struct el_trace_writer *w, const struct el_simulate_tick *tick);

/* What a replay found. */
struct el_trace_replay {
    uint64_t ticks, different;
    double first_t_s;     /* first tick that came out differently; NAN = none */
    char first_what[160]; /* column, what the trace has, what came out now */
    char law[32];
};

/* Runs the law named in the trace again over its readings. 0 (see `different`), -errno, or -EBADMSG with the reason in
 * `why`. */
int el_trace_replay(FILE *file, struct el_trace_replay *out, char *why, size_t why_size);
