#include "exporter/admission.h"

#include <netinet/in.h>
#include <string.h>

#include "base/base.h"

#define GRACE_US      200000  /* a request on its way over a slow link is here by then */
#define TRUST         7       /* more than any merit */
#define HANDSHAKE_US  1000000 /* from one word of the client to its next, and its processor may be busy */
#define CROWD         (4 * EL_CHECKS_MAX)
#define FEW           64      /* more than this part of the house is a crowd ... */
#define SLOW_REPLY_US 1000000 /* an answer takes milliseconds; one that takes this long is not being read */

static void address_key(uint8_t key[16], const struct sockaddr *from)
{
    memset(key, 0, 16);
    if (from->sa_family == AF_INET) {
        key[10] = key[11] = 0xff;
        memcpy(key + 12, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
    } else if (from->sa_family == AF_INET6) {
        const struct in6_addr *a = &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;

        memcpy(key, a, IN6_IS_ADDR_LOOPBACK(a) || IN6_IS_ADDR_V4MAPPED(a) ? 16 : 8);
    }
}

bool el_admission_is_local(const uint8_t address[16])
{
    const struct in6_addr *a = (const void *)address;

    return IN6_IS_ADDR_LOOPBACK(a) || (IN6_IS_ADDR_V4MAPPED(a) && address[12] == 127);
}

/* One more or one less from this address: all who share it know how many they are. Returns how many others there are.
 */
static uint32_t count_peers(struct el_admission *a, const struct el_guest *of, uint32_t more)
{
    uint32_t n = 0;

    for (struct el_guest *g = a->head; g; g = g->next)
        if (g != of && g->phase != EL_PHASE_CUT && memcmp(g->address, of->address, sizeof g->address) == 0) {
            g->peers += more;
            n++;
        }
    return n;
}

void el_admission_enter(struct el_admission *a, struct el_guest *g, const struct sockaddr *from, int64_t now_us)
{
    address_key(g->address, from);
    g->phase = EL_PHASE_HEADER;
    g->proven = g->heard = g->excused = g->trusted = g->granted = false;
    g->since_us = g->request_us = now_us;
    g->peers = count_peers(a, g, 1) + 1;
    g->prev = NULL;
    g->next = a->head;
    if (a->head)
        a->head->prev = g;
    a->head = g;
    a->count++;
}

/* Cut, or gone without having been cut. */
static void discount(struct el_admission *a, struct el_guest *g)
{
    if (g->phase == EL_PHASE_CUT)
        return;
    count_peers(a, g, (uint32_t)-1);
    a->count--;
}

void el_admission_leave(struct el_admission *a, struct el_guest *g)
{
    discount(a, g);
    if (g->prev)
        g->prev->next = g->next;
    else
        a->head = g->next;
    if (g->next)
        g->next->prev = g->prev;
}

void el_admission_phase(struct el_admission *a, struct el_guest *g, enum el_phase phase, int64_t now_us)
{
    if (g->phase == EL_PHASE_CUT)
        return;
    if (phase == EL_PHASE_CUT)
        discount(a, g);
    if (phase == EL_PHASE_HEADER)
        g->request_us = now_us;
    if (phase == EL_PHASE_IDLE)
        g->proven = true;
    g->phase = phase;
    g->excused = false;
    g->since_us = now_us;
}

void el_admission_progress(struct el_guest *g, int64_t now_us)
{
    g->excused = false;
    g->since_us = EL_MAX(g->since_us, now_us);
}

bool el_admission_excuse(struct el_guest *g, int64_t now_us)
{
    if (g->excused)
        return false;
    if (g->heard)
        el_admission_progress(g, now_us);
    g->excused = true;
    return true;
}

/* Smaller leaves first. Whoever has just come, or has just been answered, has not had the time to show what it is; and
 * who came or said something in this very turn has not even been listened to. */
static int merit(const struct el_guest *g, int64_t now_us)
{
    int64_t age_us = now_us - g->since_us;

    switch (g->phase) {
    case EL_PHASE_HEADER:
        return age_us <= 0 || ((g->heard || g->excused) && age_us < HANDSHAKE_US) ? 5
               : age_us < GRACE_US                                                ? 4
               : g->proven                                                        ? 1
                                                                                  : 0;
    case EL_PHASE_CHECK: /* it has sent a request, but anybody can have a password checked */
        return g->peers >= CROWD ? 6 : age_us < GRACE_US ? 4 : 1;
    case EL_PHASE_REPLY:
        return age_us < SLOW_REPLY_US ? 4 + g->heard : 2;
    case EL_PHASE_IDLE:
        return 3;
    case EL_PHASE_CUT:
        break;
    }
    return 4;
}

/* ... and less is none: two scrapers of one address, or one whose last connection has not gone yet. */
static uint32_t crowd(const struct el_admission *a, const struct el_guest *g)
{
    return g->peers > a->limit / FEW ? g->peers : 1;
}

struct el_guest *el_admission_victim(const struct el_admission *a, int64_t now_us)
{
    struct el_guest *victim = NULL;
    uint32_t most = 0;
    int least = 0;

    if (a->count < a->limit)
        return NULL;
    for (struct el_guest *g = a->head; g; g = g->next) {
        int m = merit(g, now_us) + (g->trusted ? TRUST : 0) + (g->granted ? TRUST : 0);
        uint32_t n = crowd(a, g);

        if (g->phase == EL_PHASE_CUT || n < most)
            continue;
        if (!victim || n > most || m < least || (m == least && g->since_us <= victim->since_us)) {
            victim = g;
            most = n;
            least = m;
        }
    }
    return victim;
}

bool el_admission_overdue(const struct el_admission *a, const struct el_guest *g, int64_t now_us)
{
    switch (g->phase) {
    case EL_PHASE_HEADER:
        return now_us - g->request_us > a->header_us;
    case EL_PHASE_IDLE:
        return now_us - g->since_us > a->idle_us;
    case EL_PHASE_CHECK:
    case EL_PHASE_REPLY:
        return now_us - g->request_us > a->total_us;
    case EL_PHASE_CUT:
        break;
    }
    return false;
}

bool el_admission_rate(int64_t interval_us, uint32_t burst, int64_t *due_us, int64_t now_us)
{
    int64_t due = *due_us > now_us ? *due_us : now_us;

    if (!interval_us)
        return true;
    if (due - now_us > interval_us * ((int64_t)burst - 1))
        return false;
    *due_us = due + interval_us;
    return true;
}
