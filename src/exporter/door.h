/* Lets connections in and shows them out: sockets, deadlines and counters around the pure rules of admission.h. */
#pragma once

#include <sys/socket.h>

#include "exporter/admission.h"
#include "exporter/counters.h"

struct el_door {
    struct el_admission admission;
    struct el_http_counters *counters;
    int64_t accept_after_us; /* out of descriptors until then */
    /* Takes the socket (non-blocking, close-on-exec) over. */
    void (*arrive)(void *ctx, int fd, const struct sockaddr *from, socklen_t n);
    void *ctx;
};

/* Accepts at most a handful, so that those who came are served before more are let in. Cuts whoever must make room. */
void el_door_accept(struct el_door *d, int listen_fd, int64_t now_us);

/* Cuts whoever is overdue. */
void el_door_sweep(struct el_door *d, int64_t now_us);

/* Shuts the socket down; its owner sees the end of it and cleans up. */
void el_door_cut(struct el_door *d, struct el_guest *g, int64_t now_us);

/* True when bytes came that were not part of a request that was answered. */
bool el_door_unfinished(const struct el_guest *g);

/* A request of so many bytes was answered: what comes after them belongs to the next one. 0: unknown, the kernel is
 * asked how many there were until now, which costs a call. */
void el_door_answered(struct el_door *d, struct el_guest *g, uint64_t bytes, int64_t now_us);
