#include "governor/air.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

#define LEARN_S  600.0 /* the card warms up: nothing is judged before, */
#define START_S  300.0 /* the first guess is made here, */
#define SETTLE_S 150.0 /* of what was seen from here on */
#define WARMING  0.05  /* of the usual rise: whoever is above it by this much by then still warms up, and begins anew */
#define USUAL_S  1800.0 /* what is usual follows this slowly, and not at all while air fails */
#define APART_C  4.0    /* one drive's error counts up to here beside the others: one at work is no fan failure */
#define POWER_S  30.0
/* What the usual rise may be off by at first, as parts of the resistance and as watts; how little one second tells of
 * it; and how slowly certainty fades. */
#define OFFSET_W 3.5
#define SLOPE    0.1
#define LAG      0.1
#define TELLS_C2 10.0
#define FADE_S   4e5
/* Evidence of worse air is the odds of a rise by SHIFT over none, against what usually wanders. What matters is not how
 * far the sink has warmed but what warms it: a rise that still grows counts for where it goes. 400 to 200 LFM is 1.46
 * in the end. All chosen on cards 20001..20225 and 30001..30450 of tests/bench/governors. */
#define SHIFT      0.2
#define LEAD       2.0 /* of what the error has gained on its mean of ... */
#define LEAD_S     45.0
#define SURE       1.0  /* standard deviations of the usual rise, and ... */
#define SURE_C     0.1  /* ... degrees that are no evidence, ... */
#define AIR_LAG    1.0  /* ... nor this part of how far the inlet fell ahead of a sink that may follow half as fast */
#define TOGETHER_S 10.0 /* for so long errors are one and the same */
#define WANDER     0.1  /* at first, */
#define WANDER_LO  0.01
#define WANDER_HI  0.2
#define MOST       0.7 /* a second's evidence at most, either way */
#define ENOUGH     20.0
#define BETTER     1.1
#define SUSTAIN_S  12.0
#define MEASURED   0.7 /* of the usual airflow, where a sensor tells */

void el_air_init(struct el_air *a)
{
    *a = (struct el_air){.resistance_c_per_w = NAN, .lfm = NAN};
}

static double median(double *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && v[k - 1] > v[k]; k--) {
            double t = v[k];

            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double share(double dt, double tau)
{
    return dt / (dt + tau);
}

/* The mean of what all drives err by is the sink's. */
static double common(const double *error, uint32_t n)
{
    double sorted[EL_CARD_SLOTS_MAX], middle, sum = 0;

    memcpy(sorted, error, n * sizeof(*error));
    middle = median(sorted, n);
    for (uint32_t i = 0; i < n; i++)
        sum += EL_CLAMP(error[i], middle - APART_C, middle + APART_C);
    return sum / n;
}

static void relearn(struct el_air *a)
{
    a->known_s = EL_MIN(a->known_s, SETTLE_S);
    a->rise_s = a->flow_s = a->worse = 0;
}

/* The sink as the drives feel it, and the heat into it: measured where there is a sensor. NAN: no drive tells. */
static double felt_sink_c(struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                          double *flow_w)
{
    double error[EL_CARD_SLOTS_MAX];
    bool watts = o->card_w_us && (double)(o->now_us - o->card_w_us) * 1e-6 < POWER_S;
    uint32_t n = 0, drives = 0;

    *flow_w = watts ? o->scale * o->host_w + o->overhead_w : card->switch_w;
    for (uint32_t i = 0; i < card->slots; i++) {
        const struct el_node *x = &o->node[i];

        if (!x->read_us)
            continue;
        drives++;
        if (a->known_s < START_S)
            a->gain[i] = x->x[EL_X_GAIN];
        *flow_w += watts ? 0 : card->slot[i].idle_w + a->gain[i] * x->host_w;
        if (!el_node_blind(x))
            error[n++] = x->x[EL_X_POWER] + (x->x[EL_X_GAIN] - a->gain[i]) * x->host_w;
    }
    if ((drives != a->drives || watts != a->watts) && !a->failing)
        relearn(a);
    a->drives = drives;
    a->watts = watts;
    return n ? o->sink_c + o->drive_r_c_per_w * common(error, n) : NAN;
}

static void judge(struct el_air *a, double evidence, bool better)
{
    a->worse = EL_CLAMP(a->worse + evidence, 0, 2 * ENOUGH);
    if (a->failing && better)
        a->worse = 0;
    a->failing = a->worse > ENOUGH || (a->failing && !better);
}

static double doubt(const struct el_air_usual *u, int i)
{
    static const double unsure[] = {OFFSET_W, SLOPE, LAG};
    double d = u->first_c_per_w * unsure[i];

    return d * d;
}

static void usual_start(struct el_air_usual *u, double c_per_w)
{
    *u = (struct el_air_usual){.x = {0, c_per_w, 0}, .first_c_per_w = c_per_w};
    for (int i = 0; i < EL_AIR_STATES; i++)
        u->p[i][i] = doubt(u, i);
}

/* What is expected, its variance, and what each state has to do with it. */
static double usual_rise(const struct el_air_usual *u, const double *row, double *variance, double *with)
{
    double c = 0;

    *variance = 0;
    for (int i = 0; i < EL_AIR_STATES; i++) {
        with[i] = 0;
        for (int j = 0; j < EL_AIR_STATES; j++)
            with[i] += u->p[i][j] * row[j];
        *variance += row[i] * with[i];
        c += u->x[i] * row[i];
    }
    return c;
}

static void usual_learn(struct el_air_usual *u, const double *with, double variance, double error, double dt)
{
    double s = variance + TELLS_C2 / EL_MAX(dt, 0.1);

    for (int i = 0; i < EL_AIR_STATES; i++) {
        u->x[i] += with[i] / s * error;
        for (int j = 0; j < EL_AIR_STATES; j++)
            u->p[i][j] += share(dt, FADE_S) * ((i == j ? doubt(u, i) : 0) - u->p[i][j]) - with[i] * with[j] / s;
    }
}

/* From the temperatures: how the rise compares with the usual one. `told`: a sensor of the airflow knows better. */
static void compare(struct el_air *a, const struct el_governor_card *card, double rise, double flow, double ahead_c,
                    double dt, bool told)
{
    double row[EL_AIR_STATES] = {1, a->flow_w, flow - a->flow_w}, with[EL_AIR_STATES], variance, usual, error, going,
           odds, sure;

    usual = EL_MAX(usual_rise(&a->usual, row, &variance, with), 0.5);
    error = rise - usual;
    a->error_c += share(dt, LEAD_S) * (error - a->error_c);
    going = error + LEAD * (error - a->error_c);
    sure = SURE * sqrt(EL_MAX(variance, 0)) + SURE_C + AIR_LAG * EL_MAX(0, -ahead_c);
    odds = SHIFT * ((going - sure) / usual - SHIFT / 2) / a->wander / TOGETHER_S;
    if (a->known_s >= LEARN_S && a->known_s - dt < LEARN_S && a->error_c > WARMING * usual)
        relearn(a);
    if (a->known_s >= LEARN_S && !told)
        judge(a, EL_CLAMP(odds, -MOST, MOST) * dt, a->error_c < (BETTER - 1) * usual);
    a->lfm = EL_CLAMP(card->airflow_assumed_lfm *
                          pow(EL_MAX(1 + a->error_c / usual, 0.1), -1 / EL_MAX(card->sink_r_exponent, 0.3)),
                      10, 5000);
    if (a->failing)
        return;
    going = EL_CLAMP(going / usual, -WANDER_HI, WANDER_HI);
    a->wander += share(dt, USUAL_S) * (going * going - a->wander);
    a->wander = EL_MAX(a->wander, WANDER_LO * WANDER_LO);
    usual_learn(&a->usual, with, variance, error, dt);
}

static void measured(struct el_air *a, double lfm, double dt)
{
    if (a->known_s >= LEARN_S && a->usual_lfm > 0)
        judge(a, lfm < MEASURED * a->usual_lfm ? ENOUGH / SUSTAIN_S * dt : -ENOUGH,
              lfm > (1 + MEASURED) / 2 * a->usual_lfm);
    a->lfm = lfm;
    if (!a->failing)
        a->usual_lfm = a->usual_lfm > 0 ? a->usual_lfm + share(dt, USUAL_S) * (lfm - a->usual_lfm) : lfm;
}

void el_air_step(struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                 const struct el_governor_input *in, bool steered)
{
    bool told = el_reading_usable(&in->airflow_mlfm);
    double flow, felt = felt_sink_c(a, o, card, &flow), dt = o->dt_s, rise,
                 k = share(dt, o->resistance_c_per_w * card->sink_c_j_per_k);

    if (!isfinite(felt))
        return;
    if (steered)
        relearn(a);
    a->flow_w = a->flow_w > 0 ? a->flow_w + k * (flow - a->flow_w) : flow;
    a->inlet_c = isfinite(a->resistance_c_per_w) ? a->inlet_c + k * (o->inlet_c - a->inlet_c) : o->inlet_c;
    rise = felt - a->inlet_c;
    a->resistance_c_per_w = EL_MAX(0.01, rise / EL_MAX(a->flow_w, 1));
    a->known_s += dt;
    if (a->known_s >= START_S) {
        if (a->flow_s > 0) {
            usual_start(&a->usual, EL_MAX(a->rise_s / a->flow_s, 0.02));
            a->wander = WANDER * WANDER;
            a->error_c = a->rise_s = a->flow_s = 0;
        }
        compare(a, card, rise, flow, o->inlet_c - a->inlet_c, dt, told);
    } else {
        a->lfm = card->airflow_assumed_lfm;
        if (a->known_s > SETTLE_S) {
            a->rise_s += rise * dt;
            a->flow_s += a->flow_w * dt;
        }
    }
    if (told)
        measured(a, (double)in->airflow_mlfm.value * 1e-3, dt);
}

double el_air_wish(const struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                   double excess_c)
{
    double rise = EL_MAX(a->resistance_c_per_w * a->flow_w, 1), left = EL_MAX(rise - excess_c, rise / 3);

    if (!(excess_c > 0) || !isfinite(a->lfm) || !isfinite(rise))
        return NAN;
    return EL_MIN(a->lfm * pow(rise / left, 1 / EL_MAX(card->sink_r_exponent, 0.3)),
                  3 * EL_MAX(a->lfm, o->airflow_lfm));
}
