/* What the law believes of a card: temperatures finer than the 1 C steps in which they are read, and the heat that
 * nobody declared. One small filter per drive, tied together by one heatsink with one lump of unknown heat. Cost grows
 * linearly with the drives. Pure; fixed size. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "governor/burst.h"
#include "governor/governor.h"

#define EL_SENSOR_LAG_S 2.5 /* sensors of M.2 drives follow with 1..5 s; assumed */
#define EL_NODE_SENSORS 2   /* single sensors that are followed beside the composite */

/* State of a drive: true temperature, what a lagging sensor shows of it, power error (background work, the neighbours'
 * air), how much heat a declared host watt really makes (wrong prices, wrong resistance), and how far each followed
 * sensor stands from the composite. */
enum { EL_X_TEMP = 0, EL_X_SHOWN, EL_X_POWER, EL_X_GAIN, EL_X_OFFSET, EL_X_COUNT = EL_X_OFFSET + EL_NODE_SENSORS };

struct el_node {
    double x[EL_X_COUNT];
    double p[EL_X_COUNT][EL_X_COUNT];     /* covariance of x */
    int8_t sensor[EL_NODE_SENSORS];       /* which one is followed, -1 = none */
    double sensor_noise[EL_NODE_SENSORS]; /* variance it has earned: a fake or stuck one grows deaf */
    double host_w;                        /* host I/O of the last step at declared prices */
    double bytes_per_j;                   /* of the work at hand, at declared prices, smoothed; 0 = not known yet */
    double write_share;                   /* of the bytes moved, smoothed: background work follows writes */
    double moved_w;                       /* its change in the last step */
    double burst_w, burst_w2;             /* bursts that the card's power told of: its part, and the variance of it */
    double odds[EL_BURSTS], share[EL_BURSTS]; /* that one is its, before the others are heard and after */
    double surprise;                          /* corrections of late, in standard deviations and with their sign */
    double noise;                             /* variance of the composite before its grain, learnt */
    double grain_c;                           /* step of the readings: 1 until one between steps is seen */
    int64_t read_us;                          /* time of the last reading used; 0 = none yet */
    double blind_s;                           /* since a reading could be used */
    int64_t moved_mc;                         /* last reading that was another than the one before, ... */
    double moved_d, moved_k;                  /* ... and power error and gain as they were then */
    uint64_t bytes[2], ops[2];
    int64_t io_us;
    bool io_known; /* host_w was counted: else it is what the drive may do at most */
    double may_w;  /* the caller's: host watts its cap lets it do */
};

struct el_observer {
    struct el_node *node; /* the caller's, one per slot of the card */
    double drive_r_c_per_w,
        tau_s; /* drive to sink, and its time constant: all drives of a card are taken to be alike */
    double sink_c, sink_slope, unknown_w; /* C, C/s, W */
    double inlet_c, airflow_lfm, resistance_c_per_w;
    double host_w, overhead_w; /* sum of host I/O; what the card draws beside it, smoothed */
    int64_t card_w_us;         /* of the last card power reading used */
    double scale;              /* true watts per declared host watt of the whole card, learnt from its power sensor */
    double then_card_w, then_host_w, then_s;
    struct el_bursts bursts;
    int64_t now_us;
    double dt_s;
    struct {
        double drive, sensor, write, surprise;
    } keep; /* what of each is left after dt_s */
    bool started;
};

/* A time from now, and what is left by then of a drive's distance from where it settles. Worked out once: horizons stay
 * the same. */
struct el_ahead {
    double s, keep;
};

/* `node`: zeroed, one per slot; must outlive the observer. */
void el_observer_init(struct el_observer *o, struct el_node *node, const struct el_governor_card *card);
/* A step: the time and the air, each drive in any order, and then what follows from all of them. */
void el_observer_begin(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in);
void el_observer_see(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in,
                     uint32_t i);
void el_observer_end(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in);

struct el_ahead el_observer_ahead(const struct el_observer *o, double s);

/* Nothing was heard of it for so long that all that is known of it was learnt before. */
bool el_node_blind(const struct el_node *n);
/* Temperature of drive i `after` from now when it draws `host_w` at declared prices from now on. */
double el_observer_predict(const struct el_observer *o, const struct el_governor_card *card, uint32_t i, double host_w,
                           struct el_ahead after);
/* Standard deviation of what el_observer_predict says, for a drive that has been read. */
double el_observer_doubt(const struct el_observer *o, uint32_t i, struct el_ahead after);
/* Host watts that bring drive i to `limit_c` in `after` when they begin to act `delay` from now. May be negative.
 */
double el_observer_headroom(const struct el_observer *o, const struct el_governor_card *card, uint32_t i,
                            double limit_c, struct el_ahead after, struct el_ahead delay);
/* Whole power of drive i now. */
double el_observer_power(const struct el_observer *o, const struct el_governor_card *card, uint32_t i);
