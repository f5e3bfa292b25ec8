/* What SNMP must remember over restarts, in the exporter's own state directory. */
#pragma once

#include "exporter/snmp_notify.h"

/* The identity of our SNMPv3 engine (hex digits; made once) and how often it started, this time included. When
 * that cannot be written down, the engine is a new one (logged): its count is right then, too. 0 or -errno. */
int el_snmp_state_engine(const char *dir, char id[65], unsigned *boots);

/* A notifier that goes on where the last one stood. */
void el_snmp_state_load(const char *dir, struct el_snmp_notifier *n, int64_t now_us);
/* `dir` "": nowhere. `*failed`: could not the last time; the first time of several is logged. */
void el_snmp_state_save(const char *dir, const struct el_snmp_notifier *n, bool *failed);
