#include "control/card_hands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"

uint32_t el_card_kinds(const struct el_settings *s)
{
    uint32_t kinds = EL_ACTUATE_ALL;

    if (!s->governor.use_io_budget)
        kinds &= ~EL_ACTUATOR_CAPS;
    if (!s->governor.use_power_state)
        kinds &= ~(1u << EL_ACTUATOR_POWER_STATE);
    if (!s->governor.use_hctm)
        kinds &= ~(1u << EL_ACTUATOR_HCTM);
    if (!s->governor.use_fans)
        kinds &= ~(1u << EL_ACTUATOR_FAN);
    return kinds;
}

uint32_t el_card_fans(const struct el_world *w, uint32_t card, uint32_t row[EL_CARD_FANS_MAX])
{
    const struct el_sensor *s = el_snapshot_sensors(w->s);
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->s->sensors.count && n < EL_CARD_FANS_MAX; i++)
        if (s[i].kind == EL_SENSOR_PWM && s[i].role == EL_ROLE_FAN && (s[i].card == (int32_t)card || s[i].card < 0))
            row[n++] = i;
    return n;
}

void el_card_drive_target(const struct el_world *w, uint32_t row, struct el_actuate_target *t)
{
    const struct el_slot *slot = &el_snapshot_slots(w->s)[row];

    t->key = slot->key;
    el_text_copy(t->serial, sizeof slot->identify.serial, slot->identify.serial);
    snprintf(t->place, sizeof t->place, "%s slot %u", el_snapshot_cards(w->s)[slot->card].name, slot->number);
}

void el_card_fan_target(const struct el_sensor *s, struct el_actuate_target *t)
{
    *t = (struct el_actuate_target){.key = s->key};
    el_text_copy(t->serial, sizeof t->serial, s->name);
    el_text_copy(t->place, sizeof t->place, s->name);
}

int el_card_fans_take_up(struct el_actuate *a, const struct el_world *w)
{
    int r = 0;

    for (uint32_t i = 0; i < w->s->sensors.count; i++) {
        const struct el_sensor *s = &el_snapshot_sensors(w->s)[i];
        struct el_actuate_item *found[EL_ACTUATOR_COUNT];
        struct el_actuate_target t;

        if (s->kind != EL_SENSOR_PWM)
            continue;
        el_card_fan_target(s, &t);
        if (el_actuate_adopt(a, &t, false, found) < 0)
            r = -ENOMEM;
    }
    return r;
}

bool el_card_is_hot(const struct el_slot *slot, const struct el_settings *s)
{
    const struct el_reading *t = &slot->temp_mc[0];

    return t->quality != EL_GOOD || !isfinite(slot->decision.limit_c) ||
           (double)t->value / 1000 > slot->decision.limit_c - s->poll.hot_within_c;
}
