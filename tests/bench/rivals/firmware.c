/* Host controlled thermal management as drives do it: light throttling above TMT1, heavy above TMT2, each until some
 * degrees cooler. */
#include "base/base.h"
#include "rivals/rivals.h"

#define LIGHT  0.6
#define HEAVY  0.25
#define BACK_C 2.0 /* released this much below the trip */

struct firmware {
    struct rival r;
    double level[EL_CARD_SLOTS_MAX];
};

static int firmware_init(void *state, const struct el_governor_card *card)
{
    struct firmware *f = state;

    rival_init(&f->r, card);
    for (uint32_t i = 0; i < card->slots; i++)
        f->level[i] = 1;
    return 0;
}

static void firmware_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct firmware *f = state;

    rival_read(&f->r, in);
    for (uint32_t i = 0; i < f->r.card.slots; i++) {
        double t = f->r.slot[i].temp_c, trip = f->r.card.slot[i].warning_c - f->r.card.margin_c,
               top = f->r.card.slot[i].critical_c - f->r.card.margin_c;

        if (t >= top)
            f->level[i] = HEAVY;
        else if (t >= trip)
            f->level[i] = EL_MIN(f->level[i], LIGHT);
        else if (t <= trip - BACK_C)
            f->level[i] = 1;
        rival_cap(&out->slot[i], &f->r.card.slot[i], f->level[i]);
    }
}

const struct el_governor_law rival_firmware = {
    .name = "firmware", .state_size = sizeof(struct firmware), .init = firmware_init, .step = firmware_step};
