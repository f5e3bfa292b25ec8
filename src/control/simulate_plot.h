/* A simulated run as a picture: temperatures, caps, power and throughput over time. */
#pragma once

#include "base/buf.h"
#include "control/simulate.h"

struct el_sim_plot;
struct el_sim_plot *el_sim_plot_new(double duration_s, const char *title); /* NULL: out of memory */
struct el_sim_plot *el_sim_plot_free(struct el_sim_plot *p);
void el_sim_plot_tick(struct el_sim_plot *p, const struct el_simulate_tick *tick);
void el_sim_plot_draw(const struct el_sim_plot *p, struct el_buf *svg);
