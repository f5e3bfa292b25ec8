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

static int pick(const char *what, const char *name, const char *const *names, size_t n, size_t *out)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return 0;
        }
    fprintf(stderr, "elementd: %s: got \"%s\", expected one of:", what, name);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
    return -EINVAL;
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
    static const char *const governors[] = {"element", "none", "oracle"}, *const arrays[] = {"none", "raid0", "raid1"};
    struct el_scenario *s = &a->scenario;
    size_t governor, array;

    if (!*s->card) {
        el_flags_usage(command, "which card? --card element-aic, --card lqd4500, or another profile");
        return -EINVAL;
    }
    otherwise_text(s->workload, sizeof s->workload, "random-read-4k");
    otherwise_text(s->governor, sizeof s->governor, "element");
    otherwise_text(s->array, sizeof s->array, "none");
    otherwise(&s->inlet_c, 25);
    otherwise(&s->airflow_lfm, 400);
    otherwise(&s->hours, 1);
    otherwise(&s->margin_c, 0);
    s->seeds = s->seeds ? s->seeds : 1;
    if (pick("--governor", s->governor, governors, EL_ARRAY_SIZE(governors), &governor) < 0 ||
        pick("--array", s->array, arrays, EL_ARRAY_SIZE(arrays), &array) < 0 || load_profiles(a) < 0)
        return -EINVAL;
    a->options = (struct el_simulate_options){
        .card = &a->card,
        .drives = a->drives,
        .workload = s->workload,
        .inlet_c = s->inlet_c,
        .airflow_lfm = s->airflow_lfm,
        .hours = s->hours,
        .seed = s->seed,
        .law = el_simulate_law(s->governor),
        .limit_c = s->limit_c,
        .card_watts = s->card_watts,
        .switch_limit_c = s->switch_limit_c,
        .margin_c = s->margin_c,
        .array = (enum el_twin_array)array,
        .preference = (enum el_preference)a->preference,
        .scenario = a->has_scenario ? s : NULL,
    };
    return 0;
}
