#include "governor/observer.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "governor/interval.h"

/* Assumed, and what did best over many random plants (tests/bench/governors): none of it is tuned to one. */
#define NOISE_C     0.25 /* before the 1 C grain */
#define NOISE_LO    0.01 /* variance; and its bounds, and how fast it is learnt */
#define NOISE_HI    0.25
#define NOISE_RATE  0.004
#define WRITE_S     120.0
#define DRIFT_WRITE 0.04 /* and more of it while the host writes */
#define DRIFT_W2_S                                                                                                     \
    0.008 /* random walk of the power error: leakage, mix of work, background work that nobody announces, */
#define WATCHED_S        30.0  /* after a reading of the card's power bursts are seen there: ... */
#define WATCHED_W2_S     0.003 /* ... what moves besides moves slowly */
#define JUMP_W2          1.2   /* added when a reading cannot be explained: a background burst began or ended */
#define SURPRISE         1.1   /* corrections in standard deviations, summed over sensors and the last ... */
#define SURPRISE_S       6.0   /* ... seconds, that point to a burst ... */
#define SURPRISE_W2      1.0   /* ... of about this power, squared */
#define PRICE_PULL       0.05  /* share of a change of host power by which the power error may change with it */
#define GAIN_SD          0.15  /* declared prices and resistances are trusted within this ... */
#define GAIN_WALK        1e-7  /* ... and may age */
#define GAIN_LO          0.5
#define GAIN_HI          1.8
#define SENSOR_WALK_C2_S 4e-4 /* a single sensor's distance from the composite wanders */
#define SENSOR_PULL      0.25 /* C per W by which it may move when the host's power does */
#define OVERHEAD_S       6.0
#define POWER_ERROR_W    12.0 /* bounds of the power error and of its variance */
#define POWER_VAR_MAX    9.0
#define BLIND_S          20.0 /* after this long without a reading only what was learnt before tells of a drive */

enum { T = EL_X_TEMP, M = EL_X_SHOWN, D = EL_X_POWER, K = EL_X_GAIN, O = EL_X_OFFSET, N = EL_X_COUNT };

void el_observer_init(struct el_observer *o, struct el_node *node, const struct el_governor_card *card)
{
    *o = (struct el_observer){.node = node,
                              .scale = 1,
                              .drive_r_c_per_w = card->drive_r_c_per_w,
                              .tau_s = card->drive_r_c_per_w * card->drive_c_j_per_k};
    o->airflow_lfm = card->airflow_assumed_lfm;
    o->inlet_c = isfinite(card->inlet_assumed_c) ? card->inlet_assumed_c : 35;
    o->resistance_c_per_w = card->sink_r400_c_per_w * pow(400 / o->airflow_lfm, card->sink_r_exponent);
    for (uint32_t i = 0; i < card->slots; i++) {
        o->node[i].grain_c = 1;
        o->node[i].io_known = true; /* idle before the first count */
        o->node[i].noise = NOISE_C * NOISE_C;
        for (int j = 0; j < EL_NODE_SENSORS; j++)
            o->node[i].sensor[j] = -1;
    }
}

static void node_start(struct el_node *n, double reading_c)
{
    double gain = n->x[K] > 0 ? n->x[K] : 1, gain_p = n->p[K][K] > 0 ? n->p[K][K] : GAIN_SD * GAIN_SD;

    memset(n->x, 0, sizeof(n->x));
    memset(n->p, 0, sizeof(n->p));
    n->x[K] = gain;
    n->p[K][K] = gain_p;
    n->x[T] = n->x[M] = reading_c;
    n->p[T][T] = n->p[M][M] = 0.3;
    n->p[T][M] = n->p[M][T] = 0.25;
    n->p[D][D] = 4;
    for (int j = 0; j < EL_NODE_SENSORS; j++)
        n->sensor[j] = -1;
}

bool el_node_blind(const struct el_node *n)
{
    return n->blind_s > BLIND_S;
}

double el_observer_power(const struct el_observer *o, const struct el_governor_card *card, uint32_t i)
{
    return EL_MAX(0, card->slot[i].idle_w + o->node[i].x[K] * o->node[i].host_w + o->node[i].x[D] + o->node[i].burst_w);
}

/* Counted or not: what is believed of the drive's whole power goes on. */
static void node_host(struct el_node *n, double host_w, bool known)
{
    n->moved_w = host_w - n->host_w;
    if (known != n->io_known && n->read_us) {
        n->x[D] = EL_CLAMP(n->x[D] - n->x[K] * n->moved_w, -POWER_ERROR_W, POWER_ERROR_W);
        n->moved_w = 0;
    }
    n->host_w = host_w;
    n->io_known = known;
}

/* Host I/O since the last step, priced; counters that lie were screened out before. Not counted, it is what the cap
 * allows: then temperature alone decides. */
static void node_io(const struct el_observer *o, struct el_node *n, const struct el_governor_slot *s,
                    const struct el_governor_slot_input *in)
{
    uint64_t bytes[2] = {in->read_bytes, in->write_bytes}, ops[2] = {in->read_ops, in->write_ops};
    double dt = (double)(o->now_us - n->io_us) * 1e-6, w;

    if (!in->present || !in->io_valid) {
        node_host(n, in->present ? n->may_w : 0, !in->present);
        n->io_us = 0;
        return;
    }
    if (n->io_us && dt > 0) {
        double read = (double)(bytes[0] - n->bytes[0]), written = (double)(bytes[1] - n->bytes[1]);

        w = (read * s->read_j_per_byte + written * s->write_j_per_byte +
             (double)(ops[0] - n->ops[0]) * s->read_j_per_op + (double)(ops[1] - n->ops[1]) * s->write_j_per_op) /
            dt;
        node_host(n, EL_CLAMP(w, 0, 4 * s->full_w), true);
        if (w > 0.1) {
            n->write_share += (1 - o->keep.write) * (written / (read + written + 1) - n->write_share);
            n->bytes_per_j += (n->bytes_per_j > 0 ? 0.1 : 1) * ((read + written) / (w * dt) - n->bytes_per_j);
        }
    }
    memcpy(n->bytes, bytes, sizeof(bytes));
    memcpy(n->ops, ops, sizeof(ops));
    n->io_us = o->now_us;
}

/* Bursts show in the card's power. */
static double watched(const struct el_observer *o)
{
    return o->card_w_us && (double)(o->now_us - o->card_w_us) * 1e-6 < WATCHED_S ? el_burst_heard(&o->bursts) : 0;
}

/* Those in use: of a sensor that is not followed nothing depends on anything. */
static int states(const struct el_node *n)
{
    int at = EL_NODE_SENSORS;

    while (at > 0 && n->sensor[at - 1] < 0)
        at--;
    return O + at;
}

/* x <- F x, P <- F P F' + Q over dt. Only temperatures move by themselves. */
static void node_predict(const struct el_observer *o, struct el_node *n, double idle_w)
{
    double a = o->keep.drive, g = o->drive_r_c_per_w * (1 - a), b = o->keep.sensor, h = (1 - b) / 2, dt = o->dt_s,
           clear = watched(o),
           wander = clear * WATCHED_W2_S + (1 - clear) * (DRIFT_W2_S + DRIFT_WRITE * n->write_share);
    double f[2][4] = {{a, 0, g, g * n->host_w}, {h * (1 + a), b, h * g, h * g * n->host_w}}, fp[2][N];
    int count = states(n);
    double power = idle_w + n->x[K] * n->host_w + n->x[D] + n->burst_w,
           t = o->sink_c + (n->x[T] - o->sink_c) * a + g * power;

    n->x[M] = b * n->x[M] + h * (n->x[T] + t);
    n->x[T] = t;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < count; j++)
            fp[i][j] = f[i][0] * n->p[0][j] + f[i][1] * n->p[1][j] + f[i][2] * n->p[2][j] + f[i][3] * n->p[3][j];
    for (int i = 0; i < 2; i++) {
        for (int j = i; j < 2; j++)
            n->p[i][j] = n->p[j][i] = fp[i][0] * f[j][0] + fp[i][1] * f[j][1] + fp[i][2] * f[j][2] + fp[i][3] * f[j][3];
        for (int j = 2; j < count; j++)
            n->p[i][j] = n->p[j][i] = fp[i][j];
    }
    n->p[T][T] += 2e-4 * dt;
    n->p[M][M] += 2e-4 * dt;
    n->p[D][D] = EL_MIN(n->p[D][D] + wander * dt + PRICE_PULL * PRICE_PULL * n->moved_w * n->moved_w, POWER_VAR_MAX);
    n->p[K][K] = EL_MIN(n->p[K][K] + GAIN_WALK * dt, GAIN_SD * GAIN_SD);
    for (int j = 0; j < EL_NODE_SENSORS; j++)
        n->p[O + j][O + j] = EL_MIN(
            n->p[O + j][O + j] + SENSOR_WALK_C2_S * dt + SENSOR_PULL * SENSOR_PULL * n->moved_w * n->moved_w, 25.0);
}

/* One reading of what is shown (plus offset state `o`, or -1): all that is known is the step it fell into. */
static void node_update(const struct el_observer *all, struct el_node *n, double reading_c, int o, double noise)
{
    double ph[N], mean = n->x[M] + (o < 0 ? 0 : n->x[o]), s, shift, shrink;
    int count = states(n);

    for (int i = 0; i < count; i++)
        ph[i] = n->p[i][M] + (o < 0 ? 0 : n->p[i][o]);
    /* cppcheck-suppress uninitvar; M and o are among the states */
    s = ph[M] + (o < 0 ? 0 : ph[o]);
    if (!(s > 1e-9))
        return;
    el_burst_hear(all, n, mean, s + noise, reading_c - n->grain_c / 2, reading_c + n->grain_c / 2);
    el_interval_update(mean, s, noise, reading_c - n->grain_c / 2, reading_c + n->grain_c / 2, &shift, &shrink);
    for (int i = 0; i < count; i++) {
        n->x[i] += ph[i] / s * shift;
        for (int j = i; j < count; j++)
            n->p[j][i] = n->p[i][j] -= ph[i] * ph[j] / (s * s) * shrink;
        n->p[i][i] = EL_MAX(n->p[i][i], 1e-5);
    }
    n->surprise += shift / sqrt(s + noise);
    n->x[D] = EL_CLAMP(n->x[D], -POWER_ERROR_W, POWER_ERROR_W);
    n->x[K] = EL_CLAMP(n->x[K], GAIN_LO, GAIN_HI);
}

static void composite_update(const struct el_observer *o, struct el_node *n, double reading_c)
{
    double error = reading_c - n->x[M];

    n->noise += NOISE_RATE *
                (EL_CLAMP(error * error - n->grain_c * n->grain_c / 12 - n->p[M][M], NOISE_LO, NOISE_HI) - n->noise);
    if (fabs(error) >
        n->grain_c / 2 + 3 * sqrt(n->noise) + 2 * sqrt(n->p[M][M])) /* not what the model expects at all */
        n->p[D][D] = EL_MIN(n->p[D][D] + JUMP_W2, POWER_VAR_MAX);
    node_update(o, n, reading_c, -1, n->noise);
}

/* Single sensors move first and step at other moments: early signals, never the measure. */
static void sensors_update(const struct el_observer *all, struct el_node *n, const struct el_reading *sensor)
{
    int at = 0;

    for (int8_t k = 0; k < 8 && at < EL_NODE_SENSORS; k++) {
        double value = (double)sensor[k].value * 1e-3, error;
        int o = O + at;

        if (!el_reading_usable(&sensor[k]) || sensor[k].time_us <= n->read_us)
            continue;
        if (n->sensor[at] != k) {
            for (int i = 0; i < N; i++)
                n->p[i][o] = n->p[o][i] = 0;
            n->sensor[at] = k;
            n->x[o] = value - n->x[M];
            n->p[o][o] = 4;
            n->sensor_noise[at] = NOISE_C * NOISE_C;
        } else {
            error = value - n->x[M] - n->x[o];
            n->sensor_noise[at] += 0.02 * (EL_MIN(error * error, 25.0) - n->sensor_noise[at]);
            node_update(all, n, value, o, EL_MAX(n->sensor_noise[at] - 0.1, NOISE_C * NOISE_C));
        }
        at++;
    }
}

static void sink_step(struct el_observer *o, const struct el_governor_card *card, double dt)
{
    double flow = card->switch_w + o->unknown_w, error = 0, tau = o->resistance_c_per_w * card->sink_c_j_per_k, target;
    uint32_t n = 0;

    for (uint32_t i = 0; i < card->slots; i++) {
        if (!o->node[i].read_us)
            continue;
        flow += (o->node[i].x[T] - o->sink_c) / o->drive_r_c_per_w;
        if (el_node_blind(&o->node[i]))
            continue;
        error += o->node[i].x[D];
        n++;
    }
    target = o->inlet_c + o->resistance_c_per_w * flow;
    o->sink_slope = (target - o->sink_c) / tau;
    o->sink_c += (target - o->sink_c) * (1 - exp(-dt / tau));
    if (n) /* what all drives err by together is the sink's: its resistance, or heat nobody declared */
        o->unknown_w = EL_CLAMP(o->unknown_w + error * dt / 300, -40.0, 80.0);
}

/* Before the first reading the sink is where a settled drive would have it. */
static void sink_start(struct el_observer *o, const struct el_governor_card *card)
{
    double sum = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < card->slots; i++)
        if (o->node[i].read_us) {
            sum += o->node[i].x[T] - o->drive_r_c_per_w * (card->slot[i].idle_w + o->node[i].host_w);
            n++;
        }
    if (n)
        o->sink_c = EL_MAX(sum / n, o->inlet_c);
    o->started = n > 0;
}

static void air_step(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in)
{
    if (el_reading_usable(&in->inlet_mc))
        o->inlet_c = (double)in->inlet_mc.value * 1e-3;
    if (el_reading_usable(&in->airflow_mlfm))
        o->airflow_lfm = EL_CLAMP((double)in->airflow_mlfm.value * 1e-3, 20, 5000);
    o->resistance_c_per_w = card->sink_r400_c_per_w * pow(400 / o->airflow_lfm, card->sink_r_exponent);
}

/* Declared prices against the card's power, where the host's watts have moved enough to tell. */
static void scale_learn(struct el_observer *o, double card_w)
{
    double dh = o->host_w - o->then_host_w, dc = card_w - o->then_card_w;

    o->then_s += o->dt_s;
    if (o->then_s < 10)
        return;
    if (fabs(dh) > 0.5)
        o->scale = EL_CLAMP(o->scale + 0.3 * dh * (dc - o->scale * dh) / (dh * dh + 10), 0.6, 1.5);
    o->then_s = 0;
    o->then_host_w = o->host_w;
    o->then_card_w = card_w;
}

/* Counters tell watts from their second reading on: until then the host's share of the card's power is a guess. */
static bool host_counted(const struct el_observer *o, const struct el_governor_input *in, uint32_t slots)
{
    for (uint32_t i = 0; i < slots; i++)
        if (in->slot[i].present && in->slot[i].io_valid && !o->node[i].io_known)
            return false;
    return true;
}

/* What the card draws beside host I/O: measured where there is a sensor, else declared. */
static void power_step(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in)
{
    double declared = card->switch_w, k = 1 - exp(-o->dt_s / OVERHEAD_S),
           card_w = (double)in->card_power_mw.value * 1e-3, overhead;

    o->host_w = 0;
    for (uint32_t i = 0; i < card->slots; i++) {
        o->host_w += o->node[i].host_w;
        declared += in->slot[i].present ? in->slot[i].io_valid ? card->slot[i].idle_w : card->slot[i].full_w : 0;
    }
    if (!el_reading_usable(&in->card_power_mw) || (!o->card_w_us && !host_counted(o, in, card->slots))) {
        o->overhead_w = o->card_w_us && in->now_us - o->card_w_us < 60 * EL_USEC_PER_SEC ? o->overhead_w : declared;
        return;
    }
    if (in->card_power_mw.time_us <= o->card_w_us)
        return;
    overhead = card_w - o->scale * o->host_w;
    if (!o->card_w_us) {
        o->overhead_w = overhead;
        o->then_card_w = card_w;
        o->then_host_w = o->host_w;
    }
    o->overhead_w += k * (overhead - o->overhead_w);
    o->card_w_us = in->card_power_mw.time_us;
    scale_learn(o, card_w);
    el_burst_watch(o, card->slots, card_w);
}

/* A background burst shows in all sensors of a drive before any one of them is sure: small corrections that keep
 * pointing the same way say that its power is not what is believed. */
static void surprise_step(const struct el_observer *o, struct el_node *n)
{
    n->surprise *= o->keep.surprise;
    if (fabs(n->surprise) < SURPRISE)
        return;
    n->p[D][D] = EL_MIN(n->p[D][D] + SURPRISE_W2, POWER_VAR_MAX);
    n->surprise = 0;
}

/* What was made of a reading that no longer moved may be a lie. */
static void node_blind(struct el_node *n, double dt)
{
    bool before = el_node_blind(n);

    n->blind_s += dt;
    if (before || !el_node_blind(n) || !n->read_us)
        return;
    n->x[D] = n->moved_d;
    n->x[K] = n->moved_k;
}

void el_observer_see(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in,
                     uint32_t i)
{
    struct el_node *n = &o->node[i];
    const struct el_reading *r = &in->slot[i].temp_mc;

    node_io(o, n, &card->slot[i], &in->slot[i]);
    if (!in->slot[i].present) {
        n->read_us = 0;
        return;
    }
    if (n->read_us)
        node_predict(o, n, card->slot[i].idle_w);
    if (!el_reading_usable(r)) {
        node_blind(n, o->dt_s);
        return;
    }
    if (r->time_us <= n->read_us)
        return;
    if (r->value != n->moved_mc) {
        n->moved_mc = r->value;
        n->moved_d = n->x[D];
        n->moved_k = n->x[K];
    }
    if (r->value % 1000 != 0)
        n->grain_c = 0.1;
    if (!n->read_us || el_node_blind(n) || fabs((double)r->value * 1e-3 - n->x[M]) > 15)
        node_start(n, (double)r->value * 1e-3);
    else
        composite_update(o, n, (double)r->value * 1e-3);
    sensors_update(o, n, in->slot[i].sensor_mc);
    n->read_us = EL_MAX(r->time_us, 1);
    n->blind_s = 0;
    if (watched(o) < 0.5)
        surprise_step(o, n);
}

void el_observer_begin(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in)
{
    o->dt_s = o->now_us ? EL_CLAMP((double)(in->now_us - o->now_us) * 1e-6, 0, 60) : card->period_s;
    o->now_us = in->now_us;
    o->keep.drive = exp(-o->dt_s / o->tau_s);
    o->keep.sensor = exp(-o->dt_s / EL_SENSOR_LAG_S);
    o->keep.write = exp(-o->dt_s / WRITE_S);
    o->keep.surprise = exp(-o->dt_s / SURPRISE_S);
    air_step(o, card, in);
    if (o->started)
        sink_step(o, card, o->dt_s);
}

void el_observer_end(struct el_observer *o, const struct el_governor_card *card, const struct el_governor_input *in)
{
    if (!o->started)
        sink_start(o, card);
    power_step(o, card, in);
    el_burst_share(o, card->slots);
}

struct el_ahead el_observer_ahead(const struct el_observer *o, double s)
{
    return (struct el_ahead){.s = s, .keep = exp(-s / o->tau_s)};
}

double el_observer_predict(const struct el_observer *o, const struct el_governor_card *card, uint32_t i, double host_w,
                           struct el_ahead after)
{
    const struct el_node *n = &o->node[i];
    double sink = o->sink_c + o->sink_slope * after.s / 2;

    return sink + (n->x[T] - sink) * after.keep +
           o->drive_r_c_per_w * (1 - after.keep) * (card->slot[i].idle_w + n->x[D] + n->burst_w + n->x[K] * host_w);
}

double el_observer_doubt(const struct el_observer *o, uint32_t i, struct el_ahead after)
{
    const struct el_node *n = &o->node[i];
    double a = after.keep, g = o->drive_r_c_per_w * (1 - a);

    return sqrt(EL_MAX(0, a * a * n->p[T][T] + 2 * a * g * n->p[T][D] + g * g * (n->p[D][D] + n->burst_w2)));
}

double el_observer_headroom(const struct el_observer *o, const struct el_governor_card *card, uint32_t i,
                            double limit_c, struct el_ahead after, struct el_ahead delay)
{
    const struct el_node *n = &o->node[i];
    double sink = o->sink_c + o->sink_slope * after.s / 2;
    double t = el_observer_predict(o, card, i, n->host_w, delay);

    return ((limit_c - sink - (t - sink) * after.keep) / (o->drive_r_c_per_w * (1 - after.keep)) -
            card->slot[i].idle_w - n->x[D] - n->burst_w) /
           n->x[K];
}
