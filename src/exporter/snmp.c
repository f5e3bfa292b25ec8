#include "exporter/snmp.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/log.h"
#include "exporter/snmp_answer.h"
#include "exporter/snmp_send.h"
#include "exporter/snmp_state.h"

#define SESSION_TIMEOUT_US 300000 /* of a question to the master */
#define PING_CONNECTED_S   5      /* how soon a frozen master is noticed */
#define PING_WAITING_S     1      /* how soon a new master is found */
#define TURN_US            500000 /* how late an event is notified at most, beside the daemon's own tick */
#define TEND_US            100000 /* how often events are looked for while requests keep coming */
#define PRIORITY_DEFAULT   127    /* RFC 2741 */
#define PRIORITY_INSIST    100    /* wins over another subagent's ENTITY-MIB */
#define PRIORITY_LAST      255    /* system group: the master's own wins */

#define SET_AGENT(type, key, value) netsnmp_ds_set_##type(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_##key, value)
#define SET_PING(seconds)           SET_AGENT(int, AGENTX_PING_INTERVAL, seconds)

struct el_snmp {
    struct el_snmp_plan plan;
    struct el_snmp_hold hold;
    struct el_snmp_sender sender;
    struct el_snmp_lookup listening; /* of our own agent, while it cannot */
    bool listens;

    netsnmp_handler_registration *entity[2]; /* trees from EL_SNMP_TREE_ENTITY on */
    bool entity_wanted;                      /* a new connection: ask for them */
    bool refused;                            /* the master said that somebody else has the subtree */

    netsnmp_large_fd_set descriptors;
    pthread_t thread;
    bool running;
    int wake;
    atomic_bool stop;
    atomic_int agentx_state, entity_state, waiting;
};

static struct el_snmp *the; /* net-snmp is one per process, and frees what its callbacks carry */

/* Registrations. */

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
        a->entity[i] = el_snmp_answer_tree(&a->hold, EL_SNMP_TREE_ENTITY + i, priority);
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
    netsnmp_transport *t = netsnmp_transport_open_server(EL_SNMP_PROGRAM, a->plan.standalone);
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
    el_snmp_answer_tree(&a->hold, EL_SNMP_TREE_SYSTEM, PRIORITY_LAST);
    if (a->plan.entity && a->hold.self.entity == EL_SNMP_ENTITY_OFF)
        register_entity(a);
    return true;
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

static int start_library(struct el_snmp *a, char *why, size_t why_size)
{
    int r = *a->plan.standalone || a->plan.access.users ? start_engine(a) : 0;

    if (r < 0)
        return r;
    the = a;
    el_snmp_sender_init(&a->sender, &a->plan, &a->hold);
    set_library(a);
    set_agentx(a, a->plan.agentx ? EL_SNMP_AGENTX_WAITING : EL_SNMP_AGENTX_OFF);
    el_snmp_watch(SNMPD_CALLBACK_INDEX_START, on_connection);
    el_snmp_watch(SNMPD_CALLBACK_INDEX_STOP, on_connection);
    el_snmp_answer_guard(&a->plan.access);
    if (init_agent(EL_SNMP_PROGRAM) != 0 || !el_snmp_answer_tree(&a->hold, EL_SNMP_TREE_ELEMENT, PRIORITY_DEFAULT)) {
        snprintf(why, why_size, "net-snmp does not start at snmp.base_oid");
        return -EIO;
    }
    SET_PING(PING_WAITING_S); /* counts only after init_agent */
    a->entity_wanted = a->plan.entity != 0;
    init_snmp(EL_SNMP_PROGRAM);
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
        atomic_store(&a->waiting, (int)el_snmp_sender_turn(&a->sender) + !tend_standalone(a));
    }
    return NULL;
}

int el_snmp_start(struct el_snmp *a)
{
    int r = pthread_create(&a->thread, NULL, run, a);

    a->running = r == 0;
    if (r > 0)
        el_log_error("cannot start the SNMP thread: %s", strerror(r));
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
        snmp_shutdown(EL_SNMP_PROGRAM);
        shutdown_agent();
    }
    el_snmp_sender_end(&a->sender);
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
                                  .requests = a->hold.requests,
                                  .notifications = a->sender.sent,
                                  .suppressed = a->sender.suppressed};
}
