/* What the law believes of a card: temperatures finer than the 1 C steps in which they are read, and the heat that nobody
 * declared. One small filter per drive [true temperature, what a lagging sensor shows, power error], tied together by one
 * heatsink with one lump of unknown heat. Cost grows linearly with the drives. Pure; fixed size. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "governor/governor.h"

struct el_node {
    double t_c, m_c, d_w; /* true temperature, sensor's, power error (declared prices, background work, neighbours' air) */
    double p[3][3];       /* their covariance */
    double r_c_per_w, c_j_per_k; /* drive to sink */
    double host_w;        /* host I/O of the last step at declared prices */
    double surprise_c;    /* smoothed prediction error of the reading */
    double grain_c;       /* step of the readings: 1 until one between steps is seen */
    int64_t read_us;      /* time of the last reading used; 0 = none yet */
    uint64_t bytes[2], ops[2];
    int64_t io_us;
};

struct el_observer {
    struct el_node node[EL_CARD_SLOTS_MAX];
    double sink_c, sink_slope, unknown_w; /* C, C/s, W */
    double inlet_c, airflow_lfm, resistance_c_per_w;
    double card_surprise_w; /* measured card power less the model's, smoothed; NAN = not measured */
    int64_t now_us;
    double dt_s;
    bool started;
};

void el_observer_init(struct el_observer *o, const struct el_governor_card *card);
void el_observer_step(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in);

/* Temperature of drive i `after_s` from now when it draws `host_w` at declared prices from now on. */
double el_observer_predict(const struct el_observer *o, const struct el_governor_card *card, uint32_t i, double host_w, double after_s);
/* Host watts that bring drive i to `limit_c` in `after_s` when they begin to act `delay_s` from now. May be negative. */
double el_observer_headroom(const struct el_observer *o, const struct el_governor_card *card, uint32_t i, double limit_c, double after_s,
                            double delay_s);
/* Whole power of drive i now. */
double el_observer_power(const struct el_observer *o, const struct el_governor_card *card, uint32_t i);
