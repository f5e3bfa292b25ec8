#include "cli/sim_args.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "config/config.h"

void el_sim_args_init(struct el_sim_args *a)
{
    memset(a, 0, sizeof *a);
    el_settings_default(&a->settings);
    el_scenario_clear(&a->scenario);
}

int el_sim_args_scenario(struct el_sim_args *a, const char *path)
{
    struct el_config_error err;

    if (el_config_load_scenario(path, &a->scenario, &err) < 0) {
        fprintf(stderr, "elementd: %s\n", err.text);
        return -EINVAL;
    }
    a->has_scenario = true;
    return 0;
}

static void otherwise_text(char *into, size_t size, const char *fallback)
{
    if (!*into)
        el_text_copy(into, size, fallback);
}

static void otherwise(double *into, double fallback)
{
    if (isnan(*into))
        *into = fallback;
}

static int load_profiles(struct el_sim_args *a)
{
    struct el_config_error err;
    int r;

    if (a->profiles)
        el_text_copy(a->settings.profiles_dir, sizeof a->settings.profiles_dir, a->profiles);
    else
        el_cli_find_profiles(&a->settings);
    r = el_config_load_card_drives(a->settings.profiles_dir, a->scenario.card, &a->card, a->drives, &err);
    if (r < 0)
        fprintf(stderr, "elementd: %s\n", err.text);
    return r < 0 ? -EINVAL : 0;
}

int el_sim_args_finish(struct el_sim_args *a, const char *command)
{
    struct el_scenario *s = &a->scenario;
    const struct el_governor_law *law;

    if (!*s->card) {
        el_flags_usage(command, "which card? --card element-aic, --card lqd4500, or another profile");
        return -EINVAL;
    }
    otherwise_text(s->workload, sizeof s->workload, "random-read-4k");
    otherwise_text(s->governor, sizeof s->governor, "element");
    otherwise(&s->inlet_c, 25);
    otherwise(&s->airflow_lfm, 400);
    otherwise(&s->hours, 1);
    otherwise(&s->margin_c, 0);
    s->seeds = s->seeds ? s->seeds : 1;
    law = el_simulate_law(s->governor);
    if (!law && strcmp(s->governor, "oracle") != 0) {
        el_flags_usage(command, "governor: got \"%s\", expected element, none or oracle", s->governor);
        return -EINVAL;
    }
    if (load_profiles(a) < 0)
        return -EINVAL;
    a->options = (struct el_simulate_options){
        .card = &a->card,
        .drives = a->drives,
        .workload = s->workload,
        .inlet_c = s->inlet_c,
        .airflow_lfm = s->airflow_lfm,
        .hours = s->hours,
        .seed = s->seed,
        .law = law,
        .limit_c = s->limit_c,
        .card_watts = s->card_watts,
        .switch_limit_c = s->switch_limit_c,
        .margin_c = s->margin_c,
        .array = s->array,
        .preference = (enum el_preference)a->preference,
        .scenario = a->has_scenario ? s : NULL,
    };
    return 0;
}

int el_sim_plot_write(const char *path, const struct el_buf *svg)
{
    EL_AUTO_FCLOSE FILE *f = svg->failed ? NULL : fopen(path, "w");

    if (svg->failed)
        return -ENOMEM;
    return f && fwrite(svg->data, 1, svg->len, f) == svg->len && fflush(f) == 0 ? 0 : -errno;
}
