/* Tries to break out of the exporter's sandbox. */
#include <sys/ioctl.h>
#include <sys/un.h>

#include "exporter/sandbox.h"
#define WRITABLE_DIR "w"
#include "support/breakout.h"

static char readable[SCRATCH_PATH], writable[SCRATCH_PATH], inside[SCRATCH_PATH], socket_path[SCRATCH_PATH];
static int listener, datagrams, landlock;
static bool started_as_root;

static int enter(const void *sandbox)
{
    return el_sandbox_enter(sandbox);
}

static struct el_sandbox sandbox(void)
{
    return (struct el_sandbox){
        .mode = EL_SANDBOX_REQUIRE, .user = "nobody", .read = {readable, "/proc/self"}, .write = {writable}};
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

static int write_readable(void)
{
    char path[SCRATCH_PATH];

    scratch_path(path, "r/new");
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    unlink(path); /* root's own file would be out of reach for another reason */
    return verdict(fd >= 0);
}

static int read_other_process(void)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/status", getppid());
    return verdict(open(path, O_RDONLY) >= 0);
}

static int reuse_listener(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    shutdown(datagrams, SHUT_RDWR);
    return verdict(connect(datagrams, (struct sockaddr *)&to, sizeof to) == 0);
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

static int bpf(void)
{
    return verdict(syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno != EPERM);
}

static void breakouts(void **state)
{
    const struct el_sandbox s = sandbox();

    common_attempts(&s);
    attempt("opening a device", open_device, true, &s);
    attempt("opening an NVMe device", open_nvme, geteuid() == 0 && access("/dev/nvme0", F_OK) == 0, &s);
    attempt("reading /sys", read_sys, true, &s);
    attempt("writing /sys", write_sys,
            geteuid() == 0 && access("/sys/kernel/mm/transparent_hugepage/enabled", W_OK) == 0, &s);
    attempt("writing where it may only read", write_readable, true, &s);
    attempt("reading another process", read_other_process, true, &s);
    attempt("connecting with a socket it has", reuse_listener, true, &s);
    attempt("becoming root", become_root, geteuid() == 0, &s);
    attempt("memory as a file", executable_memory, true, &s);
    attempt("typing into its terminal", push_keys, false, &s);
    attempt("bpf", bpf, false, &s);
}

/* Of root nothing is left: 0, or which of these is. */
static int rights_left(void)
{
    static const char *const lines[] = {"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n",
                                        "CapBnd:\t0000000000000000\n", "NoNewPrivs:\t1\n", "Seccomp:\t2\n"};
    EL_AUTO_BUF struct el_buf status = {0};

    if (geteuid() == 0 || getegid() == 0)
        return 20;
    if (el_file_read(AT_FDCWD, "/proc/self/status", 1 << 16, &status) < 0)
        return 21;
    for (size_t i = 0; i < EL_ARRAY_SIZE(lines); i++)
        if (!strstr(status.data, lines[i]))
            return 22 + (int)i;
    return 0;
}

/* What it needs keeps working. */
static int daily_work(void)
{
    char line[160], path[SCRATCH_PATH];

    if (el_file_read_line(AT_FDCWD, inside, line, sizeof line) < 0 || strcmp(line, "hello") != 0)
        return 10;
    scratch_path(path, "w/state");
    if (el_file_replace(AT_FDCWD, path, "a", 1, 0600, false) < 0 ||
        el_file_replace(AT_FDCWD, path, "b", 1, 0600, true) < 0)
        return 11;
    if (!thread_works())
        return 12;
    if (el_file_read_line(AT_FDCWD, "/proc/self/statm", line, sizeof line) < 0)
        return 13;
    return started_as_root ? rights_left() : 0;
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

static int unix_datagrams(void)
{
    return verdict(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) >= 0);
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
    assert_int_equal(run(unix_datagrams, &s), DENIED); /* journal and service manager */
    assert_int_equal(run(connect_tcp, &s), DENIED);
    assert_int_equal(run(udp_socket, &s), DENIED);
    if (landlock >= 4)
        assert_int_equal(run(reuse_listener, &s), DENIED);
    s.udp = true;
    assert_int_equal(run(udp_socket, &s), OUT);
    assert_int_equal(run(connect_tcp, &s), DENIED);
    s.tcp = true;
    assert_int_equal(run(connect_tcp, &s), OUT);
    s = (struct el_sandbox){.mode = EL_SANDBOX_OFF};
    assert_int_equal(run(open_device, &s), OUT);
}

static int set_up(void **state)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    el_log_set_level(EL_LOG_ERROR);
    if (scratch_set_up(state) < 0)
        return -1;
    started_as_root = geteuid() == 0;
    scratch_path(readable, "r");
    scratch_path(writable, "w");
    scratch_path(secret, "secret");
    scratch_path(inside, "r/file");
    scratch_path(socket_path, "socket");
    put("secret", "x");
    put("r/file", "hello\n");
    mkdir(writable, 0777);
    chmod(scratch, 0755);
    chmod(readable, 0777); /* that it cannot write there is not for its user's sake */
    chmod(writable, 0777);
    strcpy(un.sun_path, socket_path);
    if (bind(fd, (struct sockaddr *)&un, sizeof un) < 0 || listen(fd, 64) < 0)
        return -1;
    chmod(socket_path, 0777);
    datagrams = socket(AF_INET, SOCK_STREAM, 0);
    return listen_somewhere(&listener) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(breakouts), cmocka_unit_test(works_inside),
                                       cmocka_unit_test(doors)};

    landlock = landlock_abi();
    if (landlock < 1)
        return 0;
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
