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
    bool profiles_given; /* then looked for nowhere else */
    char preference[16];
    struct el_simulate_options options;
};

enum {
    EL_SIM_FLAG_CARD = 0x300,
    EL_SIM_FLAG_WORKLOAD,
    EL_SIM_FLAG_INLET,
    EL_SIM_FLAG_AIRFLOW,
    EL_SIM_FLAG_HOURS,
    EL_SIM_FLAG_SEED,
    EL_SIM_FLAG_SEEDS,
    EL_SIM_FLAG_GOVERNOR,
    EL_SIM_FLAG_LIMIT,
    EL_SIM_FLAG_CARD_WATTS,
    EL_SIM_FLAG_SWITCH_LIMIT,
    EL_SIM_FLAG_MARGIN,
    EL_SIM_FLAG_ARRAY,
    EL_SIM_FLAG_SCENARIO,
    EL_SIM_FLAG_PROFILES,
    EL_SIM_FLAG_PREFERENCE,
    EL_SIM_FLAG_OWN
};
#define EL_SIM_OPTIONS                                                                                                 \
    {"card", required_argument, NULL, EL_SIM_FLAG_CARD}, {"workload", required_argument, NULL, EL_SIM_FLAG_WORKLOAD},  \
        {"seed", required_argument, NULL, EL_SIM_FLAG_SEED},                                                           \
        {"governor", required_argument, NULL, EL_SIM_FLAG_GOVERNOR},                                                   \
        {"limit", required_argument, NULL, EL_SIM_FLAG_LIMIT},                                                         \
        {"card-watts", required_argument, NULL, EL_SIM_FLAG_CARD_WATTS},                                               \
        {"switch-limit", required_argument, NULL, EL_SIM_FLAG_SWITCH_LIMIT},                                           \
        {"margin", required_argument, NULL, EL_SIM_FLAG_MARGIN},                                                       \
        {"array", required_argument, NULL, EL_SIM_FLAG_ARRAY},                                                         \
    {                                                                                                                  \
        "profiles", required_argument, NULL, EL_SIM_FLAG_PROFILES                                                      \
    }

/* A scenario that states nothing. */
void el_sim_args_init(struct el_sim_args *a);
/* A scenario file under the flags that were given before or after: only what no flag states is taken. 0 or -EINVAL,
 * said. */
int el_sim_args_scenario(struct el_sim_args *a, const char *path);
/* 1 taken, 0 not one of these flags, -EINVAL (already said). */
int el_sim_args_flag(struct el_sim_args *a, int code, const char *arg);
/* Defaults for what nothing states, profiles loaded, options filled. 0 or -EINVAL, said. */
int el_sim_args_finish(struct el_sim_args *a, const char *command);
