/* What the host's snmpd.conf lacks for elementd-exporter to be seen through it. Reads, never writes. */
#pragma once

#include "base/buf.h"

/* Reads snmpd.conf and the .conf files of snmpd.conf.d below `dir` (/etc/snmp). Appends the missing lines to `missing`,
 * each ended by a newline. 0, or -errno when snmpd.conf cannot be read (-ENOENT: no snmpd here; -EACCES: only root may
 * look). */
int el_snmpd_missing(const char *dir, const char *base_oid, struct el_buf *missing);
