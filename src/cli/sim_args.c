#include "cli/sim_args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "config/config.h"

static const struct el_scenario nothing = {.inlet_c = NAN,
                                           .airflow_lfm = NAN,
                                           .hours = NAN,
                                           .limit_c = NAN,
                                           .card_watts = NAN,
                                           .switch_limit_c = NAN,
                                           .margin_c = NAN};

void el_sim_args_init(struct el_sim_args *a)
{
    memset(a, 0, sizeof *a);
    el_settings_default(&a->settings);
    a->scenario = nothing;
}

static void take_text(char *into, size_t size, const char *from)
{
    if (!*into)
        el_text_copy(into, size, from);
}

static void take_double(double *into, double from)
{
    if (isnan(*into))
        *into = from;
}

int el_sim_args_scenario(struct el_sim_args *a, const char *path)
{
    struct el_scenario *s = &a->scenario, file;
    struct el_config_error err;

    if (el_config_load_scenario(path, &file, &err) < 0) {
        fprintf(stderr, "elementd: %s\n", err.text);
        return -EINVAL;
    }
    take_text(s->card, sizeof s->card, file.card);
    take_text(s->workload, sizeof s->workload, file.workload);
    take_text(s->governor, sizeof s->governor, file.governor);
    take_text(s->array, sizeof s->array, file.array);
    take_double(&s->inlet_c, file.inlet_c);
    take_double(&s->airflow_lfm, file.airflow_lfm);
    take_double(&s->hours, file.hours);
    take_double(&s->limit_c, file.limit_c);
    take_double(&s->card_watts, file.card_watts);
    take_double(&s->switch_limit_c, file.switch_limit_c);
    take_double(&s->margin_c, file.margin_c);
    s->seed = s->seed ? s->seed : file.seed;
    s->seeds = s->seeds ? s->seeds : file.seeds;
    el_text_copy(s->title, sizeof s->title, file.title);
    s->drive_fans = file.drive_fans;
    s->io_max = file.io_max;
    s->no_caps = file.no_caps;
    s->submitters = file.submitters;
    s->absent = file.absent;
    s->events = file.events;
    memcpy(s->event, file.event, sizeof s->event);
    s->expects = file.expects;
    memcpy(s->expect, file.expect, sizeof s->expect);
    a->has_scenario = true;
    return 0;
}

static int text_flag(const char *flag, const char *arg, char *out, size_t size)
{
    if (*arg && el_text_copy(out, size, arg))
        return 1;
    fprintf(stderr, "elementd: %s: \"%.60s\" is no name\n", flag, arg);
    return -EINVAL;
}

static int count_flag(const char *flag, const char *arg, uint64_t lo, uint64_t hi, uint64_t *out)
{
    uint64_t v;

    if (el_num_parse_u64(arg, &v) < 0 || v < lo || v > hi) {
        fprintf(stderr, "elementd: %s: got \"%.60s\", expected a whole number from %ju to %ju\n", flag, arg,
                (uintmax_t)lo, (uintmax_t)hi);
        return -EINVAL;
    }
    *out = v;
    return 1;
}

int el_sim_args_flag(struct el_sim_args *a, int code, const char *arg)
{
    struct el_scenario *s = &a->scenario;

    switch (code) {
    case EL_SIM_FLAG_CARD:
        return text_flag("--card", arg, s->card, sizeof s->card);
    case EL_SIM_FLAG_WORKLOAD:
        return text_flag("--workload", arg, s->workload, sizeof s->workload);
    case EL_SIM_FLAG_GOVERNOR:
        return text_flag("--governor", arg, s->governor, sizeof s->governor);
    case EL_SIM_FLAG_ARRAY:
        return text_flag("--array", arg, s->array, sizeof s->array);
    case EL_SIM_FLAG_PREFERENCE:
        return text_flag("--preference", arg, a->preference, sizeof a->preference);
    case EL_SIM_FLAG_PROFILES:
        a->profiles_given = true;
        return text_flag("--profiles", arg, a->settings.profiles_dir, sizeof a->settings.profiles_dir);
    case EL_SIM_FLAG_INLET:
        return el_cli_number("--inlet", arg, -40, 90, &s->inlet_c) < 0 ? -EINVAL : 1;
    case EL_SIM_FLAG_AIRFLOW:
        return el_cli_number("--airflow", arg, 0, 5000, &s->airflow_lfm) < 0 ? -EINVAL : 1;
    case EL_SIM_FLAG_HOURS:
        return el_cli_number("--hours", arg, 0.01, 10000, &s->hours) < 0 ? -EINVAL : 1;
    case EL_SIM_FLAG_LIMIT:
        return el_cli_number("--limit", arg, 20, 120, &s->limit_c) < 0 ? -EINVAL : 1;
    case EL_SIM_FLAG_CARD_WATTS:
        return el_cli_number("--card-watts", arg, 1, 1000, &s->card_watts) < 0 ? -EINVAL : 1;
    case EL_SIM_FLAG_SWITCH_LIMIT:
        return el_cli_number("--switch-limit", arg, 20, 150, &s->switch_limit_c) < 0 ? -EINVAL : 1;
    case EL_SIM_FLAG_MARGIN:
        return el_cli_number("--margin", arg, -5, 30, &s->margin_c) < 0 ? -EINVAL : 1;
    case EL_SIM_FLAG_SEED:
        return count_flag("--seed", arg, 0, UINT64_MAX, &s->seed);
    case EL_SIM_FLAG_SEEDS:
        return count_flag("--seeds", arg, 1, 100000, &s->seeds);
    default:
        return 0;
    }
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

    if (!a->profiles_given)
        el_cli_find_profiles(&a->settings);
    r = el_config_load_card(a->settings.profiles_dir, a->scenario.card, &a->card, &err);
    for (uint32_t i = 0; r == 0 && i < a->card.slots; i++)
        r = el_config_load_drive(a->settings.profiles_dir, a->card.drive[i], &a->drives[i], &err);
    if (r < 0)
        fprintf(stderr, "elementd: %s\n", err.text);
    return r < 0 ? -EINVAL : 0;
}

int el_sim_args_finish(struct el_sim_args *a, const char *command)
{
    static const char *const governors[] = {"element", "none", "oracle"}, *const arrays[] = {"none", "raid0", "raid1"};
    static const char *const preferences[] = {"performance", "cool", "quiet"};
    struct el_scenario *s = &a->scenario;
    size_t governor, array, preference;

    if (!*s->card) {
        el_cli_usage(command, "which card? --card element-aic, --card lqd4500, or another profile");
        return -EINVAL;
    }
    take_text(s->workload, sizeof s->workload, "random-read-4k");
    take_text(s->governor, sizeof s->governor, "element");
    take_text(s->array, sizeof s->array, "none");
    take_text(a->preference, sizeof a->preference, "performance");
    take_double(&s->inlet_c, 25);
    take_double(&s->airflow_lfm, 400);
    take_double(&s->hours, 1);
    take_double(&s->margin_c, 0);
    s->seeds = s->seeds ? s->seeds : 1;
    if (pick("--governor", s->governor, governors, EL_ARRAY_SIZE(governors), &governor) < 0 ||
        pick("--array", s->array, arrays, EL_ARRAY_SIZE(arrays), &array) < 0 ||
        pick("--preference", a->preference, preferences, EL_ARRAY_SIZE(preferences), &preference) < 0 ||
        load_profiles(a) < 0)
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
        .preference = (enum el_preference)preference,
        .scenario = a->has_scenario ? s : NULL,
    };
    return 0;
}
