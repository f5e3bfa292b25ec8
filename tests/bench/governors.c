/* governors: ours beside none, every rival and the oracle, on the same plants and seeds in one run. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "rivals/rivals.h"
#include "trial.h"

#define LAWS    9
#define MARGINS 7

struct score { /* of one law over all plants that bind */
    uint32_t n, unbound, cycles, watts;
    double ratio, worst, over, over_mean, above, above_worst, warning, writes, writes_worst, cycle, unfair,
        unbound_ratio, unbound_worst;
    double watts_ratio, watts_worst, watts_over, air_s, tick_us;
    uint32_t air, air_reported, cards, air_false;
    double critical, avoidable;
};

struct entrant {
    const char *name;
    const struct el_governor_law *law; /* NULL: the oracle */
};

static const struct entrant entrants[LAWS] = {
    {"element", &el_law_element},
    {"none", &el_law_none},
    {"firmware", &rival_firmware},
    {"bang-bang", &rival_bang_bang},
    {"step-wise", &rival_step_wise},
    {"power-allocator", &rival_power_allocator},
    {"power-alloc-est", &rival_power_allocator_estimated},
    {"pid", &rival_pid},
    {"oracle", NULL},
};
static const double margins[MARGINS] = {-0.5, 0, 0.25, 0.5, 1, 2, 3};

static void options(struct plant_options *o, uint64_t seed, double margin_c, double hours)
{
    uint64_t round = seed / PLANT_KINDS;

    *o = (struct plant_options){.seed = seed,
                                .kind = (enum plant_kind)(seed % PLANT_KINDS),
                                .slots = round % 2 ? 8 : 4,
                                .period_s = seed % 3 ? 1 : 2,
                                .duration_s = hours * 3600,
                                .margin_c = margin_c,
                                .background = true,
                                .airflow_known = seed % 4 != 0,
                                .power_known = seed % 5 < 3 || seed % PLANT_KINDS == PLANT_CARD_WATTS,
                                .sensors = seed % 7 < 4};
    if (o->kind == PLANT_AIR_STEP)
        o->airflow_known = false;
}

static void add_watts(struct score *s, const struct trial *t)
{
    s->watts++;
    s->watts_ratio += t->ratio;
    s->watts_worst = EL_MIN(s->watts_worst, t->ratio);
    s->watts_over = EL_MAX(s->watts_over, t->power_over_w);
}

static void add_unbound(struct score *s, const struct trial *t)
{
    double r = t->own_ratio / t->demand_ratio;

    s->unbound++;
    s->unbound_ratio += r;
    s->unbound_worst = EL_MIN(s->unbound_worst, r);
}

static void add_bound(struct score *s, const struct trial *t)
{
    s->n++;
    s->ratio += t->ratio;
    s->worst = EL_MIN(s->worst, t->ratio);
    s->over = EL_MAX(s->over, t->over_c - t->oracle_over_c);
    s->over_mean += t->over_c - t->oracle_over_c;
    s->above += t->above_s_h;
    s->above_worst = EL_MAX(s->above_worst, t->above_s_h);
    s->warning = EL_MAX(s->warning, t->warning_s_h);
    s->critical = EL_MAX(s->critical, t->critical_s_h);
    s->avoidable = EL_MAX(s->avoidable, t->avoidable_s_h);
    s->writes += t->writes;
    s->writes_worst = EL_MAX(s->writes_worst, t->writes_worst);
    s->unfair = EL_MAX(s->unfair, t->oracle_jain - t->jain);
    if (isfinite(t->cycle_c)) {
        s->cycle += t->cycle_c;
        s->cycles++;
    }
}

static void add(struct score *s, const struct plant_options *o, const struct trial *t)
{
    if (t->demand_ratio < 0.2 || t->oracle_above_s_h > 20) /* not even the oracle can hold this one */
        return;
    s->tick_us = EL_MAX(s->tick_us, t->tick_us);
    s->cards++;
    s->air_false += t->air_false;
    if (o->kind == PLANT_AIR_STEP) {
        s->air++;
        if (isfinite(t->air_reported_s)) {
            s->air_reported++;
            s->air_s = EL_MAX(s->air_s, t->air_reported_s);
        }
    }
    if (o->kind == PLANT_CARD_WATTS)
        add_watts(s, t);
    else if (t->demand_ratio >= 0.995)
        add_unbound(s, t);
    else
        add_bound(s, t);
}

/* What the drives of this plant can draw together for ever: the oracle's mean, told to the one rival that asks for it.
 */
static void tell_sustainable(const struct plant_options *o)
{
    struct plant_options calm = *o;
    static struct plant p;
    double sum = 0, n = 0;

    calm.background = false;
    plant_init(&p, &calm);
    while (p.now_s < 1800) {
        plant_step_oracle(&p);
        if (p.now_s > 900) {
            sum += plant_card_w(&p) - p.switch_w;
            n++;
        }
    }
    rival_sustainable_w = sum / n;
}

/* With faults, a different one for each plant in turn. */
static void run(const struct entrant *e, uint64_t first, uint64_t seeds, double margin_c, double hours, bool faults,
                struct score *s)
{
    memset(s, 0, sizeof(*s));
    s->worst = s->unbound_worst = s->watts_worst = INFINITY;
    s->over = -INFINITY;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        struct plant_options o;
        struct trial t;

        options(&o, seed, margin_c, hours);
        if (e->law == &rival_power_allocator)
            tell_sustainable(&o);
        trial_run(e->law, &o, faults ? 1 + (enum trial_fault)(seed / PLANT_KINDS % (TRIAL_FAULTS - 1)) : TRIAL_SOUND,
                  &t);
        add(s, &o, &t);
    }
    s->ratio /= EL_MAX(s->n, 1U);
    s->over_mean /= EL_MAX(s->n, 1U);
    s->above /= EL_MAX(s->n, 1U);
    s->writes /= EL_MAX(s->n, 1U);
    s->cycle /= EL_MAX(s->cycles, 1U);
    s->unbound_ratio /= EL_MAX(s->unbound, 1U);
    s->watts_ratio /= EL_MAX(s->watts, 1U);
    if (!s->unbound)
        s->unbound_worst = 0;
    if (!s->watts)
        s->watts_worst = 0; /* as its mean: JSON knows no infinity */
}

static void print_table(const struct score *s)
{
    printf("| law | throughput / oracle, mean / worst %% | overshoot beyond the oracle's, C | s/h above limit + 0.5 C, "
           "mean / worst | s/h above "
           "warning, worst | writes / drive / h, mean / worst | range at steady load, C | unfairness | not binding, "
           "mean / worst %% | card watts bind: %% of "
           "equal shares, mean / worst (mean W above) |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < LAWS; i++)
        printf("| %s | %.1f / %.1f | %.2f | %.0f / %.0f | %.0f | %.0f / %.0f | %.2f | %.3f | %.2f / %.2f | %.1f / %.1f "
               "(%.2f) |\n",
               entrants[i].name, 100 * s[i].ratio, 100 * s[i].worst, s[i].over, s[i].above, s[i].above_worst,
               s[i].warning, s[i].writes, s[i].writes_worst, s[i].cycle, s[i].unfair, 100 * s[i].unbound_ratio,
               100 * s[i].unbound_worst, 100 * s[i].watts_ratio, 100 * s[i].watts_worst, s[i].watts_over);
    printf("\n%u plants bind by temperature, %u by card watts, %u do not bind. element: failing air reported in %u of "
           "%u plants, after %.0f s at most; "
           "falsely on %u of all %u; %.2f us per step at most.\n",
           s[0].n, s[0].watts, s[0].unbound, s[0].air_reported, s[0].air, s[0].air_s, s[0].air_false, s[0].cards,
           s[0].tick_us);
}

static void print_faults(const struct score *s)
{
    printf("\nWith a fault each (a sensor stuck, lost or jumping, a cap ignored, the inlet sensor lost, for a third of "
           "the time); every law runs under the same safety layer:\n\n"
           "| law | throughput / oracle, mean / worst %% | overshoot beyond the oracle's, C | s/h above limit + 0.5 C, "
           "mean / worst | s/h above warning, worst | s/h above critical, worst (where it was "
           "avoidable) | writes / drive / h, mean / worst |\n"
           "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < LAWS; i++)
        printf("| %s | %.1f / %.1f | %.2f | %.0f / %.0f | %.0f | %.0f (%.0f) | %.0f / %.0f |\n", entrants[i].name,
               100 * s[i].ratio, 100 * s[i].worst, s[i].over, s[i].above, s[i].above_worst, s[i].warning, s[i].critical,
               s[i].avoidable, s[i].writes, s[i].writes_worst);
}

static void print_json(const struct score *s)
{
    printf("{\"bound\": %u, \"watts\": %u, \"unbound\": %u, \"laws\": [", s[0].n, s[0].watts, s[0].unbound);
    for (int i = 0; i < LAWS; i++)
        printf("%s\n  {\"law\": \"%s\", \"ratio_mean\": %.5f, \"ratio_worst\": %.5f, \"overshoot_beyond_oracle_c\": "
               "%.3f, \"above_s_per_h\": %.2f, "
               "\"above_s_per_h_worst\": %.2f, \"warning_s_per_h_worst\": %.2f, \"writes_per_drive_h\": %.1f, "
               "\"writes_per_drive_h_worst\": %.1f, "
               "\"range_c\": %.3f, \"unfairness\": %.4f, \"unbound_ratio_mean\": %.5f, \"unbound_ratio_worst\": %.5f, "
               "\"watts_ratio_mean\": %.5f, "
               "\"watts_ratio_worst\": %.5f, \"watts_above_w\": %.3f, \"air_plants\": %u, \"air_reported\": %u, "
               "\"air_false\": %u, "
               "\"air_reported_s_worst\": %.0f, \"step_us\": %.2f}",
               i ? "," : "", entrants[i].name, s[i].ratio, s[i].worst, s[i].over, s[i].above, s[i].above_worst,
               s[i].warning, s[i].writes, s[i].writes_worst, s[i].cycle, s[i].unfair, s[i].unbound_ratio,
               s[i].unbound_worst, s[i].watts_ratio, s[i].watts_worst, s[i].watts_over, s[i].air, s[i].air_reported,
               s[i].air_false, s[i].air_s, s[i].tick_us);
    printf("\n]}\n");
}

/* Throughput against heat, one line per law, margin as the parameter: up and to the left is better. */
static int plot_frontier(const char *path, struct score points[LAWS][MARGINS])
{
    static const char *const colour[LAWS] = {"#0b6e4f", "#999999", "#b36a00", "#7a3e9d", "#1f5fa8",
                                             "#c0392b", "#d98880", "#2c7a9b", "#000000"};
    FILE *f = fopen(path, "w");

    if (!f)
        return -1;
    fprintf(
        f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"480\" font-family=\"sans-serif\" "
           "font-size=\"12\">\n"
           "<rect width=\"760\" height=\"480\" fill=\"white\"/>\n<path d=\"M60 20V430H600\" fill=\"none\" "
           "stroke=\"black\"/>\n"
           "<text x=\"330\" y=\"465\" text-anchor=\"middle\">overshoot beyond the oracle's, mean, C</text>\n"
           "<text transform=\"translate(18,225) rotate(-90)\" text-anchor=\"middle\">throughput / oracle, %%</text>\n");
    for (int k = 0; k <= 5; k++)
        fprintf(f,
                "<text x=\"54\" y=\"%.0f\" text-anchor=\"end\">%d</text>\n<text x=\"%.0f\" y=\"446\" "
                "text-anchor=\"middle\">%d</text>\n",
                434 - 80.0 * k, 60 + 10 * k, 60 + 90.0 * k + 90, k - 1 + 0);
    for (int i = 0; i < LAWS; i++) {
        fprintf(f,
                "<text x=\"610\" y=\"%d\" fill=\"%s\">%s</text>\n<polyline fill=\"none\" stroke=\"%s\" "
                "stroke-width=\"%d\" points=\"",
                40 + 20 * i, colour[i], entrants[i].name, colour[i], i == 0 ? 3 : 1);
        for (int m = 0; m < MARGINS; m++)
            fprintf(f, "%.1f,%.1f ", EL_CLAMP(60 + 90 * (points[i][m].over_mean + 2), 60, 600),
                    EL_CLAMP(430 - 8 * (100 * points[i][m].ratio - 60), 20, 430));
        fprintf(f, "\"/>\n");
        for (int m = 0; m < MARGINS; m++)
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                    EL_CLAMP(60 + 90 * (points[i][m].over_mean + 2), 60, 600),
                    EL_CLAMP(430 - 8 * (100 * points[i][m].ratio - 60), 20, 430), colour[i]);
    }
    fprintf(f, "</svg>\n");
    return fclose(f);
}

static int frontier(const char *path, uint64_t first, uint64_t seeds, double hours)
{
    static struct score points[LAWS][MARGINS];

    printf("law,margin_c,throughput_ratio,overshoot_mean_c,overshoot_worst_c,above_s_per_h\n");
    for (int i = 0; i < LAWS; i++)
        for (int m = 0; m < MARGINS; m++) {
            struct score *s = &points[i][m];

            run(&entrants[i], first, seeds, entrants[i].law ? margins[m] : 0, hours, false, s);
            printf("%s,%.2f,%.4f,%.3f,%.3f,%.1f\n", entrants[i].name, margins[m], s->ratio, s->over_mean, s->over,
                   s->above);
            fflush(stdout);
        }
    if (plot_frontier(path, points) != 0) {
        fprintf(stderr, "governors: cannot write %s\n", path);
        return 1;
    }
    return 0;
}

static void usage(FILE *f)
{
    fprintf(
        f,
        "usage: governors [--seeds N] [--first SEED] [--hours H] [--margin C] [--json | --frontier FILE.svg]\n"
        "Our law beside none, every rival and the oracle on the same random plants: one table without faults and one "
        "with, or one object for programs (without).\n"
        "  --seeds N       plants, nine kinds in turn (72)    --first SEED   the first of them (1)\n"
        "  --hours H       of each (2)                        --margin C     all aim this much below the limit (0)\n"
        "  --frontier F    the margin as a parameter: throughput against heat as CSV, and as a plot in F\n");
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"seeds", 1, NULL, 's'}, {"first", 1, NULL, 'f'},    {"hours", 1, NULL, 'H'}, {"margin", 1, NULL, 'm'},
        {"json", 0, NULL, 'j'},  {"frontier", 1, NULL, 'p'}, {"help", 0, NULL, 'h'},  {0}};
    uint64_t seeds = 72, first = 1;
    double hours = 2, margin_c = 0;
    const char *plot = NULL;
    bool json = false;
    struct score scores[LAWS];
    int c;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
        switch (c) {
        case 's':
            seeds = strtoull(optarg, NULL, 10);
            break;
        case 'f':
            first = strtoull(optarg, NULL, 10);
            break;
        case 'H':
            hours = strtod(optarg, NULL);
            break;
        case 'm':
            margin_c = strtod(optarg, NULL);
            break;
        case 'j':
            json = true;
            break;
        case 'p':
            plot = optarg;
            break;
        case 'h':
            usage(stdout);
            return 0;
        default:
            usage(stderr);
            return 2;
        }
    if (seeds < 1 || seeds > 100000 || !(hours >= 0.5 && hours <= 100) || optind < argc) {
        usage(stderr);
        return 2;
    }
    if (plot)
        return frontier(plot, first, seeds, hours);
    for (int i = 0; i < LAWS; i++)
        run(&entrants[i], first, seeds, margin_c, hours, false, &scores[i]);
    (json ? print_json : print_table)(scores);
    for (int i = 0; i < LAWS && !json; i++)
        run(&entrants[i], first, seeds, margin_c, hours, true, &scores[i]);
    if (!json)
        print_faults(scores);
    return 0;
}
