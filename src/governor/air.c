#include "governor/air.h"

#include <math.h>

#include "base/base.h"

#define LEARN_S 600.0  /* the card warms up: nothing is judged before */
#define USUAL_S 1800.0 /* what is usual follows this slowly, and not at all while air fails */
/* Evidence of worse air: what the resistance against the usual one exceeds SLACK by, second for second, at most MOST
 * either way: drives that burst together look twice as bad as a lost fan for half a minute, and then are gone. 400 to
 * 200 LFM is 1.46, of which half shows in a minute and a half. Chosen on twins 101..124 of two cards. */
#define SLACK     1.12
#define MOST      0.06
#define ENOUGH    1.6
#define BETTER    1.08
#define SUSTAIN_S 12.0
#define MEASURED  0.7 /* of the usual airflow, where a sensor tells */

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

/* The sink as the drives feel it. The median: one drive at work in the background is no fan failure. */
static double felt_sink_c(const struct el_observer *o, const struct el_governor_card *card, double *flow_w)
{
    double error[EL_CARD_SLOTS_MAX];
    uint32_t n = 0;

    *flow_w = card->switch_w;
    for (uint32_t i = 0; i < card->slots; i++) {
        const struct el_node *x = &o->node[i];

        if (!x->read_us)
            continue;
        *flow_w += card->slot[i].idle_w + x->x[EL_X_GAIN] * x->host_w;
        if (!el_node_blind(x))
            error[n++] = x->x[EL_X_POWER] * o->drive_r_c_per_w;
    }
    return n ? o->sink_c + median(error, n) : NAN;
}

static void judge(struct el_air *a, double evidence, bool better)
{
    a->worse = EL_MAX(0, a->worse + evidence);
    if (a->failing && better)
        a->worse = 0;
    a->failing = a->worse > ENOUGH || (a->failing && !better);
}

static void learn(struct el_air *a, double dt, double lfm)
{
    double k = 1 - exp(-dt / (a->known_s < LEARN_S ? LEARN_S / 5 : USUAL_S));

    a->known_s += dt;
    if (a->failing)
        return;
    a->usual_c_per_w = a->usual_c_per_w > 0 ? a->usual_c_per_w + k * (a->resistance_c_per_w - a->usual_c_per_w)
                                            : a->resistance_c_per_w;
    if (lfm > 0)
        a->usual_lfm = a->usual_lfm > 0 ? a->usual_lfm + k * (lfm - a->usual_lfm) : lfm;
}

void el_air_step(struct el_air *a, const struct el_observer *o, const struct el_governor_card *card,
                 const struct el_governor_input *in, bool steered)
{
    double flow, felt = felt_sink_c(o, card, &flow), tau = o->resistance_c_per_w * card->sink_c_j_per_k, ratio;
    double lfm = el_reading_usable(&in->airflow_mlfm) ? (double)in->airflow_mlfm.value * 1e-3 : 0;

    if (!isfinite(felt))
        return;
    a->flow_w = a->flow_w > 0 ? a->flow_w + (flow - a->flow_w) * (1 - exp(-o->dt_s / tau)) : flow;
    a->resistance_c_per_w = EL_MAX(0.01, (felt - o->inlet_c) / EL_MAX(a->flow_w, 1));
    if (steered) {
        a->known_s = EL_MIN(a->known_s, LEARN_S / 2);
        a->worse = 0;
    }
    ratio = a->usual_c_per_w > 0 ? a->resistance_c_per_w / a->usual_c_per_w : 1;
    if (a->known_s >= LEARN_S && lfm > 0 && a->usual_lfm > 0)
        judge(a, lfm < MEASURED * a->usual_lfm ? ENOUGH / SUSTAIN_S * o->dt_s : -ENOUGH,
              lfm > (1 + MEASURED) / 2 * a->usual_lfm);
    else if (a->known_s >= LEARN_S)
        judge(a, EL_CLAMP(ratio - SLACK, -MOST, MOST) * o->dt_s, ratio < BETTER);
    learn(a, o->dt_s, lfm);
    a->lfm = lfm > 0
                 ? lfm
                 : EL_CLAMP(card->airflow_assumed_lfm * pow(ratio, -1 / EL_MAX(card->sink_r_exponent, 0.3)), 10, 5000);
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
