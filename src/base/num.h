/* Numbers to text and back, the same under every locale. Thread-safe. */
#pragma once

#include "base/base.h"

#define EL_NUM_MAX 48 /* fits every number written here, NUL included (2^128-1 has 39 digits) */

/* Each writes text and NUL to `out` (EL_NUM_MAX bytes) and returns its length. */
size_t el_num_u128(char *out, el_u128 v);
size_t el_num_fixed(char *out, int64_t v,
                    unsigned decimals); /* v x 10^-decimals without trailing zeros: 26850,3 -> 26.85 */
size_t el_num_double(char *out,
                     double v); /* shortest text that reads back as v; NaN, +Inf, -Inf as Prometheus spells them */

/* Strict parsers: the whole text (surrounding white space aside) must be the number. 0, -EINVAL or -ERANGE;
 * `*out` is untouched on failure. */
int el_num_parse_i64(const char *text, int64_t *out); /* decimal, or hexadecimal after 0x */
int el_num_parse_u64(const char *text, uint64_t *out);
int el_num_parse_double(const char *text, double *out); /* finite only, decimal point only */
