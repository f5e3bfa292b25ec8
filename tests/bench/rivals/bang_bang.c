/* Two points per drive: 30 % at the limit, all of it 5 C below. */
#include "rivals/rivals.h"

#define LOW    0.3
#define BACK_C 5.0

struct bang_bang {
    struct rival r;
    bool low[EL_CARD_SLOTS_MAX];
};

static int bang_bang_init(void *state, const struct el_governor_card *card)
{
    rival_init(&((struct bang_bang *)state)->r, card);
    return 0;
}

static void bang_bang_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct bang_bang *b = state;

    rival_read(&b->r, in);
    for (uint32_t i = 0; i < b->r.card.slots; i++) {
        double above = b->r.slot[i].temp_c - rival_limit(&b->r, i);

        b->low[i] = above >= 0 || (b->low[i] && above > -BACK_C);
        rival_cap(&out->slot[i], &b->r.card.slot[i], b->low[i] ? LOW : 1);
    }
}

const struct el_governor_law rival_bang_bang = {
    .name = "bang-bang", .state_size = sizeof(struct bang_bang), .init = bang_bang_init, .step = bang_bang_step};
