#include "exporter/snmp_send.h"

#include <string.h>

#include "base/clock.h"
#include "exporter/snmp_answer.h"
#include "exporter/snmp_state.h"

#define GRACE_US 5000000 /* how long the first notification waits for a name server */

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
static bool tend_sink(struct el_snmp_sender *s, uint32_t i)
{
    struct el_snmp_lookup *l = &s->lookup[i];
    int64_t now_us = s->hold->self.now_us;
    struct el_snmp_sink *k = &s->plan->sink[i];
    u_char engine[SNMP_MAXBUF_SMALL];
    char address[128];
    netsnmp_session session;
    bool keyed = true;

    if (k->kind == EL_SNMP_SINK_AGENTX || s->session[i])
        return true;
    if (!el_snmp_lookup_turn(l, k->address, now_us, address, sizeof address))
        return false;
    snmp_sess_init(&session);
    session.peername = address;
    session.timeout = EL_USEC_PER_SEC;
    session.retries = k->inform ? 3 : 0;
    session.flags |= SNMP_FLAGS_DONT_PROBE; /* asking the receiver for its engine id would block for seconds */
    session.version = SNMP_VERSION_2c;
    if (k->kind == EL_SNMP_SINK_V3) {
        keyed = set_security(&session, k, &s->plan->access, engine, sizeof engine);
    } else {
        session.community = (u_char *)k->name;
        session.community_len = strlen(k->name);
    }
    if (keyed)
        s->session[i] = snmp_open(&session);
    return s->session[i] || el_snmp_lookup_failed(l, now_us, "snmp.sinks: cannot send to", k->address,
                                                  keyed ? snmp_api_errstring(session.s_snmp_errno) : "no keys");
}

static bool through_master(const struct el_snmp_sender *s, uint32_t i)
{
    return s->plan->sink[i].kind == EL_SNMP_SINK_AGENTX && s->hold->self.agentx == EL_SNMP_AGENTX_CONNECTED;
}

static int ignore_answer(int op, netsnmp_session *s, int id, netsnmp_pdu *pdu, void *magic)
{
    return 1;
}

static void send_to(netsnmp_session *session, bool inform, netsnmp_variable_list *list, u_long uptime)
{
    static const oid uptime_oid[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
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
    struct el_snmp_sender *s = ctx;
    struct el_snmp_self *self = &s->hold->self;
    netsnmp_variable_list *list = NULL;

    for (size_t i = 0; i < EL_SNMP_BINDINGS; i++) {
        netsnmp_variable_list *vb =
            snmp_varlist_add_variable(&list, binding[i].name, binding[i].len, ASN_NULL, NULL, 0);

        if (vb)
            el_snmp_set_variable(vb, &binding[i].value);
    }
    for (uint32_t i = 0; i < s->plan->sinks && list; i++) {
        if (s->session[i])
            send_to(s->session[i], s->plan->sink[i].inform, list, (u_long)((self->now_us - self->start_us) / 10000));
        else if (through_master(s, i))
            send_v2trap(list);
    }
    snmp_free_varbind(list);
    atomic_store(&s->sent, ++self->notifications);
}

void el_snmp_sender_init(struct el_snmp_sender *s, struct el_snmp_plan *plan, struct el_snmp_hold *hold)
{
    s->plan = plan;
    s->hold = hold;
    el_snmp_state_load(plan->state_dir, &s->notifier, hold->self.start_us);
}

uint32_t el_snmp_sender_turn(struct el_snmp_sender *s)
{
    struct el_snmp_self *self = &s->hold->self;
    uint32_t waiting = 0, ready = 0;

    for (uint32_t i = 0; i < s->plan->sinks; i++) {
        waiting += !tend_sink(s, i);
        ready += s->session[i] || through_master(s, i);
    }
    if (ready == 0 || (waiting > 0 && self->now_us - self->start_us < GRACE_US))
        return waiting;
    if (el_snmp_notifier_turn(&s->notifier, &s->hold->options, el_snmp_hold_snapshot(s->hold), self->now_us,
                              el_clock_realtime_us(), tell, s))
        el_snmp_state_save(s->plan->state_dir, &s->notifier, &s->forgetful);
    self->last_notified = s->notifier.last_seq;
    atomic_store(&s->suppressed, self->suppressed = s->notifier.suppressed);
    return waiting;
}

void el_snmp_sender_end(struct el_snmp_sender *s)
{
    for (size_t i = 0; i < EL_ARRAY_SIZE(s->lookup); i++)
        el_snmp_lookup_end(&s->lookup[i]);
}
