/* elementd simulate: runs a governor against the twin and prints the result. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/text.h"
#include "cli/json.h"
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
    "  --step S           seconds from one line to the next (1)\n"
    "  --json             one object for programs\n"
    "  --profiles DIR     where profiles are\n"
    "Exit: 0, or 1 when an expectation of the scenario is not met.\n";

struct command {
    struct el_sim_args args;
    const char *scenario, *csv, *plot_file, *replay, *plant;
    double step_s; /* of a plant */
    bool json;
    struct el_trace_writer trace;
    struct el_sim_plot *plot;
};

static json_t *figures_json(json_t *o, const struct el_simulate_result *r)
{
    for (size_t k = 0; k < el_simulate_figures_count; k++)
        el_json_put_number(o, el_simulate_figures[k].name, el_simulate_figure(r, k));
    return o;
}

static int print_json(const struct el_sim_args *a, const struct el_simulate_result *results, bool met)
{
    const struct el_scenario *s = &a->scenario;
    struct el_simulate_result mean, worst;
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s*}", "card", s->card, "workload", s->workload, "governor",
                          s->governor, "array", el_scenario_arrays[s->array], "title", *s->title ? s->title : NULL),
           *each = json_array();

    el_simulate_summary(results, (uint32_t)s->seeds, &mean, &worst);
    el_json_put_number(o, "hours", s->hours);
    json_object_set_new(o, "seed", json_integer((json_int_t)s->seed));
    json_object_set_new(o, "seeds", json_integer((json_int_t)s->seeds));
    el_json_put_number(o, "inlet_celsius", s->inlet_c);
    el_json_put_number(o, "airflow_lfm", s->airflow_lfm);
    el_json_put_number(o, "limit_celsius", s->limit_c);
    el_json_put_number(o, "card_watts_limit", s->card_watts);
    figures_json(o, &mean);
    if (s->expects)
        json_object_set_new(o, "expectations_met", json_boolean(met));
    for (uint32_t i = 0; i < s->seeds; i++)
        json_array_append_new(each, figures_json(json_pack("{s:I}", "seed", (json_int_t)s->seed + i), &results[i]));
    if (s->seeds > 1) {
        json_object_set_new(o, "worst", figures_json(json_object(), &worst));
        json_object_set(o, "per_seed", each);
    }
    json_decref(each);
    return el_json_print(o);
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

/* Somebody else's plant does not state it beforehand. */
static const char *air_of(const struct el_scenario *s, char out[64])
{
    snprintf(out, 64, isnan(s->inlet_c) ? "" : ", inlet %g C, %g LFM", s->inlet_c, s->airflow_lfm);
    return out;
}

static int print_table(const struct el_sim_args *a, const struct el_simulate_result *results)
{
    EL_AUTO_BUF struct el_buf b = {0};
    const struct el_scenario *s = &a->scenario;
    struct el_simulate_result mean, worst;
    char air[64];

    el_simulate_summary(results, (uint32_t)s->seeds, &mean, &worst);
    if (*s->title)
        el_buf_printf(&b, "%s\n", s->title);
    el_buf_printf(&b, "%s, %s, governor %s%s, %g h, seed %ju", s->card, s->workload, s->governor, air_of(s, air),
                  s->hours, (uintmax_t)s->seed);
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
    return el_cli_print(&b);
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

/* Opens the files to be written besides the figures. 0, or -errno with the reason printed. */
static int open_outputs(struct command *c)
{
    const struct el_scenario *s = &c->args.scenario;
    char title[160], air[64];

    c->trace.law = s->governor;
    if (c->csv && !(c->trace.file = fopen(c->csv, "w")))
        return complain(c->csv, -errno);
    snprintf(title, sizeof title, "%.40s, %.40s, %.12s%s", s->card, s->workload, s->governor, air_of(s, air));
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
        written = el_sim_plot_write(c->plot_file, &svg);
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

/* The first flag or key that states what only the plant itself can decide; NULL = none. */
static const char *plants_own(const struct el_scenario *s)
{
    return s->array != EL_ARRAY_NONE ? "array"
           : *s->workload            ? "workload"
           : !isnan(s->inlet_c)      ? "inlet"
           : !isnan(s->airflow_lfm)  ? "airflow"
           : s->events               ? "events"
           : s->absent               ? "absent"
           : s->submitters           ? "submitters"
           : s->io_max               ? "io_max"
           : s->no_caps              ? "no_caps"
           : s->drive_fans           ? "drive_fans"
                                     : NULL;
}

/* -1: go on; else the exit code, with everything printed. Called before defaults are filled in. */
static int check_plant(const struct command *c, const char *command)
{
    const struct el_scenario *s = &c->args.scenario;
    const char *own = plants_own(s);

    if (!c->plant)
        return c->step_s > 0 ? el_flags_usage(command, "--step goes with --plant") : -1;
    if (own)
        return el_flags_usage(command, "a plant has its own work, air, arrays and faults: leave out \"%s\"", own);
    if (strcmp(s->governor, "oracle") == 0 || s->seeds > 1)
        return el_flags_usage(command, "--plant runs once, and only we know enough of a plant for an oracle: use "
                                       "--governor element or none");
    return -1;
}

/* So that the figures report what the plant declared. */
static int run_plant(struct command *c, struct el_simulate_result *result, char *why, size_t why_size)
{
    struct el_scenario *s = &c->args.scenario;
    struct el_simulate_plant_run ran;
    int r = el_simulate_plant(&c->args.options, c->plant, c->step_s > 0 ? c->step_s : 1, result, &ran, why, why_size);

    if (r == 0) {
        s->hours = ran.hours;
        s->limit_c = ran.limit_c;
        s->card_watts = ran.card_watts;
    }
    return r;
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
        r = run_plant(c, results, why, sizeof why);
    else if (results)
        r = el_simulate_seeds(&c->args.options, (uint32_t)s->seeds, results, why, sizeof why);
    if (r == 0 && close_outputs(c) < 0)
        return EL_EXIT_BAD;
    if (r < 0) {
        fprintf(stderr, "elementd simulate: %s\n", results ? why : "out of memory");
        /* A value that the twin refuses from a flag is wrong usage; a file or a plant may be wrong in its own ways. */
        return r == -EINVAL && !c->args.has_scenario && !c->plant ? EL_EXIT_USAGE : EL_EXIT_BAD;
    }
    for (uint32_t i = 0; i < s->expects; i++)
        met &= el_simulate_expect(&s->expect[i], s->seed, results, (uint32_t)s->seeds, &missed);
    r = c->json ? print_json(&c->args, results, met) : print_table(&c->args, results);
    if (!met)
        fprintf(stderr, "not as expected:\n%s", missed.data ? missed.data : "");
    return met ? r : EL_EXIT_BAD;
}

int el_cmd_simulate(int argc, char **argv)
{
    static const char *const preferences[] = {"performance", "cool", "quiet", NULL};
    static struct command c; /* profiles are large for a stack */
    struct el_scenario *s = &c.args.scenario;
    const struct el_flag flags[] = {
        EL_SIM_FLAGS(c.args),
        {"inlet", EL_FLAG_NUMBER, &s->inlet_c, -40, 90},
        {"airflow", EL_FLAG_NUMBER, &s->airflow_lfm, 0, 5000},
        {"hours", EL_FLAG_NUMBER, &s->hours, 0.01, 10000},
        {"governor", EL_FLAG_NAME, s->governor, 0, sizeof s->governor},
        {"margin", EL_FLAG_NUMBER, &s->margin_c, -5, 30},
        {"preference", EL_FLAG_CHOICE, &c.args.preference, .names = preferences},
        {"seeds", EL_FLAG_COUNT, &s->seeds, 1, 100000},
        {"scenario", EL_FLAG_TEXT, &c.scenario},
        {"csv", EL_FLAG_TEXT, &c.csv},
        {"plot", EL_FLAG_TEXT, &c.plot_file},
        {"replay", EL_FLAG_TEXT, &c.replay},
        {"plant", EL_FLAG_TEXT, &c.plant},
        {"step", EL_FLAG_NUMBER, &c.step_s, 0.1, 60},
        {"json", EL_FLAG_SWITCH, &c.json},
        {0},
    };
    int r;

    el_sim_args_init(&c.args);
    r = el_flags_read(argc, argv, flags, help, false);
    if (r >= 0)
        return r;
    if (c.replay)
        return replay(c.replay);
    if (c.scenario) {
        if (el_sim_args_scenario(&c.args, c.scenario) < 0)
            return EL_EXIT_BAD;
        (void)el_flags_read(argc, argv, flags, help, false); /* once more: flags win over the file */
    }
    r = check_plant(&c, argv[0]);
    if (r >= 0)
        return r;
    if (el_sim_args_finish(&c.args, argv[0]) < 0)
        return EL_EXIT_USAGE;
    if ((c.csv || c.plot_file) && s->seeds > 1)
        return el_flags_usage(argv[0], "--csv and --plot show one run: use --seeds 1");
    if (c.plant) {
        signal(SIGPIPE, SIG_IGN); /* a plant that dies is a result, not our end */
        el_text_copy(s->workload, sizeof s->workload, "external");
        s->inlet_c = s->airflow_lfm = NAN; /* the plant's own affair */
    }
    return check_expects(s) < 0 ? EL_EXIT_BAD : run(&c);
}
