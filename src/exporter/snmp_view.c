#include "exporter/snmp_view.h"

#include <errno.h>
#include <string.h>

#include "exporter/snmp_table.h"

/* A table with its whole prefix, and its rows in this view. */
struct el_snmp_block {
    const struct el_snmp_table *table;
    const struct el_snmp_rows *rows;
    size_t index_len, prefix_len;
    el_oid prefix[EL_OID_MAX];
};

static int compare_blocks(const void *a, const void *b)
{
    const struct el_snmp_block *x = a, *y = b;

    return el_oid_compare(x->prefix, x->prefix_len, y->prefix, y->prefix_len);
}

size_t el_snmp_tree_root(const struct el_snmp_view_options *o, enum el_snmp_tree tree, el_oid root[EL_OID_MAX])
{
    static const struct {
        el_oid root[8];
        size_t len;
    } standard[] = {[EL_SNMP_TREE_SYSTEM] = {{1, 3, 6, 1, 2, 1, 1}, 7},
                    [EL_SNMP_TREE_ENTITY] = {{1, 3, 6, 1, 2, 1, 47, 1}, 8},
                    [EL_SNMP_TREE_ENTITY_SENSOR] = {{1, 3, 6, 1, 2, 1, 99, 1}, 8}};
    bool own = tree == EL_SNMP_TREE_ELEMENT;
    size_t len = own ? o->base_len : standard[tree].len;

    memcpy(root, own ? o->base : standard[tree].root, len * sizeof *root);
    return len;
}

static void add_blocks(struct el_snmp_view *v, const struct el_snmp_table *tables, size_t n)
{
    for (const struct el_snmp_table *t = tables; t < tables + n; t++) {
        struct el_snmp_block *b = &v->block[v->blocks++];

        *b = (struct el_snmp_block){.table = t, .rows = &v->rows[t->rows], .index_len = el_snmp_index_len[t->rows]};
        b->prefix_len = el_snmp_tree_root(&v->options, t->tree, b->prefix);
        memcpy(b->prefix + b->prefix_len, t->prefix, t->prefix_len * sizeof *b->prefix);
        b->prefix_len += t->prefix_len;
    }
}

static void sort_blocks(struct el_snmp_view *v)
{
    qsort(v->block, v->blocks, sizeof *v->block, compare_blocks);
    for (size_t i = v->blocks; i-- > 0;) {
        enum el_snmp_tree tree = v->block[i].table->tree;

        v->first[tree] = i;
        v->end[tree] = EL_MAX(v->end[tree], i + 1);
    }
}

struct el_snmp_view *el_snmp_view_new(const struct el_snapshot *s, const struct el_snmp_view_options *o)
{
    struct el_snmp_view *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->snapshot = s;
    v->options = *o;
    v->block = calloc(el_snmp_element_tables_n + el_snmp_entity_tables_n + 1, sizeof *v->block);
    if (!v->block)
        return el_snmp_view_free(v);
    add_blocks(v, el_snmp_element_tables, el_snmp_element_tables_n);
    add_blocks(v, el_snmp_entity_tables, o->entity ? el_snmp_entity_tables_n : 0);
    add_blocks(v, &el_snmp_system_table, o->system);
    sort_blocks(v);
    el_snmp_add_rows(v);
    if (o->entity)
        el_snmp_add_entities(v);
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

/* The first block of the tree that is not wholly before `oid`: no block is inside another. */
static size_t first_block(const struct el_snmp_view *v, enum el_snmp_tree tree, const el_oid *oid, size_t len)
{
    size_t lo = v->first[tree], hi = v->end[tree];

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

/* The first column not before `number`. */
static size_t first_column(const struct el_snmp_table *t, el_oid number)
{
    size_t i = 0;

    while (i < t->n && t->columns[i].number < number)
        i++;
    return i;
}

static int compare_index(const struct el_snmp_row *row, size_t n, const el_oid *id, size_t len)
{
    for (size_t i = 0; i < n && i < len; i++)
        if (row->index[i] != id[i])
            return row->index[i] < id[i] ? -1 : 1;
    return (n > len) - (n < len);
}

/* The first row whose index is not before `id`. */
static size_t first_row(const struct el_snmp_block *b, const el_oid *id, size_t len)
{
    size_t lo = 0, hi = b->rows->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (compare_index(&b->rows->row[mid], b->index_len, id, len) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The first place that is not before `oid`, and what is there: 0 (the place of `oid` itself), -ENXIO (its column, but
 * no such row), -ENOENT. */
static int locate(const struct el_snmp_view *v, enum el_snmp_tree tree, const el_oid *oid, size_t len,
                  struct el_snmp_place *at)
{
    const struct el_snmp_block *b;
    const struct el_snmp_table *t;
    size_t rest;

    *at = (struct el_snmp_place){.block = first_block(v, tree, oid, len), .end = v->end[tree]};
    b = &v->block[at->block];
    if (at->block == at->end || len <= b->prefix_len || memcmp(b->prefix, oid, b->prefix_len * sizeof *oid) != 0)
        return -ENOENT;
    t = b->table;
    oid += b->prefix_len;
    rest = len - b->prefix_len - 1; /* of an index, behind the number of the column */
    at->column = first_column(t, oid[0]);
    if (at->column == t->n || t->columns[at->column].number != oid[0])
        return -ENOENT;
    at->row = first_row(b, oid + 1, rest);
    return at->row < b->rows->n && compare_index(&b->rows->row[at->row], b->index_len, oid + 1, rest) == 0 ? 0 : -ENXIO;
}

static bool read_cell(const struct el_snmp_view *v, const struct el_snmp_block *b, const struct el_snmp_place *at,
                      struct el_snmp_value *out)
{
    const struct el_snmp_row *row = &b->rows->row[at->row];
    const struct el_snmp_at cell = {
        .view = v, .row = row, .object = row->object, .column = &b->table->columns[at->column]};

    out->type = cell.column->type;
    return cell.column->get(&cell, out);
}

static size_t name_cell(const struct el_snmp_block *b, const struct el_snmp_place *at, el_oid *name)
{
    const uint32_t *index = b->rows->row[at->row].index;
    size_t n = b->prefix_len;

    memcpy(name, b->prefix, n * sizeof *name);
    name[n++] = b->table->columns[at->column].number;
    for (size_t i = 0; i < b->index_len; i++)
        name[n++] = index[i];
    return n;
}

int el_snmp_view_get(const struct el_snmp_view *v, enum el_snmp_tree tree, const el_oid *oid, size_t len,
                     struct el_snmp_value *out)
{
    struct el_snmp_place at;
    int r = locate(v, tree, oid, len, &at);

    return r < 0 || read_cell(v, &v->block[at.block], &at, out) ? r : -ENXIO;
}

struct el_snmp_place el_snmp_view_find(const struct el_snmp_view *v, enum el_snmp_tree tree, const el_oid *oid,
                                       size_t len, bool inclusive)
{
    struct el_snmp_place at;

    if (locate(v, tree, oid, len, &at) == 0 && !inclusive)
        at.row++;
    return at;
}

int el_snmp_view_step(const struct el_snmp_view *v, struct el_snmp_place *at, el_oid name[EL_OID_MAX], size_t *name_len,
                      struct el_snmp_value *out)
{
    for (; at->block < at->end; at->block++, at->column = at->row = 0) {
        const struct el_snmp_block *b = &v->block[at->block];

        for (; at->column < b->table->n; at->column++, at->row = 0)
            for (; at->row < b->rows->n; at->row++)
                if (read_cell(v, b, at, out)) {
                    *name_len = name_cell(b, at, name);
                    at->row++;
                    return 0;
                }
    }
    return -ENOENT;
}

void el_snmp_columns(const struct el_snmp_view_options *o, el_snmp_column_visit *each, void *ctx)
{
    struct el_snapshot *none = el_snapshot_new(&(struct el_snapshot_counts){0});
    struct el_snmp_view *v = none ? el_snmp_view_new(none, o) : NULL;

    for (size_t i = 0; v && i < v->blocks; i++) {
        const struct el_snmp_block *b = &v->block[i];

        for (const struct el_snmp_column *c = b->table->columns; c < b->table->columns + b->table->n; c++)
            each(ctx, b->prefix, b->prefix_len, c->number, c->name, c->type);
    }
    el_snmp_view_free(v);
    el_snapshot_free(none);
}
