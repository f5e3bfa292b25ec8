/* Finds out what keeps elementd-exporter from being seen through the host's snmpd. Changes nothing. */
#pragma once

#include "base/buf.h"

/* Reads snmpd.conf and the .conf files of snmpd.conf.d below `dir` (/etc/snmp), and appends the lines that are missing
 * there, each ended by a newline. `socket`: where the exporter looks for a master, "" = the usual places, NULL = it
 * already has one, so only views can be missing. 0, or -errno when snmpd.conf cannot be read (-ENOENT: no snmpd here;
 * -EACCES: only root may look). */
int el_snmpd_missing(const char *dir, const char *base_oid, const char *socket, struct el_buf *missing);

/* Whether `user` (EL_NOBODY, when there is none of that name) may connect to the AgentX socket, going by the modes of
 * the socket and of the directories above it. */
bool el_snmpd_permits(const char *socket, const char *user);

/* Whether a master answers there: opens an AgentX session and hangs up. 0, -ECONNREFUSED (it ended and left its socket
 * behind), -ETIMEDOUT (no answer within 2 s: frozen), -EPROTO (something else answers), or -errno. */
int el_snmpd_ask(const char *socket_path);
