#include "control/cards_act.h"

#include <math.h>

static enum el_actuator cap_actuator(const struct el_drive *d)
{
    return d->usable & 1u << EL_ACTUATOR_IO_BUDGET ? EL_ACTUATOR_IO_BUDGET : EL_ACTUATOR_IO_MAX;
}

/* NULL while it is not known which drive is there (discovered anew, not identified since): what is set now would stand
 * in the journal under the serial of another. */
static struct el_actuate_item *hand_of(struct el_cards *c, const struct el_world *w, struct el_drive *d, uint32_t row,
                                       enum el_actuator a)
{
    struct el_actuate_target t;

    if (d->identify)
        return NULL;
    if (!d->hand[a]) {
        el_card_drive_target(w, row, &t);
        d->hand[a] = t.serial[0] ? el_actuate_item(c->hands, a, &t) : NULL;
    }
    return d->hand[a];
}

/* The law says once what it wants: a cap that could not be set then is still wanted. What an earlier run left is no
 * wish of the law, which would not lift what it did not set, and must not be let go while hot. */
static bool must_write(const struct el_cards *c, const struct el_drive *d, const struct el_slot *slot)
{
    bool caps = slot->decision.cap_ratio < 1;

    if (c->acting && d->inherited)
        return caps || !el_card_is_hot(slot, c->settings);
    return slot->decision.write || ((c->assert_all || d->owed) && caps);
}

static void act_cap(struct el_cards *c, const struct el_world *w, struct el_drive *d, uint32_t row,
                    const struct el_governor_slot *g)
{
    const struct el_slot_decision *want = &el_snapshot_slots(w->s)[row].decision;
    struct el_actuator_value v = {.cap = {.ratio = want->cap_ratio,
                                          .budget_w = want->budget_w,
                                          .read_j_per_byte = g->read_j_per_byte,
                                          .write_j_per_byte = g->write_j_per_byte,
                                          .read_j_per_op = g->read_j_per_op,
                                          .write_j_per_op = g->write_j_per_op}};
    struct el_actuate_item *it;

    if (!g->can_cap || !must_write(c, d, &el_snapshot_slots(w->s)[row]))
        return;
    it = hand_of(c, w, d, row, cap_actuator(d));
    d->owed = !it;
    if (!it)
        return;
    d->inherited = d->inherited && !c->acting;
    el_actuate_want(c->hands, it, &v);
}

static void act_power_state(struct el_cards *c, const struct el_world *w, struct el_drive *d, uint32_t row,
                            const struct el_governor_slot *g)
{
    int32_t want = el_snapshot_slots(w->s)[row].decision.power_state;
    struct el_actuator_value v = {.power_state = want};
    struct el_actuate_item *it;

    if (!c->settings->governor.use_power_state)
        d->power_state_wanted = -1;
    if (!g->can_power_state || want < 0 || (want == d->power_state_wanted && !c->assert_all))
        return;
    it = hand_of(c, w, d, row, EL_ACTUATOR_POWER_STATE);
    if (!it)
        return;
    el_actuate_want(c->hands, it, &v);
    d->power_state_wanted = want;
}

/* The drive's own thermal management as a backstop: just above what we hold, inside what the drive allows. */
static void act_hctm(struct el_cards *c, const struct el_world *w, struct el_drive *d, uint32_t row)
{
    const struct el_slot *slot = &el_snapshot_slots(w->s)[row];
    double limit = slot->decision.limit_c;
    int32_t lo = slot->identify.mntmt_k - 273, hi = slot->identify.mxtmt_k - 273;
    struct el_actuator_value v;

    if (!c->settings->governor.use_hctm)
        d->hand[EL_ACTUATOR_HCTM] = NULL;
    if (!c->settings->governor.use_hctm || !slot->identify.hctm || !(d->usable & 1u << EL_ACTUATOR_HCTM) ||
        !isfinite(limit) || (d->hand[EL_ACTUATOR_HCTM] && !c->assert_all) || hi <= lo)
        return;
    v.tmt1_c = EL_CLAMP((int32_t)ceil(limit) + 2, lo, hi - 1);
    v.tmt2_c = EL_CLAMP((int32_t)ceil(limit) + 4, v.tmt1_c + 1, hi);
    if (v.tmt1_c > limit && hand_of(c, w, d, row, EL_ACTUATOR_HCTM))
        el_actuate_want(c->hands, d->hand[EL_ACTUATOR_HCTM], &v);
}

void el_cards_act_drive(struct el_cards *c, const struct el_world *w, struct el_drive *d, uint32_t row,
                        const struct el_governor_slot *g)
{
    act_cap(c, w, d, row, g);
    act_power_state(c, w, d, row, g);
    act_hctm(c, w, d, row);
}

void el_cards_act_fans(struct el_cards *c, const struct el_world *w, uint32_t card)
{
    struct el_card_loop *l = &c->loop[card];
    struct el_actuator_value v = {.pwm_ratio = c->decision.fan_pwm_ratio};
    uint32_t row[EL_CARD_FANS_MAX], n = c->settings->governor.use_fans ? el_card_fans(w, card, row) : 0;

    if (!isfinite(v.pwm_ratio))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct el_sensor *s = &el_snapshot_sensors(w->s)[row[i]];
        bool write = c->decision.fan_write || c->assert_all || !l->fan[i];
        struct el_actuate_target t;

        el_card_fan_target(s, &t);
        if (!l->fan[i])
            l->fan[i] = el_actuate_item(c->hands, EL_ACTUATOR_FAN, &t);
        if (l->fan[i] && write)
            el_actuate_want(c->hands, l->fan[i], &v);
        else if (l->fan[i] && c->acting)
            el_actuate_again(c->hands, l->fan[i], c->in.now_us);
    }
}
