/* The system group of SNMPv2-MIB (RFC 3418): how managers greet an agent of our own. Under a master the master's own is
 * shown. */
#include <string.h>

#include "exporter/snmp_get.h"

#define SERVICES 72 /* RFC 3418: end-to-end and applications */

static bool get_descr(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_snmp_self *self = at->object;

    return el_snmp_set_format(out, "elementd-exporter %.15s on %.64s", self->version, self->host);
}

static bool get_object_id(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->len = at->view->options.base_len;
    memcpy(out->oid, at->view->options.base, out->len * sizeof *out->oid);
    return true;
}

static bool get_services(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->integer = SERVICES;
    return true;
}

static const struct el_snmp_column columns[] = {
    {1, EL_SNMP_TEXT, "sysDescr", get_descr},
    {2, EL_SNMP_OID, "sysObjectID", get_object_id},
    {3, EL_SNMP_TICKS, "sysUpTime", el_snmp_get_uptime},
    {4, EL_SNMP_TEXT, "sysContact", el_snmp_get_nothing},
    {5, EL_SNMP_TEXT, "sysName", el_snmp_get_text, offsetof(struct el_snmp_self, host),
     sizeof(((struct el_snmp_self *)0)->host)},
    {6, EL_SNMP_TEXT, "sysLocation", el_snmp_get_nothing},
    {7, EL_SNMP_INTEGER, "sysServices", get_services},
};

const struct el_snmp_table el_snmp_system_table = {.name = "system",
                                                   .tree = EL_SNMP_TREE_SYSTEM,
                                                   .rows = EL_ROWS_SELF,
                                                   .columns = columns,
                                                   .n = EL_ARRAY_SIZE(columns)};
