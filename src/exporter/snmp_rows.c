/* Which rows each table has, by what index, and the object of the snapshot that the cells of a row are read from. */
#include <string.h>

#include "base/rows.h"
#include "exporter/snmp_table.h"
#include "model/catalog.h"

#define CARDS_MAX   8191u /* what fits the number of an entity; see snmp_entity.c */
#define NUMBER_BITS 27

const uint8_t el_snmp_index_len[EL_ROWS_COUNT] = {
    [EL_ROWS_ONE] = 1,          [EL_ROWS_SELF] = 1,     [EL_ROWS_CARD] = 1,   [EL_ROWS_GOVERNED_CARD] = 1,
    [EL_ROWS_SLOT] = 2,         [EL_ROWS_IDENTITY] = 2, [EL_ROWS_HEALTH] = 2, [EL_ROWS_GOVERNED_SLOT] = 2,
    [EL_ROWS_DRIVE_SENSOR] = 3, [EL_ROWS_LINK] = 4,     [EL_ROWS_BOARD] = 1,  [EL_ROWS_ALARM] = 4,
    [EL_ROWS_EVENT] = 1,        [EL_ROWS_ENTITY] = 1,   [EL_ROWS_SENSOR] = 1, [EL_ROWS_CONTAINS] = 2,
};

const struct el_card *el_snmp_card(const struct el_snmp_view *v, int64_t row)
{
    return row >= 0 && row < v->snapshot->cards.count ? &el_snapshot_cards(v->snapshot)[row] : NULL;
}

const struct el_slot *el_snmp_slot(const struct el_snmp_view *v, int64_t row)
{
    return row >= 0 && row < v->snapshot->slots.count ? &el_snapshot_slots(v->snapshot)[row] : NULL;
}

void el_snmp_rows_add(struct el_snmp_view *v, enum el_snmp_rowset set, struct el_snmp_row row)
{
    struct el_snmp_rows *r = &v->rows[set];
    struct el_snmp_row *added = el_row_append(&r->row, &r->n, sizeof row);

    if (added)
        *added = row;
    v->failed |= !added;
}

static int compare_rows(const void *a, const void *b)
{
    const struct el_snmp_row *x = a, *y = b;

    for (int i = 0; i < EL_SNMP_INDEX_MAX; i++)
        if (x->index[i] != y->index[i])
            return x->index[i] < y->index[i] ? -1 : 1;
    return (x->ref > y->ref) - (x->ref < y->ref);
}

void el_snmp_rows_sort(struct el_snmp_view *v, enum el_snmp_rowset first, enum el_snmp_rowset end)
{
    for (struct el_snmp_rows *r = &v->rows[first]; r < &v->rows[end]; r++) {
        uint32_t kept = 0;

        if (r->n)
            qsort(r->row, r->n, sizeof *r->row, compare_rows);
        for (uint32_t i = 0; i < r->n; i++)
            if (!kept || memcmp(r->row[i].index, r->row[kept - 1].index, sizeof r->row->index) != 0)
                r->row[kept++] = r->row[i];
        r->n = kept;
    }
}

uint32_t el_snmp_card_number(const struct el_snmp_view *v, int64_t row)
{
    const struct el_card *c = el_snmp_card(v, row);

    return c && c->number < CARDS_MAX ? c->number + 1 : 0;
}

static uint32_t slot_number(const struct el_snmp_view *v, int64_t row)
{
    const struct el_slot *t = el_snmp_slot(v, row);

    return t && t->number < EL_CARD_SLOTS_MAX ? t->number + 1 : 0;
}

static bool has(const struct el_snmp_view *v, enum el_metric_id id, uint32_t ref)
{
    const struct el_catalog_context c = {.s = v->snapshot, .stale = v->options.stale};

    return el_metric_value(&c, el_metric(id), ref, 0).kind != EL_VALUE_ABSENT;
}

static void add_cards(struct el_snmp_view *v)
{
    for (uint32_t i = 0; i < v->snapshot->cards.count; i++) {
        struct el_snmp_row row = {.index = {el_snmp_card_number(v, i)}, .ref = i, .object = el_snmp_card(v, i)};

        if (!row.index[0])
            continue;
        el_snmp_rows_add(v, EL_ROWS_CARD, row);
        if (has(v, EL_METRIC_GOVERNOR_AIR_FAILING, i))
            el_snmp_rows_add(v, EL_ROWS_GOVERNED_CARD, row);
    }
}

static void add_drive_sensors(struct el_snmp_view *v, struct el_snmp_row row, const struct el_slot *t)
{
    for (row.sub = 0; row.sub < EL_SLOT_SENSORS; row.sub++) {
        row.index[2] = row.sub + 1;
        if (t->temp_mc[row.sub].quality != EL_ABSENT)
            el_snmp_rows_add(v, EL_ROWS_DRIVE_SENSOR, row);
    }
}

static void add_slots(struct el_snmp_view *v)
{
    for (uint32_t i = 0; i < v->snapshot->slots.count; i++) {
        const struct el_slot *t = el_snmp_slot(v, i);
        struct el_snmp_row row = {.index = {el_snmp_card_number(v, t->card), slot_number(v, i)}, .ref = i, .object = t};
        enum el_quality identified = t->stamp[EL_READ_IDENTIFY].quality;

        if (!row.index[0] || !row.index[1])
            continue;
        el_snmp_rows_add(v, EL_ROWS_SLOT, row);
        if (el_snmp_holds_drive(t) && (identified == EL_GOOD || identified == EL_STALE))
            el_snmp_rows_add(v, EL_ROWS_IDENTITY, row);
        if (has(v, EL_METRIC_DRIVE_SPARE, i))
            el_snmp_rows_add(v, EL_ROWS_HEALTH, row);
        if (has(v, EL_METRIC_DRIVE_CAP, i))
            el_snmp_rows_add(v, EL_ROWS_GOVERNED_SLOT, row);
        add_drive_sensors(v, row, t);
    }
}

/* The number of a link among those of the same card, slot and role is its place in the snapshot's own order. */
static void add_links(struct el_snmp_view *v)
{
    const struct el_link *links = el_snapshot_links(v->snapshot);

    for (uint32_t i = 0; i < v->snapshot->links.count && !v->options.stale; i++) {
        const struct el_link *l = &links[i];
        struct el_snmp_row row = {
            .index = {el_snmp_card_number(v, l->card), slot_number(v, l->slot), (uint32_t)l->role + 1, 1},
            .ref = i,
            .object = l};

        for (const struct el_link *k = l; k > links && k[-1].card == l->card; k--)
            row.index[3] += k[-1].slot == l->slot && k[-1].role == l->role;
        if (row.index[0] && l->known)
            el_snmp_rows_add(v, EL_ROWS_LINK, row);
    }
}

static void add_alarms_and_events(struct el_snmp_view *v)
{
    for (uint32_t i = 0; i < v->snapshot->alarms.count; i++) {
        const struct el_alarm *a = &el_snapshot_alarms(v->snapshot)[i];

        el_snmp_rows_add(v, EL_ROWS_ALARM,
                         (struct el_snmp_row){.index = {a->id, el_snmp_card_number(v, a->card), slot_number(v, a->slot),
                                                        (uint32_t)EL_MAX(a->index + 1, 0)},
                                              .ref = i,
                                              .object = a});
    }
    for (uint32_t i = 0; i < v->snapshot->events.count; i++) {
        const struct el_event *e = &el_snapshot_events(v->snapshot)[i];

        el_snmp_rows_add(v, EL_ROWS_EVENT, (struct el_snmp_row){.index = {(uint32_t)e->seq}, .ref = i, .object = e});
    }
}

/* Board sensors. */

uint32_t el_snmp_name_number(const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a, folded */

    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    h = (h >> NUMBER_BITS) ^ (h & ((1u << NUMBER_BITS) - 1));
    return h ? h : 1;
}

static int compare_boards(const void *a, const void *b)
{
    const struct el_snmp_row *x = a, *y = b;

    if (x->index[0] != y->index[0])
        return x->index[0] < y->index[0] ? -1 : 1;
    return strcmp(((const struct el_sensor *)x->object)->name, ((const struct el_sensor *)y->object)->name);
}

/* Of names with the same number, the first by name keeps it and the next takes the next number: the same set of names
 * always has the same numbers, in whatever order the snapshot has them. */
static void add_boards(struct el_snmp_view *v)
{
    struct el_snmp_rows *r = &v->rows[EL_ROWS_BOARD];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < v->snapshot->sensors.count; i++) {
        const struct el_sensor *sensor = &el_snapshot_sensors(v->snapshot)[i];

        el_snmp_rows_add(
            v, EL_ROWS_BOARD,
            (struct el_snmp_row){.index = {el_snmp_name_number(sensor->name)}, .ref = i, .object = sensor});
    }
    if (r->n)
        qsort(r->row, r->n, sizeof *r->row, compare_boards);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct el_snmp_row *last = kept ? &r->row[kept - 1] : NULL;

        if (last && strcmp(((const struct el_sensor *)last->object)->name,
                           ((const struct el_sensor *)r->row[i].object)->name) == 0)
            continue;
        r->row[kept] = r->row[i];
        if (last && r->row[kept].index[0] <= last->index[0])
            r->row[kept].index[0] = last->index[0] + 1;
        kept += r->row[kept].index[0] >> NUMBER_BITS == 0;
    }
    r->n = kept;
}

void el_snmp_add_rows(struct el_snmp_view *v)
{
    el_snmp_rows_add(v, EL_ROWS_ONE, (struct el_snmp_row){.object = v->snapshot});
    if (v->options.self)
        el_snmp_rows_add(v, EL_ROWS_SELF, (struct el_snmp_row){.object = v->options.self});
    add_cards(v);
    add_slots(v);
    add_links(v);
    add_alarms_and_events(v);
    add_boards(v);
    el_snmp_rows_sort(v, EL_ROWS_ONE, EL_ROWS_ENTITY);
}
