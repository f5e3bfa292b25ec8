/* What `simulate` and `envelope` share: which card, in which surroundings, under which limits. */
#pragma once

#include "cli/cli.h"
#include "control/simulate.h"

struct el_sim_args {
    struct el_settings settings; /* profiles_dir */
    struct el_card_profile card;
    struct el_drive_profile drives[EL_CARD_SLOTS_MAX];
    struct el_scenario scenario; /* flags given over it; every field stated after el_sim_args_finish */
    bool has_scenario;
    const char *profiles; /* NULL: looked for */
    int preference;       /* enum el_preference */
    struct el_simulate_options options;
};

#define EL_SIM_FLAGS(a)                                                                                                \
    {"card", EL_FLAG_NAME, (a).scenario.card, 0, sizeof(a).scenario.card},                                             \
        {"workload", EL_FLAG_NAME, (a).scenario.workload, 0, sizeof(a).scenario.workload},                             \
        {"seed", EL_FLAG_COUNT, &(a).scenario.seed, 0, 1e18},                                                          \
        {"limit", EL_FLAG_NUMBER, &(a).scenario.limit_c, 20, 120},                                                     \
        {"card-watts", EL_FLAG_NUMBER, &(a).scenario.card_watts, 1, 1000},                                             \
        {"switch-limit", EL_FLAG_NUMBER, &(a).scenario.switch_limit_c, 20, 150},                                       \
        {"array", EL_FLAG_CHOICE, &(a).scenario.array, .names = el_scenario_arrays},                                   \
    {                                                                                                                  \
        "profiles", EL_FLAG_TEXT, &(a).profiles                                                                        \
    }

/* A scenario that states nothing. */
void el_sim_args_init(struct el_sim_args *a);
/* Replaces what is there by a scenario file: call it before the flags that override it. 0, or -EINVAL with the reason
 * printed. */
int el_sim_args_scenario(struct el_sim_args *a, const char *path);
/* Fills in defaults, loads profiles, fills the options. 0, or -EINVAL with the reason printed. */
int el_sim_args_finish(struct el_sim_args *a, const char *command);
/* Writes to a path given by the user, which may be a pipe or a terminal. 0 or -errno. */
int el_sim_plot_write(const char *path, const struct el_buf *svg);
