/* Sends notifications to the sinks of the plan: through the master, or by sessions of its own. Never waits: hosts are
 * looked up beside it, nobody's answer is waited for. Events stay in the snapshot's ring while there is no way out. */
#pragma once

#include <stdatomic.h>

#include "exporter/snmp_hold.h"
#include "exporter/snmp_lookup.h"
#include "exporter/snmp_notify.h"
#include "exporter/snmp_plan.h"

struct snmp_session;

struct el_snmp_sender {
    struct el_snmp_plan *plan;
    struct el_snmp_hold *hold;
    struct el_snmp_notifier notifier;
    struct snmp_session *session[EL_TRAP_SINKS_MAX]; /* NULL: through the master, or not open yet */
    struct el_snmp_lookup lookup[EL_TRAP_SINKS_MAX];
    bool forgetful;                        /* what was told could not be written down */
    atomic_uint_fast64_t sent, suppressed; /* read by any thread */
};

/* Goes on where it stood when the process ended. */
void el_snmp_sender_init(struct el_snmp_sender *s, struct el_snmp_plan *plan, struct el_snmp_hold *hold);

/* Opens the sinks that can be opened, tells what may be told. Returns how many sinks wait. */
uint32_t el_snmp_sender_turn(struct el_snmp_sender *s);

void el_snmp_sender_end(struct el_snmp_sender *s);
