#include "control/envelope.h"

#include <errno.h>
#include <math.h>

#include "base/base.h"
#include "base/text.h"
#include "control/simulate_machine.h"

#define SETTLE_S   1200.0
#define MEASURE_S  1200.0
#define LEAST_LFM  30.0
#define RESOLUTION 5.0
#define COOL_C     25.0 /* where nothing binds, and what `elementd simulate` takes when nobody says */
#define COOL_LFM   400.0

/* Share of the work at this point once it has settled, and the card's power; held at the limits of `facts` unless that
 * is NULL. */
static int measure(const struct el_simulate_options *o, double inlet_c, double airflow_lfm,
                   const struct el_governor_card *facts, double *share, double *watts, char *why, size_t why_size)
{
    struct el_simulate_options at = *o;
    struct el_twin_truth before, after;
    struct el_device dev;
    int r;

    at.inlet_c = inlet_c;
    at.airflow_lfm = airflow_lfm;
    at.scenario = NULL;
    r = el_sim_twin(&at, &dev, why, why_size);
    if (r != 0)
        return r;
    if (facts)
        el_sim_hold(dev.dev, facts);
    el_twin_advance(dev.dev, SETTLE_S);
    el_twin_truth(dev.dev, 0, &before);
    el_twin_advance(dev.dev, MEASURE_S);
    el_twin_truth(dev.dev, 0, &after);
    *share = after.demand_ops > before.demand_ops
                 ? (after.served_ops - before.served_ops) / (after.demand_ops - before.demand_ops)
                 : NAN;
    *watts = (after.energy_j - before.energy_j) / MEASURE_S;
    dev.ops->close(dev.dev);
    return 0;
}

int el_envelope_share(const struct el_simulate_options *o, double inlet_c, double airflow_lfm, double *share, char *why,
                      size_t why_size)
{
    EL_AUTO_FREE struct el_governor_card *facts = malloc(sizeof *facts);
    double watts;
    int r;

    if (!facts) {
        el_text_copy(why, why_size, "out of memory");
        return -ENOMEM;
    }
    r = el_simulate_facts(o, facts, why, why_size);
    return r == 0 ? measure(o, inlet_c, airflow_lfm, facts, share, &watts, why, why_size) : r;
}

int el_envelope_full_watts(const struct el_simulate_options *o, double *watts, char *why, size_t why_size)
{
    double share, drawn;
    int r = measure(o, COOL_C, COOL_LFM, NULL, &share, &drawn, why, why_size);

    if (r == 0)
        *watts = share >= EL_ENVELOPE_FULL ? drawn : NAN;
    return r;
}

int el_envelope_least_airflow(const struct el_simulate_options *o, double inlet_c, double most_lfm, double *airflow_lfm,
                              char *why, size_t why_size)
{
    double lo = LEAST_LFM, hi = most_lfm, share;
    int r = el_envelope_share(o, inlet_c, hi, &share, why, why_size);

    if (r != 0)
        return r;
    if (!(share >= EL_ENVELOPE_FULL)) {
        *airflow_lfm = NAN;
        return 0;
    }
    while (hi - lo > RESOLUTION) {
        double middle = (lo + hi) / 2;

        r = el_envelope_share(o, inlet_c, middle, &share, why, why_size);
        if (r < 0)
            return r;
        if (share >= EL_ENVELOPE_FULL)
            hi = middle;
        else
            lo = middle;
    }
    *airflow_lfm = ceil(hi / RESOLUTION) * RESOLUTION;
    return 0;
}
