/* Rival laws behind the governor's own interface, as they are found in kernels, management controllers and drives. Test
 * code: they share the plant, the seeds and the safety layer with ours. */
#pragma once

#include "governor/governor.h"

extern const struct el_governor_law rival_firmware;  /* the drive's own trips: no idea of neighbours, air or watts */
extern const struct el_governor_law rival_bang_bang; /* two points, as the kernel's bang_bang */
extern const struct el_governor_law rival_step_wise; /* one state up or down by trend, as the kernel's step_wise */
extern const struct el_governor_law
    rival_power_allocator; /* the kernel's power_allocator, sustainable power as rival_sustainable_w says */
extern const struct el_governor_law
    rival_power_allocator_estimated;           /* the same, sustainable power as the kernel estimates it */
extern const struct el_governor_law rival_pid; /* a loop per drive, as management controllers run on fans */

/* Told to rival_power_allocator: what the drives of the card can draw together for ever. */
extern double rival_sustainable_w;

/* What every rival needs: readings and host watts. */
struct rival_slot {
    double temp_c, trend_c, host_w; /* trend: change since the last step */
    uint64_t count[4];
};
struct rival {
    struct el_governor_card card;
    struct rival_slot slot[EL_CARD_SLOTS_MAX];
    double dt_s;
    int64_t last_us;
};
void rival_init(struct rival *r, const struct el_governor_card *card);
void rival_read(struct rival *r, const struct el_governor_input *in);
double rival_limit(const struct rival *r, uint32_t slot);
void rival_cap(struct el_slot_decision *d, const struct el_governor_slot *s, double ratio); /* 1 or more = none */
