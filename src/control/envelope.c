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

int el_envelope_share(const struct el_simulate_options *o, double inlet_c, double airflow_lfm, double *share, char *why,
                      size_t why_size)
{
    struct el_simulate_options at = *o;
    struct el_twin_truth before, after;
    EL_AUTO_FREE struct el_governor_card *facts = malloc(sizeof *facts);
    struct el_device dev;
    int r;

    if (!facts) {
        el_text_copy(why, why_size, "out of memory");
        return -ENOMEM;
    }
    at.inlet_c = inlet_c;
    at.airflow_lfm = airflow_lfm;
    at.scenario = NULL;
    r = el_simulate_facts(o, facts, why, why_size);
    if (r == 0)
        r = el_sim_twin(&at, &dev, why, why_size);
    if (r != 0)
        return r;
    el_sim_hold(dev.dev, facts);
    el_twin_advance(dev.dev, SETTLE_S);
    el_twin_truth(dev.dev, 0, &before);
    el_twin_advance(dev.dev, MEASURE_S);
    el_twin_truth(dev.dev, 0, &after);
    *share = after.demand_ops > before.demand_ops
                 ? (after.served_ops - before.served_ops) / (after.demand_ops - before.demand_ops)
                 : NAN;
    dev.ops->close(dev.dev);
    return 0;
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
