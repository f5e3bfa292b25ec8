#include "exporter/snmp_view.h"

#include <errno.h>
#include <string.h>

#include "exporter/snmp_table.h"

#define CARDS_MAX 8191u /* what fits the number of an entity; see snmp_entity.c */

struct el_snmp_block {
    const struct el_snmp_table *table;
    el_oid prefix[EL_OID_MAX];
    size_t prefix_len;
};

static const uint8_t index_len[EL_ROWS_COUNT] = {
    [EL_ROWS_ONE] = 1,          [EL_ROWS_SELF] = 1,   [EL_ROWS_CARD] = 1,   [EL_ROWS_SLOT] = 2,
    [EL_ROWS_DRIVE_SENSOR] = 3, [EL_ROWS_LINK] = 4,   [EL_ROWS_BOARD] = 1,  [EL_ROWS_ALARM] = 4,
    [EL_ROWS_EVENT] = 1,        [EL_ROWS_ENTITY] = 1, [EL_ROWS_SENSOR] = 1, [EL_ROWS_CONTAINS] = 2,
};

const struct el_card *el_snmp_card(const struct el_snmp_view *v, int64_t row)
{
    return row >= 0 && row < v->snapshot->cards.count ? &el_snapshot_cards(v->snapshot)[row] : NULL;
}

const struct el_slot *el_snmp_slot(const struct el_snmp_view *v, int64_t row)
{
    return row >= 0 && row < v->snapshot->slots.count ? &el_snapshot_slots(v->snapshot)[row] : NULL;
}

/* Rows. */

void el_snmp_rows_add(struct el_snmp_view *v, enum el_snmp_rowset set, struct el_snmp_row row)
{
    struct el_snmp_rows *r = &v->rows[set];

    if (r->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 16;
        struct el_snmp_row *grown = realloc(r->row, cap * sizeof *grown);

        if (!grown) {
            v->failed = true;
            return;
        }
        r->row = grown;
        r->cap = cap;
    }
    r->row[r->n++] = row;
}

static int compare_rows(const void *a, const void *b)
{
    const struct el_snmp_row *x = a, *y = b;

    for (int i = 0; i < EL_SNMP_INDEX_MAX; i++)
        if (x->index[i] != y->index[i])
            return x->index[i] < y->index[i] ? -1 : 1;
    return (x->ref > y->ref) - (x->ref < y->ref);
}

static void sort_rows(struct el_snmp_rows *r)
{
    size_t kept = 0;

    if (r->n)
        qsort(r->row, r->n, sizeof *r->row, compare_rows);
    for (size_t i = 0; i < r->n; i++)
        if (!kept || memcmp(r->row[i].index, r->row[kept - 1].index, sizeof r->row->index) != 0)
            r->row[kept++] = r->row[i];
    r->n = kept;
}

uint32_t el_snmp_name_number(const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a, folded to 27 bits */

    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    h = (h >> 27) ^ (h & 0x7ffffffu);
    return h ? h : 1;
}

static uint32_t card_number(const struct el_snmp_view *v, int64_t row)
{
    const struct el_card *c = el_snmp_card(v, row);

    return c && c->number < CARDS_MAX ? c->number + 1 : 0;
}

static uint32_t slot_number(const struct el_snmp_view *v, int64_t row)
{
    const struct el_slot *t = el_snmp_slot(v, row);

    return t && t->number < EL_CARD_SLOTS_MAX ? t->number + 1 : 0;
}

static void add_slots(struct el_snmp_view *v)
{
    const struct el_slot *slots = el_snapshot_slots(v->snapshot);

    for (uint32_t i = 0; i < v->snapshot->slots.count; i++) {
        struct el_snmp_row row = {.index = {card_number(v, slots[i].card), slot_number(v, i)}, .ref = i};

        if (!row.index[0] || !row.index[1])
            continue;
        el_snmp_rows_add(v, EL_ROWS_SLOT, row);
        for (uint32_t sensor = 0; sensor < EL_SLOT_SENSORS; sensor++) {
            row.index[2] = sensor + 1;
            row.sub = sensor;
            if (slots[i].temp_mc[sensor].quality != EL_ABSENT)
                el_snmp_rows_add(v, EL_ROWS_DRIVE_SENSOR, row);
        }
    }
}

/* The number of a link among those of the same card, slot and role is its place in the snapshot's own order. */
static void add_links(struct el_snmp_view *v)
{
    const struct el_link *links = el_snapshot_links(v->snapshot);

    for (uint32_t i = 0; i < v->snapshot->links.count; i++) {
        struct el_snmp_row row = {
            .index = {card_number(v, links[i].card), slot_number(v, links[i].slot), (uint32_t)links[i].role + 1, 1},
            .ref = i};

        for (uint32_t k = i; k > 0 && links[k - 1].card == links[i].card; k--)
            row.index[3] += links[k - 1].slot == links[i].slot && links[k - 1].role == links[i].role;
        if (row.index[0])
            el_snmp_rows_add(v, EL_ROWS_LINK, row);
    }
}

static void add_alarms_and_events(struct el_snmp_view *v)
{
    const struct el_snapshot *s = v->snapshot;

    for (uint32_t i = 0; i < s->alarms.count; i++) {
        const struct el_alarm *a = &el_snapshot_alarms(s)[i];

        el_snmp_rows_add(v, EL_ROWS_ALARM,
                         (struct el_snmp_row){.index = {a->id, card_number(v, a->card), slot_number(v, a->slot),
                                                        (uint32_t)EL_MAX(a->index + 1, 0)},
                                              .ref = i});
    }
    for (uint32_t i = 0; i < s->events.count; i++)
        el_snmp_rows_add(v, EL_ROWS_EVENT,
                         (struct el_snmp_row){.index = {(uint32_t)el_snapshot_events(s)[i].seq}, .ref = i});
}

static void add_rows(struct el_snmp_view *v)
{
    const struct el_snapshot *s = v->snapshot;

    el_snmp_rows_add(v, EL_ROWS_ONE, (struct el_snmp_row){0});
    if (v->options.self)
        el_snmp_rows_add(v, EL_ROWS_SELF, (struct el_snmp_row){0});
    for (uint32_t i = 0; i < s->cards.count; i++)
        if (card_number(v, i))
            el_snmp_rows_add(v, EL_ROWS_CARD, (struct el_snmp_row){.index = {card_number(v, i)}, .ref = i});
    add_slots(v);
    add_links(v);
    add_alarms_and_events(v);
    for (uint32_t i = 0; i < s->sensors.count; i++)
        el_snmp_rows_add(
            v, EL_ROWS_BOARD,
            (struct el_snmp_row){.index = {el_snmp_name_number(el_snapshot_sensors(s)[i].name)}, .ref = i});
    for (int set = 0; set < EL_ROWS_ENTITY; set++)
        sort_rows(&v->rows[set]);
    if (v->options.entity) {
        el_snmp_add_entities(v);
        for (int set = EL_ROWS_ENTITY; set < EL_ROWS_COUNT; set++)
            sort_rows(&v->rows[set]);
    }
}

/* Blocks. */

static struct el_snmp_block make_block(const struct el_snmp_table *t, const struct el_snmp_view_options *o)
{
    struct el_snmp_block b = {.table = t};

    if (!t->absolute) {
        memcpy(b.prefix, o->base, o->base_len * sizeof *b.prefix);
        b.prefix_len = o->base_len;
    }
    memcpy(b.prefix + b.prefix_len, t->prefix, t->prefix_len * sizeof *b.prefix);
    b.prefix_len += t->prefix_len;
    return b;
}

static int compare_blocks(const void *a, const void *b)
{
    const struct el_snmp_block *x = a, *y = b;

    return el_oid_compare(x->prefix, x->prefix_len, y->prefix, y->prefix_len);
}

static void add_blocks(struct el_snmp_view *v)
{
    size_t entity = v->options.entity ? el_snmp_entity_tables_n : 0;

    v->block = calloc(el_snmp_element_tables_n + entity + 1, sizeof *v->block);
    if (!v->block) {
        v->failed = true;
        return;
    }
    for (size_t i = 0; i < el_snmp_element_tables_n; i++)
        v->block[v->blocks++] = make_block(&el_snmp_element_tables[i], &v->options);
    for (size_t i = 0; i < entity; i++)
        v->block[v->blocks++] = make_block(&el_snmp_entity_tables[i], &v->options);
    if (v->options.system)
        v->block[v->blocks++] = make_block(&el_snmp_system_table, &v->options);
    qsort(v->block, v->blocks, sizeof *v->block, compare_blocks);
}

struct el_snmp_view *el_snmp_view_new(const struct el_snapshot *s, const struct el_snmp_view_options *o)
{
    struct el_snmp_view *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->snapshot = s;
    v->options = *o;
    add_rows(v);
    add_blocks(v);
    return v->failed ? el_snmp_view_free(v) : v;
}

struct el_snmp_view *el_snmp_view_free(struct el_snmp_view *v)
{
    if (v) {
        for (int i = 0; i < EL_ROWS_COUNT; i++)
            free(v->rows[i].row);
        free(v->block);
        free(v);
    }
    return NULL;
}

uint64_t el_snmp_view_entity_mark(const struct el_snmp_view *v)
{
    return v->entity_mark;
}

/* Lookup. */

static const void *object_of(const struct el_snmp_view *v, enum el_snmp_rowset set, uint32_t ref)
{
    switch (set) {
    case EL_ROWS_SELF:
        return v->options.self;
    case EL_ROWS_CARD:
        return &el_snapshot_cards(v->snapshot)[ref];
    case EL_ROWS_SLOT:
    case EL_ROWS_DRIVE_SENSOR:
        return &el_snapshot_slots(v->snapshot)[ref];
    case EL_ROWS_LINK:
        return &el_snapshot_links(v->snapshot)[ref];
    case EL_ROWS_BOARD:
        return &el_snapshot_sensors(v->snapshot)[ref];
    case EL_ROWS_ALARM:
        return &el_snapshot_alarms(v->snapshot)[ref];
    case EL_ROWS_EVENT:
        return &el_snapshot_events(v->snapshot)[ref];
    default:
        return v->snapshot;
    }
}

static bool read_cell(const struct el_snmp_view *v, const struct el_snmp_table *t, size_t column, size_t row,
                      struct el_snmp_value *out)
{
    const struct el_snmp_row *r = &v->rows[t->rows].row[row];
    struct el_snmp_at at = {
        .view = v, .row = r, .object = object_of(v, t->rows, r->ref), .column = &t->columns[column]};

    if (t->present && !t->present(&at))
        return false;
    out->type = at.column->type;
    return at.column->get(&at, out);
}

static int compare_index(const struct el_snmp_row *row, size_t n, const el_oid *id, size_t len)
{
    for (size_t i = 0; i < n && i < len; i++)
        if (row->index[i] != id[i])
            return row->index[i] < id[i] ? -1 : 1;
    return (n > len) - (n < len);
}

/* The first row whose index is behind `id`, or not before it with `or_equal`. */
static size_t first_row(const struct el_snmp_rows *r, size_t n, const el_oid *id, size_t len, bool or_equal)
{
    size_t lo = 0, hi = r->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = compare_index(&r->row[mid], n, id, len);

        if (c < 0 || (c == 0 && !or_equal))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool starts_with(const struct el_snmp_block *b, const el_oid *oid, size_t len)
{
    return len >= b->prefix_len && memcmp(b->prefix, oid, b->prefix_len * sizeof *oid) == 0;
}

/* The first column not before `number`. */
static size_t first_column(const struct el_snmp_table *t, el_oid number)
{
    size_t i = 0;

    while (i < t->n && t->columns[i].number < number)
        i++;
    return i;
}

static void name_cell(const struct el_snmp_view *v, const struct el_snmp_block *b, const struct el_snmp_place *at,
                      el_oid *name, size_t *name_len)
{
    const struct el_snmp_row *r = &v->rows[b->table->rows].row[at->row];
    size_t n = b->prefix_len;

    memcpy(name, b->prefix, n * sizeof *name);
    name[n++] = b->table->columns[at->column].number;
    for (size_t i = 0; i < index_len[b->table->rows]; i++)
        name[n++] = r->index[i];
    *name_len = n;
}

/* The first block that is not wholly before `oid`: no block is inside another. */
static size_t first_block(const struct el_snmp_view *v, const el_oid *oid, size_t len)
{
    size_t lo = 0, hi = v->blocks;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct el_snmp_block *b = &v->block[mid];

        if (el_oid_compare(b->prefix, b->prefix_len, oid, EL_MIN(len, b->prefix_len)) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int el_snmp_view_get(const struct el_snmp_view *v, const el_oid *oid, size_t len, struct el_snmp_value *out)
{
    size_t i = first_block(v, oid, len), column, row, n;
    const struct el_snmp_block *b = &v->block[i];
    const struct el_snmp_rows *rows;
    const el_oid *rest;

    if (i == v->blocks || !starts_with(b, oid, len) || len == b->prefix_len)
        return -ENOENT;
    rest = oid + b->prefix_len;
    column = first_column(b->table, rest[0]);
    if (column == b->table->n || b->table->columns[column].number != rest[0])
        return -ENOENT;
    rows = &v->rows[b->table->rows];
    n = index_len[b->table->rows];
    row = first_row(rows, n, rest + 1, len - b->prefix_len - 1, true);
    if (row == rows->n || compare_index(&rows->row[row], n, rest + 1, len - b->prefix_len - 1) != 0 ||
        !read_cell(v, b->table, column, row, out))
        return -ENXIO;
    return 0;
}

struct el_snmp_place el_snmp_view_find(const struct el_snmp_view *v, const el_oid *oid, size_t len)
{
    struct el_snmp_place at = {.block = first_block(v, oid, len)};
    const struct el_snmp_block *b = &v->block[at.block];
    const struct el_snmp_table *t;
    const el_oid *rest;

    if (at.block == v->blocks || len == b->prefix_len || !starts_with(b, oid, len))
        return at;
    t = b->table;
    rest = oid + b->prefix_len;
    at.column = first_column(t, rest[0]);
    if (at.column < t->n && t->columns[at.column].number == rest[0])
        at.row = first_row(&v->rows[t->rows], index_len[t->rows], rest + 1, len - b->prefix_len - 1, false);
    return at;
}

int el_snmp_view_step(const struct el_snmp_view *v, struct el_snmp_place *at, el_oid name[EL_OID_MAX], size_t *name_len,
                      struct el_snmp_value *out)
{
    for (; at->block < v->blocks; at->block++, at->column = at->row = 0) {
        const struct el_snmp_block *b = &v->block[at->block];

        for (; at->column < b->table->n; at->column++, at->row = 0)
            for (; at->row < v->rows[b->table->rows].n; at->row++)
                if (read_cell(v, b->table, at->column, at->row, out)) {
                    name_cell(v, b, at, name, name_len);
                    at->row++;
                    return 0;
                }
    }
    return -ENOENT;
}

int el_snmp_view_next(const struct el_snmp_view *v, const el_oid *oid, size_t len, el_oid name[EL_OID_MAX],
                      size_t *name_len, struct el_snmp_value *out)
{
    struct el_snmp_place at = el_snmp_view_find(v, oid, len);

    return el_snmp_view_step(v, &at, name, name_len, out);
}

static void visit_tables(const struct el_snmp_table *tables, size_t n, const struct el_snmp_view_options *o,
                         el_snmp_column_visit *each, void *ctx)
{
    for (size_t i = 0; i < n; i++) {
        struct el_snmp_block b = make_block(&tables[i], o);

        for (size_t c = 0; c < tables[i].n; c++)
            each(ctx, b.prefix, b.prefix_len, tables[i].columns[c].number, tables[i].columns[c].name,
                 tables[i].columns[c].type);
    }
}

void el_snmp_columns(const struct el_snmp_view_options *o, el_snmp_column_visit *each, void *ctx)
{
    visit_tables(el_snmp_element_tables, el_snmp_element_tables_n, o, each, ctx);
    if (o->entity)
        visit_tables(el_snmp_entity_tables, el_snmp_entity_tables_n, o, each, ctx);
    if (o->system)
        visit_tables(&el_snmp_system_table, 1, o, each, ctx);
}
