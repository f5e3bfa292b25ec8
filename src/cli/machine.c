/* From flags to settings and an open machine. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "config/config.h"
#include "device/device.h"
#include "twin/twin.h"

bool el_machine_is_play(const struct el_machine_flags *f)
{
    return f->simulate || f->root;
}

int el_machine_check(const struct el_machine_flags *f)
{
    if (f->simulate && f->root)
        fputs("elementd: --simulate and --root exclude each other\n", stderr);
    else if (!f->simulate && (f->workload || f->scenario || f->cards != 1 || f->seed != 1 || isfinite(f->inlet_c) ||
                              isfinite(f->airflow_lfm)))
        fputs("elementd: --workload, --inlet, --airflow, --scenario, --seed and --cards need --simulate CARD\n",
              stderr);
    else
        return 0;
    return EL_EXIT_USAGE;
}

static bool is_directory_there(const char *path)
{
    return access(path, R_OK | X_OK) == 0;
}

void el_cli_find_profiles(struct el_settings *s)
{
    static const char *const beside[] = {"/../share/elementd/profiles", "/../../deploy/profiles"};
    char exe[EL_PATH_MAX], path[EL_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash;

    if (is_directory_there(s->profiles_dir) || n <= 0)
        return;
    exe[n] = '\0';
    slash = strrchr(exe, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < EL_ARRAY_SIZE(beside); i++)
        if ((size_t)snprintf(path, sizeof path, "%s%s", exe, beside[i]) < sizeof path && is_directory_there(path)) {
            el_text_copy(s->profiles_dir, sizeof s->profiles_dir, path);
            return;
        }
}

void el_machine_defaults(const struct el_machine_flags *f, struct el_settings *out)
{
    el_settings_default(out);
    if (f->simulate)
        out->governor.mode = EL_MODE_ENFORCE;
}

const char *el_machine_config(const struct el_machine_flags *f)
{
    if (f->config)
        return f->config;
    return !el_machine_is_play(f) && access(EL_CONFIG_FILE, R_OK) == 0 ? EL_CONFIG_FILE : NULL;
}

int el_machine_settings(const struct el_machine_flags *f, struct el_settings *out)
{
    EL_AUTO_FREE struct el_settings *defaults = malloc(sizeof *defaults);
    struct el_config_error err;
    int r = defaults && out ? 0 : -ENOMEM;

    if (r == 0) {
        el_machine_defaults(f, defaults);
        r = el_config_load_over(defaults, el_machine_config(f), out, &err);
    }
    if (!defaults || !out)
        el_cli_no_memory();
    else if (r < 0)
        fprintf(stderr, "%s\n", err.text);
    else
        el_cli_find_profiles(out);
    return r;
}

static int say(const char *what)
{
    fprintf(stderr, "elementd: %s\n", what);
    return -EINVAL;
}

/* Flags win over the scenario, the scenario over the defaults. */
static void set_surroundings(const struct el_machine_flags *f, const struct el_scenario *s, struct el_twin_options *o)
{
    o->workload = f->workload ? f->workload : s && s->workload[0] ? s->workload : NULL;
    o->inlet_c = isfinite(f->inlet_c) ? f->inlet_c : s && isfinite(s->inlet_c) ? s->inlet_c : 25;
    o->airflow_lfm = isfinite(f->airflow_lfm) ? f->airflow_lfm : s && isfinite(s->airflow_lfm) ? s->airflow_lfm : 400;
    o->array = s ? s->array : EL_ARRAY_NONE;
    o->scenario = s;
}

/* The strictest of all cards, whichever they are meant for. */
static void set_limits(const struct el_settings *s, struct el_twin_options *o)
{
    o->limit_c = o->card_limit_w = o->switch_limit_c = NAN;
    for (uint32_t k = 0; k < s->cards; k++) {
        o->limit_c = fmin(o->limit_c, s->card[k].limit_c);
        o->card_limit_w = fmin(o->card_limit_w, s->card[k].card_limit_w);
        o->switch_limit_c = fmin(o->switch_limit_c, s->card[k].switch_limit_c);
    }
}

static int open_twin(const struct el_machine_flags *f, const struct el_settings *settings, struct el_device *out)
{
    EL_AUTO_FREE struct el_card_profile *card = calloc(1, sizeof *card);
    EL_AUTO_FREE struct el_drive_profile *drives = calloc(EL_CARD_SLOTS_MAX, sizeof *drives);
    EL_AUTO_FREE struct el_scenario *scenario = calloc(1, sizeof *scenario);
    struct el_twin_options o = {.card = card, .drives = drives, .cards = f->cards, .seed = f->seed};
    struct el_config_error err;

    if (!card || !drives || !scenario)
        return el_cli_no_memory(), -ENOMEM;
    if (el_config_load_card_drives(settings->profiles_dir, f->simulate, card, drives, &err) < 0 ||
        (f->scenario && el_config_load_scenario(f->scenario, scenario, &err) < 0))
        return say(err.text);
    set_surroundings(f, f->scenario ? scenario : NULL, &o);
    set_limits(settings, &o);
    if (el_twin_open(&o, out, err.text, sizeof err.text) < 0)
        return say(err.text);
    return 0;
}

int el_machine_open(const struct el_machine_flags *f, const struct el_settings *settings, struct el_device *out)
{
    char why[256] = "";
    int r;

    if (f->simulate)
        return open_twin(f, settings, out);
    if (f->root) {
        r = el_recorded_open(f->root, out, why, sizeof why);
        return r < 0 ? say(why) : 0;
    }
    r = el_host_open(settings, out);
    if (r < 0)
        fprintf(stderr, "elementd: this machine cannot be read: %s\n", strerror(-r));
    return r;
}
