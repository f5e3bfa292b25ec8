/* The kernel's power_allocator: P = S + k e + ki sum(e) on the hottest drive, shared by what each asks for, the surplus
 * dealt again. */
#include <math.h>

#include "base/base.h"
#include "rivals/rivals.h"

#define SWITCH_ON_C 10.0 /* the first passive trip lies this much below the control temperature */

double rival_sustainable_w = 20;

struct allocator {
    struct rival r;
    double s_w, sum;
    bool on;
};

static int allocator_init(void *state, const struct el_governor_card *card)
{
    struct allocator *a = state;

    rival_init(&a->r, card);
    a->s_w = rival_sustainable_w;
    return 0;
}

/* Where nobody says what is sustainable, the kernel adds up the least power of each actor. */
static int allocator_init_estimated(void *state, const struct el_governor_card *card)
{
    struct allocator *a = state;

    allocator_init(state, card);
    a->s_w = 0;
    for (uint32_t i = 0; i < card->slots; i++)
        a->s_w += card->slot[i].idle_w + card->slot[i].floor_ratio * (card->slot[i].full_w - card->slot[i].idle_w);
    return 0;
}

static double budget(struct allocator *a, double error)
{
    double po = a->s_w / SWITCH_ON_C, pu = 2 * a->s_w / SWITCH_ON_C, ki = pu / 10;

    if (error < 0) /* integral_cutoff 0: only what is above the limit is summed */
        a->sum += error * a->r.dt_s;
    return EL_MAX(0, a->s_w + (error < 0 ? po : pu) * error + ki * a->sum);
}

static void deal(struct allocator *a, double total, struct el_decision *out)
{
    double ask[EL_CARD_SLOTS_MAX], give[EL_CARD_SLOTS_MAX], sum = 0, surplus = 0, room = 0;
    uint32_t n = a->r.card.slots;

    for (uint32_t i = 0; i < n; i++) {
        ask[i] = a->r.card.slot[i].idle_w + a->r.slot[i].host_w;
        sum += ask[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        give[i] = sum > 0 ? total * ask[i] / sum : total / n;
        surplus += EL_MAX(0, give[i] - a->r.card.slot[i].full_w);
        give[i] = EL_MIN(give[i], a->r.card.slot[i].full_w);
        room += a->r.card.slot[i].full_w - give[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct el_governor_slot *s = &a->r.card.slot[i];

        give[i] += room > 0 ? EL_MIN(surplus, room) * (s->full_w - give[i]) / room : 0;
        rival_cap(&out->slot[i], s, (give[i] - s->idle_w) / (s->full_w - s->idle_w));
    }
}

static void allocator_step(void *state, const struct el_governor_input *in, struct el_decision *out)
{
    struct allocator *a = state;
    double error = INFINITY;

    rival_read(&a->r, in);
    for (uint32_t i = 0; i < a->r.card.slots; i++)
        error = EL_MIN(error, rival_limit(&a->r, i) - a->r.slot[i].temp_c);
    if (!(error < SWITCH_ON_C)) {
        a->sum = 0;
        return;
    }
    deal(a, budget(a, error), out);
}

const struct el_governor_law rival_power_allocator = {
    .name = "power-allocator", .state_size = sizeof(struct allocator), .init = allocator_init, .step = allocator_step};
const struct el_governor_law rival_power_allocator_estimated = {.name = "power-alloc-est",
                                                                .state_size = sizeof(struct allocator),
                                                                .init = allocator_init_estimated,
                                                                .step = allocator_step};
