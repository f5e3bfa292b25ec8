/* Tries to break out of the sandbox. Each attempt runs in a child that has entered it; the same attempt outside must
 * work, or it would prove nothing. */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/log.h"
#include "exporter/sandbox.h"
#include "support/unit.h"

static char dir[] = "/tmp/el-sandbox-XXXXXX", readable[64], writable[64], secret[64], inside[80], socket_path[80];
static uint16_t port;
static int listener, datagrams;

enum { OUT = 0, DENIED = 1, NOT_ENTERED = 2 };

static struct el_sandbox sandbox(void)
{
    return (struct el_sandbox){
        .mode = EL_SANDBOX_REQUIRE, .user = "nobody", .read = {readable, "/proc/self"}, .write = {writable}};
}

/* Runs `f` in a child, inside the sandbox if there is one. */
static int run(int (*f)(void), const struct el_sandbox *s)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (s && el_sandbox_enter(s) < 0)
            _exit(NOT_ENTERED);
        _exit(f());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void attempt(const char *what, int (*f)(void), bool works_outside)
{
    struct el_sandbox s = sandbox();
    int outside = run(f, NULL), in = run(f, &s);

    if (works_outside && outside != OUT)
        fail_msg("%s fails outside too (%d): the attempt proves nothing", what, outside);
    if (in != DENIED)
        fail_msg("%s: %s (%d)", what, in == OUT ? "broke out" : in == NOT_ENTERED ? "sandbox not entered" : "died", in);
}

static int verdict(bool done)
{
    return done ? OUT : DENIED;
}

static int open_device(void)
{
    return verdict(open("/dev/null", O_RDWR) >= 0);
}

static int open_nvme(void)
{
    return verdict(open("/dev/nvme0", O_RDONLY) >= 0);
}

static int read_sys(void)
{
    return verdict(open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY) >= 0 ||
                   open("/sys/devices/system/cpu/online", O_RDONLY) >= 0);
}

static int write_sys(void)
{
    return verdict(open("/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY) >= 0);
}

static int read_secret(void)
{
    return verdict(open(secret, O_RDONLY) >= 0);
}

static int write_readable(void)
{
    char path[128];

    snprintf(path, sizeof path, "%s/new", readable);
    return verdict(open(path, O_WRONLY | O_CREAT, 0600) >= 0);
}

static int read_other_process(void)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/status", getppid());
    return verdict(open(path, O_RDONLY) >= 0);
}

static int connect_tcp(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return verdict(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}

static int reuse_listener(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    shutdown(datagrams, SHUT_RDWR);
    return verdict(connect(datagrams, (struct sockaddr *)&to, sizeof to) == 0);
}

static int make_socket(void)
{
    static const int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_UNIX, AF_VSOCK};

    for (size_t i = 0; i < EL_ARRAY_SIZE(families); i++)
        if (socket(families[i], SOCK_DGRAM, 0) >= 0)
            return OUT;
    return DENIED;
}

static int run_program(void)
{
    char *argv[] = {(char *)(uintptr_t) "true", NULL};

    execv("/bin/true", argv);
    return DENIED;
}

static int fork_child(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return verdict(pid > 0);
}

static int trace_parent(void)
{
    return verdict(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
}

static int signal_parent(void)
{
    return verdict(kill(getppid(), 0) == 0);
}

static int become_root(void)
{
    return verdict(setuid(0) == 0);
}

static int executable_memory(void)
{
    return verdict(syscall(SYS_memfd_create, "x", 0) >= 0);
}

static int push_keys(void)
{
    return verdict(ioctl(0, 0x5412 /* TIOCSTI */, "x") == 0 || errno != EPERM);
}

static int mount_or_unshare(void)
{
    return verdict(syscall(SYS_unshare, 0) == 0);
}

static int bpf(void)
{
    return verdict(syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno != EPERM);
}

static void breakouts(void **state)
{
    attempt("opening a device", open_device, true);
    attempt("opening an NVMe device", open_nvme, geteuid() == 0 && access("/dev/nvme0", F_OK) == 0);
    attempt("reading /sys", read_sys, true);
    attempt("writing /sys", write_sys,
            geteuid() == 0 && access("/sys/kernel/mm/transparent_hugepage/enabled", W_OK) == 0);
    attempt("reading a file outside", read_secret, true);
    attempt("writing where it may only read", write_readable, true);
    attempt("reading another process", read_other_process, true);
    attempt("connecting outward", connect_tcp, true);
    attempt("connecting with a socket it has", reuse_listener, true);
    attempt("making a socket", make_socket, true);
    attempt("running a program", run_program, true);
    attempt("making a process", fork_child, true);
    attempt("ptrace", trace_parent, true);
    attempt("signalling its parent", signal_parent, true);
    attempt("becoming root", become_root, geteuid() == 0);
    attempt("memory as a file", executable_memory, true);
    attempt("typing into its terminal", push_keys, false);
    attempt("unshare", mount_or_unshare, true);
    attempt("bpf", bpf, false);
}

static void *thread(void *arg)
{
    return arg;
}

/* What it needs keeps working. */
static int daily_work(void)
{
    pthread_t t;
    char line[160], path[96];
    void *back = NULL;

    if (el_file_read_line(AT_FDCWD, inside, line, sizeof line) < 0 || strcmp(line, "hello") != 0)
        return 10;
    snprintf(path, sizeof path, "%s/state", writable);
    if (el_file_replace(AT_FDCWD, path, "a", 1, 0600, false) < 0 ||
        el_file_replace(AT_FDCWD, path, "b", 1, 0600, true) < 0)
        return 11;
    if (pthread_create(&t, NULL, thread, line) != 0 || pthread_join(t, &back) != 0 || back != line)
        return 12;
    if (el_file_read_line(AT_FDCWD, "/proc/self/statm", line, sizeof line) < 0)
        return 13;
    return 0;
}

static void works_inside(void **state)
{
    struct el_sandbox s = sandbox();

    assert_int_equal(run(daily_work, &s), 0);
}

static int unix_connect(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(to.sun_path, socket_path);
    return verdict(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}

static int udp_socket(void)
{
    return verdict(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0 && socket(AF_INET6, SOCK_DGRAM, 0) >= 0);
}

/* Each door for SNMP opens that door alone. */
static void doors(void **state)
{
    struct el_sandbox s = sandbox();

    assert_int_equal(run(unix_connect, &s), DENIED);
    assert_int_equal(run(udp_socket, &s), DENIED);
    s.unix_sockets = true;
    assert_int_equal(run(unix_connect, &s), OUT);
    assert_int_equal(run(connect_tcp, &s), DENIED);
    assert_int_equal(run(udp_socket, &s), DENIED);
    assert_int_equal(run(reuse_listener, &s), DENIED);
    s.udp = true;
    assert_int_equal(run(udp_socket, &s), OUT);
    assert_int_equal(run(connect_tcp, &s), DENIED);
    s.tcp = true;
    assert_int_equal(run(connect_tcp, &s), OUT);
    s = (struct el_sandbox){.mode = EL_SANDBOX_OFF};
    assert_int_equal(run(open_device, &s), OUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(breakouts), cmocka_unit_test(works_inside),
                                       cmocka_unit_test(doors)};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    socklen_t n = sizeof at;
    char path[96];
    int fd, r;

    el_log_set_level(EL_LOG_ERROR);
    if (!mkdtemp(dir))
        return 1;
    chmod(dir, 0755);
    snprintf(readable, sizeof readable, "%s/r", dir);
    snprintf(writable, sizeof writable, "%s/w", dir);
    snprintf(secret, sizeof secret, "%s/secret", dir);
    snprintf(inside, sizeof inside, "%s/file", readable);
    snprintf(socket_path, sizeof socket_path, "%s/socket", dir);
    mkdir(readable, 0755);
    mkdir(writable, 0777);
    chmod(writable, 0777);
    el_file_replace(AT_FDCWD, secret, "x", 1, 0644, false);
    el_file_replace(AT_FDCWD, inside, "hello\n", 6, 0644, false);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    datagrams = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 64) < 0 ||
        getsockname(listener, (struct sockaddr *)&at, &n) < 0)
        return 1;
    port = ntohs(at.sin_port);
    strcpy(un.sun_path, socket_path);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&un, sizeof un) < 0 || listen(fd, 64) < 0)
        return 1;
    chmod(socket_path, 0777);
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 4) {
        printf("skipped: this kernel's Landlock is older than the test needs\n");
        r = 0;
    } else {
        r = cmocka_run_group_tests(tests, NULL, NULL);
    }
    snprintf(path, sizeof path, "%s/state", writable);
    unlink(path);
    unlink(inside);
    unlink(secret);
    unlink(socket_path);
    rmdir(readable);
    rmdir(writable);
    rmdir(dir);
    return r;
}
