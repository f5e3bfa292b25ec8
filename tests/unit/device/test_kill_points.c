/* SIGKILL at the system calls of what sets and lets go an actuator on a made-up tree: a restore afterwards puts back
 * whatever had been touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "device/cgroup.h"
#include "device/fan.h"
#include "device/iocost.h"
#include "device/iomax.h"

#define DISK "sys/class/nvme/nvme0/nvme0n1"

static char root[64];
static struct el_sysfs fs;

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/elementd-kill.XXXXXX");
    if (!mkdtemp(root))
        return -1;
    fs = (struct el_sysfs){.root = open(root, O_RDONLY | O_DIRECTORY)};
    return fs.root < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    char command[80];

    (void)state;
    close(fs.root);
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void put(const char *path, const char *text)
{
    char dir[256];

    snprintf(dir, sizeof dir, "%s/%s", root, path);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(el_file_make_dirs(dir, 0755), 0);
    assert_int_equal(el_file_replace(fs.root, path, text, strlen(text), 0644, false), 0);
}

static void machine(void)
{
    put(DISK "/dev", "259:0\n");
    put("sys/fs/cgroup/cgroup.controllers", "io\n");
    put("sys/fs/cgroup/cgroup.subtree_control", "io\n");
    put("sys/fs/cgroup/io.cost.qos", "");
    put("sys/fs/cgroup/io.cost.model", "");
    put("sys/fs/cgroup/a.slice/io.max", "");
    put("sys/fs/cgroup/b.slice/io.max", "");
    put("hwmon/pwm1", "090\n"); /* as wide as what is written: these files do not shrink */
    put("hwmon/pwm1_enable", "2\n");
}

static const struct el_cap cap = {.ratio = 0.5,
                                  .budget_w = 2,
                                  .read_j_per_byte = 1e-9,
                                  .write_j_per_byte = 1e-9,
                                  .read_j_per_op = 1e-6,
                                  .write_j_per_op = 1e-6};

/* What every call gets: the open control files and the disks of the drive. */
struct bench {
    struct el_cgroup cg;
    struct el_disks disks;
};

static struct bench bench(void)
{
    struct bench b = {0};

    el_cgroup_open(&b.cg, &fs);
    assert_int_equal(el_disks_read(&fs, "nvme0", &b.disks), 0);
    return b;
}

static void bench_free(struct bench *b)
{
    el_cgroup_close(&b->cg);
    el_disks_free(&b->disks);
}

static void cap_by_cost(const char *original)
{
    struct el_iocost_memory m = {0};
    struct bench b = bench();

    if (el_iocost_write(&b.cg, &b.disks, &m, &cap) < 0 || el_iocost_write(&b.cg, &b.disks, &m, &cap) < 0 ||
        el_iocost_restore(&b.cg, &b.disks, original) < 0)
        _exit(1);
}

static int save_cost(char *original, size_t size)
{
    struct bench b = bench();
    int r = el_iocost_save(&b.cg, &b.disks, original, size);

    bench_free(&b);
    return r;
}

static int restore_cost(const char *original)
{
    struct bench b = bench();
    int r = el_iocost_restore(&b.cg, &b.disks, original);

    bench_free(&b);
    return r;
}

static int restore_max(const char *original)
{
    struct bench b = bench();
    int r = el_iomax_restore(&b.cg, &b.disks, original);

    bench_free(&b);
    return r;
}

static void cap_by_max(const char *original)
{
    struct el_iomax_memory *m = calloc(1, sizeof *m);
    struct bench b = bench();

    if (el_iomax_write(&b.cg, &b.disks, m, &cap) < 0 || el_iomax_restore(&b.cg, &b.disks, original) < 0)
        _exit(1);
}

static void drive_fan(const char *original)
{
    if (el_fan_write(&fs, "hwmon/pwm1", 1) < 0 || el_fan_write(&fs, "hwmon/pwm1", 0.5) < 0 ||
        el_fan_restore(&fs, "hwmon/pwm1", original) < 0)
        _exit(1);
}

/* Kills the child at its `at`-th system call stop; false: it ended well before. */
static bool run_and_kill(void (*work)(const char *original), const char *original, long at)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        work(original);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    for (long i = 0; i < at && WIFSTOPPED(status); i++) {
        ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
    }
    if (!WIFSTOPPED(status)) {
        assert_int_equal(status, 0);
        return false;
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return true;
}

static bool says(const char *file, const char *text)
{
    EL_AUTO_BUF struct el_buf b = {0};

    return el_file_read(fs.root, file, 4096, &b) == 0 && b.data && strstr(b.data, text);
}

static void cost_is_given_back(void **state)
{
    static const char *const models[] = {
        "", "259:0 ctrl=user model=linear rbps=700000000000 rseqiops=70000000 rrandiops=70000000 "
            "wbps=700000000000 wseqiops=70000000 wrandiops=70000000\n"};
    char original[256];
    long points = 0;

    (void)state;
    for (size_t i = 0; i < EL_ARRAY_SIZE(models); i++)
        /* Every second call: more than two lie between any two writes. A release waits, so there must not be many. */
        for (long at = 1;; at += i ? 12 : 4, points++) {
            machine();
            put("sys/fs/cgroup/io.cost.model", models[i]);
            assert_int_equal(save_cost(original, sizeof original), 0);
            bool killed = run_and_kill(cap_by_cost, original, at);

            assert_int_equal(restore_cost(original), 0);
            assert_false(says("sys/fs/cgroup/io.cost.qos", "enable=1"));
            assert_int_equal(says("sys/fs/cgroup/io.cost.model", "ctrl=user"), i == 1);
            assert_int_equal(says("sys/fs/cgroup/io.cost.model", "rbps=700000000000 "), i == 1);
            if (!killed)
                break;
        }
    assert_true(points > 40);
    print_message("io.cost: %ld points\n", points);
    assert_int_equal(restore_cost("off\n"), -EINVAL);
    assert_int_equal(restore_cost("off ctrl=auto"), -EINVAL);
}

static void max_is_given_back(void **state)
{
    static const char *const free_line = "259:0 rbps=max wbps=max riops=max wiops=max";
    long at = 1;

    (void)state;
    for (;; at++) {
        machine();
        bool killed = run_and_kill(cap_by_max, "off", at);

        assert_int_equal(restore_max("off"), 0);
        for (int g = 0; g < 2; g++) {
            const char *file = g ? "sys/fs/cgroup/b.slice/io.max" : "sys/fs/cgroup/a.slice/io.max";

            assert_true(says(file, free_line) || !says(file, "259:0"));
        }
        if (!killed)
            break;
    }
    assert_true(at > 50);
    print_message("io.max: %ld points\n", at - 1);
}

static void fan_is_given_back(void **state)
{
    char original[64];
    int64_t v;
    long at = 1;

    (void)state;
    for (;; at++) {
        machine();
        assert_int_equal(el_fan_save(&fs, "hwmon/pwm1", original, sizeof original), 0);
        bool killed = run_and_kill(drive_fan, original, at);

        assert_int_equal(el_fan_restore(&fs, "hwmon/pwm1", original), 0);
        assert_int_equal(el_file_read_i64(fs.root, "hwmon/pwm1_enable", &v), 0);
        assert_int_equal(v, 2);
        assert_true(says("hwmon/pwm1", "90"));
        if (!killed)
            break;
    }
    assert_true(at > 20);
    print_message("fan: %ld points\n", at - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_is_given_back),
        cmocka_unit_test(max_is_given_back),
        cmocka_unit_test(fan_is_given_back),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
