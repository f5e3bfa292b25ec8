/* Many seeds of one simulation, on all cores. */
#pragma once

#include "base/buf.h"
#include "control/simulate.h"

/* Runs seeds o->seed ... + n - 1 in child processes, one per core; results in order of seeds. A watch is not called
 * unless n is 1 (then nothing is forked). 0 or -errno with the reason in `why`. */
int el_simulate_seeds(const struct el_simulate_options *o, uint32_t n, struct el_simulate_result *results, char *why,
                      size_t why_size);

/* Mean of each figure, and its worst: the least of throughput and fairness, the most of everything else. NAN are left
 * out. */
void el_simulate_summary(const struct el_simulate_result *results, uint32_t n, struct el_simulate_result *mean,
                         struct el_simulate_result *worst);

/* An expectation of a scenario names a figure, or "mean_" and a figure. Each seed must be within its bounds, or the
 * mean. What is not is appended to `b`, a line each, and false returned. An unknown figure: look with
 * el_simulate_expect_known first. */
bool el_simulate_expect_known(const struct el_scenario_expect *e);
bool el_simulate_expect(const struct el_scenario_expect *e, uint64_t seed, const struct el_simulate_result *results,
                        uint32_t n, struct el_buf *b);
