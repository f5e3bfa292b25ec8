#include "base/oid.h"

#include <string.h>

#include "base/base.h"

size_t el_oid_parse(const char *text, el_oid out[EL_OID_MAX])
{
    el_oid oid[EL_OID_TEXT_MAX];
    size_t n = 0;

    text += *text == '.';
    for (;;) {
        uint64_t v = 0;

        if (*text < '0' || *text > '9' || n == EL_ARRAY_SIZE(oid))
            return 0;
        while (*text >= '0' && *text <= '9') {
            v = v * 10 + (uint64_t)(*text++ - '0');
            if (v > UINT32_MAX)
                return 0;
        }
        oid[n++] = v;
        if (*text == '\0')
            break;
        if (*text++ != '.')
            return 0;
    }
    if (n < 2 || oid[0] > 2 || (oid[0] < 2 && oid[1] > 39))
        return 0;
    memcpy(out, oid, n * sizeof *out);
    return n;
}

int el_oid_compare(const el_oid *a, size_t a_len, const el_oid *b, size_t b_len)
{
    for (size_t i = 0; i < a_len && i < b_len; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return (a_len > b_len) - (a_len < b_len);
}
