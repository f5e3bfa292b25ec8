/* elementd scan: what is plugged in, as a tree or as JSON. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "control/scan.h"

static const char help[] =
    "usage: elementd scan [--json] [flags]\n"
    "Cards, switches, slots and drives with links, temperatures, limits and actuators; what is missing, and why.\n"
    "  --json             {\"cards\":[{\"slots\":[...]}]} for programs\n" EL_MACHINE_HELP;

/* ---- JSON: what is not known is not there ---- */

static void put_text(json_t *o, const char *key, const char *text)
{
    if (text[0])
        json_object_set_new(o, key, json_string(text));
}

static void put_number(json_t *o, const char *key, double v)
{
    if (isfinite(v))
        el_json_put_number(o, key, v);
}

static void put_reading(json_t *o, const char *key, const struct el_reading *r, double scale)
{
    if (r->quality == EL_GOOD)
        put_number(o, key, (double)r->value / scale);
}

static json_t *link_json(const struct el_link *l)
{
    json_t *o = json_pack("{s:s, s:s, s:b, s:b}", "role", el_link_role_name(l->role), "address", l->address, "known",
                          l->known, "degraded", l->degraded);

    if (l->known)
        json_object_set_new(o, "up", json_boolean(l->up));
    put_text(o, "parent", l->parent);
    if (l->current_mts)
        put_number(o, "speed_gts", l->current_mts / 1000.0);
    if (l->current_width)
        put_number(o, "width", l->current_width);
    if (l->max_mts)
        put_number(o, "max_speed_gts", l->max_mts / 1000.0);
    if (l->max_width)
        put_number(o, "max_width", l->max_width);
    if (l->expected_mts)
        put_number(o, "expected_speed_gts", l->expected_mts / 1000.0);
    if (l->expected_width)
        put_number(o, "expected_width", l->expected_width);
    if (l->path_bottleneck_bytes_per_s)
        put_number(o, "path_bottleneck_bytes_per_second", (double)l->path_bottleneck_bytes_per_s);
    if (l->slot_power_limit_mw)
        put_number(o, "slot_power_limit_watts", l->slot_power_limit_mw / 1000.0);
    put_text(o, "physical_slot", l->physical_slot);
    put_text(o, "power_state", l->power_state);
    return o;
}

static json_t *hands_json(const struct el_scan_hand hand[EL_ACTUATOR_COUNT])
{
    json_t *o = json_object();

    for (int a = 0; a < EL_ACTUATOR_FAN; a++) {
        json_t *h = json_pack("{s:b}", "usable", hand[a].usable);

        if (!hand[a].usable)
            put_text(h, "why", hand[a].why);
        json_object_set_new(o, el_actuator_name((enum el_actuator)a), h);
    }
    return o;
}

static json_t *namespaces_json(const struct el_snapshot *s, uint32_t slot)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->namespaces.count; i++) {
        const struct el_namespace *n = &el_snapshot_namespaces(s)[i];
        json_t *o;

        if (n->slot != slot)
            continue;
        o = json_pack("{s:I, s:I}", "nsid", (json_int_t)n->nsid, "size_bytes", (json_int_t)n->size_bytes);
        put_text(o, "block", n->block);
        if (n->lba_bytes)
            put_number(o, "lba_bytes", n->lba_bytes);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *slot_json(const struct el_scan *scan, uint32_t row)
{
    const struct el_snapshot *s = scan->world.s;
    const struct el_slot *t = &el_snapshot_slots(s)[row];
    const struct el_link *link = el_snapshot_link(s, row, EL_LINK_DRIVE);
    json_t *o = json_pack("{s:i, s:s}", "slot", (int)t->number, "state", el_slot_state_name(t->state));

    put_text(o, "reason", t->reason);
    put_text(o, "controller", t->controller);
    put_text(o, "address", t->address);
    put_text(o, "transport", t->transport);
    put_text(o, "kernel_state", t->ctrl_state);
    put_text(o, "physical_slot", t->label);
    put_text(o, "driver", t->driver);
    put_text(o, "model", t->identify.model);
    put_text(o, "serial", t->identify.serial);
    put_text(o, "firmware", t->identify.firmware);
    put_text(o, "profile", t->profile);
    put_text(o, "array", t->array);
    if (t->identify.total_capacity_bytes)
        put_number(o, "capacity_bytes", (double)t->identify.total_capacity_bytes);
    put_reading(o, "temperature_celsius", &t->temp_mc[0], 1000);
    put_number(o, "limit_celsius", t->decision.limit_c);
    put_number(o, "warning_celsius", el_nvme_kelvin_c(t->identify.wctemp_k));
    put_number(o, "critical_celsius", el_nvme_kelvin_c(t->identify.cctemp_k));
    if (link)
        json_object_set_new(o, "link", link_json(link));
    json_object_set_new(o, "namespaces", namespaces_json(s, row));
    json_object_set_new(o, "actuators", hands_json(scan->hand[row]));
    return o;
}

static json_t *card_json(const struct el_scan *scan, uint32_t row)
{
    const struct el_snapshot *s = scan->world.s;
    const struct el_card *c = &el_snapshot_cards(s)[row];
    json_t *o = json_pack("{s:s, s:i, s:b}", "name", c->name, "number", (int)c->number, "switch", c->has_switch),
           *list = json_array();

    put_text(o, "title", c->title);
    put_text(o, "profile", c->profile);
    put_text(o, "address", c->address);
    put_text(o, "serial", c->serial);
    put_number(o, "card_limit_watts", c->card_limit_w);
    put_number(o, "switch_limit_celsius", c->switch_limit_c);
    put_number(o, "airflow_min_lfm", c->airflow_min_lfm);
    put_number(o, "inlet_max_celsius", c->inlet_max_c);
    for (uint32_t i = 0; i < c->links; i++)
        json_array_append_new(list, link_json(&el_snapshot_links(s)[c->first_link + i]));
    json_object_set_new(o, "links", list);
    list = json_array();
    for (uint32_t i = 0; i < c->slots; i++)
        json_array_append_new(list, slot_json(scan, c->first_slot + i));
    json_object_set_new(o, "slots", list);
    return o;
}

static json_t *sensor_json(const struct el_sensor *n)
{
    static const double scale[EL_SENSOR_KIND_COUNT] = {1000, 1, 1e6, 1000, 1000, 1000, 1e6, 1000};
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "name", n->name, "kind", el_sensor_kind_name(n->kind), "role",
                          el_sensor_role_name(n->role), "quality", el_quality_name(n->value.quality));

    put_text(o, "label", n->label);
    put_reading(o, "value", &n->value, scale[n->kind]);
    return o;
}

/* json_pack fails on text that is not UTF-8, but all texts of a snapshot have been cleaned. */
static int print_json(const struct el_scan *scan)
{
    const struct el_snapshot *s = scan->world.s;
    json_t *cards = json_array(), *sensors = json_array(),
           *root = json_pack("{s:o, s:o}", "cards", cards, "sensors", sensors);

    for (uint32_t i = 0; i < s->cards.count; i++)
        json_array_append_new(cards, card_json(scan, i));
    for (uint32_t i = 0; i < s->sensors.count; i++)
        json_array_append_new(sensors, sensor_json(&el_snapshot_sensors(s)[i]));
    return el_json_print(root);
}

/* ---- tree ---- */

static void put_link(struct el_buf *b, const struct el_link *l)
{
    if (!l->current_mts || !l->current_width) {
        el_buf_puts(b, l->known ? "no link" : "link unknown");
        return;
    }
    el_buf_puts(b, "link ");
    el_buf_double(b, l->current_mts / 1000.0);
    el_buf_printf(b, " GT/s x%u", l->current_width);
    if (l->degraded) {
        el_buf_puts(b, " DEGRADED (could be ");
        el_buf_double(b, el_link_wanted_mts(l) / 1000.0);
        el_buf_printf(b, " GT/s x%u)", el_link_wanted_width(l));
    }
}

static void put_limit(struct el_buf *b, const char *label, double v, const char *unit)
{
    if (!isfinite(v))
        return;
    el_buf_printf(b, "%s ", label);
    el_buf_double(b, round(v * 10) / 10);
    el_buf_printf(b, " %s", unit);
}

static void put_power_limit(struct el_buf *b, uint32_t mw)
{
    put_limit(b, ", slot power limit", mw ? mw / 1000.0 : NAN, "W");
}

/* A slot's link as its drive sees it. The slot's power limit is set by the port above; where the drive does not report
 * it, the port's own figure is used. */
static void put_slot_link(struct el_buf *b, const struct el_snapshot *s, uint32_t row)
{
    uint32_t limit_mw = 0;

    for (uint32_t i = 0; i < s->links.count; i++) {
        const struct el_link *l = &el_snapshot_links(s)[i];

        if (l->slot != (int32_t)row)
            continue;
        limit_mw = l->slot_power_limit_mw ? l->slot_power_limit_mw : limit_mw;
        if (l->role == EL_LINK_DRIVE)
            put_link(b, l);
    }
    put_power_limit(b, limit_mw);
}

/* Continues a line of its own. */
static void put_hands(struct el_buf *b, const struct el_scan_hand hand[EL_ACTUATOR_COUNT])
{
    const char *sep = "can use ";

    for (int a = 0; a < EL_ACTUATOR_FAN; a++)
        if (hand[a].usable) {
            el_buf_printf(b, "%s%s", sep, el_actuator_name((enum el_actuator)a));
            sep = ", ";
        }
    el_buf_printf(b, "%s\n", sep[0] == ',' ? "" : "can use nothing");
    for (int a = 0; a < EL_ACTUATOR_FAN; a++)
        if (!hand[a].usable && hand[a].why[0])
            el_buf_printf(b, "           no %s: %s\n", el_actuator_name((enum el_actuator)a), hand[a].why);
}

/* As on its label: powers of ten. */
static void put_capacity(struct el_buf *b, double bytes)
{
    double unit = bytes >= 1e12 ? 1e12 : 1e9;

    if (bytes <= 0)
        return;
    el_buf_puts(b, "  ");
    el_buf_double(b, round(bytes / unit * 100) / 100);
    el_buf_puts(b, unit == 1e12 ? " TB" : " GB");
}

static void put_namespaces(struct el_buf *b, const struct el_snapshot *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->namespaces.count; i++) {
        const struct el_namespace *n = &el_snapshot_namespaces(s)[i];

        if (n->slot != row || !n->block[0])
            continue;
        el_buf_printf(b, "           %s", n->block);
        put_capacity(b, (double)n->size_bytes);
        if (n->lba_bytes)
            el_buf_printf(b, "  %u byte blocks", n->lba_bytes);
        el_buf_putc(b, '\n');
    }
}

static void put_slot(struct el_buf *b, const struct el_scan *scan, uint32_t row, bool hands)
{
    const struct el_snapshot *s = scan->world.s;
    const struct el_slot *t = &el_snapshot_slots(s)[row];

    el_buf_printf(b, "  slot %-2u  %s", t->number, el_slot_state_name(t->state));
    if (t->controller[0])
        el_buf_printf(b, "  %s", t->controller);
    if (t->address[0])
        el_buf_printf(b, "  [%s]", t->address);
    if (t->transport[0] && strcmp(t->transport, "pcie") != 0)
        el_buf_printf(b, "  over %s", t->transport);
    if (t->label[0])
        el_buf_printf(b, "  physical slot %s", t->label);
    if (t->reason[0])
        el_buf_printf(b, "  %s", t->reason);
    el_buf_putc(b, '\n');
    if (!el_slot_pollable(t))
        return;
    el_buf_printf(b, "           %s", t->identify.model);
    put_capacity(b, (double)t->identify.total_capacity_bytes);
    el_buf_printf(b, "  serial %s  firmware %s\n", t->identify.serial, t->identify.firmware);
    put_namespaces(b, s, row);
    el_buf_puts(b, "           ");
    put_slot_link(b, s, row);
    put_limit(b, "  ", el_reading_kilo(&t->temp_mc[0]), "C");
    put_limit(b, ", held to", t->decision.limit_c, "C");
    put_limit(b, ", warning", el_nvme_kelvin_c(t->identify.wctemp_k), "C");
    put_limit(b, ", critical", el_nvme_kelvin_c(t->identify.cctemp_k), "C");
    el_buf_putc(b, '\n');
    if (hands) {
        el_buf_puts(b, "           ");
        put_hands(b, scan->hand[row]);
    }
}

/* A slot of this card, when the drives of all its slots can be acted on alike; -1: they differ, or there is none. */
static int64_t alike(const struct el_scan *scan, const struct el_card *c)
{
    int64_t first = -1;

    for (uint32_t row = c->first_slot; row < c->first_slot + c->slots; row++) {
        if (!el_slot_pollable(&el_snapshot_slots(scan->world.s)[row]))
            continue;
        if (first >= 0 && memcmp(scan->hand[first], scan->hand[row], sizeof scan->hand[row]) != 0)
            return -1;
        first = first < 0 ? row : first;
    }
    return first;
}

static bool has_role(const struct el_snapshot *s, uint32_t card, enum el_sensor_role role)
{
    for (uint32_t i = 0; i < s->sensors.count; i++) {
        const struct el_sensor *n = &el_snapshot_sensors(s)[i];

        if (n->role == role && (n->card == (int32_t)card || n->card < 0))
            return true;
    }
    return false;
}

static void put_missing(struct el_buf *b, const struct el_snapshot *s, uint32_t card)
{
    static const struct {
        enum el_sensor_role role;
        const char *what;
    } wanted[] = {
        {EL_ROLE_INLET, "no inlet sensor: 35 C is assumed; map one under `sensors` in the settings"},
        {EL_ROLE_AIRFLOW, "no airflow sensor: the card's minimum is assumed until its cooling is learnt"},
        {EL_ROLE_CARD_POWER, "no card power sensor: power is estimated"},
    };
    const struct el_card *c = &el_snapshot_cards(s)[card];

    if (!c->profile[0])
        el_buf_puts(b, "  note: no card profile: thermal start values are generic and get learnt; name one under "
                       "`cards` in the settings\n");
    for (size_t i = 0; i < EL_ARRAY_SIZE(wanted); i++)
        if (!has_role(s, card, wanted[i].role))
            el_buf_printf(b, "  note: %s\n", wanted[i].what);
}

static void put_card(struct el_buf *b, const struct el_scan *scan, uint32_t row)
{
    const struct el_snapshot *s = scan->world.s;
    const struct el_card *c = &el_snapshot_cards(s)[row];
    int64_t same = alike(scan, c);

    el_buf_printf(b, "%s", c->name);
    if (c->title[0])
        el_buf_printf(b, "  %s", c->title);
    if (c->address[0])
        el_buf_printf(b, "  [%s]", c->address);
    put_limit(b, "  power limit", c->card_limit_w, "W");
    el_buf_putc(b, '\n');
    for (uint32_t i = 0; i < c->links; i++) {
        const struct el_link *l = &el_snapshot_links(s)[c->first_link + i];

        if (l->role == EL_LINK_DRIVE || (l->role == EL_LINK_DOWNSTREAM && l->slot >= 0 && l->up && !l->degraded))
            continue; /* each slot tells of its link */
        el_buf_printf(b, "  %-17s  [%s]  ", el_link_role_name(l->role), l->address);
        put_link(b, l);
        put_power_limit(b, l->slot_power_limit_mw);
        el_buf_putc(b, '\n');
    }
    for (uint32_t i = 0; i < c->slots; i++)
        put_slot(b, scan, c->first_slot + i, same < 0);
    if (same >= 0) {
        el_buf_puts(b, c->slots == 1 ? "           " : "  each one ");
        put_hands(b, scan->hand[same]);
    }
    put_missing(b, s, row);
}

static void put_value(struct el_buf *b, const struct el_sensor *n, int64_t value)
{
    static const struct {
        double divide;
        unsigned decimals;
        const char *unit;
    } form[EL_SENSOR_KIND_COUNT] = {{100, 1, "C"}, {1, 0, "rpm"}, {10000, 0, "%"}, {10, 2, "V"},
                                    {10, 2, "A"},  {100, 1, "W"}, {10000, 0, "%"}, {1000, 0, "LFM"}};
    char text[EL_NUM_MAX];

    el_num_fixed(text, llround((double)value / form[n->kind].divide), form[n->kind].decimals);
    el_buf_printf(b, "%s %s", text, form[n->kind].unit);
}

/* As `sensors` prints it. */
static void put_sensor(struct el_buf *b, const struct el_sensor *n)
{
    bool low = n->limit_min != INT64_MIN, high = n->limit_max != INT64_MAX;

    el_buf_printf(b, "  %-32s %-12s %-10s ", n->name, el_sensor_kind_name(n->kind),
                  n->role ? el_sensor_role_name(n->role) : "");
    if (n->value.quality == EL_GOOD)
        put_value(b, n, n->value.value);
    else
        el_buf_printf(b, "(%s)", el_quality_name(n->value.quality));
    if (low || high)
        el_buf_puts(b, "  (");
    if (low) {
        el_buf_puts(b, "min ");
        put_value(b, n, n->limit_min);
    }
    if (high) {
        el_buf_puts(b, low ? ", max " : "max ");
        put_value(b, n, n->limit_max);
    }
    el_buf_puts(b, low || high ? ")" : "");
    el_buf_puts(b, n->fault ? "  FAULT" : n->alarm ? "  ALARM" : "");
    el_buf_putc(b, '\n');
}

static int print_tree(const struct el_scan *scan)
{
    const struct el_snapshot *s = scan->world.s;
    EL_AUTO_BUF struct el_buf b = {0};

    for (uint32_t i = 0; i < s->cards.count; i++)
        put_card(&b, scan, i);
    if (!s->cards.count)
        el_buf_puts(&b, "no NVMe drives found\n");
    if (s->sensors.count)
        el_buf_puts(&b, "board sensors\n");
    for (uint32_t i = 0; i < s->sensors.count; i++)
        put_sensor(&b, &el_snapshot_sensors(s)[i]);
    return el_cli_print(&b);
}

static int scan(const struct el_machine_flags *f, bool as_json)
{
    EL_AUTO_FREE struct el_settings *settings = malloc(sizeof *settings);
    struct el_device dev;
    struct el_scan s;
    bool hung;
    int r;

    if (el_machine_settings(f, settings) < 0 || el_machine_open(f, settings, &dev) < 0)
        return EL_EXIT_BAD;
    r = el_scan_read(&dev, settings, &s, &hung);
    if (r < 0) {
        fprintf(stderr, "elementd scan: %s\n", strerror(-r));
    } else {
        r = as_json ? print_json(&s) : print_tree(&s);
        el_scan_free(&s);
    }
    if (!hung)
        dev.ops->close(dev.dev);
    return r < 0 ? EL_EXIT_BAD : r;
}

int el_cmd_scan(int argc, char **argv)
{
    struct el_machine_flags machine = EL_MACHINE_FLAGS_INIT;
    bool as_json = false;
    const struct el_flag flags[] = {EL_MACHINE_FLAGS(machine), {"json", EL_FLAG_SWITCH, &as_json}, {0}};
    int r = el_flags_read(argc, argv, flags, help, false);

    if (r >= 0)
        return r;
    if (el_machine_check(&machine) != 0)
        return EL_EXIT_USAGE;
    return scan(&machine, as_json);
}
