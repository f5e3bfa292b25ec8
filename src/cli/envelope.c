/* elementd envelope: what a card can sustain over inlet temperature and airflow. */
#include <errno.h>
#include <math.h>
#include <string.h>

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
    "  --array KIND       raid0: all drives are one stripe, at the pace of the hottest; raid1: pairs of mirrors\n"
    "  --limit C          on each drive (a degree below its warning temperature)\n"
    "  --card-watts W     hold the whole card at this power\n"
    "  --switch-limit C   limit on the PCIe switch (default: the profile's)\n"
    "  --seed S           of the card's parameters; 0 (default) = the nominal card\n"
    "  --plot FILE.svg    the grid as a picture\n"
    "  --json             one object for programs\n"
    "  --profiles DIR     where profiles are\n";

static const double inlets_c[] = {55, 50, 45, 40, 35, 30, 25};
static const double airs_lfm[] = {100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600};
#define INLETS   EL_ARRAY_SIZE(inlets_c)
#define AIRS     EL_ARRAY_SIZE(airs_lfm)
#define MOST_LFM 1500

struct grid {
    double share[INLETS * AIRS], least_lfm[INLETS];
};

static int fill(const struct el_simulate_options *o, struct grid *g)
{
    char why[512];

    for (size_t r = 0; r < INLETS; r++) {
        int result = el_envelope_least_airflow(o, inlets_c[r], MOST_LFM, &g->least_lfm[r], why, sizeof why);

        for (size_t c = 0; result == 0 && c < AIRS; c++)
            result = el_envelope_share(o, inlets_c[r], airs_lfm[c], &g->share[r * AIRS + c], why, sizeof why);
        if (result < 0) {
            fprintf(stderr, "elementd envelope: %s\n", why);
            return result;
        }
    }
    return 0;
}

static json_t *list(const double *v, size_t n)
{
    json_t *l = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(l, el_json_number(v[i]));
    return l;
}

static int print_json(const struct el_scenario *s, const struct grid *g)
{
    json_t *share = json_array(),
           *o = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "card", s->card, "workload", s->workload,
                          "array", el_scenario_arrays[s->array], "limit_celsius", el_json_number(s->limit_c),
                          "card_watts_limit", el_json_number(s->card_watts), "inlet_celsius", list(inlets_c, INLETS),
                          "airflow_lfm", list(airs_lfm, AIRS), "share", share, "least_airflow_lfm_for_full",
                          list(g->least_lfm, INLETS));

    for (size_t k = 0; k < INLETS; k++)
        json_array_append_new(share, list(g->share + k * AIRS, AIRS));
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

static int print_table(const struct el_scenario *s, const struct grid *g)
{
    char title[160];

    printf("%s: share of full throughput that can be sustained, %%\n\n%-10s", title_of(s, title), "inlet");
    for (size_t c = 0; c < AIRS; c++)
        printf("%6.0f", airs_lfm[c]);
    printf(" LFM   least for 100 %%\n");
    for (size_t r = 0; r < INLETS; r++) {
        printf("%4.0f C    ", inlets_c[r]);
        for (size_t c = 0; c < AIRS; c++)
            printf("%6.0f", floor(100 * g->share[r * AIRS + c] + 0.5));
        if (isfinite(g->least_lfm[r]))
            printf("       %5.0f LFM\n", g->least_lfm[r]);
        else
            printf("       more than %d LFM\n", MOST_LFM);
    }
    return EL_EXIT_OK;
}

static int draw(const struct el_scenario *s, const struct grid *g, const char *path)
{
    EL_AUTO_BUF struct el_buf svg = {0};
    char what[160], title[200];
    int r;

    snprintf(title, sizeof title, "%s: sustained share of full throughput", title_of(s, what));
    el_plot_grid(&svg, title, "airflow, LFM", airs_lfm, AIRS, "inlet, C", inlets_c, INLETS, g->share);
    r = el_sim_plot_write(path, &svg);
    if (r < 0)
        fprintf(stderr, "elementd envelope: %s: %s\n", path, strerror(-r));
    return r;
}

int el_cmd_envelope(int argc, char **argv)
{
    static struct el_sim_args args; /* profiles are large for a stack */
    static struct grid g;
    const char *plot = NULL;
    bool json = false;
    const struct el_flag flags[] = {
        EL_SIM_FLAGS(args), {"plot", EL_FLAG_TEXT, &plot}, {"json", EL_FLAG_SWITCH, &json}, {0}};
    int r;

    el_sim_args_init(&args);
    args.scenario.seed = 0;
    r = el_flags_read(argc, argv, flags, help, false);
    if (r >= 0)
        return r;
    if (el_sim_args_finish(&args, argv[0]) < 0)
        return EL_EXIT_USAGE;
    if (strcmp(args.scenario.workload, "idle") == 0)
        return el_flags_usage(argv[0], "--workload idle asks for nothing, so there is no share of it");
    r = fill(&args.options, &g);
    if (r < 0)
        return r == -EINVAL ? EL_EXIT_USAGE : EL_EXIT_BAD;
    if (json)
        r = print_json(&args.scenario, &g);
    else
        r = print_table(&args.scenario, &g);
    return plot && draw(&args.scenario, &g, plot) < 0 ? EL_EXIT_BAD : r;
}
