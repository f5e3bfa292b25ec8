/* The machine as the governor of one simulated card sees it, through the device interface: pages in, caps out.
 * Inside of control/. */
#pragma once

#include "control/simulate.h"

/* The card of these options as a twin in virtual time. 0 or -errno with the reason in `why`. */
int el_sim_twin(const struct el_simulate_options *o, struct el_device *out, char *why, size_t why_size);
/* From now on it is held exactly at the limits of `facts`. */
void el_sim_hold(struct el_twin *t, const struct el_governor_card *facts);

struct el_sim_machine {
    struct el_device dev; /* owned */
    struct el_inventory inv;
    const struct el_governor_card *facts;
    struct el_governor_input in;
    double wanted[EL_CARD_SLOTS_MAX]; /* cap ratio last asked for */
    int32_t power_state[EL_CARD_SLOTS_MAX];
    bool failed[EL_CARD_SLOTS_MAX]; /* what was asked for is not in force */
    enum el_actuator cap;           /* io.cost, or io.max where that is all there is */
    uint64_t writes, admin_commands;
};

/* Takes `dev` over, also on failure. 0 or -errno. */
int el_sim_machine_init(struct el_sim_machine *m, const struct el_device *dev, const struct el_governor_card *facts);
void el_sim_machine_free(struct el_sim_machine *m);

void el_sim_machine_read(struct el_sim_machine *m, double period_s);                   /* fills m->in */
void el_sim_machine_act(struct el_sim_machine *m, const struct el_decision *decision); /* carries it out */
