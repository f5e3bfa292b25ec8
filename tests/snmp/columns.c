/* snmp-columns: every object the SNMP view can serve, one line each: OID of the column, name, type. For the check of
 * the MIB. */
#include <stdio.h>

#include "exporter/snmp_view.h"

static void print(void *ctx, const el_oid *entry, size_t len, unsigned column, const char *name, enum el_snmp_type type)
{
    static const char *const names[] = {"", "INTEGER", "GAUGE", "COUNTER", "COUNTER64", "TICKS", "TEXT", "OID"};

    for (size_t i = 0; i < len; i++)
        printf("%lu.", entry[i]);
    printf("%u %s %s\n", column, name, names[type]);
}

int main(void)
{
    struct el_snmp_view_options o = {.entity = true, .system = true};

    o.base_len = el_oid_parse("1.3.6.1.4.1.8072.9999.9999.10450", o.base);
    el_snmp_columns(&o, print, NULL);
    return 0;
}
