/* Tries to break out of the confinement of the governing daemon, and of the launcher of both. */
#include <linux/capability.h>
#include <linux/nvme_ioctl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/timerfd.h>

#include "base/num.h"
#include "control/confine.h"
#define WRITABLE_DIR "state"
#include "support/breakout.h"

#define SYS_FILE "/sys/kernel/mm/transparent_hugepage/enabled"

static char config[SCRATCH_PATH];
static struct el_settings settings;
static const char launcher; /* where a sandbox is asked for: the launcher's */

static int enter(const void *o)
{
    return o == &launcher ? el_launcher_confine(EL_SANDBOX_REQUIRE, true, settings.runtime_dir, settings.state_dir)
                          : el_govern_confine(o, &settings);
}

static int write_device(void)
{
    return verdict(open("/dev/null", O_RDWR) >= 0);
}

static int read_device(void)
{
    return verdict(open("/dev/zero", O_RDONLY) >= 0);
}

static int other_ioctl(void)
{
    /* Format and sanitize are admin commands; I/O commands are not, nor is a reset. */
    static const unsigned long forbidden[] = {NVME_IOCTL_IO_CMD,    NVME_IOCTL_RESET,  NVME_IOCTL_SUBSYS_RESET,
                                              NVME_IOCTL_SUBMIT_IO, NVME_IOCTL_RESCAN, 0x5412};
    int fd = open(config, O_RDONLY);

    for (size_t i = 0; i < EL_ARRAY_SIZE(forbidden); i++)
        if (ioctl(fd, forbidden[i], NULL) == 0 || errno != EPERM)
            return OUT;
    return DENIED;
}

static int write_sys(void)
{
    return verdict(open(SYS_FILE, O_WRONLY) >= 0);
}

static int write_config(void)
{
    return verdict(open(config, O_WRONLY) >= 0);
}

static int become_other(void)
{
    return verdict(setuid(65534) == 0);
}

static int own_file(void)
{
    return verdict(chown(config, 65534, 65534) == 0);
}

static int link_out(void)
{
    char path[320];

    snprintf(path, sizeof path, "%s/link", settings.state_dir);
    unlink(path);
    return verdict(symlink(secret, path) == 0);
}

static void breakouts(void **state)
{
    struct el_govern_confine o = {.mode = EL_SANDBOX_REQUIRE, .config = config};

    for (int real = 0; real < 2; real++) {
        o.real = real;
        common_attempts(&o);
        attempt("writing a device", write_device, true, &o);
        attempt("an ioctl that is none of ours", other_ioctl, true, &o);
        attempt("writing elsewhere in /sys", write_sys, access(SYS_FILE, W_OK) == 0, &o);
        attempt("writing the settings", write_config, true, &o);
        attempt("becoming another user", become_other, geteuid() == 0, &o);
        attempt("giving a file away", own_file, false, &o);
        attempt("a link to elsewhere", link_out, true, &o);
    }
    o.real = false;
    attempt("reading a device where there is none to govern", read_device, true, &o);
}

/* What the rounds take keeps working. */
static int daily_work(void)
{
    char line[160], path[320];
    int fd;

    if (el_file_read_line(AT_FDCWD, config, line, sizeof line) < 0)
        return 10;
    snprintf(path, sizeof path, "%s/journal", settings.state_dir);
    if (el_file_replace(AT_FDCWD, path, "a", 1, 0600, true) < 0 ||
        el_file_replace(AT_FDCWD, path, "b", 1, 0600, true) < 0 || unlink(path) < 0)
        return 11;
    snprintf(path, sizeof path, "%s/snapshot", settings.runtime_dir);
    if (el_file_replace(AT_FDCWD, path, "a", 1, 0644, false) < 0)
        return 12;
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || unlink(path) < 0)
        return 13;
    if (!thread_works())
        return 14;
    if (timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC) < 0 ||
        el_file_read_line(AT_FDCWD, "/proc/self/statm", line, sizeof line) < 0)
        return 15;
    /* A sensor's directory comes later: what will hold it can be read. */
    snprintf(path, sizeof path, "%s/bmc/there", scratch);
    if (el_file_read_line(AT_FDCWD, path, line, sizeof line) < 0)
        return 16;
    return 0;
}

static int hardware_work(void)
{
    char line[64];
    int fd = open("/dev/zero", O_RDONLY);

    if (daily_work() != 0 || fd < 0)
        return 20;
    if (ioctl(fd, NVME_IOCTL_ADMIN_CMD, NULL) == 0 || errno == EPERM)
        return 21;
    return el_file_read_line(AT_FDCWD, "/sys/devices/system/cpu/online", line, sizeof line) < 0 ? 22 : 0;
}

static void works_inside(void **state)
{
    struct el_govern_confine o = {.mode = EL_SANDBOX_REQUIRE, .config = config};

    assert_int_equal(run(daily_work, &o), 0);
    o.real = true;
    assert_int_equal(run(hardware_work, &o), 0);
    o.mode = EL_SANDBOX_OFF;
    assert_int_equal(run(write_device, &o), OUT);
}

static int mount_over(void)
{
    bool done = mount("none", settings.state_dir, "tmpfs", 0, NULL) == 0;

    if (done)
        umount(settings.state_dir);
    return verdict(done);
}

static int new_space(void)
{
    return verdict(unshare(CLONE_NEWNS) == 0);
}

static int enter_clone(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid((pid_t)pid, NULL, 0);
    return verdict(pid > 0 || errno != EPERM);
}

/* Right or wrong arguments: refused is who asks. */
static int other_calls(void)
{
    static const long calls[] = {SYS_bpf,         SYS_kexec_load,     SYS_init_module,       SYS_process_vm_readv,
                                 SYS_keyctl,      SYS_setns,          SYS_open_by_handle_at, SYS_mknodat,
                                 SYS_pidfd_getfd, SYS_io_uring_setup, SYS_perf_event_open,   SYS_settimeofday};

    for (size_t i = 0; i < EL_ARRAY_SIZE(calls); i++)
        if (syscall(calls[i], 0, 0, 0, 0, 0) >= 0 || errno != EPERM)
            return OUT;
    return verdict(ioctl(0, 0x5412 /* TIOCSTI */, "x") == 0 || errno != EPERM);
}

static void launcher_breakouts(void **state)
{
    bool admin = geteuid() == 0;

    attempt("ptrace", be_traced, true, &launcher);
    attempt("unshare", unshare_nothing, true, &launcher);
    attempt("a mount", mount_over, admin, &launcher);
    attempt("a mount namespace", new_space, admin, &launcher);
    attempt("a user namespace", enter_clone, false, &launcher);
    attempt("writing a device", write_device, true, &launcher);
    attempt("writing elsewhere in /sys", write_sys, access(SYS_FILE, W_OK) == 0, &launcher);
    attempt("writing the settings", write_config, true, &launcher);
    attempt("a link to elsewhere", link_out, true, &launcher);
    code_attempts(&launcher);
    attempt("calls that no program of ours makes", other_calls, admin, &launcher);
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 6)
        attempt("signalling its parent", signal_parent, true, &launcher);
}

static int start_both(void)
{
    static const struct el_govern_confine inner = {.mode = EL_SANDBOX_REQUIRE, .config = config, .real = true};
    int r = run(run_program, NULL);

    if (r == OUT)
        r = run(fork_child, NULL);
    return r == OUT ? run(daily_work, &inner) : 30;
}

static uint64_t effective(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    return syscall(SYS_capget, &head, data) < 0 ? ~0ULL : data[0].effective | (uint64_t)data[1].effective << 32;
}

/* The rest of the filter is in force by then, so the question is put to /proc. */
static int capabilities(void)
{
    EL_AUTO_FCLOSE FILE *f = fopen("/proc/self/status", "re");
    unsigned long long caps = 0;
    char line[256];

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "CapEff: %llx", &caps) == 1)
            return (caps >> CAP_SYS_ADMIN & 1) | (caps >> CAP_DAC_OVERRIDE & 1) << 1 |
                   ((caps & ~(1ULL << CAP_SYS_ADMIN | 1ULL << CAP_DAC_OVERRIDE)) != 0) << 2;
    return 99;
}

/* Nothing beyond what it takes to start them. */
static int launcher_rights(void)
{
    const uint64_t known = 1ULL << CAP_SETUID | 1ULL << CAP_SETGID | 1ULL << CAP_SETPCAP | 1ULL << CAP_KILL |
                           1ULL << CAP_NET_BIND_SERVICE | 1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_SYS_ADMIN;

    return (effective() & ~known) != 0;
}

static void launcher_works(void **state)
{
    assert_int_equal(run(start_both, &launcher), 0);
    assert_int_equal(run(launcher_rights, &launcher), 0);
}

static void rights(void **state)
{
    struct el_govern_confine o = {.mode = EL_SANDBOX_REQUIRE, .config = config};
    int admin = (int)(effective() >> CAP_SYS_ADMIN & 1);

    assert_int_equal(run(capabilities, &o), 0);
    if (geteuid() != 0)
        return;
    o.real = true;
    /* Root's own files take no right over those of others ... */
    assert_int_equal(run(capabilities, &o) & ~2, admin);
    /* ... files of others do. */
    o.real = false;
    assert_return_code(chown(settings.state_dir, 65534, 65534), errno);
    assert_int_equal(run(capabilities, &o), 2);
    assert_int_equal(run(daily_work, &o), 0);
    assert_return_code(chown(settings.state_dir, 0, 0), errno);
}

static int set_up(void **state)
{
    int listener;

    el_log_set_level(EL_LOG_ERROR);
    if (scratch_set_up(state) < 0)
        return -1;
    el_settings_default(&settings);
    snprintf(settings.state_dir, sizeof settings.state_dir, "%s/state", scratch);
    snprintf(settings.runtime_dir, sizeof settings.runtime_dir, "%s/run", scratch);
    snprintf(settings.profiles_dir, sizeof settings.profiles_dir, "%s/none", scratch);
    settings.sensors = 1;
    snprintf(settings.sensor[0].source, sizeof settings.sensor[0].source, "file:%s/bmc/later/deep/inlet", scratch);
    mkdir(settings.state_dir, 0700);
    mkdir(settings.runtime_dir, 0755);
    put("bmc/there", "x\n");
    put("secret", "x");
    put("etc/elementd.yaml", "hello\n");
    scratch_path(secret, "secret");
    scratch_path(config, "etc/elementd.yaml");
    return listen_somewhere(&listener) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(breakouts), cmocka_unit_test(works_inside),
                                       cmocka_unit_test(launcher_breakouts), cmocka_unit_test(launcher_works),
                                       cmocka_unit_test(rights)};

    if (landlock_abi() < 1)
        return 0;
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
