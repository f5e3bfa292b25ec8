/* The snapshot and the view that SNMP answers from, held for one turn of its loop: every request of a turn sees the
 * same. The view is made when somebody asks for it, once per snapshot. One thread. */
#pragma once

#include <stdatomic.h>

#include "exporter/snmp.h"

struct el_snmp_hold {
    struct el_snmp_source source;
    struct el_snmp_view_options options; /* change them only through el_snmp_hold_entity, or before the first view */
    struct el_snmp_self self;
    const struct el_snapshot *snapshot; /* held; NULL = none yet */
    struct el_snapshot *empty;          /* shown while there is none */
    struct el_snmp_view *view;          /* of `snapshot`; NULL = not asked for yet */
    bool stale;                         /* what the source said of the latest */
    bool fresh;                         /* looked for a newer one in this turn, or a moment ago */
    int64_t looked_us;                  /* when */
    int64_t asked_us;                   /* when a view was last needed */
    uint64_t entity_mark;
    atomic_uint_fast64_t requests; /* how often a view was needed; read by any thread */
};

int el_snmp_hold_init(struct el_snmp_hold *h, const struct el_snmp_source *source, const el_oid *base,
                      size_t base_len);         /* 0 or -ENOMEM */
void el_snmp_hold_free(struct el_snmp_hold *h); /* what it holds, not itself */

void el_snmp_hold_turn(struct el_snmp_hold *h); /* a new turn begins */
void el_snmp_hold_rest(struct el_snmp_hold *h); /* before a wait: gives back what nobody asked for in a long time */
const struct el_snapshot *el_snmp_hold_snapshot(struct el_snmp_hold *h); /* NULL: none yet */
const struct el_snmp_view *el_snmp_hold_view(struct el_snmp_hold *h);    /* NULL: out of memory */
void el_snmp_hold_entity(struct el_snmp_hold *h, enum el_snmp_entity state);
