/* Inside of the SNMP view: tables as data. A table has columns (number, type, getter) and takes its rows from one of
 * the sorted row sets of the view. To add a column: one row in snmp_tables.c and one object in the MIB; a test compares
 * the two. */
#pragma once

#include "exporter/snmp_text.h"
#include "exporter/snmp_view.h"

enum el_snmp_rowset {
    EL_ROWS_ONE = 0,       /* scalars of the snapshot: a single row, index 0; object: the snapshot */
    EL_ROWS_SELF,          /* scalars of the exporter; object: struct el_snmp_self */
    EL_ROWS_CARD,          /* object of these two: the card */
    EL_ROWS_GOVERNED_CARD, /* what a governor looks after */
    EL_ROWS_SLOT,          /* object of these five: the slot */
    EL_ROWS_IDENTITY,      /* whose drive said who it is */
    EL_ROWS_HEALTH,        /* whose drive gave its health log */
    EL_ROWS_GOVERNED_SLOT,
    EL_ROWS_DRIVE_SENSOR, /* sub: number of the sensor */
    EL_ROWS_LINK,
    EL_ROWS_BOARD,
    EL_ROWS_ALARM,
    EL_ROWS_EVENT,
    EL_ROWS_ENTITY,   /* object and sub by kind: see snmp_entity.c */
    EL_ROWS_SENSOR,   /* entities that are sensors */
    EL_ROWS_CONTAINS, /* parent, child */
    EL_ROWS_COUNT
};
extern const uint8_t el_snmp_index_len[EL_ROWS_COUNT];

#define EL_SNMP_INDEX_MAX 4

struct el_snmp_row {
    uint32_t index[EL_SNMP_INDEX_MAX];
    uint32_t ref; /* row of the snapshot's own table */
    uint32_t sub;
    const void *object; /* what its cells are read from: in the snapshot */
};

struct el_snmp_rows {
    struct el_snmp_row *row; /* sorted by index as integers, no duplicates */
    uint32_t n;
};

/* The place a getter reads from. */
struct el_snmp_at {
    const struct el_snmp_view *view;
    const struct el_snmp_row *row;
    const void *object; /* the row's */
    const struct el_snmp_column *column;
};

/* Fills the value but not its type; false = no instance. */
typedef bool el_snmp_getter(const struct el_snmp_at *at, struct el_snmp_value *out);

struct el_snmp_column {
    uint16_t number;
    enum el_snmp_type type;
    const char *name;
    el_snmp_getter *get;
    uint32_t offset,
        size; /* of the field in the object, for the getters that work on any; else an argument of the getter */
    double scale;
};

struct el_snmp_table {
    const char *name;
    enum el_snmp_tree tree;
    el_oid prefix[5]; /* of the entry, below the root of the tree */
    uint8_t prefix_len;
    enum el_snmp_rowset rows;
    const struct el_snmp_column *columns;
    size_t n;
};

extern const struct el_snmp_table el_snmp_element_tables[], el_snmp_entity_tables[], el_snmp_system_table;
extern const size_t el_snmp_element_tables_n, el_snmp_entity_tables_n;

struct el_snmp_view {
    const struct el_snapshot *snapshot;
    struct el_snmp_view_options options;
    struct el_snmp_rows rows[EL_ROWS_COUNT];
    struct el_snmp_block *block; /* tables with their whole prefix, in the order of a walk */
    size_t blocks, first[EL_SNMP_TREES], end[EL_SNMP_TREES]; /* of each tree */
    uint64_t entity_mark;
    bool failed; /* out of memory while it was built */
};

void el_snmp_add_rows(struct el_snmp_view *v);     /* of all sets before EL_ROWS_ENTITY, sorted */
void el_snmp_add_entities(struct el_snmp_view *v); /* snmp_entity.c: of the others, made from those */

void el_snmp_rows_add(struct el_snmp_view *v, enum el_snmp_rowset set, struct el_snmp_row row);
void el_snmp_rows_sort(struct el_snmp_view *v, enum el_snmp_rowset first, enum el_snmp_rowset end);

/* Number of a board sensor's name: 1..2^27-1. */
uint32_t el_snmp_name_number(const char *name);

/* Card and slot of a snapshot's row, or NULL. */
const struct el_card *el_snmp_card(const struct el_snmp_view *v, int64_t row);
const struct el_slot *el_snmp_slot(const struct el_snmp_view *v, int64_t row);

/* In an index: from 1; 0 = no such card, or one that no index can carry. */
uint32_t el_snmp_card_number(const struct el_snmp_view *v, int64_t row);

static inline bool el_snmp_holds_drive(const struct el_slot *t)
{
    return t->state != EL_SLOT_EMPTY && t->state != EL_SLOT_GONE;
}
