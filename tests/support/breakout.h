/* Trying to break out of a sandbox. Each attempt runs in a child that has entered it; the same attempt outside must
 * work, or it would prove nothing. */
#pragma once

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SCRATCH_IN "/tmp" /* a confined daemon may read below /dev */

#include "base/log.h"
#include "support/scratch.h"

enum { OUT = 0, DENIED = 1, NOT_ENTERED = 2 };

/* Set by the test: how the sandbox is entered, what lies outside of it, a port that listens; WRITABLE_DIR, the name of
 * the directory in the scratch that can be written. */
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

/* Each of the calls that give a file its mode. */
static inline int set_id_file(void)
{
    static const mode_t modes[] = {S_ISUID | 0755, S_ISGID | 0755};
    char path[SCRATCH_PATH];
    bool done = false;

    scratch_path(path, WRITABLE_DIR "/set-id");
    for (int i = 0; i < 2; i++) {
        int fd = open(path, O_WRONLY | O_CREAT, 0600), tmp;

        if (fd < 0)
            return NOT_ENTERED; /* it writes there */
        done |= fchmod(fd, modes[i]) == 0 || chmod(path, modes[i]) == 0 || fchmodat(AT_FDCWD, path, modes[i], 0) == 0;
        close(fd);
        unlink(path);
        tmp = (int)syscall(SYS_open, path, O_WRONLY | O_CREAT, modes[i]);
        done |= tmp >= 0 || open(path, O_WRONLY | O_CREAT, modes[i]) >= 0 || creat(path, modes[i]) >= 0;
        unlink(path);
        done |= mkdir(path, modes[i]) == 0;
        rmdir(path);
        scratch_path(path, WRITABLE_DIR);
        done |= open(path, O_WRONLY | O_TMPFILE, modes[i]) >= 0;
        scratch_path(path, WRITABLE_DIR "/set-id");
    }
    return verdict(done);
}

static inline int write_code(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return verdict(p != MAP_FAILED);
}

static inline int make_code(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return verdict(p != MAP_FAILED && mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0);
}

/* As a library is: from a file that it wrote itself. */
static inline int map_code(void)
{
    char path[SCRATCH_PATH];
    int fd;

    scratch_path(path, WRITABLE_DIR "/code");
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1)
        return NOT_ENTERED;
    unlink(path);
    return verdict(mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED);
}

static inline void code_attempts(const void *sandbox)
{
    attempt("a file with rights of others", set_id_file, true, sandbox);
    attempt("memory that is written and run", write_code, true, sandbox);
    attempt("memory that was written, then run", make_code, true, sandbox);
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
    code_attempts(sandbox);
    attempt("running what it wrote", map_code, true, sandbox);
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
