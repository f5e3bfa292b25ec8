/* Answers requests for one tree of the view, each from one snapshot and from memory alone. Every SET is refused. */
#pragma once

#include "exporter/snmp_access.h"
#include "exporter/snmp_hold.h"
#include "exporter/snmp_net.h"

/* NULL: refused. The handler asks `h`, which must outlive it. */
netsnmp_handler_registration *el_snmp_answer_tree(struct el_snmp_hold *h, enum el_snmp_tree tree, int priority);

/* Who may read from an agent of our own: v3 users that sign and encrypt, and the one community, if any. Before
 * init_agent; `access` must outlive the library. */
void el_snmp_answer_guard(const struct el_snmp_access *access);

/* Sets type and value, leaves the name. */
void el_snmp_set_variable(netsnmp_variable_list *vb, const struct el_snmp_value *v);
