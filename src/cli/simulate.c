/* elementd simulate: a governor against the twin, and what came of it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/sim_args.h"
#include "control/simulate_plant.h"
#include "control/simulate_plot.h"
#include "control/simulate_seeds.h"
#include "control/trace.h"

static const char help[] =
    "usage: elementd simulate --card CARD [options]\n"
    "Runs a governor against a simulated card in virtual time and says how well it did.\n"
    "  --card CARD        element-aic, lqd4500, or another card profile\n"
    "  --workload NAME    random-read-4k (default), sql, ...; bursty-NAME, mixed, idle\n"
    "  --inlet C          inlet temperature (25)          --airflow LFM   air over the card (400)\n"
    "  --hours H          how long (1)                    --seed S        of parameters, noise and bursts (1); 0 = "
    "nominal card\n"
    "  --governor NAME    element (default), none, or oracle: the best that physics allows\n"
    "  --limit C          on each drive (a degree below its warning temperature)\n"
    "  --margin C         aim this much below the limit (0)\n"
    "  --card-watts W     hold the whole card at this power\n"
    "  --switch-limit C   limit on the PCIe switch (default: the profile's)\n"
    "  --preference WISH  performance (default), cool or quiet\n"
    "  --array KIND       raid0: all drives are one stripe; raid1: pairs of mirrors\n"
    "  --scenario FILE    the rest from a file: changes and faults over time, and what is expected; flags win\n"
    "  --seeds N          N seeds from S on, on all cores: mean and worst; a failed expectation names its seeds\n"
    "  --csv FILE         trace of every tick (with one seed)\n"
    "  --plot FILE.svg    temperatures, caps, power and throughput over time (with one seed)\n"
    "  --replay FILE      make the decisions of a trace again and say whether they are the same\n"
    "  --plant 'COMMAND'  your own plant instead of ours, over JSON lines (see plant.md)\n"
    "  --json             one object for programs\n"
    "  --profiles DIR     where profiles are\n"
    "Exit: 0, or 1 when an expectation of the scenario is not met.\n";

enum { FLAG_JSON = EL_SIM_FLAG_OWN, FLAG_CSV, FLAG_PLOT, FLAG_REPLAY, FLAG_PLANT };

struct command {
    struct el_sim_args args;
    const char *scenario, *csv, *plot_file, *replay, *plant;
    bool json, seed_given;
    struct el_trace_writer trace;
    struct el_sim_plot *plot;
};

static void json_text(struct el_buf *b, const char *key, const char *text)
{
    el_buf_printf(b, "\"%s\": \"", key);
    el_text_json_escape(b, text);
    el_buf_puts(b, "\"");
}

static void json_number(struct el_buf *b, const char *key, double v)
{
    el_buf_printf(b, "\"%s\": ", key);
    if (isfinite(v))
        el_buf_double(b, v);
    else
        el_buf_puts(b, "null");
}

static void json_figures(struct el_buf *b, const struct el_simulate_result *r, const char *separator)
{
    for (size_t k = 0; k < el_simulate_figures_count; k++) {
        el_buf_puts(b, k ? separator : "");
        json_number(b, el_simulate_figures[k].name, el_simulate_figure(r, k));
    }
}

static void print_json(const struct el_sim_args *a, const struct el_simulate_result *results, bool met)
{
    EL_AUTO_BUF struct el_buf b = {0};
    const struct el_scenario *s = &a->scenario;
    struct el_simulate_result mean, worst;

    el_simulate_summary(results, (uint32_t)s->seeds, &mean, &worst);
    el_buf_puts(&b, "{\n  ");
    json_text(&b, "card", s->card);
    el_buf_puts(&b, ",\n  ");
    json_text(&b, "workload", s->workload);
    el_buf_puts(&b, ",\n  ");
    json_text(&b, "governor", s->governor);
    el_buf_puts(&b, ",\n  ");
    json_text(&b, "array", s->array);
    if (*s->title) {
        el_buf_puts(&b, ",\n  ");
        json_text(&b, "title", s->title);
    }
    el_buf_puts(&b, ",\n  ");
    json_number(&b, "hours", s->hours);
    el_buf_printf(&b, ",\n  \"seed\": %ju,\n  \"seeds\": %ju,\n  ", (uintmax_t)s->seed, (uintmax_t)s->seeds);
    json_number(&b, "inlet_celsius", s->inlet_c);
    el_buf_puts(&b, ",\n  ");
    json_number(&b, "airflow_lfm", s->airflow_lfm);
    el_buf_puts(&b, ",\n  ");
    json_number(&b, "limit_celsius", s->limit_c);
    el_buf_puts(&b, ",\n  ");
    json_number(&b, "card_watts_limit", s->card_watts);
    el_buf_puts(&b, ",\n  ");
    json_figures(&b, &mean, ",\n  ");
    if (s->expects)
        el_buf_printf(&b, ",\n  \"expectations_met\": %s", met ? "true" : "false");
    if (s->seeds > 1) {
        el_buf_puts(&b, ",\n  \"worst\": {");
        json_figures(&b, &worst, ", ");
        el_buf_puts(&b, "},\n  \"per_seed\": [\n");
        for (uint32_t i = 0; i < s->seeds; i++) {
            el_buf_printf(&b, "    {\"seed\": %ju, ", (uintmax_t)(s->seed + i));
            json_figures(&b, &results[i], ", ");
            el_buf_puts(&b, i + 1 < s->seeds ? "},\n" : "}\n");
        }
        el_buf_puts(&b, "  ]");
    }
    el_buf_puts(&b, "\n}\n");
    fputs(b.data ? b.data : "", stdout);
}

static void figure_cell(struct el_buf *b, double v)
{
    char text[32];

    if (!isfinite(v))
        strcpy(text, "-");
    else
        snprintf(text, sizeof text, fabs(v) >= 1000 ? "%.0f" : fabs(v) >= 100 ? "%.1f" : "%.3f", v);
    el_buf_printf(b, " %14s", text);
}

static void print_table(const struct el_sim_args *a, const struct el_simulate_result *results)
{
    EL_AUTO_BUF struct el_buf b = {0};
    const struct el_scenario *s = &a->scenario;
    struct el_simulate_result mean, worst;

    el_simulate_summary(results, (uint32_t)s->seeds, &mean, &worst);
    if (*s->title)
        el_buf_printf(&b, "%s\n", s->title);
    el_buf_printf(&b, "%s, %s, governor %s, inlet %g C, %g LFM, %g h, seed %ju", s->card, s->workload, s->governor,
                  s->inlet_c, s->airflow_lfm, s->hours, (uintmax_t)s->seed);
    if (s->seeds > 1)
        el_buf_printf(&b, " to %ju\n%40s %14s %14s\n", (uintmax_t)(s->seed + s->seeds - 1), "", "mean", "worst");
    else
        el_buf_putc(&b, '\n');
    for (size_t k = 0; k < el_simulate_figures_count; k++) {
        char name[64];

        el_text_copy(name, sizeof name, el_simulate_figures[k].name);
        for (char *p = name; *p; p++)
            *p = *p == '_' ? ' ' : *p;
        el_buf_printf(&b, "%40s", name);
        figure_cell(&b, el_simulate_figure(&mean, k));
        if (s->seeds > 1)
            figure_cell(&b, el_simulate_figure(&worst, k));
        el_buf_putc(&b, '\n');
    }
    fputs(b.data ? b.data : "", stdout);
}

static int check_expects(const struct el_scenario *s)
{
    for (uint32_t i = 0; i < s->expects; i++)
        if (!el_simulate_expect_known(&s->expect[i])) {
            fprintf(stderr, "elementd simulate: the scenario expects \"%s\", which is no figure of `simulate --json`\n",
                    s->expect[i].figure);
            return -EINVAL;
        }
    return 0;
}

static void watch(void *ctx, const struct el_simulate_tick *tick)
{
    struct command *c = ctx;

    if (c->trace.file)
        el_trace_write(&c->trace, tick);
    if (c->plot)
        el_sim_plot_tick(c->plot, tick);
}

static int complain(const char *path, int error)
{
    fprintf(stderr, "elementd simulate: %s: %s\n", path, strerror(-error));
    return error;
}

/* Opens what is to be written besides the figures. 0 or -errno, said. */
static int open_outputs(struct command *c)
{
    const struct el_scenario *s = &c->args.scenario;
    char title[160];

    c->trace.law = s->governor;
    if (c->csv && !(c->trace.file = fopen(c->csv, "w")))
        return complain(c->csv, -errno);
    snprintf(title, sizeof title, "%.40s, %.40s, %.12s, %g C inlet, %g LFM", s->card, s->workload, s->governor,
             s->inlet_c, s->airflow_lfm);
    if (c->plot_file && !(c->plot = el_sim_plot_new(s->hours * 3600, *s->title ? s->title : title)))
        return complain(c->plot_file, -ENOMEM);
    if (c->csv || c->plot_file) {
        c->args.options.watch = watch;
        c->args.options.watch_ctx = c;
    }
    return 0;
}

static int close_outputs(struct command *c)
{
    EL_AUTO_BUF struct el_buf svg = {0};
    int r = 0;

    if (c->trace.file) {
        r = c->trace.error;
        if (fclose(c->trace.file) == EOF && r == 0)
            r = -errno;
        el_buf_free(&c->trace.line);
        if (r < 0)
            complain(c->csv, r);
    }
    if (c->plot) {
        int written;

        el_sim_plot_draw(c->plot, &svg);
        written = svg.failed ? -ENOMEM : el_file_replace(AT_FDCWD, c->plot_file, svg.data, svg.len, 0644, false);
        if (written < 0)
            r = complain(c->plot_file, written);
        c->plot = el_sim_plot_free(c->plot);
    }
    return r;
}

static int replay(const char *path)
{
    EL_AUTO_FCLOSE FILE *f = fopen(path, "r");
    struct el_trace_replay found;
    char why[256];

    if (!f) {
        complain(path, -errno);
        return EL_EXIT_BAD;
    }
    if (el_trace_replay(f, &found, why, sizeof why) < 0) {
        fprintf(stderr, "elementd simulate: %s: %s\n", path, why);
        return EL_EXIT_BAD;
    }
    if (found.different == 0) {
        printf("%ju decisions of law %s made again: all the same\n", (uintmax_t)found.ticks, found.law);
        return EL_EXIT_OK;
    }
    printf("%ju of %ju decisions of law %s came out differently, first at %g s: %s\n", (uintmax_t)found.different,
           (uintmax_t)found.ticks, found.law, found.first_t_s, found.first_what);
    return EL_EXIT_BAD;
}

static int run(struct command *c)
{
    struct el_scenario *s = &c->args.scenario;
    EL_AUTO_FREE struct el_simulate_result *results = calloc(s->seeds, sizeof *results);
    EL_AUTO_BUF struct el_buf missed = {0};
    char why[512];
    bool met = true;
    int r = results ? 0 : -ENOMEM;

    if (results && open_outputs(c) < 0) {
        (void)close_outputs(c);
        return EL_EXIT_BAD;
    }
    if (results && c->plant)
        r = el_simulate_plant(&c->args.options, c->plant, results, &s->hours, why, sizeof why);
    else if (results)
        r = el_simulate_seeds(&c->args.options, (uint32_t)s->seeds, results, why, sizeof why);
    if (r == 0 && close_outputs(c) < 0)
        return EL_EXIT_BAD;
    if (r < 0) {
        fprintf(stderr, "elementd simulate: %s\n", results ? why : "out of memory");
        /* What the twin takes from no flag is a wrong flag; a file or a plant may be wrong in its own ways. */
        return r == -EINVAL && !c->args.has_scenario && !c->plant ? EL_EXIT_USAGE : EL_EXIT_BAD;
    }
    for (uint32_t i = 0; i < s->expects; i++)
        met &= el_simulate_expect(&s->expect[i], s->seed, results, (uint32_t)s->seeds, &missed);
    if (c->json)
        print_json(&c->args, results, met);
    else
        print_table(&c->args, results);
    if (!met)
        fprintf(stderr, "not as expected:\n%s", missed.data ? missed.data : "");
    return met ? EL_EXIT_OK : EL_EXIT_BAD;
}

/* A flag of this command alone; false: not known. */
static bool own_flag(struct command *c, int code, const char *arg)
{
    switch (code) {
    case EL_SIM_FLAG_SCENARIO:
        c->scenario = arg;
        return true;
    case FLAG_CSV:
        c->csv = arg;
        return true;
    case FLAG_PLOT:
        c->plot_file = arg;
        return true;
    case FLAG_REPLAY:
        c->replay = arg;
        return true;
    case FLAG_PLANT:
        c->plant = arg;
        return true;
    case FLAG_JSON:
        c->json = true;
        return true;
    default:
        return false;
    }
}

int el_cmd_simulate(int argc, char **argv)
{
    static const struct option options[] = {
        EL_SIM_OPTIONS,
        {"inlet", required_argument, NULL, EL_SIM_FLAG_INLET},
        {"airflow", required_argument, NULL, EL_SIM_FLAG_AIRFLOW},
        {"hours", required_argument, NULL, EL_SIM_FLAG_HOURS},
        {"preference", required_argument, NULL, EL_SIM_FLAG_PREFERENCE},
        {"seeds", required_argument, NULL, EL_SIM_FLAG_SEEDS},
        {"scenario", required_argument, NULL, EL_SIM_FLAG_SCENARIO},
        {"csv", required_argument, NULL, FLAG_CSV},
        {"plot", required_argument, NULL, FLAG_PLOT},
        {"replay", required_argument, NULL, FLAG_REPLAY},
        {"plant", required_argument, NULL, FLAG_PLANT},
        {"json", no_argument, NULL, FLAG_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    static struct command c; /* profiles are large for a stack */
    int code, taken;

    el_sim_args_init(&c.args);
    while ((code = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        taken = code == EL_SIM_FLAG_SCENARIO ? 0 : el_sim_args_flag(&c.args, code, optarg);
        c.seed_given |= code == EL_SIM_FLAG_SEED;
        if (code == 'h') {
            fputs(help, stdout);
            return EL_EXIT_OK;
        }
        if (taken < 0 || (taken == 0 && !own_flag(&c, code, optarg)))
            return EL_EXIT_USAGE;
    }
    if (optind < argc)
        return el_cli_usage("simulate", "unexpected \"%s\"", argv[optind]);
    if (c.replay)
        return replay(c.replay);
    if (c.scenario && el_sim_args_scenario(&c.args, c.scenario) < 0)
        return EL_EXIT_BAD;
    if (!c.seed_given && c.args.scenario.seed == 0)
        c.args.scenario.seed = 1;
    if (el_sim_args_finish(&c.args, "simulate") < 0)
        return EL_EXIT_USAGE;
    if ((c.csv || c.plot_file) && c.args.scenario.seeds > 1)
        return el_cli_usage("simulate", "--csv and --plot show one run: use --seeds 1");
    if (c.plant && (!c.args.options.law || c.args.scenario.seeds > 1))
        return el_cli_usage(
            "simulate",
            "--plant runs once, and only we know enough of a plant for an oracle: use --governor element or none");
    if (c.plant) {
        signal(SIGPIPE, SIG_IGN); /* a plant that dies is an answer, not our end */
        el_text_copy(c.args.scenario.workload, sizeof c.args.scenario.workload, "external");
        c.args.scenario.inlet_c = c.args.scenario.airflow_lfm = NAN; /* the plant's own affair */
    }
    return check_expects(&c.args.scenario) < 0 ? EL_EXIT_BAD : run(&c);
}
