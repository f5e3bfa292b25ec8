/* The one door to net-snmp. The library is one per process and not thread-safe: only the SNMP thread goes through, and
 * whoever prepares it before that thread runs. */
#pragma once

/* Its configuration first. */
#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <net-snmp/agent/agent_callbacks.h>
#include <net-snmp/library/large_fd_set.h>

#include "exporter/snmp_view.h"

_Static_assert(sizeof(oid) == sizeof(el_oid), "OIDs go through unconverted");

#define EL_SNMP_PROGRAM "elementd"

/* Callbacks of the agent. Last of all, so that their word counts: the library asks its own view-based access control
 * first, which nobody configured. */
static inline void el_snmp_watch(int what, SNMPCallback *callback)
{
    netsnmp_register_callback(SNMP_CALLBACK_APPLICATION, what, callback, NULL, NETSNMP_CALLBACK_LOWEST_PRIORITY);
}
