/* The scenario's schedule: what breaks, changes and heals, and when. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "twin/machine.h"

#define JUMP_S 3.0 /* a jump that states no duration: long enough for one reading */

void el_twin_set_airflow(struct el_twin *t, struct el_twin_card *c)
{
    uint32_t fans = EL_MIN(t->profile.fans, EL_TWIN_FANS_MAX), dead = (uint32_t)__builtin_popcount(c->fans_dead);
    double alive = fans ? (double)(fans - EL_MIN(dead, fans)) / fans : 1;

    c->plant.airflow_lfm = c->airflow_base_lfm * alive * (fans ? c->pwm_ratio / EL_TWIN_PWM_START : 1);
}

static unsigned board_sensor(const struct el_scenario_event *e)
{
    switch (e->sensor) {
    case EL_SCENARIO_BOARD_INLET:
        return EL_TWIN_SENSOR_INLET;
    case EL_SCENARIO_BOARD_AIRFLOW:
        return EL_TWIN_SENSOR_AIRFLOW;
    case EL_SCENARIO_BOARD_CARD_POWER:
        return EL_TWIN_SENSOR_CARD_POWER;
    case EL_SCENARIO_BOARD_SWITCH:
        return EL_TWIN_SENSOR_SWITCH;
    default:
        return EL_TWIN_SENSOR_FAN + EL_MIN(e->index, (uint32_t)EL_TWIN_FANS_MAX - 1);
    }
}

static void set_sensor(struct el_twin_card *c, uint32_t slot, const struct el_scenario_event *e, bool begin)
{
    struct el_twin_sensor_fault f = {.value = e->value}, *where;
    double now;

    if (e->sensor >= EL_SCENARIO_BOARD_INLET) {
        where = &c->fault[board_sensor(e)];
        now = el_twin_board_value(c, board_sensor(e));
    } else {
        where = &c->controller[slot].fault[e->sensor];
        now = c->plant.drive[slot].lagged[EL_MIN(e->sensor, (uint32_t)EL_PLANT_SENSORS - 1)];
    }
    if (e->kind == EL_SCENARIO_SENSOR_STUCK) {
        f.fault = EL_TWIN_FAULT_STUCK;
        f.value = now;
    } else {
        f.fault = e->kind == EL_SCENARIO_SENSOR_LOST ? EL_TWIN_FAULT_LOST : EL_TWIN_FAULT_OFFSET;
    }
    *where = begin ? f : (struct el_twin_sensor_fault){0};
}

static void swap_drive(struct el_twin *t, struct el_twin_card *c, uint32_t card, uint32_t slot)
{
    struct el_twin_controller *ctl = &c->controller[slot];

    ctl->swaps++;
    el_twin_controller_init(ctl, &t->drives[slot], t->seed, card, slot);
    el_twin_controller_reset(ctl, &c->plant.drive[slot]);
    c->plant.drive[slot].present = true;
    t->changed = true;
}

static void set_drive(struct el_twin *t, uint32_t card, uint32_t slot, const struct el_scenario_event *e, bool begin)
{
    struct el_twin_card *c = &t->card[card];
    struct el_twin_controller *ctl = &c->controller[slot];
    struct el_plant_drive *d = &c->plant.drive[slot];

    switch (e->kind) {
    case EL_SCENARIO_DRIVE_HUNG:
        ctl->hung = begin;
        break;
    case EL_SCENARIO_DRIVE_GONE:
        d->present = !begin;
        if (!begin)
            el_twin_controller_reset(ctl, d);
        t->changed = true;
        break;
    case EL_SCENARIO_DRIVE_SWAPPED:
        if (begin)
            swap_drive(t, c, card, slot);
        break;
    case EL_SCENARIO_DRIVE_RESET:
        if (begin)
            el_twin_controller_reset(ctl, d);
        ctl->resetting = d->resetting = begin && e->for_s > 0;
        t->changed = true;
        break;
    case EL_SCENARIO_LINK_DOWNTRAINED:
        ctl->lanes = begin ? (uint32_t)e->value : t->drives[slot].link_width;
        break;
    case EL_SCENARIO_ACTUATOR_REFUSED:
        ctl->actuator_refused = begin;
        break;
    case EL_SCENARIO_ACTUATOR_IGNORED:
        ctl->actuator_ignored = begin;
        break;
    case EL_SCENARIO_DRIVE_LOCKED:
        ctl->locked = begin;
        break;
    default:
        set_sensor(c, slot, e, begin);
    }
}

static void set_workload(struct el_twin *t, struct el_twin_card *c, const struct el_scenario_event *e,
                         struct el_twin_event_state *s, bool begin)
{
    if (begin) {
        el_text_copy(s->workload_before, sizeof s->workload_before, t->workload);
        el_text_copy(t->workload, sizeof t->workload, e->text);
    }
    el_plant_set_workload(&c->plant, begin ? e->text : s->workload_before);
}

static void set_event(struct el_twin *t, uint32_t card, const struct el_scenario_event *e,
                      struct el_twin_event_state *s, bool begin)
{
    struct el_twin_card *c = &t->card[card];

    switch (e->kind) {
    case EL_SCENARIO_INLET:
        if (begin)
            s->before = c->plant.inlet_c;
        else
            c->plant.inlet_c = s->before;
        return;
    case EL_SCENARIO_AIRFLOW:
        if (begin)
            s->before = c->airflow_base_lfm;
        else
            c->airflow_base_lfm = s->before;
        return;
    case EL_SCENARIO_WORKLOAD:
        set_workload(t, c, e, s, begin);
        return;
    case EL_SCENARIO_FAN_DEAD:
        c->fans_dead = begin ? c->fans_dead | 1u << e->index : c->fans_dead & ~(1u << e->index);
        return;
    default:
        break;
    }
    if (e->kind >= EL_SCENARIO_SENSOR_STUCK && e->kind <= EL_SCENARIO_SENSOR_LYING &&
        e->sensor >= EL_SCENARIO_BOARD_INLET) {
        set_sensor(c, 0, e, begin);
        return;
    }
    for (uint32_t slot = 0; slot < t->profile.slots; slot++)
        if (e->slot < 0 || (uint32_t)e->slot == slot)
            set_drive(t, card, slot, e, begin);
}

/* Inlet and airflow change while their event is active: at once, or over its ramp. */
static void move(struct el_twin_card *c, const struct el_scenario_event *e, const struct el_twin_event_state *s)
{
    double part = e->ramp_s > 0 ? fmin((c->plant.time_s - e->at_s) / e->ramp_s, 1) : 1;
    double v = s->before + part * (e->value - s->before);

    if (e->kind == EL_SCENARIO_INLET)
        c->plant.inlet_c = v;
    else if (e->kind == EL_SCENARIO_AIRFLOW)
        c->airflow_base_lfm = v;
}

void el_twin_events(struct el_twin *t, uint32_t card)
{
    struct el_twin_card *c = &t->card[card];

    if (t->scenario.events == 0)
        return;
    for (uint32_t i = 0; i < t->scenario.events; i++) {
        const struct el_scenario_event *e = &t->scenario.event[i];
        struct el_twin_event_state *s = &t->event[card * EL_SCENARIO_EVENTS_MAX + i];
        double for_s = e->kind == EL_SCENARIO_SENSOR_JUMP && e->for_s <= 0 ? JUMP_S : e->for_s;

        if (e->card >= 0 && (uint32_t)e->card != card)
            continue;
        if (s->phase == EL_TWIN_EVENT_WAITING && c->plant.time_s >= e->at_s) {
            set_event(t, card, e, s, true);
            s->phase = EL_TWIN_EVENT_ACTIVE;
        }
        if (s->phase == EL_TWIN_EVENT_ACTIVE && for_s > 0 && c->plant.time_s >= e->at_s + for_s) {
            set_event(t, card, e, s, false);
            s->phase = EL_TWIN_EVENT_OVER;
        }
        if (s->phase == EL_TWIN_EVENT_ACTIVE)
            move(c, e, s);
        if (s->phase == EL_TWIN_EVENT_ACTIVE && for_s <= 0 &&
            (e->kind > EL_SCENARIO_AIRFLOW || c->plant.time_s >= e->at_s + e->ramp_s))
            s->phase = EL_TWIN_EVENT_OVER; /* for good: nothing left to do */
    }
    el_twin_set_airflow(t, c);
}
