/* Card and drive profiles: one table of keys each, so that a key, its place and its bounds stand in one line. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "config/config.h"
#include "config/yaml.h"

#define DERIVE_DEPTH_MAX 4

enum type { TEXT, NUMBER, COUNT32, COUNT64, COUNT16, FLAG, GIGATRANSFERS, VERSION };

struct field {
    const char *key;
    enum type type;
    size_t offset;
    double lo, hi; /* numbers: bounds; text: hi is the size */
    bool optional; /* else the profile, or one it derives from, must state it */
};

#define D(member) offsetof(struct el_drive_profile, member)
static const struct field drive_fields[] = {
    {"model", TEXT, D(model), 0, 41},
    {"firmware", TEXT, D(firmware), 0, 9},
    {"vid", COUNT16, D(vid), 1, 0xffff},
    {"nvme_version", VERSION, D(nvme_version)},
    {"capacity_bytes", COUNT64, D(capacity_bytes), 1e9, 1e17},
    {"wctemp_celsius", NUMBER, D(wctemp_c), 20, 150, true},
    {"cctemp_celsius", NUMBER, D(cctemp_c), 20, 150, true},
    {"hctm_min_celsius", NUMBER, D(mntmt_c), -50, 150, true},
    {"hctm_max_celsius", NUMBER, D(mxtmt_c), -50, 150, true},
    {"rated_endurance_bytes", NUMBER, D(rated_endurance_bytes), 1e9, 1e21, true},
    {"idle_watts", NUMBER, D(idle_w), 0.01, 100},
    {"full_watts", NUMBER, D(full_w), 0.1, 200},
    {"read_joules_per_byte", NUMBER, D(read_j_per_byte), 0, 1e-6},
    {"write_joules_per_byte", NUMBER, D(write_j_per_byte), 0, 1e-6},
    {"read_joules_per_op", NUMBER, D(read_j_per_op), 0, 1e-2},
    {"write_joules_per_op", NUMBER, D(write_j_per_op), 0, 1e-2},
    {"firmware_throttle_celsius", NUMBER, D(firmware_throttle_c), 20, 150, true},
    {"sensors", COUNT32, D(sensors), 0, 8},
    {"ocp", FLAG, D(ocp), 0, 0, true},
    {"tcg", FLAG, D(tcg), 0, 0, true},
    {"link_gigatransfers", GIGATRANSFERS, D(link_gts10), 2.5, 64},
    {"link_lanes", COUNT32, D(link_width), 1, 16},
};

#define C(member) offsetof(struct el_card_profile, member)
static const struct field card_fields[] = {
    {"title", TEXT, C(title), 0, 96},
    {"slots", COUNT32, C(slots), 1, EL_CARD_SLOTS_MAX},
    {"link_gigatransfers", GIGATRANSFERS, C(link_gts10), 2.5, 64},
    {"link_lanes", COUNT32, C(link_width), 1, 16},
    {"slot_link_gigatransfers", GIGATRANSFERS, C(slot_link_gts10), 2.5, 64},
    {"slot_link_lanes", COUNT32, C(slot_link_width), 1, 16},
    {"inlet_min_celsius", NUMBER, C(inlet_min_c), -50, 100},
    {"inlet_max_celsius", NUMBER, C(inlet_max_c), 0, 100},
    {"airflow_min_lfm", NUMBER, C(airflow_min_lfm), 0, 5000},
    {"humidity_min_ratio", NUMBER, C(humidity_min_ratio), 0, 1, true},
    {"humidity_max_ratio", NUMBER, C(humidity_max_ratio), 0, 1, true},
    {"typical_watts", NUMBER, C(typical_w), 0.1, 1000, true},
    {"max_watts", NUMBER, C(max_w), 0.1, 1000, true},
    {"rated_endurance_bytes", NUMBER, C(rated_endurance_bytes), 1e9, 1e22, true},
    {"warranty_years", NUMBER, C(warranty_years), 0, 30, true},
    {"sink_r400_celsius_per_watt", NUMBER, C(sink_r400_c_per_w), 0.001, 20},
    {"sink_r_exponent", NUMBER, C(sink_r_exponent), 0, 2},
    {"sink_joules_per_celsius", NUMBER, C(sink_c_j_per_k), 1, 1e5},
    {"drive_r_celsius_per_watt", NUMBER, C(drive_r_c_per_w), 0.001, 50},
    {"drive_joules_per_celsius", NUMBER, C(drive_c_j_per_k), 0.1, 1e4},
    {"switch_watts", NUMBER, C(switch_w), 0.1, 200, true},
    {"switch_limit_celsius", NUMBER, C(switch_limit_c), 20, 150, true},
    {"fans", COUNT32, C(fans), 0, 8},
};

/* "1.2.1" as the Identify page has it. */
static int read_version(const struct el_yaml *n, uint32_t *out, struct el_config_error *err)
{
    unsigned major, minor, tertiary = 0;
    int used = 0, parts;

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    parts = sscanf(n->text, "%3u.%3u%n.%3u%n", &major, &minor, &used, &tertiary, &used);
    if (parts < 2 || n->text[used] || major > 9 || minor > 99 || tertiary > 99)
        return el_yaml_error(n, err, "got \"%.40s\", expected a version such as \"1.2.1\"", n->text);
    *out = major << 16 | minor << 8 | tertiary;
    return 0;
}

static int read_field(const struct el_yaml *n, const struct field *f, void *base, struct el_config_error *err)
{
    void *p = (char *)base + f->offset;
    uint64_t u = 0;
    double v = 0;
    int r;

    switch (f->type) {
    case TEXT:
        return el_yaml_text(n, p, (size_t)f->hi, err);
    case NUMBER:
        return el_yaml_double(n, f->lo, f->hi, p, err);
    case FLAG:
        return el_yaml_bool(n, p, err);
    case VERSION:
        return read_version(n, p, err);
    case GIGATRANSFERS:
        r = el_yaml_double(n, f->lo, f->hi, &v, err);
        if (r == 0)
            *(uint32_t *)p = (uint32_t)lround(v * 10);
        return r;
    default:
        r = el_yaml_u64(n, (uint64_t)f->lo, (uint64_t)f->hi, &u, err);
        if (r == 0 && f->type == COUNT64)
            *(uint64_t *)p = u;
        else if (r == 0 && f->type == COUNT32)
            *(uint32_t *)p = (uint32_t)u;
        else if (r == 0)
            *(uint16_t *)p = (uint16_t)u;
        return r;
    }
}

/* The fields that `y` states. What it must state: everything not optional, unless it derives from another profile. */
static int read_fields(const struct el_yaml *y, const struct field *fields, size_t count, void *base, bool derived,
                       struct el_config_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct el_yaml *n = el_yaml_get(y, fields[i].key);
        int r = n ? read_field(n, &fields[i], base, err) : 0;

        if (!n && !fields[i].optional && !derived)
            r = el_yaml_error(y, err, "%s is missing, and there is no derives_from to take it from", fields[i].key);
        if (r < 0)
            return r;
    }
    return 0;
}

/* Each key must be one of the table's, of the kind's own, or of the two that every profile has. */
static int check_keys(const struct el_yaml *y, const char *kind, const struct field *fields, size_t count,
                      const char *const *own, struct el_config_error *err)
{
    const char *keys[64];
    size_t n = 0;

    keys[n++] = kind;
    keys[n++] = "derives_from";
    for (size_t i = 0; i < count; i++)
        keys[n++] = fields[i].key;
    for (; *own; own++)
        keys[n++] = *own;
    keys[n] = NULL;
    return el_yaml_known_keys(y, keys, err);
}

static int read_power_states(const struct el_yaml *list, struct el_drive_profile *d, struct el_config_error *err)
{
    static const char *const keys[] = {"max_watts", "entry_us", "exit_us", "operational", NULL};

    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    if (list->n < 1 || list->n > EL_ARRAY_SIZE(d->power_state))
        return el_yaml_error(list, err, "got %zu power states, expected 1 to %zu", list->n,
                             EL_ARRAY_SIZE(d->power_state));
    for (size_t i = 0; i < list->n; i++) {
        const struct el_yaml *m = list->child[i], *n;
        struct el_profile_power_state *s = &d->power_state[i];
        uint64_t entry = 0, leave = 0;

        *s = (struct el_profile_power_state){.operational = true};
        if (el_yaml_expect(m, EL_YAML_MAP, err) < 0 || el_yaml_known_keys(m, keys, err) < 0)
            return -EINVAL;
        if (!(n = el_yaml_get(m, "max_watts")))
            return el_yaml_error(m, err, "max_watts is missing");
        if (el_yaml_double(n, 0.0001, 600, &s->max_w, err) < 0 ||
            ((n = el_yaml_get(m, "entry_us")) && el_yaml_u64(n, 0, UINT32_MAX, &entry, err) < 0) ||
            ((n = el_yaml_get(m, "exit_us")) && el_yaml_u64(n, 0, UINT32_MAX, &leave, err) < 0) ||
            ((n = el_yaml_get(m, "operational")) && el_yaml_bool(n, &s->operational, err) < 0))
            return -EINVAL;
        s->entry_us = (uint32_t)entry;
        s->exit_us = (uint32_t)leave;
    }
    d->power_states = (uint32_t)list->n;
    return 0;
}

static int read_workload(const struct el_yaml *m, struct el_workload *w, struct el_config_error *err)
{
    static const char *const keys[] = {"name",       "iops",          "latency_us",   "block_bytes",
                                       "read_ratio", "block_assumed", "read_assumed", NULL};
    const struct field fields[] = {
        {"name", TEXT, offsetof(struct el_workload, name), 0, EL_NAME_MAX},
        {"iops", NUMBER, offsetof(struct el_workload, iops), 1, 1e9},
        {"latency_us", NUMBER, offsetof(struct el_workload, latency_us), 1, 1e7},
        {"block_bytes", NUMBER, offsetof(struct el_workload, block_bytes), 512, 16 << 20},
        {"read_ratio", NUMBER, offsetof(struct el_workload, read_ratio), 0, 1},
    };
    bool block = false, read = false;
    const struct el_yaml *n;

    if (el_yaml_expect(m, EL_YAML_MAP, err) < 0 || el_yaml_known_keys(m, keys, err) < 0 ||
        read_fields(m, fields, EL_ARRAY_SIZE(fields), w, false, err) < 0 ||
        ((n = el_yaml_get(m, "block_assumed")) && el_yaml_bool(n, &block, err) < 0) ||
        ((n = el_yaml_get(m, "read_assumed")) && el_yaml_bool(n, &read, err) < 0))
        return -EINVAL;
    w->block_origin = block ? EL_ASSUMED : EL_MEASURED;
    w->read_origin = read ? EL_ASSUMED : EL_MEASURED;
    return 0;
}

static int read_workloads(const struct el_yaml *list, struct el_card_profile *c, struct el_config_error *err)
{
    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    if (list->n > EL_WORKLOADS_MAX)
        return el_yaml_error(list, err, "got %zu workloads, at most %d", list->n, EL_WORKLOADS_MAX);
    for (size_t i = 0; i < list->n; i++) {
        int r = read_workload(list->child[i], &c->workload[i], err);

        for (size_t j = 0; r == 0 && j < i; j++)
            if (strcmp(c->workload[i].name, c->workload[j].name) == 0)
                r = el_yaml_error(list->child[i], err, "workload %s stands here twice", c->workload[i].name);
        if (r < 0)
            return r;
    }
    c->workloads = (uint32_t)list->n;
    return 0;
}

/* `drive: NAME` for every slot, or one name per slot in a list. */
static int read_slot_drives(const struct el_yaml *n, struct el_card_profile *c, struct el_config_error *err)
{
    if (n->kind == EL_YAML_LIST && n->n != c->slots)
        return el_yaml_error(n, err, "got %zu drives, expected one name, or a list of %u", n->n, c->slots);
    for (uint32_t i = 0; i < c->slots; i++)
        if (el_yaml_text(n->kind == EL_YAML_LIST ? n->child[i] : n, c->drive[i], EL_NAME_MAX, err) < 0)
            return -EINVAL;
    return 0;
}

/* Opens NAME.yaml, which must say `kind: NAME`. `parent` gets the name it derives from, or "". */
static int open_profile(const char *dir, const char *kind, const char *name, struct el_yaml **out,
                        char parent[EL_NAME_MAX], struct el_config_error *err)
{
    EL_AUTO_YAML struct el_yaml *y = NULL;
    const struct el_yaml *n;
    char path[PATH_MAX];
    int r;

    if (!*name || strchr(name, '/') || strlen(name) >= EL_NAME_MAX || name[0] == '.') {
        snprintf(err->text, sizeof err->text, "\"%.60s\" is not the name of a %s profile", name, kind);
        return -EINVAL;
    }
    snprintf(path, sizeof path, "%s/%s.yaml", dir, name);
    r = el_yaml_load(path, &y, err);
    if (r == -ENOENT)
        snprintf(err->text, sizeof err->text, "no %s profile \"%s\" in %s", kind, name, dir);
    if (r < 0)
        return r;
    if (y->n == 0 || strcmp(y->child[0]->key, kind) != 0)
        return el_yaml_error(y, err, "not a %s profile: the first key must be \"%s\"", kind, kind);
    if (y->child[0]->kind != EL_YAML_SCALAR || strcmp(y->child[0]->text, name) != 0)
        return el_yaml_error(y->child[0], err, "must be the name of the file, \"%s\"", name);
    parent[0] = 0;
    n = el_yaml_get(y, "derives_from");
    if (n && el_yaml_text(n, parent, EL_NAME_MAX, err) < 0)
        return -EINVAL;
    *out = y;
    y = NULL;
    return 0;
}

static int load_drive(const char *dir, const char *name, struct el_drive_profile *d, unsigned depth,
                      struct el_config_error *err)
{
    static const char *const own[] = {"power_states", NULL};
    EL_AUTO_YAML struct el_yaml *y = NULL;
    char parent[EL_NAME_MAX];
    const struct el_yaml *n;
    int r = open_profile(dir, "drive", name, &y, parent, err);

    if (r < 0)
        return r;
    if (depth > DERIVE_DEPTH_MAX)
        return el_yaml_error(y, err, "derives from too long a chain of profiles (at most %d)", DERIVE_DEPTH_MAX);
    if (*parent && (r = load_drive(dir, parent, d, depth + 1, err)) < 0)
        return r;
    if (check_keys(y, "drive", drive_fields, EL_ARRAY_SIZE(drive_fields), own, err) < 0 ||
        read_fields(y, drive_fields, EL_ARRAY_SIZE(drive_fields), d, *parent, err) < 0)
        return -EINVAL;
    n = el_yaml_get(y, "power_states");
    if (!n && !*parent)
        return el_yaml_error(y, err, "power_states is missing");
    if (n && read_power_states(n, d, err) < 0)
        return -EINVAL;
    if (d->wctemp_c >= d->cctemp_c || d->idle_w >= d->full_w || isnan(d->mntmt_c) != isnan(d->mxtmt_c) ||
        d->mntmt_c > d->mxtmt_c)
        return el_yaml_error(y, err,
                             "wctemp must be below cctemp, idle_watts below full_watts, hctm_min not above hctm_max");
    el_text_copy(d->name, sizeof d->name, name);
    el_text_copy(d->derived_from, sizeof d->derived_from, parent);
    d->hctm = isfinite(d->mntmt_c);
    return 0;
}

int el_config_load_drive(const char *dir, const char *name, struct el_drive_profile *out, struct el_config_error *err)
{
    struct el_drive_profile d = {
        .wctemp_c = NAN, .cctemp_c = NAN, .mntmt_c = NAN, .mxtmt_c = NAN, .firmware_throttle_c = NAN};
    int r = load_drive(dir, name, &d, 0, err);

    if (r == 0)
        *out = d;
    return r;
}

static int load_card(const char *dir, const char *name, struct el_card_profile *c, unsigned depth,
                     struct el_config_error *err)
{
    static const char *const own[] = {"drive", "workloads", NULL};
    EL_AUTO_YAML struct el_yaml *y = NULL;
    char parent[EL_NAME_MAX];
    const struct el_yaml *n, *drive;
    int r = open_profile(dir, "card", name, &y, parent, err);

    if (r < 0)
        return r;
    if (depth > DERIVE_DEPTH_MAX)
        return el_yaml_error(y, err, "derives from too long a chain of profiles (at most %d)", DERIVE_DEPTH_MAX);
    if (*parent && (r = load_card(dir, parent, c, depth + 1, err)) < 0)
        return r;
    if (check_keys(y, "card", card_fields, EL_ARRAY_SIZE(card_fields), own, err) < 0 ||
        read_fields(y, card_fields, EL_ARRAY_SIZE(card_fields), c, *parent, err) < 0)
        return -EINVAL;
    drive = el_yaml_get(y, "drive");
    if (!drive && (!*parent || el_yaml_get(y, "slots")))
        return el_yaml_error(y, err, "drive is missing: the drive profile of each slot");
    if (drive && read_slot_drives(drive, c, err) < 0)
        return -EINVAL;
    n = el_yaml_get(y, "workloads");
    if (n && read_workloads(n, c, err) < 0)
        return -EINVAL;
    if (c->inlet_min_c >= c->inlet_max_c)
        return el_yaml_error(y, err, "inlet_min_celsius must be below inlet_max_celsius");
    el_text_copy(c->name, sizeof c->name, name);
    c->has_switch = c->switch_w > 0;
    return 0;
}

int el_config_load_card(const char *dir, const char *name, struct el_card_profile *out, struct el_config_error *err)
{
    static const struct el_card_profile unknown = {
        .typical_w = NAN,
        .max_w = NAN,
        .humidity_min_ratio = NAN,
        .humidity_max_ratio = NAN,
        .switch_limit_c = NAN,
        .warranty_years = NAN,
    };
    struct el_card_profile c = unknown;
    int r = load_card(dir, name, &c, 0, err);

    if (r == 0)
        *out = c;
    return r;
}
