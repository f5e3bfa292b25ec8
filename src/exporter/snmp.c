#include "exporter/snmp.h"

/* net-snmp wants its configuration first. */
#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <net-snmp/agent/agent_callbacks.h>
#include <net-snmp/library/large_fd_set.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/log.h"
#include "exporter/snmp_hold.h"
#include "exporter/snmp_lookup.h"
#include "exporter/snmp_plan.h"
#include "exporter/snmp_state.h"

_Static_assert(sizeof(oid) == sizeof(el_oid), "OIDs go through unconverted");

#define PROGRAM            "elementd"
#define SESSION_TIMEOUT_US 300000  /* of a question to the master */
#define PING_CONNECTED_S   5       /* how soon a frozen master is noticed */
#define PING_WAITING_S     1       /* how soon a new master is found */
#define TURN_US            500000  /* how late an event is notified at most, beside the daemon's own tick */
#define TEND_US            100000  /* how often events are looked for while requests keep coming */
#define GRACE_US           5000000 /* how long the first notification waits for a name server */
#define PRIORITY_DEFAULT   127     /* RFC 2741 */
#define PRIORITY_INSIST    100     /* wins over another subagent's ENTITY-MIB */
#define PRIORITY_LAST      255     /* system group: the master's own wins */

#define SET_AGENT(type, key, value) netsnmp_ds_set_##type(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_##key, value)
#define SET_PING(seconds)           SET_AGENT(int, AGENTX_PING_INTERVAL, seconds)

struct el_snmp {
    struct el_snmp_plan plan;
    struct el_snmp_hold hold;
    struct el_snmp_notifier notifier;
    netsnmp_session *session[EL_TRAP_SINKS_MAX]; /* of each sink; NULL: through the master, or not open yet */
    struct el_snmp_lookup lookup[EL_TRAP_SINKS_MAX], listening; /* of each sink; of our own agent, while it cannot */
    bool listens;

    netsnmp_handler_registration *entity[2]; /* trees from EL_SNMP_TREE_ENTITY on */
    bool entity_wanted;                      /* a new connection: ask for them */
    bool refused;                            /* the master said that somebody else has the subtree */

    netsnmp_large_fd_set descriptors;
    pthread_t thread;
    bool running, forgetful; /* forgetful: what was told could not be written down */
    int wake;
    atomic_bool stop;
    atomic_uint_fast64_t requests, sent, suppressed;
    atomic_int agentx_state, entity_state, waiting;
};

static struct el_snmp *the; /* net-snmp is one per process, and its callbacks carry nothing */

static void set_value(netsnmp_variable_list *vb, const struct el_snmp_value *v)
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
        set_value(r->requestvb, &v);
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
    set_value(vb, &v);
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
    const struct el_snmp_view *view = el_snmp_hold_view(&the->hold);
    enum el_snmp_tree tree = (enum el_snmp_tree)(uintptr_t)handler->myvoid;

    if (!view)
        return SNMP_ERR_RESOURCEUNAVAILABLE;
    atomic_fetch_add(&the->requests, 1);
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

/* Who may read from the standalone agent: v3 users that sign and encrypt, and the one community, if any. */
static int may_read(int major, int minor, void *server, void *client)
{
    struct view_parameters *p = server;
    const netsnmp_pdu *pdu = p->pdu;

    if (pdu->version == SNMP_VERSION_3)
        p->errorcode = pdu->securityLevel == SNMP_SEC_LEVEL_AUTHPRIV ? VACM_SUCCESS : VACM_NOACCESS;
    else
        p->errorcode = el_snmp_access_community(&the->plan.access, pdu->community, pdu->community_len) ? VACM_SUCCESS
                                                                                                       : VACM_NOSECNAME;
    return 0;
}

/* Registrations. */

static netsnmp_handler_registration *register_tree(struct el_snmp *a, enum el_snmp_tree tree, int priority)
{
    oid root[EL_OID_MAX];
    size_t len = el_snmp_tree_root(&a->hold.options, tree, root);
    netsnmp_handler_registration *reg =
        netsnmp_create_handler_registration(PROGRAM, handle, root, len, HANDLER_CAN_RONLY | HANDLER_CAN_GETBULK);

    if (!reg)
        return NULL;
    reg->priority = priority;
    reg->handler->myvoid = (void *)(uintptr_t)tree;
    return netsnmp_register_handler(reg) == MIB_REGISTERED_OK ? reg : NULL;
}

static void set_entity(struct el_snmp *a, enum el_snmp_entity state)
{
    el_snmp_hold_entity(&a->hold, state);
    atomic_store(&a->entity_state, (int)state);
}

static void unregister_entity(struct el_snmp *a)
{
    for (size_t i = 0; i < EL_ARRAY_SIZE(a->entity); i++) {
        if (a->entity[i])
            netsnmp_unregister_handler(a->entity[i]);
        a->entity[i] = NULL;
    }
}

/* The standard MIBs: both, or none when another subagent has one. */
static void register_entity(struct el_snmp *a)
{
    int priority = a->plan.entity == EL_SNMP_ON ? PRIORITY_INSIST : PRIORITY_DEFAULT;

    a->refused = false;
    for (size_t i = 0; i < EL_ARRAY_SIZE(a->entity) && !a->refused; i++) {
        a->entity[i] = register_tree(a, EL_SNMP_TREE_ENTITY + i, priority);
        a->refused |= !a->entity[i];
    }
    set_entity(a, a->refused ? EL_SNMP_ENTITY_TAKEN : EL_SNMP_ENTITY_SERVED);
    if (a->refused)
        unregister_entity(a);
}

/* AgentX. */

static void set_agentx(struct el_snmp *a, enum el_snmp_agentx state)
{
    a->hold.self.agentx = state;
    atomic_store(&a->agentx_state, (int)state);
}

static int on_connection(int major, int minor, void *server, void *client)
{
    extern netsnmp_session *main_session; /* the library's: the one with the master */
    bool up = minor == SNMPD_CALLBACK_INDEX_START;

    if (up)
        main_session->timeout = SESSION_TIMEOUT_US;
    set_agentx(the, up ? EL_SNMP_AGENTX_CONNECTED : EL_SNMP_AGENTX_WAITING);
    SET_PING(up ? PING_CONNECTED_S : PING_WAITING_S); /* read when a connection stands, and when a ping failed */
    el_log_info(up ? "snmp: connected to the AgentX master"
                   : "snmp: lost the AgentX master; trying again until it is back");
    return 0;
}

/* The only place where net-snmp tells that a registration was refused is its log. */
static int on_log(netsnmp_log_handler *handler, int priority, const char *text)
{
    size_t n = strcspn(text, "\n");

    if (the && strncmp(text, "registering pdu failed", 22) == 0)
        the->refused = true;
    el_log_debug("snmp: %.*s", (int)n, text);
    return 1;
}

/* ENTITY-MIB is asked for after the connection stands, so that a refusal is known to be about it. */
static void tend_agentx(struct el_snmp *a)
{
    if (a->hold.self.agentx == EL_SNMP_AGENTX_OFF)
        return;
    SET_PING(PING_WAITING_S); /* read when the connection breaks */
    if (a->hold.self.agentx == EL_SNMP_AGENTX_WAITING) {
        SET_AGENT(string, X_SOCKET, el_snmp_plan_socket(&a->plan));
        a->entity_wanted = a->plan.entity != 0;
        return;
    }
    if (a->entity_wanted && a->hold.self.entity != EL_SNMP_ENTITY_SERVED)
        register_entity(a);
    else if (a->entity_wanted && a->refused) { /* it was re-registered with a new master, and that one said no */
        unregister_entity(a);
        set_entity(a, EL_SNMP_ENTITY_TAKEN);
    }
    if (a->entity_wanted && a->hold.self.entity == EL_SNMP_ENTITY_TAKEN)
        el_log_warning("snmp: another subagent serves ENTITY-MIB or ENTITY-SENSOR-MIB: ours are left out (snmp.entity: "
                       "off hides this, on overrides)");
    a->entity_wanted = false;
    a->refused = false;
}

/* SNMPv3: users and our engine; before init_snmp. */
static int start_engine(struct el_snmp *a)
{
    char id[65], text[3][96];
    unsigned boots;
    int r = el_snmp_state_engine(a->plan.state_dir, id, &boots);

    if (r < 0)
        return r;
    snprintf(text[0], sizeof text[0], "exactEngineID 0x%s", id);
    snprintf(text[1], sizeof text[1], "oldEngineID 0x%s", id);
    snprintf(text[2], sizeof text[2], "engineBoots %u", boots - 1); /* it adds one when it reads this */
    for (size_t i = 0; i < EL_ARRAY_SIZE(text); i++)
        netsnmp_config_remember(text[i]);
    return 0;
}

static void add_users(const struct el_snmp_access *access)
{
    char line[EL_SNMP_USER_LINE];

    for (uint32_t i = 0; i < access->users; i++) {
        el_snmp_access_line(&access->user[i], line);
        usm_parse_create_usmUser("createUser", line);
    }
    explicit_bzero(line, sizeof line);
}

/* Not by netsnmp_register_agent_nsap: it asks the files of TCP wrappers, which the sandbox hides, at each packet. True
 * when there is nothing to wait for. An address that is taken is tried again: nothing else shall stop because of it. */
static bool tend_standalone(struct el_snmp *a)
{
    int64_t now_us = a->hold.self.now_us;

    if (a->listens || !*a->plan.standalone || now_us < a->listening.next_us)
        return a->listens || !*a->plan.standalone;
    netsnmp_transport *t = netsnmp_transport_open_server(PROGRAM, a->plan.standalone);
    const char *why = strerror(errno); /* of bind, or of socket: the library says no more */
    netsnmp_session s;

    snmp_sess_init(&s);
    s.callback = handle_snmp_packet;
    s.isAuthoritative = SNMP_SESS_AUTHORITATIVE;
    a->listens = t && snmp_add(&s, t, NULL, NULL);
    if (!a->listens)
        return el_snmp_lookup_failed(&a->listening, now_us, "snmp.standalone: cannot listen on", a->plan.standalone,
                                     why);
    el_log_info("snmp: listening on %s", a->plan.standalone);
    a->hold.options.system = true;
    register_tree(a, EL_SNMP_TREE_SYSTEM, PRIORITY_LAST);
    if (a->plan.entity && a->hold.self.entity == EL_SNMP_ENTITY_OFF)
        register_entity(a);
    return true;
}

/* Notifications. */

/* The library derives the key of the engine from this one. */
static bool make_key(const netsnmp_session *s, const char *pass, u_char *key, size_t *len)
{
    *len = USM_AUTH_KU_LEN;
    return generate_Ku(s->securityAuthProto, (u_int)s->securityAuthProtoLen, (const u_char *)pass, strlen(pass), key,
                       len) == SNMPERR_SUCCESS;
}

static bool set_security(netsnmp_session *s, const struct el_snmp_sink *k, const struct el_snmp_access *access,
                         u_char *engine, size_t size)
{
    const struct el_snmp_user *u = el_snmp_access_user(access, k->name);

    s->version = SNMP_VERSION_3;
    s->contextEngineID = engine;
    s->contextEngineIDLen = snmpv3_get_engineID(engine, size);
    s->securityEngineID = k->inform ? (u_char *)(uintptr_t)k->engine : engine;
    s->securityEngineIDLen = k->inform ? k->engine_len : s->contextEngineIDLen;
    s->securityLevel = SNMP_SEC_LEVEL_AUTHPRIV;
    s->securityName = (char *)(uintptr_t)u->name;
    s->securityNameLen = strlen(u->name);
    s->securityAuthProto = sc_get_auth_oid(usm_lookup_auth_type(u->auth), &s->securityAuthProtoLen);
    s->securityPrivProto = sc_get_priv_oid(usm_lookup_priv_type(u->priv), &s->securityPrivProtoLen);
    return make_key(s, u->auth_pass, s->securityAuthKey, &s->securityAuthKeyLen) &&
           make_key(s, u->priv_pass, s->securityPrivKey, &s->securityPrivKeyLen);
}

/* True when there is nothing to wait for. */
static bool tend_sink(struct el_snmp *a, uint32_t i)
{
    struct el_snmp_lookup *l = &a->lookup[i];
    int64_t now_us = a->hold.self.now_us;
    struct el_snmp_sink *k = &a->plan.sink[i];
    u_char engine[SNMP_MAXBUF_SMALL];
    char address[128];
    netsnmp_session s;
    bool keyed = true;

    if (k->kind == EL_SNMP_SINK_AGENTX || a->session[i])
        return true;
    if (!el_snmp_lookup_turn(l, k->address, now_us, address, sizeof address))
        return false;
    snmp_sess_init(&s);
    s.peername = address;
    s.timeout = EL_USEC_PER_SEC;
    s.retries = k->inform ? 3 : 0;
    s.flags |= SNMP_FLAGS_DONT_PROBE; /* asking the receiver for its engine id would block for seconds */
    s.version = SNMP_VERSION_2c;
    if (k->kind == EL_SNMP_SINK_V3) {
        keyed = set_security(&s, k, &a->plan.access, engine, sizeof engine);
    } else {
        s.community = (u_char *)k->name;
        s.community_len = strlen(k->name);
    }
    if (keyed)
        a->session[i] = snmp_open(&s);
    return a->session[i] || el_snmp_lookup_failed(l, now_us, "snmp.sinks: cannot send to", k->address,
                                                  keyed ? snmp_api_errstring(s.s_snmp_errno) : "no keys");
}

static int ignore_answer(int op, netsnmp_session *s, int id, netsnmp_pdu *pdu, void *magic)
{
    return 1;
}

static void send_to(netsnmp_session *session, bool inform, netsnmp_variable_list *list)
{
    static const oid uptime_oid[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
    u_long uptime = (u_long)((the->hold.self.now_us - the->hold.self.start_us) / 10000);
    netsnmp_pdu *pdu = snmp_pdu_create(inform ? SNMP_MSG_INFORM : SNMP_MSG_TRAP2);

    if (!pdu)
        return;
    snmp_pdu_add_variable(pdu, uptime_oid, EL_ARRAY_SIZE(uptime_oid), ASN_TIMETICKS, &uptime, sizeof uptime);
    pdu->variables->next_variable = snmp_clone_varbind(list);
    if (!(inform ? snmp_async_send(session, pdu, ignore_answer, NULL) : snmp_send(session, pdu)))
        snmp_free_pdu(pdu);
}

static void tell(void *ctx, const struct el_snmp_binding binding[EL_SNMP_BINDINGS])
{
    struct el_snmp *a = ctx;
    netsnmp_variable_list *list = NULL;

    for (size_t i = 0; i < EL_SNMP_BINDINGS; i++) {
        netsnmp_variable_list *vb =
            snmp_varlist_add_variable(&list, binding[i].name, binding[i].len, ASN_NULL, NULL, 0);

        if (vb)
            set_value(vb, &binding[i].value);
    }
    for (uint32_t i = 0; i < a->plan.sinks && list; i++) {
        if (a->session[i])
            send_to(a->session[i], a->plan.sink[i].inform, list);
        else if (a->plan.sink[i].kind == EL_SNMP_SINK_AGENTX && a->hold.self.agentx == EL_SNMP_AGENTX_CONNECTED)
            send_v2trap(list);
    }
    snmp_free_varbind(list);
    atomic_store(&a->sent, ++a->hold.self.notifications);
}

/* Events wait in the ring while there is no way out: no master, no host found. */
static void tend_notifications(struct el_snmp *a)
{
    struct el_snmp_self *self = &a->hold.self;
    const struct el_snapshot *s;
    uint32_t waiting = 0, ready = 0;

    for (uint32_t i = 0; i < a->plan.sinks; i++) {
        waiting += !tend_sink(a, i);
        ready +=
            a->session[i] || (a->plan.sink[i].kind == EL_SNMP_SINK_AGENTX && self->agentx == EL_SNMP_AGENTX_CONNECTED);
    }
    atomic_store(&a->waiting, (int)waiting + !tend_standalone(a));
    if (ready == 0 || (waiting > 0 && self->now_us - self->start_us < GRACE_US))
        return;
    s = el_snmp_hold_snapshot(&a->hold);
    if (el_snmp_notifier_turn(&a->notifier, &a->hold.options, s, self->now_us, el_clock_realtime_us(), tell, a))
        el_snmp_state_save(a->plan.state_dir, &a->notifier, &a->forgetful);
    self->last_notified = a->notifier.last_seq;
    self->suppressed = a->notifier.suppressed;
    atomic_store(&a->suppressed, self->suppressed);
}

static void set_library(struct el_snmp *a)
{
    static const int library[] = {NETSNMP_DS_LIB_DONT_READ_CONFIGS, NETSNMP_DS_LIB_DONT_PERSIST_STATE,
                                  NETSNMP_DS_LIB_DONT_LOAD_HOST_FILES, NETSNMP_DS_LIB_ALARM_DONT_USE_SIG,
                                  NETSNMP_DS_LIB_DISABLE_V1};
    char no_retries[] = "retries 0";

    setenv("MIBS", "", 1); /* no MIB file is needed, and looking for them takes longer than all the rest */
    setenv("MIBDIRS", "", 1);
    snmp_disable_log();
    netsnmp_register_loghandler(NETSNMP_LOGHANDLER_CALLBACK, LOG_DEBUG)->handler = on_log;
    for (size_t i = 0; i < EL_ARRAY_SIZE(library); i++)
        netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, library[i], 1);
    SET_AGENT(boolean, NO_ROOT_ACCESS, 1);
    SET_AGENT(boolean, NO_CONNECTION_WARNINGS, 1);
    SET_AGENT(boolean, ROLE, a->plan.agentx != EL_SNMP_OFF);
    netsnmp_config_remember(no_retries); /* a master that hangs costs 1 s at start, the least there is */
    SET_AGENT(string, X_SOCKET, el_snmp_plan_socket(&a->plan));
}

/* Last of all, so that its word counts: the library asks its own view-based control first, which nobody configured. */
static void watch(int what, SNMPCallback *callback)
{
    netsnmp_register_callback(SNMP_CALLBACK_APPLICATION, what, callback, NULL, NETSNMP_CALLBACK_LOWEST_PRIORITY);
}

static int start_library(struct el_snmp *a, char *why, size_t why_size)
{
    int r = *a->plan.standalone || a->plan.access.users ? start_engine(a) : 0;

    if (r < 0)
        return r;
    the = a;
    el_snmp_state_load(a->plan.state_dir, &a->notifier, a->hold.self.start_us);
    set_library(a);
    set_agentx(a, a->plan.agentx ? EL_SNMP_AGENTX_WAITING : EL_SNMP_AGENTX_OFF);
    watch(SNMPD_CALLBACK_INDEX_START, on_connection);
    watch(SNMPD_CALLBACK_INDEX_STOP, on_connection);
    watch(SNMPD_CALLBACK_ACM_CHECK, may_read);
    watch(SNMPD_CALLBACK_ACM_CHECK_INITIAL, may_read);
    if (init_agent(PROGRAM) != 0 || !register_tree(a, EL_SNMP_TREE_ELEMENT, PRIORITY_DEFAULT)) {
        snprintf(why, why_size, "net-snmp does not start at snmp.base_oid");
        return -EIO;
    }
    SET_PING(PING_WAITING_S); /* counts only after init_agent */
    a->entity_wanted = a->plan.entity != 0;
    init_snmp(PROGRAM);
    add_users(&a->plan.access);
    return 0;
}

int el_snmp_prepare(const struct el_settings *settings, const char *state_dir, const struct el_snmp_source *source,
                    struct el_snmp **out, char *why, size_t why_size)
{
    struct el_snmp *a;
    int r;

    if (!el_snmp_plan_wanted(settings)) {
        *out = NULL;
        return 0;
    }
    a = calloc(1, sizeof *a);
    if (!a)
        return -ENOMEM;
    a->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    netsnmp_large_fd_set_init(&a->descriptors, FD_SETSIZE);
    r = el_snmp_plan_read(settings, state_dir, &a->plan, why, why_size);
    if (r == 0)
        r = el_snmp_hold_init(&a->hold, source, a->plan.base, a->plan.base_len);
    if (r == 0)
        r = start_library(a, why, why_size);
    if (r == 0)
        a->waiting = !tend_standalone(a);
    *out = r < 0 ? el_snmp_free(a) : a;
    return r;
}

/* Until a request, a timer of net-snmp, our own turn, or the end. Descriptor numbers may be beyond 1024. */
static void wait_and_read(struct el_snmp *a)
{
    struct timeval wait = {.tv_usec = TURN_US};
    int n = 0, block = 0, ready;

    el_snmp_hold_rest(&a->hold);
    NETSNMP_LARGE_FD_ZERO(&a->descriptors);
    snmp_select_info2(&n, &a->descriptors, &wait, &block);
    NETSNMP_LARGE_FD_SET(a->wake, &a->descriptors);
    ready = netsnmp_large_fd_set_select(EL_MAX(n, a->wake + 1), &a->descriptors, NULL, NULL, &wait);
    el_snmp_hold_turn(&a->hold);
    ready > 0 ? snmp_read2(&a->descriptors) : snmp_timeout();
    run_alarms();
    netsnmp_check_outstanding_agent_requests();
}

static void *run(void *arg)
{
    struct el_snmp *a = arg;

    for (int64_t tended_us = 0; !atomic_load(&a->stop);) {
        wait_and_read(a);
        tend_agentx(a);
        if (a->hold.self.now_us - tended_us < TEND_US)
            continue;
        tended_us = a->hold.self.now_us;
        tend_notifications(a);
    }
    return NULL;
}

int el_snmp_start(struct el_snmp *a)
{
    int r = pthread_create(&a->thread, NULL, run, a);

    a->running = r == 0;
    return -r;
}

struct el_snmp *el_snmp_free(struct el_snmp *a)
{
    if (!a)
        return NULL;
    atomic_store(&a->stop, true);
    if (a->running) {
        eventfd_write(a->wake, 1);
        pthread_join(a->thread, NULL);
    }
    if (the == a) { /* the library was started */
        snmp_shutdown(PROGRAM);
        shutdown_agent();
    }
    for (uint32_t i = 0; i < a->plan.sinks; i++)
        el_snmp_lookup_end(&a->lookup[i]);
    netsnmp_large_fd_set_cleanup(&a->descriptors);
    el_snmp_hold_free(&a->hold);
    close(a->wake);
    explicit_bzero(&a->plan.access, sizeof a->plan.access);
    the = NULL;
    free(a);
    return NULL;
}

struct el_snmp_state el_snmp_state(const struct el_snmp *a)
{
    return (struct el_snmp_state){.agentx = (enum el_snmp_agentx)a->agentx_state,
                                  .entity = (enum el_snmp_entity)a->entity_state,
                                  .waiting = (uint32_t)a->waiting,
                                  .requests = a->requests,
                                  .notifications = a->sent,
                                  .suppressed = a->suppressed};
}
