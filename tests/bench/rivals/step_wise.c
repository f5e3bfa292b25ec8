/* Ten states per drive: one down while at the trip and not falling, one up while below it and not rising. */
#include "base/base.h"
#include "rivals/rivals.h"

#define STATES 10

struct step_wise {
    struct rival r;
    int state[EL_CARD_SLOTS_MAX];
};

static int step_wise_init(void *state, const struct el_governor_card *card)
{
    rival_init(&((struct step_wise *)state)->r, card);
    return 0;
}

static void step_wise_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct step_wise *s = state;

    rival_read(&s->r, in);
    for (uint32_t i = 0; i < s->r.card.slots; i++) {
        double above = s->r.slot[i].temp_c - rival_limit(&s->r, i), trend = s->r.slot[i].trend_c;

        if (above >= 0 && trend >= 0)
            s->state[i] = EL_MIN(s->state[i] + 1, STATES);
        else if (above < 0 && trend <= 0)
            s->state[i] = EL_MAX(s->state[i] - 1, 0);
        rival_cap(&out->slot[i], &s->r.card.slot[i], 1 - 0.9 * s->state[i] / STATES);
    }
}

const struct el_governor_law rival_step_wise = {
    .name = "step-wise", .state_size = sizeof(struct step_wise), .init = step_wise_init, .step = step_wise_step};
