#include "exporter/snmp_answer.h"

#include <errno.h>

void el_snmp_set_variable(netsnmp_variable_list *vb, const struct el_snmp_value *v)
{
    static const u_char asn[] = {
        [EL_SNMP_INTEGER] = ASN_INTEGER, [EL_SNMP_GAUGE] = ASN_GAUGE,         [EL_SNMP_COUNTER] = ASN_COUNTER,
        [EL_SNMP_TICKS] = ASN_TIMETICKS, [EL_SNMP_COUNTER64] = ASN_COUNTER64, [EL_SNMP_TEXT] = ASN_OCTET_STR,
        [EL_SNMP_OID] = ASN_OBJECT_ID};
    const struct counter64 wide = {.high = v->counter64 >> 32, .low = v->counter64 & 0xffffffff};
    long number = v->type == EL_SNMP_INTEGER ? v->integer : (long)v->gauge;

    if (v->type == EL_SNMP_TEXT)
        snmp_set_var_typed_value(vb, asn[v->type], v->text, v->len);
    else if (v->type == EL_SNMP_OID)
        snmp_set_var_typed_value(vb, asn[v->type], v->oid, v->len * sizeof *v->oid);
    else if (v->type == EL_SNMP_COUNTER64)
        snmp_set_var_typed_value(vb, asn[v->type], &wide, sizeof wide);
    else
        snmp_set_var_typed_value(vb, asn[v->type], &number, sizeof number);
}

static void answer_get(const struct el_snmp_view *view, enum el_snmp_tree tree, netsnmp_agent_request_info *info,
                       netsnmp_request_info *r)
{
    struct el_snmp_value v;
    int found = el_snmp_view_get(view, tree, r->requestvb->name, r->requestvb->name_length, &v);

    if (found == 0)
        el_snmp_set_variable(r->requestvb, &v);
    else
        netsnmp_set_request_error(info, r, found == -ENXIO ? SNMP_NOSUCHINSTANCE : SNMP_NOSUCHOBJECT);
}

/* Names are written where the variable has room for the longest there is. False at the end of the tree. */
static bool answer_step(const struct el_snmp_view *view, struct el_snmp_place *at, netsnmp_variable_list *vb)
{
    struct el_snmp_value v;

    _Static_assert(EL_OID_MAX <= MAX_OID_LEN, "any name fits");
    if (el_snmp_view_step(view, at, vb->name_loc, &vb->name_length, &v) < 0)
        return false;
    vb->name = vb->name_loc;
    el_snmp_set_variable(vb, &v);
    return true;
}

/* GETNEXT, and all repetitions of a GETBULK at once: the library's own helper would come back, and look, for each. At
 * the end of our tree the agent goes on by itself. */
static void answer_next(const struct el_snmp_view *view, enum el_snmp_tree tree, netsnmp_request_info *r, bool bulk)
{
    netsnmp_variable_list *vb = r->requestvb;
    struct el_snmp_place at = el_snmp_view_find(view, tree, vb->name, vb->name_length, r->inclusive);
    bool found = answer_step(view, &at, vb);

    while (found && bulk && r->repeat > 0 && vb->next_variable) {
        r->repeat--;
        r->inclusive = 0;
        r->requestvb = vb->next_variable;
        found = answer_step(view, &at, r->requestvb);
        if (!found) {
            snmp_set_var_objid(r->requestvb, vb->name, vb->name_length);
            r->requestvb->type = ASN_PRIV_RETRY;
        }
        vb = r->requestvb;
    }
}

static int handle(netsnmp_mib_handler *handler, netsnmp_handler_registration *reg, netsnmp_agent_request_info *info,
                  netsnmp_request_info *requests)
{
    enum el_snmp_tree tree = (enum el_snmp_tree)(uintptr_t)reg->my_reg_void;
    const struct el_snmp_view *view;

    el_snmp_hold_request(handler->myvoid, info->asp->pdu->transid); /* a master's number, or one that is never again */
    view = el_snmp_hold_view(handler->myvoid);
    if (!view)
        return SNMP_ERR_RESOURCEUNAVAILABLE;
    for (netsnmp_request_info *r = requests; r; r = r->next) {
        if (r->processed)
            continue;
        if (info->mode == MODE_GET)
            answer_get(view, tree, info, r);
        else if (info->mode == MODE_GETNEXT || info->mode == MODE_GETBULK)
            answer_next(view, tree, r, info->mode == MODE_GETBULK);
        else
            netsnmp_set_request_error(info, r, SNMP_ERR_NOTWRITABLE);
    }
    return SNMP_ERR_NOERROR;
}

netsnmp_handler_registration *el_snmp_answer_tree(struct el_snmp_hold *h, enum el_snmp_tree tree, int priority)
{
    oid root[EL_OID_MAX];
    size_t len = el_snmp_tree_root(&h->options, tree, root);
    netsnmp_handler_registration *reg = netsnmp_create_handler_registration(EL_SNMP_PROGRAM, handle, root, len,
                                                                            HANDLER_CAN_RONLY | HANDLER_CAN_GETBULK);

    if (!reg)
        return NULL;
    reg->priority = priority;
    reg->handler->myvoid = h;
    reg->my_reg_void = (void *)(uintptr_t)tree;
    return netsnmp_register_handler(reg) == MIB_REGISTERED_OK ? reg : NULL;
}

static const struct el_snmp_access *guard; /* net-snmp frees what its callbacks carry */

static int may_read(int major, int minor, void *server, void *client)
{
    struct view_parameters *p = server;
    const netsnmp_pdu *pdu = p->pdu;

    if (pdu->version == SNMP_VERSION_3)
        p->errorcode = pdu->securityLevel == SNMP_SEC_LEVEL_AUTHPRIV ? VACM_SUCCESS : VACM_NOACCESS;
    else
        p->errorcode =
            el_snmp_access_community(guard, pdu->community, pdu->community_len) ? VACM_SUCCESS : VACM_NOSECNAME;
    return 0;
}

void el_snmp_answer_guard(const struct el_snmp_access *access)
{
    guard = access;
    el_snmp_watch(SNMPD_CALLBACK_ACM_CHECK, may_read);
    el_snmp_watch(SNMPD_CALLBACK_ACM_CHECK_INITIAL, may_read);
}
