/* Where a notification goes: the number of a host that the settings name, asked for beside the caller, who never waits.
 * After the sandbox closed: each question is a thread. One thread calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct el_snmp_question;

struct el_snmp_lookup {
    struct el_snmp_question *question; /* that is being asked */
    int64_t next_us, pause_us;         /* when to try again, BOOTTIME; how long that is waited for, 0 = first time */
};

#define EL_SNMP_AGAIN_MAX_US (60 * (int64_t)1000000) /* assumed: a name server that came back is asked within this */

/* Waits twice as long as the last time: from 1 s to EL_SNMP_AGAIN_MAX_US. The first time it says why: `what`
 * "`address`": `why`. False, for the caller to return. */
bool el_snmp_lookup_failed(struct el_snmp_lookup *l, int64_t now_us, const char *what, const char *address,
                           const char *why);

/* True when `out` is `address` with the host as a number. Else it asks, or waits for the answer, or to ask again. */
bool el_snmp_lookup_turn(struct el_snmp_lookup *l, const char *address, int64_t now_us, char *out, size_t size);

void el_snmp_lookup_end(struct el_snmp_lookup *l);
