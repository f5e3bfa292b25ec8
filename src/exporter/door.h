/* Lets connections in and shows them out: sockets, deadlines and counters around the pure rules of admission.h. */
#pragma once

#include <netinet/in.h>

#include "base/base.h"
#include "exporter/admission.h"
#include "exporter/counters.h"
#include "exporter/lookout.h"

/* On the step: accepted and not yet in. */
struct el_caller {
    struct el_guest guest; /* heard: has sent a whole request, or under TLS its whole first words */
    socklen_t n;
    struct sockaddr_in6 from;
};
#define EL_CALLERS_MAX 512

/* As many of them as are taken at a time where so many connections are. */
static inline uint32_t el_callers_max(uint32_t connections)
{
    return EL_MIN(2 * connections, EL_CALLERS_MAX);
}

struct el_door {
    struct el_admission admission, step;
    struct el_lookout *lookout; /* told of callers who are waited for */
    struct el_http_counters *counters;
    bool tls;                /* letting one in who has said something costs a signature */
    bool pressing;           /* callers wait for their turn, not we for them */
    unsigned turn;           /* counts callers who were let in */
    int64_t accept_after_us; /* out of descriptors until then */
    /* Has somebody at this address had a right password lately? */
    bool (*known)(void *ctx, const uint8_t address[16]);
    /* Takes the socket (non-blocking, close-on-exec) over. */
    void (*arrive)(void *ctx, int fd, const struct sockaddr *from, socklen_t n);
    void *ctx;
};

/* Sends all callers away. */
void el_door_clear(struct el_door *d);

/* Takes all who wait at the socket onto the step, which is cheap: letting one in, and whom it displaces out, costs many
 * times as much, and who has something to say must not stand behind a crowd that has not. */
void el_door_accept(struct el_door *d, int listen_fd, int64_t now_us);

/* Lets in those who have sent their request, at most a fourth of the house, and a handful of the others; under TLS one
 * who has sent its first words, so that between two signatures all who are in are served, and nobody else. First of
 * addresses with few on the step, of known ones, of this machine; then who came first. But in each fourth turn it is
 * who came first of all, so that nobody waits for ever. Cuts whoever must make room. While d->pressing afterwards: call
 * it again after those who are in were served. */
void el_door_admit(struct el_door *d, int64_t now_us);

/* Cuts whoever is overdue, also on the step. */
void el_door_sweep(struct el_door *d, int64_t now_us);

/* Shuts the socket down; its owner sees the end of it and cleans up. */
void el_door_cut(struct el_door *d, struct el_guest *g, int64_t now_us);

/* True when bytes of its wait to be read. */
bool el_door_spoken(const struct el_guest *g);

/* True when bytes came that were not part of a request that was answered. */
bool el_door_unfinished(const struct el_guest *g);

/* A request of so many bytes was answered: what comes after them belongs to the next one. 0: unknown, the kernel is
 * asked how many there were until now, which costs a call. */
void el_door_answered(struct el_door *d, struct el_guest *g, uint64_t bytes, int64_t now_us);
