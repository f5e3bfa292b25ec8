/* Development sweep: one law over many seeds, one line per plant and a summary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "trial.h"

int main(int argc, char **argv)
{
    int seeds = argc > 1 ? atoi(argv[1]) : 36, first = argc > 2 ? atoi(argv[2]) : 1;
    double pw = 0;
    double margin = argc > 3 ? atof(argv[3]) : 0;
    bool quiet = argc > 4;
    double sum = 0, worst = 9, over = 0, above = 0, writes = 0, wworst = 0, warn = 0, unbound = 0, unworst = 9, usum = 0, cyc = 0, tick = 0, aworst = 0, ub_writes=0;
    int n = 0, u = 0, nc = 0;
    double ks[PLANT_KINDS] = {0}; int kn[PLANT_KINDS] = {0};

    for (int k = first; k < first + seeds; k++) {
        struct plant_options o = {.seed = (uint64_t)k, .kind = (enum plant_kind)(k % PLANT_KINDS), .slots = (k / PLANT_KINDS) % 2 ? 8 : 4, .period_s = k % 3 ? 1 : 2, .duration_s = 7200, .margin_c = margin,
                                  .background = !getenv("NOBG"), .airflow_known = k % 4 != 0 && k % PLANT_KINDS != PLANT_AIR_STEP, .power_known = getenv("POW") ? atoi(getenv("POW")) : k % 5 < 3, .sensors = (getenv("SENS") ? atoi(getenv("SENS")) : k % 7 < 4)};
        struct trial t;

        trial_run(&el_law_element, &o, &t);
        if (getenv("KIND") && o.kind != (enum plant_kind)atoi(getenv("KIND"))) continue;
        if (t.demand_ratio < 0.2 || t.oracle_above_s_h > 20)
            continue;
        if (o.kind == PLANT_CARD_WATTS && !getenv("KIND")) { ks[o.kind] += t.ratio; kn[o.kind]++; pw = EL_MAX(pw, t.power_over_w); continue; }
        bool binds = t.demand_ratio < 0.995;
        if (!quiet)
            printf("%3d %-10s %u %.0f dem %.3f ratio %.4f over %5.2f (%.2f) s/h %5.1f (%.1f) warn %4.1f w %5.1f/%5.1f cyc %.2f jain %.3f/%.3f W+ %.3f air %.0f tick %.1f\n", k, plant_kind_name[o.kind], o.slots, o.period_s,
               t.demand_ratio, t.ratio, t.over_c, t.oracle_over_c, t.above_s_h, t.oracle_above_s_h, t.warning_s_h, t.writes, t.writes_worst, t.cycle_c, t.jain, t.oracle_jain, t.power_over_w, t.air_reported_s, t.tick_us);
        tick += t.tick_us;
        if (binds) {
            n++; sum += t.ratio; worst = EL_MIN(worst, t.ratio); over = EL_MAX(over, t.over_c - t.oracle_over_c); above += t.above_s_h; aworst = EL_MAX(aworst, t.above_s_h); writes += t.writes; wworst = EL_MAX(wworst, t.writes_worst); warn = EL_MAX(warn, t.warning_s_h);
            ks[o.kind] += t.ratio; kn[o.kind]++;
            if (isfinite(t.cycle_c)) { cyc += t.cycle_c; nc++; }
        } else {
            u++; usum += t.own_ratio / t.demand_ratio; unworst = EL_MIN(unworst, t.own_ratio / t.demand_ratio); ub_writes = EL_MAX(ub_writes, t.writes_worst);
        }
    }
    (void)unbound;
    printf("bound %d: mean %.2f worst %.2f over+ %.2f s/h %.1f (worst %.1f) warn %.1f writes %.0f worst %.0f cycle %.2f | unbound %d: mean %.3f worst %.3f w %.0f | tick %.2f us\n", n, 100 * sum / n, 100 * worst, over, above / n, aworst, warn,
           writes / n, wworst, cyc / EL_MAX(nc, 1), u, 100 * usum / EL_MAX(u, 1), 100 * unworst, ub_writes, tick / (n + u));
    for (int k = 0; k < PLANT_KINDS; k++) printf(" %s %.2f(%d)", plant_kind_name[k], 100 * ks[k] / EL_MAX(kn[k], 1), kn[k]);
    printf(" W+ %.2f\n", pw);
    return 0;
}
