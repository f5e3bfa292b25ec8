/* What surrounds the drives: links, board sensors, and the inventory of everything. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "twin/machine.h"

#define INLET_NOISE_C  0.1
#define AIRFLOW_NOISE  0.01
#define POWER_NOISE    0.005
#define RPM_AT_START   3400
#define HUMIDITY_RATIO 0.40 /* assumed: nothing in the plant depends on it */

struct sensor_row {
    enum el_sensor_kind kind;
    enum el_sensor_role role;
    const char *name, *label;
    enum el_scenario_sensor scenario; /* which one a scenario may take away; COMPOSITE = none */
};
static const struct sensor_row sensor_rows[EL_TWIN_SENSOR_FAN + 1] = {
    [EL_TWIN_SENSOR_INLET] = {EL_SENSOR_TEMPERATURE, EL_ROLE_INLET, "inlet", "Inlet", EL_SCENARIO_BOARD_INLET},
    [EL_TWIN_SENSOR_AIRFLOW] = {EL_SENSOR_AIRFLOW, EL_ROLE_AIRFLOW, "airflow", "Airflow", EL_SCENARIO_BOARD_AIRFLOW},
    [EL_TWIN_SENSOR_CARD_POWER] = {EL_SENSOR_POWER, EL_ROLE_CARD_POWER, "power", "Card 12 V",
                                   EL_SCENARIO_BOARD_CARD_POWER},
    [EL_TWIN_SENSOR_SWITCH] = {EL_SENSOR_TEMPERATURE, EL_ROLE_SWITCH, "switch", "PCIe switch",
                               EL_SCENARIO_BOARD_SWITCH},
    [EL_TWIN_SENSOR_HUMIDITY] = {EL_SENSOR_HUMIDITY, EL_ROLE_HUMIDITY, "humidity", "Humidity", EL_SCENARIO_COMPOSITE},
    [EL_TWIN_SENSOR_PWM] = {EL_SENSOR_PWM, EL_ROLE_FAN, "pwm1", "Fan duty", EL_SCENARIO_BOARD_FAN},
    [EL_TWIN_SENSOR_FAN] = {EL_SENSOR_FAN, EL_ROLE_FAN, "fan", "Fan", EL_SCENARIO_BOARD_FAN},
};

static const struct sensor_row *row_of(unsigned sensor)
{
    return &sensor_rows[EL_MIN(sensor, (unsigned)EL_TWIN_SENSOR_FAN)];
}

static bool has_sensor(const struct el_twin *t, unsigned sensor)
{
    const struct sensor_row *row = row_of(sensor);

    if (sensor == EL_TWIN_SENSOR_SWITCH && !t->profile.has_switch)
        return false;
    if (sensor >= EL_TWIN_SENSOR_PWM &&
        sensor >= EL_TWIN_SENSOR_FAN + EL_MIN(t->profile.fans, EL_TWIN_FANS_MAX) + (sensor == EL_TWIN_SENSOR_PWM))
        return false;
    return row->scenario == EL_SCENARIO_COMPOSITE || !el_scenario_lacks(&t->scenario, row->scenario);
}

double el_twin_board_value(const struct el_twin_card *c, unsigned sensor)
{
    switch (sensor) {
    case EL_TWIN_SENSOR_INLET:
        return c->plant.inlet_c;
    case EL_TWIN_SENSOR_AIRFLOW:
        return c->plant.airflow_lfm;
    case EL_TWIN_SENSOR_CARD_POWER:
        return c->plant.card_w;
    case EL_TWIN_SENSOR_SWITCH:
        return c->plant.lagged_switch;
    case EL_TWIN_SENSOR_HUMIDITY:
        return HUMIDITY_RATIO * 1000;
    case EL_TWIN_SENSOR_PWM:
        return c->pwm_ratio * 1000;
    default:
        return c->fans_dead >> (sensor - EL_TWIN_SENSOR_FAN) & 1
                   ? 0
                   : RPM_AT_START * c->pwm_ratio / EL_TWIN_PWM_START / 1000;
    }
}

static double disturbed(struct el_twin_card *c, unsigned sensor)
{
    double v = el_twin_board_value(c, sensor), noise = el_rng_normal(&c->rng);

    switch (sensor) {
    case EL_TWIN_SENSOR_INLET:
        return round((v + c->inlet_offset_c + INLET_NOISE_C * noise) * 10) / 10;
    case EL_TWIN_SENSOR_AIRFLOW:
        return v * (c->airflow_factor + AIRFLOW_NOISE * noise);
    case EL_TWIN_SENSOR_CARD_POWER:
        return round(v * (1 + POWER_NOISE * noise) * 10) / 10;
    case EL_TWIN_SENSOR_SWITCH:
        return round(v + 0.2 * noise);
    default:
        return v;
    }
}

static void read_sensor(struct el_twin *t, struct el_sensor *s)
{
    struct el_twin_card *c = &t->card[s->key / EL_TWIN_CARD_KEYS];
    unsigned id = s->key % EL_TWIN_CARD_KEYS;
    const struct el_twin_sensor_fault *fault = &c->fault[id];
    double v = disturbed(c, id);

    if (fault->fault == EL_TWIN_FAULT_LOST) {
        s->value.quality = EL_FAILED;
        return;
    }
    if (fault->fault == EL_TWIN_FAULT_STUCK)
        v = fault->value;
    if (fault->fault == EL_TWIN_FAULT_OFFSET)
        v += fault->value;
    s->value = el_reading_good(llround(v * 1000), t->time_us);
}

int el_twin_read_sensors(void *dev, struct el_sensor *sensors, uint32_t n)
{
    struct el_twin *t = dev;

    el_twin_sync(t);
    for (uint32_t i = 0; i < n; i++)
        if (sensors[i].key / EL_TWIN_CARD_KEYS < t->cards && sensors[i].key % EL_TWIN_CARD_KEYS < EL_TWIN_SENSOR_END)
            read_sensor(t, &sensors[i]);
    return 0;
}

static void link_state(struct el_link *l, uint32_t mts, uint32_t width, uint32_t max_width, bool up)
{
    double per_lane = mts >= 8000 ? mts * 1e6 / 8 * 128 / 130 : mts * 1e6 / 10;

    l->max_mts = l->expected_mts = mts;
    l->max_width = l->expected_width = max_width;
    l->current_mts = up ? mts : 0;
    l->current_width = up ? width : 0;
    l->up = up;
    l->known = true;
    l->degraded = up && width < max_width;
    l->path_bottleneck_bytes_per_s = up ? (uint64_t)(per_lane * width) : 0;
}

static int32_t link_slot(const struct el_twin *t, const struct el_link *l)
{
    return l->slot < 0 ? -1 : l->slot % (int32_t)t->profile.slots;
}

int el_twin_read_links(void *dev, struct el_link *links, uint32_t n)
{
    struct el_twin *t = dev;
    const struct el_card_profile *p = &t->profile;

    el_twin_sync(t);
    for (uint32_t i = 0; i < n; i++) {
        struct el_link *l = &links[i];
        int32_t slot = link_slot(t, l);
        const struct el_twin_card *c;
        const struct el_drive_profile *d;

        if (l->card >= t->cards)
            continue;
        c = &t->card[l->card];
        if (slot < 0) {
            link_state(l, p->link_gts10 * 100, p->link_width, p->link_width, true);
            continue;
        }
        d = &t->drives[slot];
        link_state(l, EL_MIN(d->link_gts10, p->slot_link_gts10) * 100,
                   EL_MIN(c->controller[slot].lanes, p->slot_link_width), EL_MIN(d->link_width, p->slot_link_width),
                   c->plant.drive[slot].present);
    }
    return 0;
}

/* PCI domain of a card: each has one of its own, so that there are addresses for any number of cards. */
static void fill_links(const struct el_twin *t, struct el_inventory *inv, uint32_t card)
{
    const struct el_card_profile *p = &t->profile;
    struct el_card *row = &inv->cards[card];
    struct el_link *l = inv->links + inv->n.links;

    row->first_link = inv->n.links;
    *l = (struct el_link){.card = card, .slot = -1, .role = EL_LINK_ROOT_PORT, .numa_node = -1};
    snprintf(l->address, sizeof l->address, "%04x:00:01.0", card & 0xffff);
    l->slot_power_limit_mw = 75000;
    l++;
    if (p->has_switch) {
        *l = (struct el_link){.card = card, .slot = -1, .role = EL_LINK_UPSTREAM, .numa_node = -1};
        snprintf(l->address, sizeof l->address, "%04x:01:00.0", card & 0xffff);
        snprintf(l->parent, sizeof l->parent, "%04x:00:01.0", card & 0xffff);
        l++;
    } else {
        inv->links[row->first_link].slot = (int32_t)row->first_slot;
    }
    for (uint32_t s = 0; s < p->slots; s++) {
        const struct el_slot *slot = &inv->slots[row->first_slot + s];

        if (p->has_switch) {
            *l = (struct el_link){
                .card = card, .slot = (int32_t)(row->first_slot + s), .role = EL_LINK_DOWNSTREAM, .numa_node = -1};
            snprintf(l->address, sizeof l->address, "%04x:02:%02x.0", card & 0xffff, s & 0x1f);
            snprintf(l->parent, sizeof l->parent, "%04x:01:00.0", card & 0xffff);
            snprintf(l->physical_slot, sizeof l->physical_slot, "%u", s + 1);
            l++;
        }
        *l = (struct el_link){
            .card = card, .slot = (int32_t)(row->first_slot + s), .role = EL_LINK_DRIVE, .numa_node = -1};
        el_text_copy(l->address, sizeof l->address, slot->address);
        if (p->has_switch)
            snprintf(l->parent, sizeof l->parent, "%04x:02:%02x.0", card & 0xffff, s & 0x1f);
        else
            snprintf(l->parent, sizeof l->parent, "%04x:00:01.0", card & 0xffff);
        el_text_copy(l->power_state, sizeof l->power_state, "D0");
        l++;
    }
    row->links = (uint32_t)(l - inv->links) - row->first_link;
    inv->n.links += row->links;
}

static void fill_slot(const struct el_twin *t, struct el_inventory *inv, uint32_t card, uint32_t s)
{
    struct el_slot *row = &inv->slots[inv->n.slots];
    uint32_t number = card * t->profile.slots + s;
    const struct el_twin_controller *c = &t->card[card].controller[s];

    *row = (struct el_slot){.card = card, .number = s, .key = card * EL_TWIN_CARD_KEYS + s, .numa_node = -1};
    snprintf(row->address, sizeof row->address, "%04x:%02x:00.0", card & 0xffff, 3 + s);
    snprintf(row->label, sizeof row->label, "%u", s + 1);
    if (t->card[card].plant.drive[s].present) {
        struct el_namespace *ns = &inv->namespaces[inv->n.namespaces++];

        row->state = EL_SLOT_UP;
        snprintf(row->controller, sizeof row->controller, "nvme%u", number);
        el_text_copy(row->transport, sizeof row->transport, "pcie");
        el_text_copy(row->ctrl_state, sizeof row->ctrl_state, c->resetting ? "resetting" : "live");
        el_text_copy(row->driver, sizeof row->driver, "nvme");
        el_text_copy(row->profile, sizeof row->profile, t->drives[s].name);
        *ns = (struct el_namespace){
            .slot = inv->n.slots, .nsid = 1, .lba_bytes = 512, .size_bytes = t->drives[s].capacity_bytes};
        ns->capacity_bytes = ns->used_bytes = ns->size_bytes;
        snprintf(ns->block, sizeof ns->block, "nvme%un1", number);
    } else {
        row->state = EL_SLOT_GONE;
        el_text_copy(row->reason, sizeof row->reason, "no drive answers in this slot");
    }
    row->rated_endurance_bytes = t->drives[s].rated_endurance_bytes;
    row->array_level = t->card[card].plant.array;
    if (row->array_level != EL_ARRAY_NONE)
        snprintf(row->array, sizeof row->array, "md%u", row->array_level == EL_ARRAY_STRIPE ? card : number / 2);
    inv->n.slots++;
}

static void fill_sensors(const struct el_twin *t, struct el_inventory *inv, uint32_t card)
{
    for (unsigned id = 0; id < EL_TWIN_SENSOR_END; id++) {
        const struct sensor_row *row = row_of(id);
        struct el_sensor *s = &inv->sensors[inv->n.sensors];

        if (!has_sensor(t, id))
            continue;
        *s = (struct el_sensor){.card = (int32_t)card,
                                .kind = row->kind,
                                .role = row->role,
                                .key = card * EL_TWIN_CARD_KEYS + id,
                                .limit_min = INT64_MIN,
                                .limit_max = INT64_MAX};
        if (id >= EL_TWIN_SENSOR_FAN) {
            snprintf(s->name, sizeof s->name, "twin-%u/fan%u", card, id - EL_TWIN_SENSOR_FAN + 1);
            snprintf(s->label, sizeof s->label, "Fan %u", id - EL_TWIN_SENSOR_FAN + 1);
        } else {
            snprintf(s->name, sizeof s->name, "twin-%u/%s", card, row->name);
            el_text_copy(s->label, sizeof s->label, row->label);
        }
        inv->n.sensors++;
    }
}

static void fill_card(const struct el_twin *t, struct el_inventory *inv, uint32_t card)
{
    const struct el_card_profile *p = &t->profile;
    struct el_card *c = &inv->cards[card];

    *c = (struct el_card){
        .number = card,
        .first_slot = card * p->slots,
        .slots = p->slots,
        .has_switch = p->has_switch,
        .card_limit_w = NAN,
        .switch_limit_c = p->switch_limit_c,
        .inlet_min_c = p->inlet_min_c,
        .inlet_max_c = p->inlet_max_c,
        .airflow_min_lfm = p->airflow_min_lfm,
        .humidity_min_ratio = p->humidity_min_ratio,
        .humidity_max_ratio = p->humidity_max_ratio,
        .rated_endurance_bytes = p->rated_endurance_bytes,
    };
    snprintf(c->name, sizeof c->name, "%.36s-%u", p->name, card);
    el_text_copy(c->profile, sizeof c->profile, p->name);
    el_text_copy(c->title, sizeof c->title, p->title);
    snprintf(c->address, sizeof c->address, "%04x:%02x:00.0", card & 0xffff, p->has_switch ? 1 : 3);
    inv->n.cards++;
    for (uint32_t s = 0; s < p->slots; s++)
        fill_slot(t, inv, card, s);
    fill_links(t, inv, card);
    fill_sensors(t, inv, card);
}

int el_twin_discover(void *dev, struct el_inventory *inv)
{
    struct el_twin *t = dev;
    struct el_inventory fresh = {0};
    uint32_t slots = t->cards * t->profile.slots;

    el_twin_sync(t);
    fresh.cards = calloc(t->cards, sizeof *fresh.cards);
    fresh.slots = calloc(slots, sizeof *fresh.slots);
    fresh.namespaces = calloc(slots, sizeof *fresh.namespaces);
    fresh.links = calloc(t->cards * (2 + 2 * t->profile.slots), sizeof *fresh.links);
    fresh.sensors = calloc(t->cards * EL_TWIN_SENSOR_END, sizeof *fresh.sensors);
    if (!fresh.cards || !fresh.slots || !fresh.namespaces || !fresh.links || !fresh.sensors) {
        el_inventory_free(&fresh);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < t->cards; i++)
        fill_card(t, &fresh, i);
    el_inventory_free(inv);
    *inv = fresh;
    el_twin_read_links(t, inv->links, inv->n.links);
    el_twin_read_sensors(t, inv->sensors, inv->n.sensors);
    return 0;
}
