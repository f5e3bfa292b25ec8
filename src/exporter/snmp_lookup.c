#include "exporter/snmp_lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "exporter/snmp_access.h"

enum { ASKED, ANSWERED, ABANDONED };

/* Shared with the thread that asks; whoever leaves last frees it. Not by getaddrinfo_a: its threads end by
 * pthread_exit, for which glibc loads a library that the sandbox hides, and aborts. */
struct el_snmp_question {
    struct el_snmp_address address;
    atomic_int state;
    int error; /* of getaddrinfo */
    char number[64];
};

static void leave(struct el_snmp_question *q, int state)
{
    if (atomic_exchange(&q->state, state) != ASKED)
        free(q);
}

static void *ask(void *arg)
{
    struct el_snmp_question *q = arg;
    const struct addrinfo hints = {.ai_family = q->address.six ? AF_INET6 : AF_INET, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;

    q->error = getaddrinfo(q->address.host, NULL, &hints, &found);
    if (q->error == 0)
        q->error = getnameinfo(found->ai_addr, found->ai_addrlen, q->number, sizeof q->number, NULL, 0, NI_NUMERICHOST);
    if (found)
        freeaddrinfo(found);
    leave(q, ANSWERED);
    return NULL;
}

static struct el_snmp_question *begin(const struct el_snmp_address *a)
{
    struct el_snmp_question *q = calloc(1, sizeof *q);
    pthread_t thread;

    if (!q)
        return NULL;
    q->address = *a;
    if (pthread_create(&thread, NULL, ask, q) == 0) {
        pthread_detach(thread);
        return q;
    }
    free(q);
    return NULL;
}

bool el_snmp_lookup_failed(struct el_snmp_lookup *l, int64_t now_us, const char *what, const char *address,
                           const char *why)
{
    if (l->pause_us == 0)
        el_log_error("%s \"%s\"%s%s; trying again until it works", what, address, *why ? ": " : "", why);
    l->pause_us = EL_CLAMP(2 * l->pause_us, (int64_t)EL_USEC_PER_SEC, EL_SNMP_AGAIN_MAX_US);
    l->next_us = now_us + l->pause_us;
    return false;
}

bool el_snmp_lookup_turn(struct el_snmp_lookup *l, const char *address, int64_t now_us, char *out, size_t size)
{
    struct el_snmp_address a;
    const char *why = "no memory";
    bool found = false;

    if (!el_snmp_address_parse(address, &a) || now_us < l->next_us)
        return false;
    if (!a.named)
        return el_text_copy(out, size, address);
    if (!l->question)
        l->question = begin(&a);
    if (l->question) {
        if (atomic_load(&l->question->state) == ASKED)
            return false;
        found = l->question->error == 0;
        why = gai_strerror(l->question->error);
        snprintf(out, size, a.six ? "udp6:[%s]%s%s" : "udp:%s%s%s", l->question->number, a.port ? ":" : "",
                 a.port ? a.port : "");
    }
    el_snmp_lookup_end(l);
    if (found && l->pause_us > 0)
        el_log_info("snmp.sinks: found \"%s\": %s", address, out);
    return found || el_snmp_lookup_failed(l, now_us, "snmp.sinks: cannot find", address, why);
}

void el_snmp_lookup_end(struct el_snmp_lookup *l)
{
    if (l->question)
        leave(l->question, ABANDONED);
    l->question = NULL;
}
