#include "support/make_snapshot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "model/alarm.h"

#define PER_CARD 8
#define GIB      (1024.0 * 1024.0 * 1024.0)

struct maker {
    const struct el_test_snapshot *o;
    struct el_snapshot *s;
    struct el_rng rng;
    int64_t now;
};

static struct el_reading reading(const struct maker *m, double v)
{
    return el_reading_good((int64_t)v, m->now - 200000);
}

static void make_card(struct maker *m, uint32_t i, uint32_t slots)
{
    struct el_card *c = &el_snapshot_cards(m->s)[i];
    bool big = slots > 1;

    snprintf(c->name, sizeof c->name, "%s-%u", big ? "lqd4500" : "drive", i);
    snprintf(c->profile, sizeof c->profile, "%s", big ? "lqd4500" : "");
    snprintf(c->title, sizeof c->title, "%s", big ? "Liqid Element LQD4500" : "NVMe drive");
    snprintf(c->address, sizeof c->address, "0000:%02x:00.0", (3 + i * 16) & 0xff);
    snprintf(c->serial, sizeof c->serial, "LQ%06u", 4500 + i);
    c->number = i;
    c->first_slot = i * PER_CARD;
    c->slots = slots;
    c->first_link = i * (2 + 2 * PER_CARD);
    c->links = big ? 2 + 2 * slots : 1;
    c->has_switch = big;
    c->card_limit_w = big ? 75 : NAN;
    c->switch_limit_c = big ? 100 : NAN;
    c->inlet_min_c = 0, c->inlet_max_c = 55, c->airflow_min_lfm = 400;
    c->humidity_min_ratio = 0.05, c->humidity_max_ratio = 0.95;
    c->rated_endurance_bytes = big ? 54e15 : 0;
    c->warranty_seconds_remaining = big ? 3.2e7 : NAN;
    c->warranty_endurance_remaining_ratio = big ? 0.82 : NAN;
    c->inlet_mc = reading(m, el_rng_between(&m->rng, 22000, 27000));
    c->airflow_mlfm = reading(m, 400000);
    c->airflow_mlfm.origin = EL_ASSUMED;
    c->humidity_ppm = reading(m, 410000);
    c->power_mw = reading(m, el_rng_between(&m->rng, 30000, 60000));
    c->power_mw.origin = EL_ESTIMATED;
    if (big)
        c->switch_mc = reading(m, el_rng_between(&m->rng, 60000, 75000));
    c->mode = EL_MODE_ADVISE;
    c->governed = true;
    snprintf(c->law, sizeof c->law, "element");
    c->power_estimate_w = c->power_mw.value / 1000.0;
    c->sink_resistance_c_per_w = 0.55, c->unknown_heat_w = 1.25, c->airflow_estimate_lfm = 390;
    c->airflow_wish_lfm = NAN, c->switch_headroom_c = big ? 28.5 : NAN, c->fan_pwm_ratio = NAN;
    c->failsafe_entries = i % 3;
}

static void make_identify(struct maker *m, struct el_slot *t, uint32_t row)
{
    struct el_nvme_identify *id = &t->identify;

    t->stamp[EL_READ_IDENTIFY] = (struct el_stamp){.time_us = m->now - 5000000, .quality = EL_GOOD};
    id->vid = id->ssvid = 0x144d;
    id->cntlid = 4;
    id->version = 0x10300;
    id->oacs = 0x17, id->oncs = 0x1f, id->lpa = 0xe, id->npss = 2, id->elpe = 63, id->namespaces = 1;
    id->hctm = true;
    snprintf(id->serial, sizeof id->serial, "S4EVNF0M%06u", 100000 + row);
    snprintf(id->model, sizeof id->model, "SAMSUNG MZ1LB1T9HALS-00007");
    snprintf(id->firmware, sizeof id->firmware, "EDA7602Q");
    snprintf(id->subnqn, sizeof id->subnqn, "nqn.1994-11.com.samsung:nvme:PM983:M.2:%s", id->serial);
    id->wctemp_k = 273 + 77, id->cctemp_k = 273 + 85, id->mntmt_k = 273 + 40, id->mxtmt_k = 273 + 85;
    id->total_capacity_bytes = 1920383410176ULL;
    id->power_states = 3;
    for (uint32_t i = 0; i < 3; i++)
        id->power_state[i] = (struct el_nvme_power_state){.max_uw = 8800000u - i * 2000000u, .operational = true};
}

static void make_smart(struct maker *m, struct el_slot *t, double temp_c)
{
    struct el_nvme_smart *p = &t->smart;

    t->stamp[EL_READ_SMART] = (struct el_stamp){.time_us = m->now - 200000, .quality = EL_GOOD};
    p->available_spare = 100, p->available_spare_threshold = 10,
    p->percentage_used = (uint8_t)el_rng_between(&m->rng, 1, 30);
    p->temperature_k = (uint16_t)(273 + temp_c);
    p->data_units_read = (el_u128)el_rng_between(&m->rng, 1e7, 1e9);
    p->data_units_written = (el_u128)el_rng_between(&m->rng, 1e7, 1e9);
    p->host_reads = (el_u128)el_rng_between(&m->rng, 1e9, 9e10);
    p->host_writes = (el_u128)el_rng_between(&m->rng, 1e9, 9e10);
    p->busy_minutes = (el_u128)el_rng_between(&m->rng, 1e3, 1e5);
    p->power_cycles = 43, p->power_on_hours = (el_u128)el_rng_between(&m->rng, 1e3, 3e4), p->unsafe_shutdowns = 12;
    p->error_log_entries = 3, p->warning_minutes = 1, p->tmt_transitions[0] = 2, p->tmt_seconds[0] = 340;
    t->temp_mc[0] = reading(m, floor(temp_c) * 1000);
    for (uint32_t i = 1; i <= m->o->sensors; i++) {
        p->sensor_k[i - 1] = (uint16_t)(273 + temp_c + i);
        t->temp_mc[i] = reading(m, floor(temp_c + i) * 1000);
    }
    t->threshold_mc[0][0] = reading(m, 77000);
    t->threshold_mc[0][1] = reading(m, 0);
    t->power_state = reading(m, 0);
    t->write_cache = reading(m, 1);
    t->hctm_mc[0] = reading(m, 70000), t->hctm_mc[1] = reading(m, 75000);
}

static void make_decision(struct maker *m, struct el_slot *t, double temp_c)
{
    struct el_slot_decision *d = &t->decision;
    bool capped = t->number % 3 == 0;

    d->cap_ratio = capped ? 0.635 : 1;
    d->budget_w = capped ? 3.25 : 0;
    d->power_state = -1;
    d->constraint = capped ? EL_CONSTRAINT_DRIVE_TEMPERATURE : EL_CONSTRAINT_NONE;
    d->since_us = capped ? m->now - 12500000 : 0;
    d->lift_us = capped ? m->now + 30000000 : 0;
    d->limit_c = 73, d->headroom_c = 73 - temp_c, d->temp_estimate_c = temp_c;
    d->power_estimate_w = el_rng_between(&m->rng, 2, 8);
    d->withheld_ratio = capped ? 0.125 : 0;
    d->sensor_valid = true;
    t->action.usable = 1u << EL_ACTUATOR_IO_BUDGET | 1u << EL_ACTUATOR_POWER_STATE;
    t->action.lowered[EL_ACTUATOR_IO_BUDGET] = 5, t->action.raised[EL_ACTUATOR_IO_BUDGET] = 4;
    t->action.last_us = m->now - 9000000;
    t->action.cap_ratio_in_force = d->cap_ratio;
    t->action.power_state_in_force = 0;
}

static void make_slot(struct maker *m, uint32_t row)
{
    struct el_slot *t = &el_snapshot_slots(m->s)[row];
    double temp_c = floor(el_rng_between(&m->rng, 35, 70));

    t->card = row / PER_CARD;
    t->number = row % PER_CARD;
    t->key = row + 1;
    t->state = EL_SLOT_UP;
    t->numa_node = -1;
    snprintf(t->controller, sizeof t->controller, "nvme%u", row);
    snprintf(t->address, sizeof t->address, "%04x:%02x:00.0", t->card / 8, (5 + row) & 0xff);
    snprintf(t->label, sizeof t->label, "%u", t->number + 1);
    snprintf(t->transport, sizeof t->transport, "pcie");
    snprintf(t->ctrl_state, sizeof t->ctrl_state, "live");
    snprintf(t->driver, sizeof t->driver, "nvme");
    snprintf(t->profile, sizeof t->profile, "samsung-pm983-m2-1t92");
    t->up_since_us = m->now - 3600000000LL, t->last_success_us = m->now - 200000;
    t->last_success_realtime_us = m->s->realtime_us - 200000;
    make_identify(m, t, row);
    make_smart(m, t, temp_c);
    t->io = (struct el_slot_io){.read_bytes = (uint64_t)el_rng_between(&m->rng, 1e9, 1e14),
                                .write_bytes = 123456789012,
                                .read_ops = 987654321,
                                .write_ops = 12345678,
                                .time_us = m->now,
                                .valid = true};
    t->polls = 1800, t->poll_errors = 1, t->poll_duration_us = 350, t->poll_period_ms = 2000;
    t->admin_commands[0] = 2, t->admin_commands[1] = 1801, t->admin_commands[2] = 7;
    t->rated_endurance_bytes = 2.733e15;
    t->wear_days_remaining = 2890, t->wear_days_low = 2300, t->wear_days_high = 4100, t->write_rate_1d = 1.3e6,
    t->write_rate_30d = 1.1e6, t->wear_basis = 1;
    make_decision(m, t, temp_c);

    el_snapshot_namespaces(m->s)[row] = (struct el_namespace){.slot = row,
                                                              .nsid = 1,
                                                              .lba_bytes = 512,
                                                              .size_bytes = 1920383410176ULL,
                                                              .capacity_bytes = 1920383410176ULL,
                                                              .used_bytes = (uint64_t)(700 * GIB)};
    snprintf(el_snapshot_namespaces(m->s)[row].block, 16, "nvme%un1", row % 100000);
}

static void make_link(struct maker *m, uint32_t row, uint32_t card, int32_t slot, enum el_link_role role)
{
    struct el_link *l = &el_snapshot_links(m->s)[row];
    bool wide = role == EL_LINK_ROOT_PORT || role == EL_LINK_UPSTREAM;

    *l = (struct el_link){.card = card,
                          .slot = slot,
                          .role = role,
                          .numa_node = -1,
                          .up = true,
                          .known = true,
                          .current_mts = 16000,
                          .max_mts = 16000,
                          .expected_mts = 16000,
                          .current_width = wide ? 16 : 4,
                          .max_width = wide ? 16 : 4,
                          .expected_width = wide ? 16 : 4};
    snprintf(l->address, sizeof l->address, "%04x:%02x:%02x.%d", card, role, slot < 0 ? 0 : (unsigned)slot & 31, role);
    snprintf(l->power_state, sizeof l->power_state, "D0");
    l->path_bottleneck_bytes_per_s = wide ? 31507692307 : 7876923076;
    l->slot_power_limit_mw = wide ? 75000 : 0;
    for (int a = 0; a < EL_AER_COUNT; a++)
        l->aer[a].valid = true;
    if (row % 5 == 0) {
        l->aer[EL_AER_CORRECTABLE].total = 7, l->aer_errors = 1;
        snprintf(l->aer_error[0].name, sizeof l->aer_error[0].name, "BadTLP");
        l->aer_error[0].count = 7;
    }
}

static void make_card_links(struct maker *m, uint32_t card)
{
    const struct el_card *c = &el_snapshot_cards(m->s)[card];
    uint32_t row = c->first_link;

    if (!c->has_switch) {
        make_link(m, row, card, (int32_t)c->first_slot, EL_LINK_DRIVE);
        return;
    }
    make_link(m, row++, card, -1, EL_LINK_ROOT_PORT);
    make_link(m, row++, card, -1, EL_LINK_UPSTREAM);
    for (uint32_t i = 0; i < c->slots; i++) {
        make_link(m, row++, card, (int32_t)(c->first_slot + i), EL_LINK_DOWNSTREAM);
        make_link(m, row++, card, (int32_t)(c->first_slot + i), EL_LINK_DRIVE);
    }
}

static const struct {
    const char *name, *label;
    enum el_sensor_kind kind;
    enum el_sensor_role role;
    int64_t value;
} boards[] = {
    {"lm75-i2c-0-48/temp1", "inlet", EL_SENSOR_TEMPERATURE, EL_ROLE_INLET, 24500},
    {"nct6775-isa-0290/fan1", "fan1", EL_SENSOR_FAN, EL_ROLE_FAN, 4200},
    {"nct6775-isa-0290/pwm1", "pwm1", EL_SENSOR_PWM, EL_ROLE_NONE, 450000},
    {"ina226-i2c-1-40/power1", "slot 12V", EL_SENSOR_POWER, EL_ROLE_CARD_POWER, 41250},
    {"ina226-i2c-1-40/in1", "12V", EL_SENSOR_VOLTAGE, EL_ROLE_NONE, 12050},
    {"ina226-i2c-1-40/curr1", "12V", EL_SENSOR_CURRENT, EL_ROLE_NONE, 3423},
    {"sht3x-i2c-0-44/humidity1", "humidity", EL_SENSOR_HUMIDITY, EL_ROLE_HUMIDITY, 412300},
    {"nct6775-isa-0290/temp2", "minus", EL_SENSOR_TEMPERATURE, EL_ROLE_NONE, -10000},
};

static void make_sensors(struct maker *m)
{
    struct el_sensor *rows = el_snapshot_sensors(m->s);

    for (uint32_t i = 0; i < EL_ARRAY_SIZE(boards); i++) {
        rows[i] = (struct el_sensor){.card = boards[i].role == EL_ROLE_CARD_POWER && m->s->cards.count ? 0 : -1,
                                     .kind = boards[i].kind,
                                     .role = boards[i].role,
                                     .key = i,
                                     .value = reading(m, (double)boards[i].value),
                                     .limit_min = INT64_MIN,
                                     .limit_max = boards[i].kind == EL_SENSOR_TEMPERATURE ? 80000 : INT64_MAX};
        snprintf(rows[i].name, sizeof rows[i].name, "%s", boards[i].name);
        snprintf(rows[i].label, sizeof rows[i].label, "%s", boards[i].label);
    }
}

static void make_changes(struct maker *m)
{
    for (uint32_t i = 0; i < m->s->events.count; i++) {
        struct el_event *e = &el_snapshot_events(m->s)[i];

        *e = (struct el_event){.seq = i + 1,
                               .realtime_us = m->s->realtime_us - 1000000,
                               .kind = m->o->kinds ? 1 + i / 2 % (EL_ALARM_COUNT - 1) : 1 + i % 3,
                               .severity = EL_SEVERITY_WARNING,
                               .card = m->s->cards.count ? 0 : -1,
                               .slot = m->s->slots.count ? (int32_t)(i % m->s->slots.count) : -1,
                               .raised = i % 2 == 0};
        snprintf(e->text, sizeof e->text, "event %u of a test", i + 1);
    }
    m->s->event_next = m->s->events.count + 1;
    for (uint32_t i = 0; i < m->s->alarms.count; i++) {
        struct el_alarm *a = &el_snapshot_alarms(m->s)[i];

        *a = (struct el_alarm){.id = 1 + i / 8,
                               .severity = EL_SEVERITY_WARNING,
                               .card = m->s->cards.count ? 0 : -1,
                               .slot = m->s->slots.count ? (int32_t)(i % m->s->slots.count) : -1,
                               .index = -1,
                               .since_us = m->now - 60000000,
                               .since_realtime_us = m->s->realtime_us - 60000000,
                               .value = 78,
                               .limit = i % 2 ? 77 : NAN};
        snprintf(a->text, sizeof a->text, "alarm %u of a test", i + 1);
    }
}

static void forget_drive(struct el_slot *t, enum el_slot_state state, const char *reason)
{
    struct el_slot old = *t;

    memset(t, 0, sizeof *t);
    t->card = old.card, t->number = old.number, t->state = state, t->numa_node = -1;
    snprintf(t->reason, sizeof t->reason, "%s", reason);
    t->decision.limit_c = t->decision.headroom_c = t->decision.temp_estimate_c = t->decision.power_estimate_w = NAN;
    t->decision.cap_ratio = 1, t->decision.power_state = -1;
    t->action.cap_ratio_in_force = NAN, t->action.power_state_in_force = -1;
    t->wear_days_remaining = t->wear_days_low = t->wear_days_high = t->write_rate_1d = t->write_rate_30d = NAN;
    if (state == EL_SLOT_GONE)
        snprintf(t->last_serial, sizeof t->last_serial, "%.60s", old.identify.serial);
}

static void make_odd(struct maker *m)
{
    struct el_slot *t = el_snapshot_slots(m->s);
    uint32_t n = m->s->slots.count;

    if (m->s->links.count > 1)
        el_snapshot_links(m->s)[1].current_mts = 5000, el_snapshot_links(m->s)[1].current_width = 2;
    if (n > 1)
        forget_drive(&t[1], EL_SLOT_EMPTY, "no drive");
    if (n > 2)
        forget_drive(&t[2], EL_SLOT_GONE, "removed");
    if (n > 3) {
        t[3].state = EL_SLOT_FAILED;
        t[3].stamp[EL_READ_SMART].quality = EL_FAILED, t[3].stamp[EL_READ_SMART].error = -ETIMEDOUT;
        for (int i = 0; i < EL_SLOT_SENSORS; i++)
            t[3].temp_mc[i].quality = t[3].temp_mc[i].quality == EL_ABSENT ? EL_ABSENT : EL_FAILED;
        snprintf(t[3].reason, sizeof t[3].reason, "no answer for 3 periods");
    }
    if (n > 4) {
        t[4].smart.data_units_written = t[4].smart.host_writes = ~(el_u128)0;
        t[4].smart.media_errors = 4294967296ULL;
        t[4].smart.percentage_used = 255;
        t[4].temp_mc[0].value = -10000;
        snprintf(t[4].identify.model, sizeof t[4].identify.model, "Q\"uote \\ \xc3\xa9\xef\xbf\xbd");
    }
}

static void turn_around(struct maker *m)
{
    for (uint32_t i = 0; i < m->s->cards.count; i++)
        el_snapshot_cards(m->s)[i].number = m->s->cards.count - 1 - i;
    for (uint32_t i = 0; i < m->s->slots.count; i++)
        memcpy(el_snapshot_slots(m->s)[i].identify.serial, "SWAPPED", 7);
}

static void make_head(struct maker *m)
{
    struct el_snapshot *s = m->s;

    s->seq = m->o->seq ? m->o->seq : 1;
    s->time_us = m->now;
    s->realtime_us = el_clock_realtime_us();
    s->period_ms = 2000;
    el_clock_boot_id(s->boot_id);
    s->daemon = (struct el_daemon){.version = EL_VERSION,
                                   .backend = "twin",
                                   .pid = 4711,
                                   .mode = EL_MODE_ADVISE,
                                   .ready = true,
                                   .config_ok = true,
                                   .config_success_realtime_us = s->realtime_us - 3600000000LL,
                                   .start_realtime_us = s->realtime_us - 3600000000LL,
                                   .ticks = 1800 + s->seq,
                                   .ticks_late = 2,
                                   .tick_duration_us = 900,
                                   .tick_cpu_us = 300,
                                   .process_cpu_us = 540000,
                                   .rss_bytes = 2200000,
                                   .vsz_bytes = 9000000,
                                   .open_fds = 14,
                                   .max_fds = 1024,
                                   .threads = 10};
}

struct el_snapshot *el_test_snapshot_new(const struct el_test_snapshot *o)
{
    uint32_t cards = (o->drives + PER_CARD - 1) / PER_CARD;
    struct el_snapshot_counts n = {.cards = cards,
                                   .slots = o->drives,
                                   .namespaces = o->drives,
                                   .links = cards * (2 + 2 * PER_CARD),
                                   .sensors = EL_ARRAY_SIZE(boards),
                                   .events = o->events,
                                   .alarms = o->alarms};
    uint32_t last = o->drives - (cards ? cards - 1 : 0) * PER_CARD;
    struct maker m = {.o = o, .rng = el_rng_seed(o->seed), .now = o->time_us ? o->time_us : el_clock_boottime_us()};

    if (cards)
        n.links = (cards - 1) * (2 + 2 * PER_CARD) + (last > 1 ? 2 + 2 * last : 1);
    m.s = el_snapshot_new(&n);
    if (!m.s)
        return NULL;
    make_head(&m);
    for (uint32_t i = 0; i < cards; i++) {
        make_card(&m, i, i + 1 < cards ? PER_CARD : last);
        make_card_links(&m, i);
    }
    for (uint32_t i = 0; i < o->drives; i++)
        make_slot(&m, i);
    make_sensors(&m);
    make_changes(&m);
    if (o->odd)
        make_odd(&m);
    if (o->turned)
        turn_around(&m);
    el_snapshot_seal(m.s);
    return m.s;
}
