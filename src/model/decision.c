#include "model/decision.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

void el_decision_clear(struct el_decision *d, uint32_t slots)
{
    slots = EL_MIN(slots, (uint32_t)EL_CARD_SLOTS_MAX);
    memset(d, 0, offsetof(struct el_decision, slot) + slots * sizeof d->slot[0]);
    d->slots = slots;
    for (uint32_t i = 0; i < slots; i++) {
        struct el_slot_decision *s = &d->slot[i];

        s->cap_ratio = 1;
        s->power_state = -1;
        s->limit_c = s->headroom_c = s->temp_estimate_c = s->power_estimate_w = NAN;
    }
    d->fan_pwm_ratio = d->card_power_estimate_w = d->card_limit_w = d->sink_resistance_c_per_w = NAN;
    d->unknown_heat_w = d->airflow_estimate_lfm = d->airflow_wish_lfm = d->switch_headroom_c = NAN;
}
