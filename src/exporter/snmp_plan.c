#include "exporter/snmp_plan.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

static const el_oid enterprises[] = {1, 3, 6, 1, 4, 1}; /* where `elementd mib` can root the module */

static const char *const usual_sockets[] = {"/run/agentx/master", "/var/agentx/master"};

/* `reason` may be `why` itself. */
static int blame(const char *setting, int error, const char *reason, char *why, size_t why_size)
{
    char text[320];

    snprintf(text, sizeof text, "%s: %s", setting, reason);
    el_text_copy(why, why_size, text);
    return error;
}

static int read_sinks(const struct el_settings *s, struct el_snmp_plan *p, char *why, size_t why_size)
{
    for (uint32_t i = 0; i < s->snmp.sinks; i++) {
        struct el_snmp_sink *k = &p->sink[p->sinks++];
        int r = el_snmp_sink_parse(s->snmp.sink[i], k, why, why_size);

        if (r == 0 && k->kind == EL_SNMP_SINK_V3 && !el_snmp_access_user(&p->access, k->name)) {
            snprintf(why, why_size, "\"%s\": user \"%s\" is not in snmp.users_file", s->snmp.sink[i], k->name);
            r = -EINVAL;
        }
        if (r == 0 && k->kind == EL_SNMP_SINK_AGENTX && !p->agentx) {
            snprintf(why, why_size, "\"agentx\": there is no master to tell it to: snmp.agentx is off");
            r = -EINVAL;
        }
        if (r < 0)
            return blame("snmp.sinks", r, why, why, why_size);
    }
    if (p->sinks == 0 && p->agentx)
        p->sinks = 1; /* zeroed: through the master, to whomever its configuration names */
    return 0;
}

bool el_snmp_plan_wanted(const struct el_settings *s)
{
    return s->snmp.agentx || *s->snmp.standalone || s->snmp.sinks;
}

bool el_snmp_plan_asks(const struct el_settings *s)
{
    struct el_snmp_address a;
    bool asks = el_snmp_address_parse(s->snmp.standalone, &a) && a.named;

    for (uint32_t i = 0; i < s->snmp.sinks; i++) {
        const char *at = strrchr(s->snmp.sink[i], '@');

        asks |= at && el_snmp_address_parse(at + 1, &a) && a.named;
    }
    return asks;
}

int el_snmp_plan_read(const struct el_settings *s, const char *state_dir, struct el_snmp_plan *out, char *why,
                      size_t why_size)
{
    struct el_snmp_address address;
    struct el_snmp_plan p = {.agentx = (enum el_snmp_wish)s->snmp.agentx, .entity = (enum el_snmp_wish)s->snmp.entity};
    int r = 0;

    el_text_copy(p.socket, sizeof p.socket, s->snmp.agentx_socket);
    el_text_copy(p.standalone, sizeof p.standalone, s->snmp.standalone);
    el_text_copy(p.state_dir, sizeof p.state_dir, state_dir ? state_dir : "");
    p.base_len = el_oid_parse(s->snmp.base_oid, p.base);
    if (p.base_len <= EL_ARRAY_SIZE(enterprises) || memcmp(p.base, enterprises, sizeof enterprises) != 0) {
        snprintf(why, why_size, "snmp.base_oid: \"%s\": expected an OID below enterprises (1.3.6.1.4.1)",
                 s->snmp.base_oid);
        return -EINVAL;
    }
    if (*s->snmp.users_file && (r = el_snmp_access_load(s->snmp.users_file, &p.access, why, why_size)) < 0)
        return blame("snmp.users_file", r, why, why, why_size);
    if (*p.standalone && !el_snmp_address_parse(p.standalone, &address))
        return blame("snmp.standalone", -EINVAL, EL_SNMP_ADDRESS_EXPECTED, why, why_size);
    if (r == 0)
        r = read_sinks(s, &p, why, why_size);
    if (r == 0 && *p.standalone && !p.access.users && !*p.access.community) {
        snprintf(why, why_size, "snmp.standalone: nobody could ask it: name users in snmp.users_file");
        r = -EINVAL;
    }
    if (r == 0 && (*p.standalone || p.access.users) && !*p.state_dir) {
        snprintf(why, why_size, "snmp: SNMPv3 needs a state directory to count its starts in (--state-dir)");
        r = -EINVAL;
    }
    if (r == 0)
        *out = p;
    return r;
}

const char *el_snmp_plan_socket(const struct el_snmp_plan *p)
{
    if (*p->socket)
        return p->socket;
    for (size_t i = 0; i < EL_ARRAY_SIZE(usual_sockets); i++)
        if (access(usual_sockets[i], F_OK) == 0)
            return usual_sockets[i];
    return usual_sockets[0];
}
