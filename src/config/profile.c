/* Card and drive profiles. Each is one table of keys, so a key, its place and its bounds stand in one line. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "config/config.h"
#include "config/field.h"

#define DERIVE_DEPTH_MAX 4
#define NO_PARENT        ", and there is no derives_from to take it from"

/* "1.2.1" as the Identify page has it. */
static int read_version(const struct el_yaml *n, void *out, struct el_config_error *err)
{
    unsigned major, minor, tertiary = 0;
    int used = 0, parts;

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    parts = sscanf(n->text, "%3u.%3u%n.%3u%n", &major, &minor, &used, &tertiary, &used);
    if (parts < 2 || n->text[used] || major > 9 || minor > 99 || tertiary > 99)
        return el_yaml_error(n, err, "got \"%.40s\", expected a version such as \"1.2.1\"", n->text);
    *(uint32_t *)out = major << 16 | minor << 8 | tertiary;
    return 0;
}

static int read_gigatransfers(const struct el_yaml *n, void *tenths, struct el_config_error *err)
{
    double v;

    if (el_yaml_double(n, 2.5, 64, &v, err) < 0)
        return -EINVAL;
    *(uint32_t *)tenths = (uint32_t)lround(v * 10);
    return 0;
}

#define S(member) EL_FIELD_AT(el_profile_power_state, member)
static const struct el_field state_fields[] = {
    {"max_watts", EL_FIELD_DOUBLE, S(max_w), 0.0001, 600, true},
    {"entry_us", EL_FIELD_UNSIGNED, S(entry_us), 0, UINT32_MAX},
    {"exit_us", EL_FIELD_UNSIGNED, S(exit_us), 0, UINT32_MAX},
    {"operational", EL_FIELD_BOOL, S(operational)},
    {0},
};

static int read_power_states(const struct el_yaml *list, void *drive, struct el_config_error *err)
{
    struct el_drive_profile *d = drive;
    int r = el_yaml_list(list, EL_ARRAY_SIZE(d->power_state), err);

    if (r == 0 && list->n == 0)
        r = el_yaml_error(list, err, "expected at least one power state");
    for (size_t i = 0; r == 0 && i < list->n; i++) {
        d->power_state[i] = (struct el_profile_power_state){.operational = true};
        r = el_fields_read(list->child[i], state_fields, &d->power_state[i], "", err);
    }
    d->power_states = (uint32_t)list->n;
    return r;
}

static int read_assumed(const struct el_yaml *n, void *origin, struct el_config_error *err)
{
    bool assumed;

    if (el_yaml_bool(n, &assumed, err) < 0)
        return -EINVAL;
    *(enum el_origin *)origin = assumed ? EL_ASSUMED : EL_MEASURED;
    return 0;
}

#define W(member) EL_FIELD_AT(el_workload, member)
static const struct el_field workload_fields[] = {
    {"name", EL_FIELD_TEXT, W(name), 0, 0, true},
    {"iops", EL_FIELD_DOUBLE, W(iops), 1, 1e9, true},
    {"latency_us", EL_FIELD_DOUBLE, W(latency_us), 1, 1e7, true},
    {"block_bytes", EL_FIELD_DOUBLE, W(block_bytes), 512, 16 << 20, true},
    {"read_ratio", EL_FIELD_DOUBLE, W(read_ratio), 0, 1, true},
    {"block_assumed", EL_FIELD_OTHER, W(block_origin), .read = read_assumed},
    {"read_assumed", EL_FIELD_OTHER, W(read_origin), .read = read_assumed},
    {0},
};

static int read_workloads(const struct el_yaml *list, void *card, struct el_config_error *err)
{
    struct el_card_profile *c = card;
    int r = el_yaml_list(list, EL_WORKLOADS_MAX, err);

    for (size_t i = 0; r == 0 && i < list->n; i++) {
        c->workload[i] = (struct el_workload){.block_origin = EL_MEASURED, .read_origin = EL_MEASURED};
        r = el_fields_read(list->child[i], workload_fields, &c->workload[i], "", err);
        for (size_t j = 0; r == 0 && j < i; j++)
            if (strcmp(c->workload[i].name, c->workload[j].name) == 0)
                r = el_yaml_error(list->child[i], err, "workload %s stands here twice", c->workload[i].name);
    }
    c->workloads = (uint32_t)list->n;
    return r;
}

/* `drive: NAME` for every slot, or one name per slot in a list. */
static int read_slot_drives(const struct el_yaml *n, void *card, struct el_config_error *err)
{
    struct el_card_profile *c = card;

    if (n->kind == EL_YAML_LIST && n->n != c->slots)
        return el_yaml_error(n, err, "got %zu drives, expected one name, or a list of %u", n->n, c->slots);
    for (uint32_t i = 0; i < c->slots; i++)
        if (el_yaml_text(n->kind == EL_YAML_LIST ? n->child[i] : n, c->drive[i], EL_NAME_MAX, err) < 0)
            return -EINVAL;
    return 0;
}

#define D(member) EL_FIELD_AT(el_drive_profile, member)
static const struct el_field drive_fields[] = {
    {"drive"},
    {"derives_from"},
    {"model", EL_FIELD_TEXT, D(model), 0, 0, true},
    {"firmware", EL_FIELD_TEXT, D(firmware), 0, 0, true},
    {"vid", EL_FIELD_UNSIGNED, D(vid), 1, 0xffff, true},
    {"nvme_version", EL_FIELD_OTHER, D(nvme_version), 0, 0, true, read_version},
    {"capacity_bytes", EL_FIELD_UNSIGNED, D(capacity_bytes), 1e9, 1e17, true},
    {"wctemp_celsius", EL_FIELD_DOUBLE, D(wctemp_c), 20, 150},
    {"cctemp_celsius", EL_FIELD_DOUBLE, D(cctemp_c), 20, 150},
    {"hctm_min_celsius", EL_FIELD_DOUBLE, D(mntmt_c), -50, 150},
    {"hctm_max_celsius", EL_FIELD_DOUBLE, D(mxtmt_c), -50, 150},
    {"rated_endurance_bytes", EL_FIELD_DOUBLE, D(rated_endurance_bytes), 1e9, 1e21},
    {"idle_watts", EL_FIELD_DOUBLE, D(idle_w), 0.01, 100, true},
    {"full_watts", EL_FIELD_DOUBLE, D(full_w), 0.1, 200, true},
    {"read_joules_per_byte", EL_FIELD_DOUBLE, D(read_j_per_byte), 0, 1e-6, true},
    {"write_joules_per_byte", EL_FIELD_DOUBLE, D(write_j_per_byte), 0, 1e-6, true},
    {"read_joules_per_op", EL_FIELD_DOUBLE, D(read_j_per_op), 0, 1e-2, true},
    {"write_joules_per_op", EL_FIELD_DOUBLE, D(write_j_per_op), 0, 1e-2, true},
    {"firmware_throttle_celsius", EL_FIELD_DOUBLE, D(firmware_throttle_c), 20, 150},
    {"sensors", EL_FIELD_UNSIGNED, D(sensors), 0, 8, true},
    {"ocp", EL_FIELD_BOOL, D(ocp)},
    {"tcg", EL_FIELD_BOOL, D(tcg)},
    {"link_gigatransfers", EL_FIELD_OTHER, D(link_gts10), 0, 0, true, read_gigatransfers},
    {"link_lanes", EL_FIELD_UNSIGNED, D(link_width), 1, 16, true},
    {"power_states", EL_FIELD_OTHER, 0, 0, 0, 0, true, read_power_states},
    {0},
};

#define C(member) EL_FIELD_AT(el_card_profile, member)
static const struct el_field card_fields[] = {
    {"card"},
    {"derives_from"},
    {"title", EL_FIELD_TEXT, C(title), 0, 0, true},
    {"slots", EL_FIELD_UNSIGNED, C(slots), 1, EL_CARD_SLOTS_MAX, true},
    {"link_gigatransfers", EL_FIELD_OTHER, C(link_gts10), 0, 0, true, read_gigatransfers},
    {"link_lanes", EL_FIELD_UNSIGNED, C(link_width), 1, 16, true},
    {"slot_link_gigatransfers", EL_FIELD_OTHER, C(slot_link_gts10), 0, 0, true, read_gigatransfers},
    {"slot_link_lanes", EL_FIELD_UNSIGNED, C(slot_link_width), 1, 16, true},
    {"inlet_min_celsius", EL_FIELD_DOUBLE, C(inlet_min_c), -50, 100, true},
    {"inlet_max_celsius", EL_FIELD_DOUBLE, C(inlet_max_c), 0, 100, true},
    {"airflow_min_lfm", EL_FIELD_DOUBLE, C(airflow_min_lfm), 0, 5000, true},
    {"humidity_min_ratio", EL_FIELD_DOUBLE, C(humidity_min_ratio), 0, 1},
    {"humidity_max_ratio", EL_FIELD_DOUBLE, C(humidity_max_ratio), 0, 1},
    {"typical_watts", EL_FIELD_DOUBLE, C(typical_w), 0.1, 1000},
    {"max_watts", EL_FIELD_DOUBLE, C(max_w), 0.1, 1000},
    {"rated_endurance_bytes", EL_FIELD_DOUBLE, C(rated_endurance_bytes), 1e9, 1e22},
    {"warranty_years", EL_FIELD_DOUBLE, C(warranty_years), 0, 30},
    {"sink_r400_celsius_per_watt", EL_FIELD_DOUBLE, C(sink_r400_c_per_w), 0.001, 20, true},
    {"sink_r_exponent", EL_FIELD_DOUBLE, C(sink_r_exponent), 0, 2, true},
    {"sink_joules_per_celsius", EL_FIELD_DOUBLE, C(sink_c_j_per_k), 1, 1e5, true},
    {"drive_r_celsius_per_watt", EL_FIELD_DOUBLE, C(drive_r_c_per_w), 0.001, 50, true},
    {"drive_joules_per_celsius", EL_FIELD_DOUBLE, C(drive_c_j_per_k), 0.1, 1e4, true},
    {"switch_watts", EL_FIELD_DOUBLE, C(switch_w), 0.1, 200},
    {"switch_limit_celsius", EL_FIELD_DOUBLE, C(switch_limit_c), 20, 150},
    {"fans", EL_FIELD_UNSIGNED, C(fans), 0, 8, true},
    {"drive", EL_FIELD_OTHER, .read = read_slot_drives}, /* of as many slots as stand above */
    {"workloads", EL_FIELD_OTHER, .read = read_workloads},
    {0},
};

static int check_drive(const struct el_yaml *y, void *drive, bool derived, struct el_config_error *err)
{
    struct el_drive_profile *d = drive;

    if (d->wctemp_c >= d->cctemp_c || d->idle_w >= d->full_w || isnan(d->mntmt_c) != isnan(d->mxtmt_c) ||
        d->mntmt_c > d->mxtmt_c)
        return el_yaml_error(y, err,
                             "wctemp must be below cctemp, idle_watts below full_watts, hctm_min not above hctm_max");
    d->hctm = isfinite(d->mntmt_c);
    return 0;
}

static int check_card(const struct el_yaml *y, void *card, bool derived, struct el_config_error *err)
{
    struct el_card_profile *c = card;

    if (!el_yaml_get(y, "drive") && (!derived || el_yaml_get(y, "slots")))
        return el_yaml_error(y, err, "drive is missing: the drive profile of each slot");
    if (c->inlet_min_c >= c->inlet_max_c)
        return el_yaml_error(y, err, "inlet_min_celsius must be below inlet_max_celsius");
    c->has_switch = c->switch_w > 0;
    return 0;
}

struct kind {
    const char *name;
    const struct el_field *fields;
    int (*check)(const struct el_yaml *y, void *profile, bool derived, struct el_config_error *err);
};

/* NAME.yaml, which must say `kind: NAME`. */
static int open_profile(const char *dir, const char *kind, const char *name, struct el_yaml **out,
                        struct el_config_error *err)
{
    const struct el_yaml *first;
    char path[PATH_MAX];
    int r;

    if (!*name || strchr(name, '/') || strlen(name) >= EL_NAME_MAX || name[0] == '.') {
        snprintf(err->text, sizeof err->text, "\"%.60s\" is not the name of a %s profile", name, kind);
        return -EINVAL;
    }
    snprintf(path, sizeof path, "%s/%s.yaml", dir, name);
    r = el_yaml_load(path, out, err);
    if (r == -ENOENT)
        snprintf(err->text, sizeof err->text, "no %s profile \"%s\" in %s", kind, name, dir);
    if (r < 0)
        return r;
    first = (*out)->n ? (*out)->child[0] : NULL;
    if (!first || strcmp(first->key, kind) != 0)
        return el_yaml_error(*out, err, "not a %s profile: the first key must be \"%s\"", kind, kind);
    if (first->kind != EL_YAML_SCALAR || strcmp(first->text, name) != 0)
        return el_yaml_error(first, err, "must be the name of the file, \"%s\"", name);
    return 0;
}

/* Loads it over what it derives from, whose name goes to `parent` ("" = nothing). */
static int load(const struct kind *k, const char *dir, const char *name, void *profile, char parent[EL_NAME_MAX],
                unsigned depth, struct el_config_error *err)
{
    EL_AUTO_YAML struct el_yaml *y = NULL;
    char grandparent[EL_NAME_MAX];
    const struct el_yaml *from;
    int r = open_profile(dir, k->name, name, &y, err);

    if (r < 0)
        return r;
    if (depth > DERIVE_DEPTH_MAX)
        return el_yaml_error(y, err, "derives from too long a chain of profiles (at most %d)", DERIVE_DEPTH_MAX);
    parent[0] = 0;
    from = el_yaml_get(y, "derives_from");
    if (from && el_yaml_text(from, parent, EL_NAME_MAX, err) < 0)
        return -EINVAL;
    if (*parent && (r = load(k, dir, parent, profile, grandparent, depth + 1, err)) < 0)
        return r;
    if (el_fields_read(y, k->fields, profile, *parent ? NULL : NO_PARENT, err) < 0)
        return -EINVAL;
    return k->check(y, profile, *parent, err);
}

int el_config_load_drive(const char *dir, const char *name, struct el_drive_profile *out, struct el_config_error *err)
{
    static const struct kind drive = {"drive", drive_fields, check_drive};
    struct el_drive_profile d = {
        .wctemp_c = NAN, .cctemp_c = NAN, .mntmt_c = NAN, .mxtmt_c = NAN, .firmware_throttle_c = NAN};
    int r = load(&drive, dir, name, &d, d.derived_from, 0, err);

    if (r < 0)
        return r;
    el_text_copy(d.name, sizeof d.name, name);
    *out = d;
    return 0;
}

int el_config_load_card(const char *dir, const char *name, struct el_card_profile *out, struct el_config_error *err)
{
    static const struct kind card = {"card", card_fields, check_card};
    struct el_card_profile c = {.typical_w = NAN,
                                .max_w = NAN,
                                .humidity_min_ratio = NAN,
                                .humidity_max_ratio = NAN,
                                .switch_limit_c = NAN,
                                .warranty_years = NAN};
    char parent[EL_NAME_MAX];
    int r = load(&card, dir, name, &c, parent, 0, err);

    if (r < 0)
        return r;
    el_text_copy(c.name, sizeof c.name, name);
    *out = c;
    return 0;
}

int el_config_load_card_drives(const char *dir, const char *name, struct el_card_profile *card,
                               struct el_drive_profile drives[EL_CARD_SLOTS_MAX], struct el_config_error *err)
{
    int r = el_config_load_card(dir, name, card, err);

    for (uint32_t i = 0; r == 0 && i < card->slots; i++)
        r = el_config_load_drive(dir, card->drive[i], &drives[i], err);
    return r;
}
