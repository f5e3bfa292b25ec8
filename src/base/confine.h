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

/* A system call that stays allowed when its first two arguments, masked, have these values. All zero: whatever they
 * are. */
struct el_confine_call {
    int number; /* SCMP_SYS(...) */
    uint64_t mask[2], value[2];
};

#define EL_NOBODY 65534 /* user and group of who has no rights */

struct el_confine {
    enum el_sandbox_mode mode;
    const char *user;         /* whose rights root takes; when there is no such user: EL_NOBODY's. NULL = stays root */
    uint64_t capabilities;    /* those that stay, if we have them: 1 << CAP_... */
    const char *const *read;  /* files and directories, NULL-terminated; those that are not there are skipped */
    const char *const *write; /* likewise; also made and removed */
    const char *devices;      /* a directory whose devices may be opened for reading and given ioctls; NULL = none */
    bool tcp_connect;
    /* It starts programs of ours, which inherit all of this and close their own sandbox in it: what they need stays
     * open, `calls` are not looked at, and refused are those that none of them makes. */
    bool launcher;
    const struct el_confine_call *calls; /* beyond what any program of ours does with memory, threads and files */
    size_t calls_n;
};

/* 0; with EL_SANDBOX_REQUIRE -ENOTSUP when a step could not be taken (logged). */
int el_confine(const struct el_confine *c);
