/* What SNMP shows, as a pure, immutable, sorted view of one snapshot: lookup by OID, exact and next, in memory alone.
 * Nothing is copied out of the snapshot: the view holds the sorted rows of each table, a value is read when it is asked
 * for. No network, no clock, no I/O. Different threads may use one view at the same time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/oid.h"
#include "model/snapshot.h"

#define EL_SNMP_TEXT_MAX 256 /* SnmpAdminString: 255 bytes */

enum el_snmp_type {
    EL_SNMP_INTEGER = 1,
    EL_SNMP_GAUGE,
    EL_SNMP_COUNTER,
    EL_SNMP_COUNTER64,
    EL_SNMP_TICKS,
    EL_SNMP_TEXT,
    EL_SNMP_OID
};

struct el_snmp_value {
    enum el_snmp_type type;
    size_t len; /* bytes of text, sub-identifiers of oid */
    union {
        int32_t integer;
        uint32_t gauge; /* GAUGE, COUNTER, TICKS (0.01 s) */
        uint64_t counter64;
        char text[EL_SNMP_TEXT_MAX];
        el_oid oid[EL_OID_MAX];
    };
};

enum el_snmp_agentx { EL_SNMP_AGENTX_OFF = 0, EL_SNMP_AGENTX_WAITING, EL_SNMP_AGENTX_CONNECTED };
enum el_snmp_entity { EL_SNMP_ENTITY_OFF = 0, EL_SNMP_ENTITY_SERVED, EL_SNMP_ENTITY_TAKEN };

/* The exporter about itself: written by the thread that looks values up, read at each lookup. */
struct el_snmp_self {
    char version[16], host[65];
    enum el_snmp_agentx agentx;
    enum el_snmp_entity entity;
    uint64_t notifications, suppressed, last_notified;
    int64_t now_us, start_us, entity_changed_us; /* BOOTTIME */
};

struct el_snmp_view_options {
    el_oid base[EL_OID_MAX]; /* of our own MIB */
    size_t base_len;
    bool entity;                     /* ENTITY-MIB and ENTITY-SENSOR-MIB as well */
    bool system;                     /* the system group of SNMPv2-MIB as well: for an agent of our own */
    bool stale;                      /* the snapshot is too old: only what is still true is shown */
    const struct el_snmp_self *self; /* must outlive the view; NULL = those objects have no instance */
};

/* What is registered, and walked, each for itself. */
enum el_snmp_tree {
    EL_SNMP_TREE_SYSTEM,        /* the system group of SNMPv2-MIB */
    EL_SNMP_TREE_ENTITY,        /* ENTITY-MIB */
    EL_SNMP_TREE_ENTITY_SENSOR, /* ENTITY-SENSOR-MIB */
    EL_SNMP_TREE_ELEMENT,       /* our own MIB */
    EL_SNMP_TREES
};

/* Its root; returns the number of sub-identifiers. */
size_t el_snmp_tree_root(const struct el_snmp_view_options *o, enum el_snmp_tree tree, el_oid root[EL_OID_MAX]);

struct el_snmp_view;

/* A view of `s`, which must outlive it. NULL: out of memory. */
struct el_snmp_view *el_snmp_view_new(const struct el_snapshot *s, const struct el_snmp_view_options *o);
struct el_snmp_view *el_snmp_view_free(struct el_snmp_view *v); /* takes NULL, returns NULL */

/* The instance at `oid`. 0, -ENXIO (the object exists, this instance does not), -ENOENT (no such object). */
int el_snmp_view_get(const struct el_snmp_view *v, enum el_snmp_tree tree, const el_oid *oid, size_t len,
                     struct el_snmp_value *out);

/* A walk: a place is found once, and each step reads the instance there or after it and goes on. */
struct el_snmp_place {
    size_t block, column, row, end;
};
/* After `oid`, or at it as well when `inclusive`. */
struct el_snmp_place el_snmp_view_find(const struct el_snmp_view *v, enum el_snmp_tree tree, const el_oid *oid,
                                       size_t len, bool inclusive);
/* Its name in `name`, its length in `*name_len`. 0, or -ENOENT past the end of the tree. */
int el_snmp_view_step(const struct el_snmp_view *v, struct el_snmp_place *at, el_oid name[EL_OID_MAX], size_t *name_len,
                      struct el_snmp_value *out);

/* Changes whenever a physical entity comes, goes or changes identity. */
uint64_t el_snmp_view_entity_mark(const struct el_snmp_view *v);

/* Every column there is, for the check of the MIB: calls `each` with the entry's OID and the column's name. */
typedef void el_snmp_column_visit(void *ctx, const el_oid *entry, size_t len, unsigned column, const char *name,
                                  enum el_snmp_type type);
void el_snmp_columns(const struct el_snmp_view_options *o, el_snmp_column_visit *each, void *ctx);
