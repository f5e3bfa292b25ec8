/* Names as they come in a PDU: each answer to GETNEXT is greater than what was asked and can be
 * asked for itself. */
#include <errno.h>
#include <string.h>

#include "exporter/snmp_view.h"
#include "fuzz.h"
#include "support/make_snapshot.h"

static struct el_snmp_view *view(void)
{
    static struct el_test_snapshot made = {.drives = 9, .sensors = 2, .events = 3, .alarms = 2, .odd = true};
    static struct el_snmp_self self = {.version = "0.1.0", .now_us = 20000000, .start_us = 10000000};
    static struct el_snmp_view *v;
    struct el_snmp_view_options o = {.entity = true, .system = true, .self = &self};

    if (!v) {
        o.base_len = el_oid_parse("1.3.6.1.4.1.8072.9999.9999.10450", o.base);
        v = el_snmp_view_new(el_test_snapshot_new(&made), &o);
    }
    if (!v)
        abort();
    return v;
}

/* First byte: where to begin: nowhere, at our own MIB, at ENTITY-MIB, at the sensors, at the system group. Then
 * sub-identifiers as BER writes them: seven bits a byte. */
static size_t name(const uint8_t *data, size_t n, el_oid oid[EL_OID_MAX])
{
    static const char *const begin[] = {"1.3.6.1.4.1.8072.9999.9999.10450", "1.3.6.1.2.1.47", "1.3.6.1.2.1.99",
                                        "1.3.6.1.2.1.1"};
    size_t len = n && data[0] % 5 ? el_oid_parse(begin[data[0] % 5 - 1], oid) : 0;
    el_oid sub = 0;

    for (size_t i = 1; i < n && len < EL_OID_MAX; i++) {
        sub = (el_oid)(uint32_t)(sub << 7 | (data[i] & 0x7f));
        if (!(data[i] & 0x80)) {
            oid[len++] = sub;
            sub = 0;
        }
    }
    return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    el_oid asked[EL_OID_MAX], next[EL_OID_MAX];
    size_t len = name(data, n, asked), next_len;
    struct el_snmp_value value, same;

    for (enum el_snmp_tree tree = 0; tree < EL_SNMP_TREES; tree++) {
        struct el_snmp_place at = el_snmp_view_find(view(), tree, asked, len, false);
        el_oid before[EL_OID_MAX];
        size_t before_len = len;

        memcpy(before, asked, len * sizeof *asked);
        el_snmp_view_get(view(), tree, asked, len, &value);
        for (int i = 0; i < 4 && el_snmp_view_step(view(), &at, next, &next_len, &value) == 0; i++) {
            if (next_len > EL_OID_MAX || el_oid_compare(before, before_len, next, next_len) >= 0)
                abort();
            if (el_snmp_view_get(view(), tree, next, next_len, &same) != 0 || same.type != value.type)
                abort();
            memcpy(before, next, next_len * sizeof *next);
            before_len = next_len;
        }
    }
    return 0;
}
