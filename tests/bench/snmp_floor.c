/* snmp-floor standalone|agentx ADDRESS ROWS COLUMNS: the least an agent can do. A table of ROWS x COLUMNS integers
 * worked out from the OID itself, below the same base and index length as our drives, answered by one handler with
 * GETBULK in one pass. What our own agent is measured against: tests/bench/snmp_walk.py. */
#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <net-snmp/agent/agent_callbacks.h>

#include <signal.h>

static const oid root[] = {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 10450};
#define PREFIX 13 /* root.1.6.1 */
static oid rows, columns, texts, bytes;

static int bare(netsnmp_mib_handler *h, netsnmp_handler_registration *reg, netsnmp_agent_request_info *info,
                netsnmp_request_info *r)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog";

    for (; r; r = r->next)
        for (;;) {
            netsnmp_variable_list *vb = r->requestvb;
            oid name[16] = {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 10450, 1, 6, 1}, column = 1, row = 0;
            long value;

            if (vb->name_length >= PREFIX + 3) {
                column = vb->name[PREFIX];
                row = (vb->name[PREFIX + 1] - 1) * 8 + vb->name[PREFIX + 2];
            }
            if (row >= rows) {
                column++;
                row = 0;
            }
            if (column > columns)
                break;
            name[PREFIX] = column;
            name[PREFIX + 1] = row / 8 + 1;
            name[PREFIX + 2] = row % 8 + 1;
            value = (long)row * 1000000;
            snmp_set_var_objid(vb, name, PREFIX + 3);
            if (column <= texts)
                snmp_set_var_typed_value(vb, ASN_OCTET_STR, text, bytes);
            else
                snmp_set_var_typed_value(vb, ASN_INTEGER, &value, sizeof value);
            if (info->mode != MODE_GETBULK || r->repeat <= 0 || !vb->next_variable)
                break;
            r->repeat--;
            r->requestvb = vb->next_variable;
            snmp_set_var_objid(r->requestvb, vb->name, vb->name_length);
            r->requestvb->type = ASN_PRIV_RETRY;
        }
    return SNMP_ERR_NOERROR;
}

static int allow(int major, int minor, void *server, void *client)
{
    ((struct view_parameters *)server)->errorcode = 0;
    return 0;
}

int main(int argc, char **argv)
{
    int subagent = argc == 7 && strcmp(argv[1], "agentx") == 0;

    if (argc != 7)
        return 2;
    rows = strtoul(argv[3], NULL, 10);
    columns = strtoul(argv[4], NULL, 10);
    texts = strtoul(argv[5], NULL, 10);
    bytes = SNMP_MIN(strtoul(argv[6], NULL, 10), 43);
    setenv("MIBS", "", 1);
    setenv("MIBDIRS", "", 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_NO_ROOT_ACCESS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_ROLE, subagent);
    if (subagent)
        netsnmp_ds_set_string(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_X_SOCKET, argv[2]);
    for (int what = 0; what <= SNMPD_CALLBACK_ACM_CHECK_INITIAL; what += SNMPD_CALLBACK_ACM_CHECK_INITIAL)
        netsnmp_register_callback(SNMP_CALLBACK_APPLICATION, what, allow, NULL, NETSNMP_CALLBACK_LOWEST_PRIORITY);
    init_agent("floor");
    netsnmp_register_handler(netsnmp_create_handler_registration("floor", bare, root, sizeof root / sizeof *root,
                                                                 HANDLER_CAN_RONLY | HANDLER_CAN_GETBULK));
    init_snmp("floor");
    if (!subagent) {
        netsnmp_transport *t = netsnmp_transport_open_server("floor", argv[2]);
        netsnmp_session s;

        snmp_sess_init(&s);
        s.callback = handle_snmp_packet;
        s.isAuthoritative = SNMP_SESS_AUTHORITATIVE;
        if (!t || !snmp_add(&s, t, NULL, NULL))
            return 1;
    }
    puts("ready");
    fflush(stdout);
    for (;;)
        agent_check_and_process(1);
}
