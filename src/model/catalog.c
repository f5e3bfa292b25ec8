#include "model/catalog.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "model/catalog_private.h"
#include "model/fill.h"

/* The macros of catalog_rows.inc. Row names stand for structures: `slot` for struct el_slot. */
#define SUB0
#define SUB1(a)     .sub = {&el_sub_##a},
#define SUB2(a, b)  .sub = {&el_sub_##a, &el_sub_##b},
#define KEPT        .kept = true
#define ABSENT_ZERO .absent_zero = true
#define MOVES       .moves = true
#define NEXT(type)  .stride = sizeof(type)
#define C(reader)   .read = el_read_##reader, .factor = 1
#define FIELD(reader, type, member, factor_, decimals_)                                                                \
    .read = el_read_##reader, .offset = offsetof(type, member), .factor = factor_, .decimals = decimals_
#define F(reader, row, member, factor, decimals) FIELD(reader, struct el_##row, member, factor, decimals)
#define A(reader, row, member, factor, decimals)                                                                       \
    F(reader, row, member, factor, decimals), .stride = sizeof(((struct el_##row *)0)->member[0])
#define F2(reader, row, member, decimals)                                                                              \
    F(reader, row, member, 1, decimals), .stride = sizeof(((struct el_##row *)0)->member[0][0])
#define PS(reader, member, decimals)                                                                                   \
    F(reader, slot, identify.power_state[0].member, 1, decimals), .stride = sizeof(struct el_nvme_power_state)
#define P(reader, member, decimals) FIELD(reader, struct el_process_stats, member, 1, decimals)
#define S(kind, decimals_)          .read = el_read_sensor, .factor = EL_SENSOR_##kind, .decimals = decimals_

static const struct el_metric metrics[] = {
#define EL_ROW(id, name_, unit_, type_, scope_, group_, guard_, subs, help_, ...)                                      \
    [EL_METRIC_##id] = {.name = name_,                                                                                 \
                        .unit = unit_,                                                                                 \
                        .help = help_,                                                                                 \
                        .type = EL_METRIC_##type_,                                                                     \
                        .scope = EL_SCOPE_##scope_,                                                                    \
                        .group = EL_GROUP_##group_,                                                                    \
                        .guard = EL_GUARD_##guard_,                                                                    \
                        subs __VA_ARGS__},
#include "model/catalog_rows.inc"
#undef EL_ROW
};

const struct el_metric *el_metric(enum el_metric_id id)
{
    return &metrics[id];
}

uint32_t el_metric_subs(const struct el_metric *m)
{
    return (m->sub[0] ? m->sub[0]->n : 1) * (m->sub[1] ? m->sub[1]->n : 1);
}

const char *el_metric_suffix(const struct el_metric *m)
{
    return m->type == EL_METRIC_COUNTER ? "_total" : m->type == EL_METRIC_INFO ? "_info" : "";
}

const char *el_metric_sub_value(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row,
                                uint32_t sub, int which)
{
    uint32_t n = m->sub[1] ? m->sub[1]->n : 1, i = which ? sub % n : sub / n;

    if (m->sub[which]->value)
        return m->sub[which]->value(i);
    return i ? el_snapshot_links(c->s)[row].aer_error[i - 1].name : "total";
}

/* Where the rows of a scope stand. */
struct rows {
    size_t offset, count; /* the members of struct el_snapshot that say so */
    size_t size;          /* of a row */
};
#define ROWS(table, type)                                                                                              \
    {                                                                                                                  \
        offsetof(struct el_snapshot, table.offset), offsetof(struct el_snapshot, table.count), sizeof(struct type)     \
    }
static const struct rows tables[EL_SCOPE_COUNT] = {
    [EL_SCOPE_CARD] = ROWS(cards, el_card),    [EL_SCOPE_SLOT] = ROWS(slots, el_slot),
    [EL_SCOPE_LINK] = ROWS(links, el_link),    [EL_SCOPE_NAMESPACE] = ROWS(namespaces, el_namespace),
    [EL_SCOPE_ALARM] = ROWS(alarms, el_alarm), [EL_SCOPE_SENSOR] = ROWS(sensors, el_sensor),
};

static uint32_t member(const struct el_snapshot *s, size_t offset)
{
    return *(const uint32_t *)((const char *)s + offset);
}

uint32_t el_scope_rows(const struct el_catalog_context *c, enum el_metric_scope scope)
{
    return scope == EL_SCOPE_DAEMON     ? 1
           : scope == EL_SCOPE_EXPORTER ? c->exporter != NULL
                                        : member(c->s, tables[scope].count);
}

const void *el_catalog_row(const struct el_catalog_context *c, enum el_metric_scope scope, uint32_t row)
{
    if (scope == EL_SCOPE_DAEMON)
        return &c->s->daemon;
    if (scope == EL_SCOPE_EXPORTER)
        return c->exporter;
    return (const char *)c->s + member(c->s, tables[scope].offset) + row * tables[scope].size;
}

/* The drive is up, and the page that the guard names is good. */
static bool slot_guard(const struct el_slot *t, enum el_guard guard)
{
    return t->state == EL_SLOT_UP && (guard == EL_GUARD_UP || t->stamp[guard - EL_GUARD_SMART].quality == EL_GOOD);
}

static bool guard_holds(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row)
{
    const struct el_snapshot *s = c->s;

    if (m->guard == EL_GUARD_NONE)
        return true;
    switch (m->scope) {
    case EL_SCOPE_SLOT:
        if (m->guard != EL_GUARD_GOVERNED)
            return slot_guard(&el_snapshot_slots(s)[row], m->guard);
        /* A drive that hangs or is unbound still has a cap and counts; an empty place has none. */
        return el_snapshot_cards(s)[el_snapshot_slots(s)[row].card].governed &&
               el_snapshot_slots(s)[row].state != EL_SLOT_EMPTY && el_snapshot_slots(s)[row].state != EL_SLOT_GONE;
    case EL_SCOPE_NAMESPACE:
        return el_snapshot_namespaces(s)[row].nsid && /* two without a number could not be told apart */
               slot_guard(&el_snapshot_slots(s)[el_snapshot_namespaces(s)[row].slot], m->guard);
    case EL_SCOPE_CARD:
        return m->guard == EL_GUARD_SWITCH ? el_snapshot_cards(s)[row].has_switch : el_snapshot_cards(s)[row].governed;
    case EL_SCOPE_LINK:
        return el_snapshot_links(s)[row].known;
    default:
        return true;
    }
}

struct el_value el_metric_value(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row,
                                uint32_t sub)
{
    if ((c->stale && !m->kept) || !guard_holds(c, m, row))
        return el_absent;
    return m->read(c, m, row, sub);
}

double el_value_double(struct el_value v)
{
    static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

    switch (v.kind) {
    case EL_VALUE_UNSIGNED:
        return (double)v.u64;
    case EL_VALUE_FIXED:
        return (double)v.i64 / scale[v.decimals];
    case EL_VALUE_DOUBLE:
        return v.d;
    case EL_VALUE_ABSENT:
        break;
    }
    return NAN;
}

bool el_value_scaled(struct el_value v, unsigned decimals, int64_t *out)
{
    double d;

    if (v.kind == EL_VALUE_ABSENT)
        return false;
    if (v.kind == EL_VALUE_FIXED && v.decimals == decimals) {
        *out = v.i64;
        return true;
    }
    d = el_value_double(v) * pow(10, decimals);
    *out = d >= 9.2e18 ? INT64_MAX : d <= -9.2e18 ? INT64_MIN : (int64_t)llround(d);
    return true;
}

size_t el_value_text(char *out, struct el_value v)
{
    switch (v.kind) {
    case EL_VALUE_UNSIGNED:
        return el_num_u128(out, v.u64);
    case EL_VALUE_FIXED:
        return el_num_fixed(out, v.i64, v.decimals);
    case EL_VALUE_DOUBLE:
        return el_num_double(out, v.d);
    case EL_VALUE_ABSENT:
        break;
    }
    out[0] = '\0';
    return 0;
}

/* --- names and groups */

struct group {
    const char *name, *help;
    bool on;
};

static const struct group groups[] = {
#define EL_METRIC_GROUP_ROW(name, on, help) {#name, help, on},
    EL_METRIC_GROUPS(EL_METRIC_GROUP_ROW)
#undef EL_METRIC_GROUP_ROW
};

const char *el_metric_group_name(enum el_metric_group g)
{
    return g < EL_GROUP_COUNT ? groups[g].name : "unknown";
}

const char *el_metric_group_help(enum el_metric_group g)
{
    return g < EL_GROUP_COUNT ? groups[g].help : "";
}

uint64_t el_metric_groups_default(void)
{
    uint64_t mask = 0;

    for (uint32_t i = 0; i < EL_GROUP_COUNT; i++)
        mask |= (uint64_t)groups[i].on << i;
    return mask;
}

static int group_mask(const char *word, uint64_t *mask)
{
    if (strcmp(word, "all") == 0)
        *mask = EL_GROUPS_ALL;
    else if (strcmp(word, "default") == 0)
        *mask = el_metric_groups_default();
    else
        for (uint32_t i = 0;; i++) {
            if (i == EL_GROUP_COUNT)
                return -EINVAL;
            if (strcmp(word, groups[i].name) == 0) {
                *mask = 1ull << i;
                break;
            }
        }
    return 0;
}

int el_metric_groups_parse(const char *list, uint64_t *out, char *bad, size_t bad_size)
{
    uint64_t mask = 0, one;
    char word[32];

    while (*list) {
        size_t n = strcspn(list, ", ");

        if (n) {
            snprintf(word, sizeof word, "%.*s", (int)n, list);
            if (n >= sizeof word || group_mask(word, &one) < 0) {
                if (bad)
                    el_text_clean(bad, bad_size, word);
                return -EINVAL;
            }
            mask |= one;
        }
        list += n + (list[n] != '\0');
    }
    *out = mask ? mask : el_metric_groups_default();
    return 0;
}
