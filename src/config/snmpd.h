/* What keeps elementd-exporter from being seen through the host's snmpd. Changes nothing. */
#pragma once

#include "base/buf.h"

/* Reads snmpd.conf and the .conf files of snmpd.conf.d below `dir` (/etc/snmp). Appends the missing lines to `missing`,
 * each ended by a newline. `socket`: where the exporter looks for a master, "" = the usual places, NULL = a master
 * takes it already, views alone may be missing. 0, or -errno when snmpd.conf cannot be read (-ENOENT: no snmpd here;
 * -EACCES: only root may look). */
int el_snmpd_missing(const char *dir, const char *base_oid, const char *socket, struct el_buf *missing);

/* May `user` (nobody, when there is none of that name) connect to the AgentX socket: itself and the directories above.
 */
bool el_snmpd_permits(const char *socket, const char *user);

/* Does a master answer there? Opens an AgentX session and hangs up. 0, -ECONNREFUSED (it ended and left its socket),
 * -ETIMEDOUT (it does not answer for 2 s: frozen), -EPROTO (something else), or -errno. */
int el_snmpd_ask(const char *socket_path);
