#include "device/topology.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "device/endpoints.h"
#include "device/labels.h"
#include "device/namespaces.h"
#include "device/pcie.h"

struct build {
    const struct el_sysfs *fs;
    struct el_labels labels;
    struct el_inventory *inv;
    struct el_endpoints endpoints;
};

static int32_t numa_node(const struct el_sysfs *fs, const char *dir)
{
    int64_t node = -1;

    return el_sysfs_i64(fs, dir, "numa_node", &node) == 0 && node >= 0 && node < 4096 ? (int32_t)node : -1;
}

static struct el_link *add_link(struct build *b, const char *dir, enum el_link_role role, int32_t slot)
{
    char parent[EL_SYSFS_PATH];
    struct el_pcie_config config;
    struct el_link *l;

    for (uint32_t i = 0; i < b->inv->n.links; i++)
        if (strcmp(b->inv->links[i].address, el_text_last_part(dir)) == 0) {
            /* a hop that several cards share belongs to the first of them, and to no single slot */
            b->inv->links[i].slot = -1;
            return &b->inv->links[i];
        }
    l = el_row_append(&b->inv->links, &b->inv->n.links, sizeof *l);
    if (!l)
        return NULL;
    l->card = b->inv->n.cards - 1;
    l->slot = slot;
    l->role = role;
    el_text_copy(l->address, sizeof l->address, el_text_last_part(dir));
    if (el_pcie_parent(strcpy(parent, dir), parent))
        el_text_copy(l->parent, sizeof l->parent, el_text_last_part(parent));
    el_label_of_function(&b->labels, dir, l->physical_slot, sizeof l->physical_slot);
    if (role == EL_LINK_DOWNSTREAM || role == EL_LINK_ROOT_PORT)
        el_label_of_port(&b->labels, b->fs, dir, l->physical_slot, sizeof l->physical_slot);
    l->numa_node = numa_node(b->fs, dir);
    if (el_pcie_config_read(b->fs, dir, &config) == 0)
        l->slot_power_limit_mw = config.slot_power_limit_mw;
    el_pcie_read(b->fs, dir, l);
    return l;
}

/* The hops above `dir`, from the root port down. */
static int add_hops(struct build *b, const char *dir, int32_t slot)
{
    char up[EL_SYSFS_PATH];

    if (!el_pcie_parent(strcpy(up, dir), up))
        return 0;
    if (add_hops(b, up, slot) < 0)
        return -ENOMEM;
    return add_link(b, up, el_pcie_bridge_role(b->fs, up), slot) ? 0 : -ENOMEM;
}

static struct el_card *add_card(struct build *b, const struct el_endpoint *e)
{
    struct el_card *c = el_row_append(&b->inv->cards, &b->inv->n.cards, sizeof *c);

    if (!c)
        return NULL;
    c->number = b->inv->n.cards - 1;
    snprintf(c->name, sizeof c->name, "card%u", c->number);
    el_text_copy(c->address, sizeof c->address, e->dir[0] ? el_text_last_part(e->card) : "");
    c->has_switch = e->behind_switch;
    c->first_slot = b->inv->n.slots;
    c->first_link = b->inv->n.links;
    c->card_limit_w = c->switch_limit_c = c->inlet_min_c = c->inlet_max_c = c->airflow_min_lfm = NAN;
    c->humidity_min_ratio = c->humidity_max_ratio = NAN;
    c->warranty_seconds_remaining = c->warranty_endurance_remaining_ratio = NAN;
    c->power_estimate_w = c->sink_resistance_c_per_w = c->unknown_heat_w = c->airflow_estimate_lfm = NAN;
    c->airflow_wish_lfm = c->switch_headroom_c = c->fan_pwm_ratio = NAN;
    return c;
}

static struct el_slot *add_slot(struct build *b)
{
    struct el_slot *s = el_row_append(&b->inv->slots, &b->inv->n.slots, sizeof *s);
    struct el_card *c = &b->inv->cards[b->inv->n.cards - 1];

    if (!s)
        return NULL;
    s->card = b->inv->n.cards - 1;
    s->number = c->slots++;
    s->numa_node = s->decision.power_state = s->action.power_state_in_force = -1;
    s->decision.cap_ratio = 1;
    s->decision.limit_c = s->decision.headroom_c = s->decision.temp_estimate_c = s->decision.power_estimate_w = NAN;
    s->action.cap_ratio_in_force = s->wear_days_remaining = s->wear_days_low = s->wear_days_high = s->write_rate_1d =
        s->write_rate_30d = NAN;
    return s;
}

static void judge_state(struct el_slot *s)
{
    const char *st = s->ctrl_state;

    if (!s->controller[0]) {
        bool given_up = strcmp(s->driver, "nvme") == 0;

        s->state = given_up ? EL_SLOT_FAILED : EL_SLOT_UNBOUND;
        if (given_up)
            el_text_copy(s->reason, sizeof s->reason, "the nvme driver could not start it");
        else
            snprintf(s->reason, sizeof s->reason, "bound to %s, not to nvme", s->driver[0] ? s->driver : "no driver");
    } else if (!st[0] || strcmp(st, "live") == 0) {
        s->state = EL_SLOT_UP;
    } else {
        s->state = strcmp(st, "dead") == 0 || strncmp(st, "deleting", 8) == 0 ? EL_SLOT_FAILED : EL_SLOT_STALE;
        snprintf(s->reason, sizeof s->reason, "the kernel says: %s", st);
    }
}

static void identify_text(const struct el_sysfs *fs, const char *dir, const char *name, char *out, size_t size)
{
    char line[256];

    if (el_sysfs_line(fs, dir, name, line, sizeof line) == 0)
        el_text_clean(out, size, line);
}

/* "traddr=192.0.2.24,trsvcid=4420" to "192.0.2.24"; a platform device's name as it is. */
static void fabric_address(const struct el_sysfs *fs, const char *ctrl_dir, char *out, size_t size)
{
    char line[256] = "", *at = line;

    el_sysfs_line(fs, ctrl_dir, "address", line, sizeof line);
    if (strncmp(line, "traddr=", 7) == 0)
        at += 7;
    *strchrnul(at, ',') = '\0';
    el_text_copy(out, size, at);
}

static void fill_slot(struct build *b, const struct el_endpoint *e, struct el_slot *s)
{
    char ctrl_dir[EL_SYSFS_PATH];

    el_sysfs_join(ctrl_dir, EL_CLASS_NVME, e->controller);
    el_text_copy(s->controller, sizeof s->controller, e->controller);
    if (e->dir[0]) {
        el_text_copy(s->address, sizeof s->address, el_text_last_part(e->dir));
        el_text_copy(s->transport, sizeof s->transport, "pcie");
        el_sysfs_link_name(b->fs, e->dir, "driver", s->driver, sizeof s->driver);
        el_label_of_function(&b->labels, e->dir, s->label, sizeof s->label);
        s->numa_node = numa_node(b->fs, e->dir);
    }
    if (e->controller[0]) {
        el_sysfs_line(b->fs, ctrl_dir, "transport", s->transport, sizeof s->transport);
        el_sysfs_line(b->fs, ctrl_dir, "state", s->ctrl_state, sizeof s->ctrl_state);
        *strchrnul(s->ctrl_state, ' ') = '\0'; /* "deleting (no IO)" */
        if (!e->dir[0])
            fabric_address(b->fs, ctrl_dir, s->address, sizeof s->address);
        identify_text(b->fs, ctrl_dir, "serial", s->identify.serial, sizeof s->identify.serial);
        identify_text(b->fs, ctrl_dir, "model", s->identify.model, sizeof s->identify.model);
        identify_text(b->fs, ctrl_dir, "firmware_rev", s->identify.firmware, sizeof s->identify.firmware);
    }
    judge_state(s);
}

static int add_drive(struct build *b, const struct el_endpoint *e, const char *port)
{
    struct el_slot *s = add_slot(b);
    int32_t row = (int32_t)b->inv->n.slots - 1;

    if (!s)
        return -ENOMEM;
    fill_slot(b, e, s);
    if (port && !add_link(b, port, EL_LINK_DOWNSTREAM, row))
        return -ENOMEM;
    return !e->dir[0] || add_link(b, e->dir, EL_LINK_DRIVE, row) ? 0 : -ENOMEM;
}

/* A port without anything behind it is an empty slot, unless its registers say that no slot was built there. */
static int add_empty_port(struct build *b, const char *port)
{
    struct el_pcie_config config;
    struct el_slot *s;
    struct el_link *l;

    if (el_pcie_config_read(b->fs, port, &config) == 0 && !config.slot_implemented)
        return 0;
    s = add_slot(b);
    l = s ? add_link(b, port, EL_LINK_DOWNSTREAM, (int32_t)b->inv->n.slots - 1) : NULL;
    if (!l)
        return -ENOMEM;
    s->state = EL_SLOT_EMPTY;
    el_text_copy(s->label, sizeof s->label, l->physical_slot);
    s->numa_node = l->numa_node;
    return 0;
}

static int add_port(struct build *b, const char *port)
{
    EL_AUTO_NAMES struct el_names names = {0};
    bool empty = true;
    int r = el_sysfs_list(b->fs, port, &names);

    for (size_t i = 0; r == 0 && i < names.n; i++) {
        const struct el_endpoint *e;
        char dir[EL_SYSFS_PATH];

        if (!el_pcie_is_address(names.name[i]) || !el_sysfs_join(dir, port, names.name[i]))
            continue;
        empty = false;
        e = el_endpoint_at(&b->endpoints, dir);
        if (e)
            r = add_drive(b, e, port);
    }
    return r == 0 && empty ? add_empty_port(b, port) : r;
}

static int add_switch(struct build *b, const char *upstream)
{
    EL_AUTO_NAMES struct el_names names = {0};
    int r = add_hops(b, upstream, -1);

    if (r == 0 && !add_link(b, upstream, EL_LINK_UPSTREAM, -1))
        r = -ENOMEM;
    if (r == 0)
        r = el_sysfs_list(b->fs, upstream, &names);
    for (size_t i = 0; r == 0 && i < names.n; i++) {
        char port[EL_SYSFS_PATH];

        if (el_pcie_is_address(names.name[i]) && el_sysfs_join(port, upstream, names.name[i]))
            r = add_port(b, port);
    }
    return r;
}

static int add_lone(struct build *b, const struct el_endpoint *e)
{
    int r = e->dir[0] ? add_hops(b, e->dir, (int32_t)b->inv->n.slots) : 0;

    return r < 0 ? r : add_drive(b, e, NULL);
}

static int build_cards(struct build *b)
{
    int r = 0;

    for (uint32_t i = 0; r == 0 && i < b->endpoints.n; i++) {
        const struct el_endpoint *e = &b->endpoints.row[i];
        struct el_card *c;

        if (i && e->behind_switch && strcmp(b->endpoints.row[i - 1].card, e->card) == 0)
            continue;
        c = add_card(b, e);
        if (!c)
            return -ENOMEM;
        r = e->behind_switch ? add_switch(b, e->card) : add_lone(b, e);
        c = &b->inv->cards[b->inv->n.cards - 1];
        c->links = b->inv->n.links - c->first_link;
        snprintf(c->title, sizeof c->title, c->has_switch ? "PCIe switch with %u slot%s" : "NVMe drive", c->slots,
                 c->slots == 1 ? "" : "s");
    }
    return r;
}

int el_topology_read(const struct el_sysfs *fs, struct el_inventory *out)
{
    struct build b = {.fs = fs, .inv = out};
    int r = el_labels_read(fs, &b.labels);

    if (r == 0)
        r = el_endpoints_find(fs, &b.endpoints);
    if (r == 0)
        r = build_cards(&b);
    if (r == 0)
        r = el_namespaces_read(fs, out);
    if (r == 0)
        el_pcie_judge(out->links, out->n.links);
    else
        el_inventory_free(out);
    free(b.endpoints.row);
    el_labels_free(&b.labels);
    return r;
}

void el_topology_read_links(const struct el_sysfs *fs, struct el_link *links, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char dir[EL_SYSFS_PATH]; /* a function that is gone: reads nothing there, so all becomes unknown */

        snprintf(dir, sizeof dir, EL_PCI_DEVICES "/%s", links[i].address);
        el_pcie_read(fs, dir, &links[i]);
    }
    el_pcie_judge(links, n);
}

uint64_t el_topology_fingerprint(const struct el_sysfs *fs)
{
    static const char *const dirs[] = {EL_CLASS_NVME, EL_PCI_DEVICES, "sys/class/hwmon", "sys/class/block"};
    uint64_t h = EL_HASH_START;

    for (size_t d = 0; d < EL_ARRAY_SIZE(dirs); d++) {
        EL_AUTO_NAMES struct el_names names = {0};

        if (el_sysfs_list(fs, dirs[d], &names) < 0)
            continue;
        for (size_t i = 0; i < names.n; i++) {
            char dir[EL_SYSFS_PATH], text[64];

            h = el_hash_text(h, names.name[i]);
            if (d > 0 || !el_sysfs_join(dir, dirs[d], names.name[i]))
                continue;
            h = el_hash_text(h, el_sysfs_line(fs, dir, "state", text, sizeof text) == 0 ? text : "");
            h = el_hash_text(h, el_sysfs_line(fs, dir, "serial", text, sizeof text) == 0 ? text : "");
        }
    }
    return h;
}
