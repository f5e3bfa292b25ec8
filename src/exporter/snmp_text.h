/* Values set from C types. Each returns true, or false when there is no such value; `type` is set by the caller. */
#pragma once

#include "exporter/snmp_view.h"

bool el_snmp_set_text(struct el_snmp_value *out, const char *text,
                      size_t max); /* `text` ends at NUL or after `max` bytes */
bool el_snmp_set_format(struct el_snmp_value *out, const char *fmt, ...) EL_PRINTF(2, 3);
bool el_snmp_set_integer(struct el_snmp_value *out, double v); /* rounds; clamps to the type */
bool el_snmp_set_date(struct el_snmp_value *out,
                      int64_t realtime_us); /* DateAndTime, UTC; false when not after the epoch */
