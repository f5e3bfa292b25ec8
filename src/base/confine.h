/* Gives up, for good, what a process does not need: user, capabilities, new privileges, file system and TCP (Landlock),
 * system calls (seccomp; those refused answer EPERM). Call it before any thread starts. What the kernel lacks is said
 * once and left out. The policies are in exporter/sandbox.h and control/confine.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum el_sandbox_mode {
    EL_SANDBOX_AUTO = 0, /* as much as this kernel can */
    EL_SANDBOX_REQUIRE,  /* all of it, or fail */
    EL_SANDBOX_OFF,      /* nothing: for debugging */
};

/* A system call that stays allowed when its first two arguments, masked, have these values. A mask of 0: any value. */
struct el_confine_call {
    int number; /* SCMP_SYS(...) */
    uint64_t mask[2], value[2];
};

#define EL_NOBODY 65534 /* user and group without any rights */

struct el_confine {
    enum el_sandbox_mode mode;
    const char *user;         /* whom root becomes; EL_NOBODY where there is no such user. NULL = stays root */
    uint64_t capabilities;    /* to keep, of those we have: bits 1 << CAP_... */
    const char *const *read;  /* files and directories, NULL-terminated; those that are not there are skipped */
    const char *const *write; /* likewise; also made and removed */
    const char *devices;      /* a directory whose devices may be opened for reading and given ioctls; NULL = none */
    bool tcp_connect;
    /* It starts our other programs, which inherit all of this and then close their own sandboxes. So what they need
     * stays open, `calls` is ignored, and only system calls that none of them makes are refused. */
    bool launcher;
    const struct el_confine_call
        *calls; /* allowed beyond what every program of ours does with memory, threads and files */
    size_t calls_n;
};

/* 0; with EL_SANDBOX_REQUIRE -ENOTSUP when a step could not be taken (logged). */
int el_confine(const struct el_confine *c);
