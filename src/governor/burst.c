#include "governor/burst.h"

#include <math.h>

#include "base/base.h"
#include "governor/observer.h"

/* What did best over many random plants (tests/bench/governors); none of it matters much. */
#define LEAST_W     0.05 /* a jump is one above this, ... */
#define NOISES      2.6  /* ... so many mean changes, ... */
#define PRICE_ERROR 0.1  /* ... and this part of a change of host I/O */
#define STEADY_W    0.5  /* I/O is counted over a step and power read at its end: while I/O changes by more, wait; */
#define UNSETTLED_S 7.0  /* after this long nothing is heard */
#define CLEAR_W     0.18 /* mean change up to which all bursts are heard, ... */
#define DEAF_W      0.30 /* ... and from which on too few to rely on */
#define NOISE_MOST  0.4  /* of one change, so that bursts are not taken for noise */
#define NOISE_RATE  0.02
#define MOST_W      4.0  /* no drive collects garbage with more */
#define MATCH_W     0.35 /* what ends is as large as what began */
#define LIFE_S      42.0 /* none is believed for longer; assumed */
#define NOBODY      0.1  /* odds that it was no drive's */
#define READS       0.15 /* odds of a drive that only reads, to 1 of one that only writes */
#define WILD        3e-3 /* a reading means no more than this much against anybody */
#define ODDS_MOST   1e6

static void drop(struct el_observer *o, uint32_t slots, uint32_t k)
{
    uint32_t last = --o->bursts.count;

    o->bursts.burst[k] = o->bursts.burst[last];
    for (uint32_t i = 0; i < slots; i++) {
        o->node[i].odds[k] = o->node[i].odds[last];
        o->node[i].share[k] = o->node[i].share[last];
    }
}

static void respond(struct el_burst *b, const struct el_observer *o)
{
    double tau = o->tau_s, t = exp(-b->age_s / tau), m = exp(-b->age_s / EL_SENSOR_LAG_S);

    b->temp_c = b->watts * o->drive_r_c_per_w * (1 - t);
    b->shown_c = b->watts * o->drive_r_c_per_w * (1 - (tau * t - EL_SENSOR_LAG_S * m) / (tau - EL_SENSOR_LAG_S));
}

static void begin(struct el_observer *o, uint32_t slots, double watts)
{
    uint32_t k = o->bursts.count++;

    o->bursts.burst[k] = (struct el_burst){.watts = watts, .age_s = o->dt_s / 2};
    respond(&o->bursts.burst[k], o);
    for (uint32_t i = 0; i < slots; i++) {
        o->node[i].odds[k] = 1;
        o->node[i].share[k] = 0;
    }
}

static void end(struct el_observer *o, uint32_t slots, double watts)
{
    struct el_bursts *b = &o->bursts;
    uint32_t best = 0;

    for (uint32_t k = 1; k < b->count; k++)
        if (fabs(b->burst[k].watts - watts) < fabs(b->burst[best].watts - watts))
            best = k;
    if (b->count && fabs(b->burst[best].watts - watts) < MATCH_W)
        drop(o, slots, best);
}

void el_burst_watch(struct el_observer *o, uint32_t slots, double card_w)
{
    struct el_bursts *b = &o->bursts;
    double moves = 0, jump = card_w - b->card_w - o->scale * (o->host_w - b->host_w), least;
    bool first = !b->card_w;

    for (uint32_t i = 0; i < slots; i++)
        moves += fabs(o->node[i].moved_w);
    b->moved_w += moves;
    b->unsettled_s = first || moves > STEADY_W ? b->unsettled_s + o->dt_s : 0;
    if (!first && b->unsettled_s > 0)
        return;
    least = LEAST_W + NOISES * b->noise_w + PRICE_ERROR * o->scale * b->moved_w;
    b->card_w = card_w;
    b->host_w = o->host_w;
    b->moved_w = 0;
    if (first)
        return;
    b->noise_w += NOISE_RATE * (EL_MIN(fabs(jump), NOISE_MOST) - b->noise_w);
    if (jump > least && jump < MOST_W && b->count < EL_BURSTS)
        begin(o, slots, jump);
    else if (jump < -least)
        end(o, slots, -jump);
}

double el_burst_heard(const struct el_bursts *b)
{
    return b->unsettled_s > UNSETTLED_S ? 0 : EL_CLAMP((DEAF_W - b->noise_w) / (DEAF_W - CLEAR_W), 0, 1);
}

static double within(double mean, double deviation, double lo, double hi)
{
    double s = M_SQRT1_2 / deviation;

    return 0.5 * EL_MAX(erf((hi - mean) * s) - erf((lo - mean) * s), 0) + WILD;
}

void el_burst_hear(const struct el_observer *o, struct el_node *n, double mean, double variance, double lo, double hi)
{
    double deviation = sqrt(variance);

    for (uint32_t k = 0; k < o->bursts.count; k++) {
        const struct el_burst *b = &o->bursts.burst[k];
        double without = mean - n->share[k] * b->shown_c;

        n->odds[k] *= within(without + b->shown_c, deviation, lo, hi) / within(without, deviation, lo, hi);
        n->odds[k] = EL_CLAMP(n->odds[k], 1 / ODDS_MOST, ODDS_MOST);
    }
}

static double weight(const struct el_node *n, uint32_t k)
{
    return n->read_us && !el_node_blind(n) ? n->odds[k] * (READS + n->write_share) : 0;
}

/* What was thought of it before is put right from its beginning. */
static void give(struct el_node *n, uint32_t k, const struct el_burst *b, double share)
{
    n->x[EL_X_TEMP] += (share - n->share[k]) * b->temp_c;
    n->x[EL_X_SHOWN] += (share - n->share[k]) * b->shown_c;
    n->share[k] = share;
    n->burst_w += share * b->watts;
    n->burst_w2 += share * (1 - share) * b->watts * b->watts;
}

void el_burst_share(struct el_observer *o, uint32_t slots)
{
    for (uint32_t i = 0; i < slots; i++)
        o->node[i].burst_w = o->node[i].burst_w2 = 0;
    for (uint32_t k = 0; k < o->bursts.count;) {
        struct el_burst *b = &o->bursts.burst[k];
        double sum = NOBODY;

        if (b->age_s > LIFE_S) {
            drop(o, slots, k);
            continue;
        }
        for (uint32_t i = 0; i < slots; i++)
            sum += weight(&o->node[i], k);
        for (uint32_t i = 0; i < slots; i++)
            give(&o->node[i], k, b, weight(&o->node[i], k) / sum);
        b->age_s += o->dt_s;
        respond(b, o);
        k++;
    }
}
