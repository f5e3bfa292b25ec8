/* Object identifiers. Pure, thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef unsigned long el_oid; /* as wide as net-snmp's own, so that no lookup has to convert */

#define EL_OID_MAX      64 /* sub-identifiers of any OID that is handled */
#define EL_OID_TEXT_MAX 32 /* of one that a person wrote */

/* Reads "1.3.6.1.4.1..." (a leading dot is allowed). Returns the number of sub-identifiers (2..EL_OID_TEXT_MAX), or 0
 * when it is no OID: `out` is then untouched. */
size_t el_oid_parse(const char *text, el_oid out[EL_OID_MAX]);

/* Three-way comparison in the order of a walk. */
int el_oid_compare(const el_oid *a, size_t a_len, const el_oid *b, size_t b_len);
