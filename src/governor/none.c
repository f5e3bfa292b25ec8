/* The law that caps nothing: what a host without elementd does. */
#include <math.h>
#include <string.h>

#include "governor/governor.h"

struct none {
    uint32_t slots;
};

static int none_init(void *state, const struct el_governor_card *card)
{
    ((struct none *)state)->slots = card->slots;
    return 0;
}

static void none_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    el_decision_clear(out, ((struct none *)state)->slots);
}

const struct el_governor_law el_law_none = {
    .name = "none",
    .state_size = sizeof(struct none),
    .init = none_init,
    .step = none_step,
};
