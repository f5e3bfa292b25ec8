/* Gives up everything the exporter does not need: user, capabilities, new privileges, file system (Landlock), network
 * and system calls (seccomp). Before any thread starts; for good. What the kernel lacks is said once and left out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define EL_SANDBOX_PATHS 16

enum el_sandbox_mode {
    EL_SANDBOX_AUTO = 0, /* as much as this kernel can */
    EL_SANDBOX_REQUIRE,  /* all of it, or fail */
    EL_SANDBOX_OFF,      /* nothing: for debugging */
};

struct el_sandbox {
    enum el_sandbox_mode mode;
    const char *user; /* whose rights root takes; when there is no such user: nobody's (65534) */
    const char
        *read[EL_SANDBOX_PATHS]; /* files and directories, NULL-terminated; those that are not there are skipped */
    const char *write[EL_SANDBOX_PATHS]; /* directories */
    bool unix_sockets;                   /* may still connect to sockets of this machine (snmpd) */
    bool udp;                            /* may still make UDP sockets (an SNMP agent of its own, notifications) */
    bool tcp;                            /* may still make TCP sockets (an snmpd reached by TCP) */
};

/* "auto", "require", "off". 0 or -EINVAL. */
int el_sandbox_mode_parse(const char *text, enum el_sandbox_mode *out);

/* 0; with EL_SANDBOX_REQUIRE -errno when a step could not be taken (logged). */
int el_sandbox_enter(const struct el_sandbox *s);
