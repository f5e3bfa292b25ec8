/* What the exporter gives up: its user, every capability, all files but a few directories, and what it does not need of
 * the network. Before any thread starts; for good. */
#pragma once

#include "base/confine.h"

#define EL_SANDBOX_PATHS 16

struct el_sandbox {
    enum el_sandbox_mode mode;
    const char *user; /* whose rights root takes; when there is no such user: nobody's (65534) */
    /* Files and directories, NULL-terminated; those that are not there are skipped. */
    const char *read[EL_SANDBOX_PATHS];
    /* What is around these files stays readable, so that they can be replaced; NULL and "" are skipped. */
    const char *const *files;
    size_t files_n;
    const char *write[EL_SANDBOX_PATHS]; /* directories */
    bool unix_sockets;                   /* may still connect to stream sockets of this machine (snmpd) */
    bool udp;                            /* may still make UDP sockets (an SNMP agent of its own, notifications) */
    bool tcp;                            /* may still make TCP sockets (an snmpd reached by TCP) */
};

/* 0, -ENOMEM; with EL_SANDBOX_REQUIRE -ENOTSUP when a step could not be taken (logged). */
int el_sandbox_enter(const struct el_sandbox *s);
