#include "control/envelope.h"

#include <errno.h>
#include <math.h>

#include "base/base.h"
#include "base/text.h"

#define SETTLE_S   1200.0
#define MEASURE_S  1200.0
#define LEAST_LFM  30.0
#define RESOLUTION 5.0

int el_envelope_share(const struct el_simulate_options *o, double inlet_c, double airflow_lfm, double *share, char *why,
                      size_t why_size)
{
    const struct el_twin_options t = {.card = o->card,
                                      .drives = o->drives,
                                      .cards = 1,
                                      .workload = o->workload,
                                      .inlet_c = inlet_c,
                                      .airflow_lfm = airflow_lfm,
                                      .seed = o->seed,
                                      .virtual_time = true,
                                      .array = o->array};
    struct el_twin_truth before, after;
    struct el_twin_oracle oracle;
    struct el_governor_card *facts = malloc(sizeof *facts);
    struct el_device dev;
    int r = facts ? el_simulate_facts(o, facts, why, why_size) : -ENOMEM;

    if (!facts)
        el_text_copy(why, why_size, "out of memory");
    if (r == 0)
        r = el_twin_open(&t, &dev, why, why_size);
    if (r < 0) {
        free(facts);
        return r;
    }
    oracle = (struct el_twin_oracle){.card_limit_w = facts->card_limit_w, .switch_limit_c = facts->switch_limit_c};
    for (uint32_t i = 0; i < facts->slots; i++)
        oracle.limit_c[i] = facts->slot[i].limit_c;
    el_twin_set_oracle(dev.dev, &oracle);
    el_twin_advance(dev.dev, SETTLE_S);
    el_twin_truth(dev.dev, 0, &before);
    el_twin_advance(dev.dev, MEASURE_S);
    el_twin_truth(dev.dev, 0, &after);
    *share = after.demand_ops > before.demand_ops
                 ? (after.served_ops - before.served_ops) / (after.demand_ops - before.demand_ops)
                 : NAN;
    dev.ops->close(dev.dev);
    free(facts);
    return 0;
}

int el_envelope_least_airflow(const struct el_simulate_options *o, double inlet_c, double most_lfm, double *airflow_lfm,
                              char *why, size_t why_size)
{
    double lo = LEAST_LFM, hi = most_lfm, share;
    int r = el_envelope_share(o, inlet_c, hi, &share, why, why_size);

    if (r < 0)
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
