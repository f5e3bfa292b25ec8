/* The SNMP side of the exporter: an AgentX subagent of the host's snmpd, a standalone agent, and the sender of
 * notifications. One thread owns net-snmp, all of it; nothing waits for that thread. Read-only by construction: every
 * SET is refused. The process ignores SIGPIPE: the library writes to a master that may be gone. */
#pragma once

#include "exporter/snmp_view.h"
#include "model/settings.h"

/* Where snapshots come from. Called by the SNMP thread alone. */
struct el_snmp_source {
    /* The latest, kept alive until it is released; NULL = none yet. `*stale`: too old to be believed. */
    const struct el_snapshot *(*acquire)(void *ctx, int64_t now_us, bool *stale);
    void (*release)(void *ctx, const struct el_snapshot *s);
    void *ctx;
};

struct el_snmp;

/* Reads the users file, opens the socket of an agent of our own, starts net-snmp: everything that needs rights. Call it
 * before the sandbox closes and before other threads start, at most once in the life of a process. May take up to 1 s
 * when an AgentX master hangs. `*out` NULL: SNMP is off by configuration. 0, or -errno with the reason in `why` when
 * the settings cannot be honoured. An address that is taken and a host that is not found are no reason: they are tried
 * again by the thread. */
int el_snmp_prepare(const struct el_settings *settings, const char *state_dir, const struct el_snmp_source *source,
                    struct el_snmp **out, char *why, size_t why_size);

/* Starts the thread. The signals that the process waits for are blocked before. 0 or -errno. */
int el_snmp_start(struct el_snmp *a);

/* Stops the thread, says goodbye to the master, frees. Takes NULL, returns NULL. */
struct el_snmp *el_snmp_free(struct el_snmp *a);

/* What the exporter tells of it in its own metrics. Any thread. */
struct el_snmp_state {
    enum el_snmp_agentx agentx;
    enum el_snmp_entity entity;
    uint32_t waiting; /* addresses that could not be opened or found yet */
    uint64_t requests, notifications, suppressed;
};
struct el_snmp_state el_snmp_state(const struct el_snmp *a);
