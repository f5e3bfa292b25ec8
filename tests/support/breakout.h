/* Trying to break out of a sandbox. Each attempt runs in a child that has entered it; the same attempt outside must
 * work, or it would prove nothing. */
#pragma once

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SCRATCH_IN "/tmp" /* a confined daemon may read below /dev */

#include "base/log.h"
#include "support/scratch.h"

enum { OUT = 0, DENIED = 1, NOT_ENTERED = 2 };

/* Set by the test: how the sandbox is entered, what lies outside of it, a port that listens. */
static int enter(const void *sandbox);
static char secret[SCRATCH_PATH];
static uint16_t port;

/* What `f` comes to in a child, inside the sandbox if there is one. */
static inline int run(int (*f)(void), const void *sandbox)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (sandbox && enter(sandbox) < 0)
            _exit(NOT_ENTERED);
        _exit(f());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static inline void attempt(const char *what, int (*f)(void), bool works_outside, const void *sandbox)
{
    int outside = run(f, NULL), in = run(f, sandbox);

    if (works_outside && outside != OUT)
        fail_msg("%s fails outside too (%d): the attempt proves nothing", what, outside);
    if (in != DENIED)
        fail_msg("%s: %s (%d)", what, in == OUT ? "broke out" : in == NOT_ENTERED ? "sandbox not entered" : "died", in);
}

static inline int verdict(bool done)
{
    return done ? OUT : DENIED;
}

static inline int read_secret(void)
{
    return verdict(open(secret, O_RDONLY) >= 0);
}

static inline int connect_tcp(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return verdict(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}

static inline int make_socket(void)
{
    static const int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_UNIX, AF_VSOCK};

    for (size_t i = 0; i < EL_ARRAY_SIZE(families); i++)
        if (socket(families[i], SOCK_DGRAM, 0) >= 0)
            return OUT;
    return DENIED;
}

static inline int run_program(void)
{
    char *argv[] = {(char *)(uintptr_t) "true", NULL};

    execv("/bin/true", argv);
    return DENIED;
}

static inline int fork_child(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return verdict(pid > 0);
}

static inline int be_traced(void)
{
    return verdict(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
}

static inline int signal_parent(void)
{
    return verdict(kill(getppid(), 0) == 0);
}

static inline int unshare_nothing(void)
{
    return verdict(syscall(SYS_unshare, 0) == 0);
}

/* What no sandbox of ours lets anybody do. */
static inline void common_attempts(const void *sandbox)
{
    attempt("reading a file outside", read_secret, true, sandbox);
    attempt("connecting outward", connect_tcp, true, sandbox);
    attempt("making a socket", make_socket, true, sandbox);
    attempt("running a program", run_program, true, sandbox);
    attempt("making a process", fork_child, true, sandbox);
    attempt("ptrace", be_traced, true, sandbox);
    attempt("signalling its parent", signal_parent, true, sandbox);
    attempt("unshare", unshare_nothing, true, sandbox);
}

static inline void *thread(void *arg)
{
    return arg;
}

static inline bool thread_works(void)
{
    int here;
    void *back = NULL;
    pthread_t t;

    return pthread_create(&t, NULL, thread, &here) == 0 && pthread_join(t, &back) == 0 && back == &here;
}

/* Listens on a free port of the loopback device. */
static inline bool listen_somewhere(int *listener)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;

    *listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(*listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(*listener, 64) < 0 ||
        getsockname(*listener, (struct sockaddr *)&at, &n) < 0)
        return false;
    port = ntohs(at.sin_port);
    return true;
}

/* 0, and said so: this kernel has none, and there is nothing to test. */
static inline int landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

    if (abi < 1)
        printf("skipped: this kernel has no Landlock\n");
    return abi < 1 ? 0 : (int)abi;
}
