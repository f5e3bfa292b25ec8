#include "control/simulate_machine.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "model/fill.h"

#define STALE_PERIODS 3 /* as the daemon: a drive that does not answer for so long turns stale */

int el_sim_twin(const struct el_simulate_options *o, struct el_device *out, char *why, size_t why_size)
{
    const struct el_twin_options t = {.card = o->card,
                                      .drives = o->drives,
                                      .cards = 1,
                                      .workload = o->workload,
                                      .inlet_c = o->inlet_c,
                                      .airflow_lfm = o->airflow_lfm,
                                      .seed = o->seed,
                                      .virtual_time = true,
                                      .array = o->array,
                                      .scenario = o->scenario};

    return el_twin_open(&t, out, why, why_size);
}

void el_sim_hold(struct el_twin *t, const struct el_governor_card *facts)
{
    struct el_twin_oracle o = {.card_limit_w = facts->card_limit_w, .switch_limit_c = facts->switch_limit_c};

    for (uint32_t i = 0; i < facts->slots; i++)
        o.limit_c[i] = facts->slot[i].limit_c;
    el_twin_set_oracle(t, &o);
}

static void identify(struct el_sim_machine *m, struct el_slot *s, int64_t now)
{
    uint8_t page[EL_NVME_IDENTIFY_SIZE];
    struct el_admin cmd = {.kind = EL_ADMIN_IDENTIFY, .id = 1, .data = page, .size = sizeof page};

    if (s->state == EL_SLOT_UP && m->dev.ops->admin(m->dev.dev, s->key, &cmd) == 0)
        (void)el_fill_page(s, EL_READ_IDENTIFY, page, EL_NVME_IDENTIFY_SIZE, now);
}

static int discover(struct el_sim_machine *m)
{
    int r = m->dev.ops->discover(m->dev.dev, &m->inv);

    for (uint32_t i = 0; r == 0 && i < m->inv.n.slots; i++)
        identify(m, &m->inv.slots[i], m->dev.ops->now_us(m->dev.dev));
    return r;
}

int el_sim_machine_init(struct el_sim_machine *m, const struct el_device *dev, const struct el_governor_card *facts)
{
    char why[100];
    int r;

    memset(m, 0, sizeof *m);
    m->dev = *dev;
    m->facts = facts;
    for (uint32_t i = 0; i < EL_CARD_SLOTS_MAX; i++)
        m->wanted[i] = 1;
    r = discover(m);
    if (r < 0)
        el_sim_machine_free(m);
    else if (m->dev.ops->actuator_usable(m->dev.dev, EL_ACTUATOR_IO_BUDGET, m->inv.slots[0].key, why, sizeof why) < 0)
        m->cap = EL_ACTUATOR_IO_MAX;
    return r;
}

void el_sim_machine_free(struct el_sim_machine *m)
{
    m->dev.ops->close(m->dev.dev);
    el_inventory_free(&m->inv);
}

static void read_slot(struct el_sim_machine *m, uint32_t i, int64_t now, int64_t oldest)
{
    struct el_slot *s = &m->inv.slots[i];
    struct el_governor_slot_input *in = &m->in.slot[i];
    uint8_t page[EL_NVME_SMART_SIZE];
    struct el_admin cmd = {
        .kind = EL_ADMIN_GET_LOG, .id = EL_NVME_LID_SMART, .nsid = EL_NVME_NSID_ALL, .data = page, .size = sizeof page};
    struct el_slot_io io = {.valid = false};
    struct el_actuator_value v;
    int r;

    in->present = s->state == EL_SLOT_UP;
    r = in->present ? m->dev.ops->admin(m->dev.dev, s->key, &cmd) : -ENODEV;
    m->admin_commands += in->present;
    if (r == 0)
        (void)el_fill_page(s, EL_READ_SMART, page, EL_NVME_SMART_SIZE, now);
    else
        el_fill_unread(s, EL_READ_SMART, r);
    el_fill_expire(s, oldest);
    if (in->present)
        (void)m->dev.ops->read_io(m->dev.dev, s->key, &io);
    in->temp_mc = s->temp_mc[0];
    memcpy(in->sensor_mc, &s->temp_mc[1], sizeof in->sensor_mc);
    in->power_mw = s->power_mw;
    in->io_valid = io.valid;
    if (io.valid) {
        in->read_bytes = io.read_bytes;
        in->write_bytes = io.write_bytes;
        in->read_ops = io.read_ops;
        in->write_ops = io.write_ops;
    }
    if (m->dev.ops->actuator_read(m->dev.dev, m->cap, s->key, &v) == 0) {
        in->cap_ratio_in_force = v.cap.ratio;
        m->failed[i] =
            fabs(v.cap.ratio - m->wanted[i]) > 1e-6; /* heals when it reads back as wanted, as in the daemon */
    } else {
        in->cap_ratio_in_force = NAN;
    }
    in->actuator_failed = m->failed[i];
}

static void read_board(struct el_sim_machine *m)
{
    uint32_t fans = 0;

    (void)m->dev.ops->read_sensors(m->dev.dev, m->inv.sensors, m->inv.n.sensors);
    for (uint32_t i = 0; i < m->inv.n.sensors; i++) {
        const struct el_sensor *s = &m->inv.sensors[i];

        if (s->role == EL_ROLE_INLET)
            m->in.inlet_mc = s->value;
        else if (s->role == EL_ROLE_AIRFLOW)
            m->in.airflow_mlfm = s->value;
        else if (s->role == EL_ROLE_CARD_POWER)
            m->in.card_power_mw = s->value;
        else if (s->role == EL_ROLE_SWITCH)
            m->in.switch_mc = s->value;
        else if (s->kind == EL_SENSOR_FAN && fans < EL_ARRAY_SIZE(m->in.fan_rpm))
            m->in.fan_rpm[fans++] = s->value;
    }
}

void el_sim_machine_read(struct el_sim_machine *m, double period_s)
{
    int64_t now;

    if (m->dev.ops->changed(m->dev.dev))
        (void)discover(m);
    now = m->dev.ops->now_us(m->dev.dev);
    m->in.now_us = now;
    for (uint32_t i = 0; i < m->facts->slots; i++)
        read_slot(m, i, now, now - (int64_t)(STALE_PERIODS * period_s * EL_USEC_PER_SEC));
    read_board(m);
}

static void act_slot(struct el_sim_machine *m, uint32_t i, const struct el_slot_decision *d)
{
    const struct el_governor_slot *g = &m->facts->slot[i];
    uint32_t key = m->inv.slots[i].key;
    struct el_actuator_value v = {.cap = {.ratio = d->cap_ratio,
                                          .budget_w = d->budget_w,
                                          .read_j_per_byte = g->read_j_per_byte,
                                          .write_j_per_byte = g->write_j_per_byte,
                                          .read_j_per_op = g->read_j_per_op,
                                          .write_j_per_op = g->write_j_per_op}};

    if (d->write) {
        m->writes++;
        m->failed[i] = m->dev.ops->actuator_write(m->dev.dev, m->cap, key, &v) < 0;
        m->wanted[i] = d->cap_ratio;
    }
    if (g->can_power_state && d->power_state >= 0 && d->power_state != m->power_state[i]) {
        v.power_state = d->power_state;
        m->writes++;
        if (m->dev.ops->actuator_write(m->dev.dev, EL_ACTUATOR_POWER_STATE, key, &v) == 0)
            m->power_state[i] = d->power_state;
    }
}

void el_sim_machine_act(struct el_sim_machine *m, const struct el_decision *decision)
{
    struct el_actuator_value fan = {.pwm_ratio = decision->fan_pwm_ratio};

    for (uint32_t i = 0; i < m->facts->slots; i++)
        act_slot(m, i, &decision->slot[i]);
    if (!decision->fan_write || !isfinite(decision->fan_pwm_ratio))
        return;
    for (uint32_t i = 0; i < m->inv.n.sensors; i++)
        if (m->inv.sensors[i].kind == EL_SENSOR_PWM)
            (void)m->dev.ops->actuator_write(m->dev.dev, EL_ACTUATOR_FAN, m->inv.sensors[i].key, &fan);
}
