/* A proportional-integral loop per drive with the limit as its set point, bounded output and integral, 1 % deadband. */
#include <math.h>

#include "base/base.h"
#include "rivals/rivals.h"

#define KP       0.10   /* of full per C */
#define KI       0.0040 /* of full per C and second */
#define DEADBAND 0.01

struct pid {
    struct rival r;
    double sum[EL_CARD_SLOTS_MAX], cap[EL_CARD_SLOTS_MAX];
};

static int pid_init(void *state, const struct el_governor_card *card)
{
    struct pid *p = state;

    rival_init(&p->r, card);
    for (uint32_t i = 0; i < card->slots; i++)
        p->sum[i] = p->cap[i] = 1;
    return 0;
}

static void pid_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct pid *p = state;

    rival_read(&p->r, in);
    for (uint32_t i = 0; i < p->r.card.slots; i++) {
        double error = rival_limit(&p->r, i) - p->r.slot[i].temp_c, cap;

        if (isfinite(error)) {
            p->sum[i] = EL_CLAMP(p->sum[i] + KI * error * p->r.dt_s, 0, 1);
            cap = EL_CLAMP(p->sum[i] + KP * error, 0.05, 1);
            if (fabs(cap - p->cap[i]) > DEADBAND || cap >= 1)
                p->cap[i] = cap;
        }
        rival_cap(&out->slot[i], &p->r.card.slot[i], p->cap[i]);
    }
}

const struct el_governor_law rival_pid = {
    .name = "pid", .state_size = sizeof(struct pid), .init = pid_init, .step = pid_step};
