/* elementd envelope: what a card can sustain over inlet temperature and airflow. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/sim_args.h"
#include "control/envelope.h"
#include "control/plot.h"

static const char help[] =
    "usage: elementd envelope --card CARD [--workload NAME] [options]\n"
    "Share of full throughput that a card can sustain over a grid of inlet temperature and airflow, and the least air "
    "for all of it.\n"
    "  --card CARD        element-aic, lqd4500, or another card profile\n"
    "  --workload NAME    random-read-4k (default), sql, ...\n"
    "  --inlet RANGE      LOWEST:HIGHEST:STEP in C, or one value (25:55:5)\n"
    "  --airflow RANGE    LOWEST:HIGHEST:STEP in LFM, or one value (100:600:50)\n"
    "  --array KIND       raid0: all drives are one stripe, at the pace of the hottest; raid1: pairs of mirrors\n"
    "  --limit C          on each drive (a degree below its warning temperature)\n"
    "  --card-watts W     hold the whole card at this power\n"
    "  --switch-limit C   limit on the PCIe switch (default: the profile's)\n"
    "  --seed S           of the card's parameters; 0 (default) = the nominal card\n"
    "  --plot FILE.svg    the grid as a picture\n"
    "  --json             one object for programs\n"
    "  --profiles DIR     where profiles are\n";

#define AXIS_MAX   64
#define MOST_LFM   1500
#define PATIENCE_S 2 /* how long a person waits without a sign of life */

struct axis {
    double at[AXIS_MAX];
    size_t n;
};

struct grid {
    struct axis inlets_c, airs_lfm; /* rows, warmest first; columns */
    double share[AXIS_MAX * AXIS_MAX], least_lfm[AXIS_MAX], most_lfm, full_w;
};

/* "LOWEST:HIGHEST:STEP" or one value, within lo..hi. False: it is no such thing. */
static bool read_axis(const char *text, double lo, double hi, struct axis *a)
{
    char copy[64], *rest = copy;
    double v[3];
    size_t parts = 0;

    a->n = 0;
    if (!el_text_copy(copy, sizeof copy, text))
        return false;
    for (const char *part; (part = strsep(&rest, ":")); parts++)
        if (parts == 3 || el_num_parse_double(part, &v[parts]) < 0)
            return false;
    if (parts == 1) {
        v[1] = v[0];
        v[2] = 1;
    }
    if (parts == 2 || !(v[0] >= lo && v[1] >= v[0] && v[1] <= hi && v[2] > 0) || (v[1] - v[0]) / v[2] >= AXIS_MAX)
        return false;
    while (a->n < AXIS_MAX && v[0] + (double)a->n * v[2] <= v[1] + 1e-9 * fabs(v[1])) {
        a->at[a->n] = v[0] + (double)a->n * v[2];
        a->n++;
    }
    return true;
}

static int take_axis(const char *command, const char *flag, const char *text, double lo, double hi, struct axis *a)
{
    if (read_axis(text, lo, hi, a))
        return -1;
    return el_flags_usage(command,
                          "%s: got \"%.60s\", expected LOWEST:HIGHEST:STEP or one value, from %g to %g, at most "
                          "%d values",
                          flag, text, lo, hi, AXIS_MAX);
}

static void reverse(struct axis *a)
{
    for (size_t i = 0; i < a->n / 2; i++) {
        double v = a->at[i];

        a->at[i] = a->at[a->n - 1 - i];
        a->at[a->n - 1 - i] = v;
    }
}

/* Progress, for a person who has waited a while: a line that is gone when the answer comes. */
static void tell(int64_t start_us, size_t done, size_t all)
{
    if (isatty(STDERR_FILENO) && el_clock_monotonic_us() - start_us > PATIENCE_S * EL_USEC_PER_SEC)
        fprintf(stderr, done < all ? "\r%zu of %zu points" : "\r\033[K", done, all);
}

static int fill(const struct el_simulate_options *o, struct grid *g)
{
    int64_t start_us = el_clock_monotonic_us();
    size_t columns = g->airs_lfm.n, points = g->inlets_c.n * columns;
    char why[512];
    int r = el_envelope_full_watts(o, &g->full_w, why, sizeof why);

    g->most_lfm = EL_MAX(MOST_LFM, g->airs_lfm.at[columns - 1]);
    for (size_t k = 0; r == 0 && k < points; k++) {
        double inlet_c = g->inlets_c.at[k / columns];

        tell(start_us, k, points);
        if (k % columns == 0)
            r = el_envelope_least_airflow(o, inlet_c, g->most_lfm, &g->least_lfm[k / columns], why, sizeof why);
        if (r == 0)
            r = el_envelope_share(o, inlet_c, g->airs_lfm.at[k % columns], &g->share[k], why, sizeof why);
    }
    tell(start_us, points, points);
    if (r < 0)
        fprintf(stderr, "elementd envelope: %s\n", why);
    return r;
}

static json_t *list(const double *v, size_t n)
{
    json_t *l = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(l, el_json_number(v[i]));
    return l;
}

static int print_json(const struct el_sim_args *a, const struct grid *g)
{
    const struct el_scenario *s = &a->scenario;
    size_t rows = g->inlets_c.n, columns = g->airs_lfm.n;
    json_t *share = json_array(),
           *o = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "card", s->card, "workload", s->workload,
                          "array", el_scenario_arrays[s->array], "limit_celsius", el_json_number(s->limit_c),
                          "card_watts_limit", el_json_number(s->card_watts), "inlet_celsius",
                          list(g->inlets_c.at, rows), "airflow_lfm", list(g->airs_lfm.at, columns), "share", share,
                          "least_airflow_lfm_for_full", list(g->least_lfm, rows));

    for (size_t k = 0; k < rows; k++)
        json_array_append_new(share, list(g->share + k * columns, columns));
    el_json_put_number(o, "watts_for_full", g->full_w);
    el_json_put_number(o, "profile_typical_watts", a->card.typical_w);
    el_json_put_number(o, "profile_inlet_max_celsius", a->card.inlet_max_c);
    el_json_put_number(o, "profile_airflow_min_lfm", a->card.airflow_min_lfm);
    return el_json_print(o);
}

/* "lqd4500, sql, raid0" */
static const char *title_of(const struct el_scenario *s, char out[160])
{
    int n = snprintf(out, 160, "%s, %s", s->card, s->workload);

    if (s->array != EL_ARRAY_NONE)
        snprintf(out + n, 160 - (size_t)n, ", %s", el_scenario_arrays[s->array]);
    return out;
}

/* The published rating is for a typical load: this one may draw more. */
static void print_rating(const struct el_card_profile *c, double full_w)
{
    printf("\nIts profile: inlet %g to %g C, at least %g LFM", c->inlet_min_c, c->inlet_max_c, c->airflow_min_lfm);
    if (isfinite(c->typical_w))
        printf(", at a typical %g W", c->typical_w);
    if (isfinite(full_w))
        printf("; all of this work draws %.0f W", full_w);
    puts(".");
}

static int print_table(const struct el_sim_args *a, const struct grid *g)
{
    const struct el_scenario *s = &a->scenario;
    char title[160];

    printf("%s: share of full throughput that can be sustained, %%\n\n%-10s", title_of(s, title), "inlet");
    for (size_t c = 0; c < g->airs_lfm.n; c++)
        printf("%6g", g->airs_lfm.at[c]);
    printf(" LFM   least for 100 %%\n");
    for (size_t r = 0; r < g->inlets_c.n; r++) {
        printf("%4g C    ", g->inlets_c.at[r]);
        for (size_t c = 0; c < g->airs_lfm.n; c++)
            printf("%6.0f", floor(100 * g->share[r * g->airs_lfm.n + c] + 0.5));
        if (isfinite(g->least_lfm[r]))
            printf("       %5.0f LFM\n", g->least_lfm[r]);
        else
            printf("       more than %g LFM\n", g->most_lfm);
    }
    print_rating(&a->card, g->full_w);
    return EL_EXIT_OK;
}

static int draw(const struct el_scenario *s, const struct grid *g, const char *path)
{
    EL_AUTO_BUF struct el_buf svg = {0};
    char what[160], title[200];
    int r;

    snprintf(title, sizeof title, "%s: sustained share of full throughput", title_of(s, what));
    el_plot_grid(&svg, title, &(struct el_plot_axis){"airflow, LFM", g->airs_lfm.at, g->airs_lfm.n},
                 &(struct el_plot_axis){"inlet, C", g->inlets_c.at, g->inlets_c.n}, g->share);
    r = el_sim_plot_write(path, &svg);
    if (r < 0)
        fprintf(stderr, "elementd envelope: %s: %s\n", path, strerror(-r));
    return r;
}

int el_cmd_envelope(int argc, char **argv)
{
    static struct el_sim_args args; /* profiles are large for a stack */
    static struct grid g;
    const char *plot = NULL, *inlet = "25:55:5", *airflow = "100:600:50";
    bool json = false;
    const struct el_flag flags[] = {
        EL_SIM_FLAGS(args),
        {"inlet", EL_FLAG_TEXT, &inlet},
        {"airflow", EL_FLAG_TEXT, &airflow},
        {"plot", EL_FLAG_TEXT, &plot},
        {"json", EL_FLAG_SWITCH, &json},
        {0},
    };
    int r;

    el_sim_args_init(&args);
    args.scenario.seed = 0;
    r = el_flags_read(argc, argv, flags, help, false);
    if (r >= 0)
        return r;
    r = take_axis(argv[0], "--inlet", inlet, -40, 90, &g.inlets_c);
    if (r < 0)
        r = take_axis(argv[0], "--airflow", airflow, 0, 5000, &g.airs_lfm);
    if (r >= 0)
        return r;
    reverse(&g.inlets_c);
    if (el_sim_args_finish(&args, argv[0]) < 0)
        return EL_EXIT_USAGE;
    if (strcmp(args.scenario.workload, "idle") == 0)
        return el_flags_usage(argv[0], "--workload idle asks for nothing, so there is no share of it");
    r = fill(&args.options, &g);
    if (r < 0)
        return r == -EINVAL ? EL_EXIT_USAGE : EL_EXIT_BAD;
    if (json)
        r = print_json(&args, &g);
    else
        r = print_table(&args, &g);
    return plot && draw(&args.scenario, &g, plot) < 0 ? EL_EXIT_BAD : r;
}
