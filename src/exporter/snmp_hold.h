/* The snapshot and the view that SNMP answers from, held for one turn of its loop, and for all turns of one request of
 * a master: each answer is of one snapshot. The view is made when somebody asks for it, once per snapshot. One thread.
 */
#pragma once

#include <stdatomic.h>

#include "exporter/snmp.h"

#define EL_SNMP_REQUESTS                                                                                               \
    8 /* of a master at once, whose answers stay of one snapshot; more managers at once: assumed rare */

struct el_snmp_held {
    const struct el_snapshot *snapshot; /* NULL = none */
    struct el_snmp_view *view;          /* of it; NULL = not asked for yet */
};

struct el_snmp_request {
    long id;                            /* the master's; 0 = none */
    const struct el_snapshot *snapshot; /* that it is answered from */
    int64_t begun_us, asked_us;
};

struct el_snmp_hold {
    struct el_snmp_source source;
    struct el_snmp_view_options options; /* change them only through el_snmp_hold_entity, or before the first view */
    struct el_snmp_self self;
    struct el_snmp_held now;                                    /* the latest that was looked at */
    struct el_snmp_held before;                                 /* the one before, while a request is in its midst */
    struct el_snapshot *empty;                                  /* shown while there is none */
    bool stale;                                                 /* what the source said of the latest */
    bool fresh;                                                 /* no newer one is looked for in this turn */
    int64_t asked_us;                                           /* when a view was last needed */
    struct el_snmp_request request[EL_SNMP_REQUESTS], *current; /* NULL = nobody's */
    uint64_t entity_mark;
    atomic_uint_fast64_t requests; /* begun; read by any thread */
};

int el_snmp_hold_init(struct el_snmp_hold *h, const struct el_snmp_source *source, const el_oid *base,
                      size_t base_len);         /* 0 or -ENOMEM */
void el_snmp_hold_free(struct el_snmp_hold *h); /* what it holds, not itself */

void el_snmp_hold_turn(struct el_snmp_hold *h); /* a new turn begins */
/* Before a view is asked for on behalf of request `id` of a master, which makes a GETBULK a turn for each repetition,
 * and asks for several managers in turn. A request that is in its midst when a second newer snapshot comes gets that
 * one. */
void el_snmp_hold_request(struct el_snmp_hold *h, long id);
void el_snmp_hold_rest(struct el_snmp_hold *h); /* before a wait: gives back what nobody asked for in a long time */
const struct el_snapshot *el_snmp_hold_snapshot(struct el_snmp_hold *h); /* NULL: none yet */
const struct el_snmp_view *el_snmp_hold_view(struct el_snmp_hold *h);    /* NULL: out of memory */
void el_snmp_hold_entity(struct el_snmp_hold *h, enum el_snmp_entity state);
