/* What the governor of a simulated card is told beforehand: by the daemon's own rules, from the pages of the card
 * itself. */
#include <errno.h>
#include <math.h>

#include "base/base.h"
#include "base/text.h"
#include "control/card_setup.h"
#include "control/simulate_machine.h"

/* Of one actuator per slot, whether it can be used. */
static uint32_t usable_bits(const struct el_sim_machine *m, uint32_t slot)
{
    uint32_t bits = 0;
    char why[100];

    for (unsigned a = 0; a < EL_ACTUATOR_FAN; a++)
        if (m->dev.ops->actuator_usable(m->dev.dev, (enum el_actuator)a, m->inv.slots[slot].key, why, sizeof why) == 0)
            bits |= 1u << a;
    return bits;
}

static void settings_of(const struct el_simulate_options *o, struct el_settings *s)
{
    el_settings_default(s);
    s->governor.preference = (uint32_t)o->preference;
    s->governor.use_fans = true; /* those that there are to drive */
    s->cards = 1;
    el_text_copy(s->card[0].card, sizeof s->card[0].card, "*");
    s->card[0].limit_c = o->limit_c;
    s->card[0].card_limit_w = o->card_watts;
    s->card[0].switch_limit_c = o->switch_limit_c > 0 ? o->switch_limit_c : NAN;
}

static void setup(const struct el_simulate_options *o, const struct el_sim_machine *m, const struct el_settings *s,
                  struct el_governor_card *out)
{
    struct el_card_facts f = {.card = &m->inv.cards[0],
                              .slots = m->inv.slots,
                              .profile = o->card,
                              .fans = o->scenario && o->scenario->drive_fans ? o->card->fans : 0,
                              .inlet_sensor = !el_scenario_lacks(o->scenario, EL_SCENARIO_BOARD_INLET)};

    for (uint32_t i = 0; i < o->card->slots; i++) {
        f.drive[i] = &o->drives[i];
        f.usable[i] = usable_bits(m, i);
    }
    el_card_setup(s, &f, out);
    out->margin_c = o->margin_c; /* kept apart: figures judge by the limit itself */
}

int el_simulate_facts(const struct el_simulate_options *o, struct el_governor_card *out, char *why, size_t why_size)
{
    struct el_simulate_options idle = *o;
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    EL_AUTO_FREE struct el_sim_machine *m = malloc(sizeof *m);
    struct el_device dev;
    int r;

    if (!s || !m) {
        el_text_copy(why, why_size, "out of memory");
        return -ENOMEM;
    }
    idle.workload = "idle";
    idle.inlet_c = 25;
    idle.airflow_lfm = 400;
    idle.seed = 0;
    r = el_sim_twin(&idle, &dev, why, why_size);
    if (r == 0)
        r = el_sim_machine_init(m, &dev, out);
    if (r != 0)
        return r;
    settings_of(o, s);
    setup(o, m, s, out);
    el_sim_machine_free(m);
    return 0;
}
