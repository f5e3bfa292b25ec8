/* SIGKILL before and after every write that a daemon makes while it moves an actuator and lets it go: journal, control
 * files, fan, drive. Every kind of actuator, the real ones on a made-up tree. Afterwards `restore`, or in turn the next
 * start, puts back whatever had been touched, and the journal is empty. */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "control/actuate.h"
#include "control/restore.h"
#include "device/fan.h"
#include "device/iocost.h"
#include "device/iomax.h"
#include "support/tree.h"
#include "fake.h"

#define CGROUP "sys/fs/cgroup/"

static struct el_settings settings;
static struct fake fake;

static bool says(const char *file, const char *text)
{
    EL_AUTO_BUF struct el_buf b = {0};

    return el_file_read(fs.root, file, 4096, &b) == 0 && b.data && strstr(b.data, text);
}

/* ---- the machine: real actuators on files; a drive's features are files too ---- */

struct parts {
    struct el_cgroup cgroup;
    struct el_disks disks;
};

static void parts_free(struct parts *p)
{
    el_cgroup_close(&p->cgroup);
    el_disks_free(&p->disks);
}

static struct parts parts(void)
{
    struct parts p = {0};

    el_cgroup_open(&p.cgroup, &fs);
    assert_int_equal(el_disks_read(&fs, "nvme0", &p.disks), 0);
    return p;
}
#define AUTO_PARTS __attribute__((cleanup(parts_free)))

static const char *feature_file(enum el_actuator a)
{
    return a == EL_ACTUATOR_HCTM ? "drive/feature-10" : "drive/feature-02";
}

static int save(void *dev, enum el_actuator a, uint32_t key, char *text, size_t size)
{
    AUTO_PARTS struct parts p = parts();
    struct el_iomax_memory m = {0};

    if (a == EL_ACTUATOR_IO_BUDGET)
        return el_iocost_save(&p.cgroup, &p.disks, text, size);
    if (a == EL_ACTUATOR_IO_MAX)
        return el_iomax_save(&p.cgroup, &p.disks, &m, text, size);
    if (a == EL_ACTUATOR_FAN)
        return el_fan_save(&fs, "hwmon/pwm1", text, size);
    return el_file_read_line(fs.root, feature_file(a), text, size);
}

static int set(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    static struct el_iocost_memory cost;
    static struct el_iomax_memory max;
    AUTO_PARTS struct parts p = parts();
    char text[32];

    if (a == EL_ACTUATOR_IO_BUDGET)
        return el_iocost_write(&p.cgroup, &p.disks, &cost, &v->cap);
    if (a == EL_ACTUATOR_IO_MAX)
        return el_iomax_write(&p.cgroup, &p.disks, &max, &v->cap);
    if (a == EL_ACTUATOR_FAN)
        return el_fan_write(&fs, "hwmon/pwm1", v->pwm_ratio);
    snprintf(text, sizeof text, "%010u\n",
             a == EL_ACTUATOR_HCTM ? (unsigned)(v->tmt1_c + 273) << 16 : (unsigned)v->power_state);
    return el_file_write_attr(fs.root, feature_file(a), text);
}

static int get(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    return -ENODATA; /* what is in force is of no interest here */
}

static int give_back(void *dev, enum el_actuator a, uint32_t key, const char *text)
{
    AUTO_PARTS struct parts p = parts();

    if (a == EL_ACTUATOR_IO_BUDGET)
        return el_iocost_restore(&p.cgroup, &p.disks, text);
    if (a == EL_ACTUATOR_IO_MAX)
        return el_iomax_restore(&p.cgroup, &p.disks, text);
    if (a == EL_ACTUATOR_FAN)
        return el_fan_restore(&fs, "hwmon/pwm1", text);
    return el_file_write_attr(fs.root, feature_file(a), text);
}

static const struct el_device_ops ops = {
    .name = "fake",
    .discover = fake_discover,
    .admin = fake_admin,
    .actuator_save = save,
    .actuator_write = set,
    .actuator_read = get,
    .actuator_restore = give_back,
    .close = fake_close,
};
static const struct el_device device = {&ops, &fake};

static void machine(const char *model)
{
    put("sys/class/nvme/nvme0/nvme0n1/dev", "259:0\n");
    put(CGROUP "cgroup.controllers", "io\n");
    put(CGROUP "cgroup.subtree_control", "io\n");
    put(CGROUP "io.cost.qos", "");
    put(CGROUP "io.cost.model", model);
    put(CGROUP "a.slice/io.max", "");
    put(CGROUP "b.slice/io.max", "");
    put("hwmon/pwm1", "090\n"); /* as wide as what is written: these files do not shrink */
    put("hwmon/pwm1_enable", "2\n");
    put("drive/feature-02", "0000000001\n");
    put("drive/feature-10", "0022610000\n");
    (void)unlinkat(fs.root, "state/journal", 0);
}

/* ---- kinds ---- */

static bool no_cost(bool had_model)
{
    return !says(CGROUP "io.cost.qos", "enable=1") && says(CGROUP "io.cost.model", "ctrl=user") == had_model &&
           says(CGROUP "io.cost.model", "rbps=700000000000 ") == had_model;
}

static bool no_max(bool had_model)
{
    static const char *const files[] = {CGROUP "a.slice/io.max", CGROUP "b.slice/io.max"};
    bool ok = true;

    for (int i = 0; i < 2; i++)
        ok &= says(files[i], "259:0 rbps=max wbps=max riops=max wiops=max") || !says(files[i], "259:0");
    return ok;
}

static bool old_state(bool had_model)
{
    return says("drive/feature-02", "0000000001\n");
}

static bool old_hctm(bool had_model)
{
    return says("drive/feature-10", "0022610000\n");
}

static bool old_fan(bool had_model)
{
    return says("hwmon/pwm1", "90") && says("hwmon/pwm1_enable", "2");
}

#define PRICES                                                                                                         \
    .budget_w = 2, .read_j_per_byte = 1e-9, .write_j_per_byte = 1e-9, .read_j_per_op = 1e-6, .write_j_per_op = 1e-6

static const struct kind {
    const char *serial;
    struct el_actuator_value first, second;
    bool (*is_back)(bool had_model);
} kinds[EL_ACTUATOR_COUNT] = {
    [EL_ACTUATOR_IO_BUDGET] = {"SERIAL0", {.cap = {.ratio = 0.5, PRICES}}, {.cap = {.ratio = 0.3, PRICES}}, no_cost},
    [EL_ACTUATOR_IO_MAX] = {"SERIAL0", {.cap = {.ratio = 0.5, PRICES}}, {.cap = {.ratio = 0.3, PRICES}}, no_max},
    [EL_ACTUATOR_POWER_STATE] = {"SERIAL0", {.power_state = 2}, {.power_state = 0}, old_state},
    [EL_ACTUATOR_HCTM] = {"SERIAL0", {.tmt1_c = 80}, {.tmt1_c = 75}, old_hctm},
    [EL_ACTUATOR_FAN] = {"fake/inlet", {.pwm_ratio = 1}, {.pwm_ratio = 0.5}, old_fan},
};

static struct el_actuate *hands(void)
{
    char dir[80];
    struct el_journal *j = NULL;

    snprintf(dir, sizeof dir, "%s/state", scratch);
    if (el_journal_open(dir, &j) < 0)
        _exit(1);
    return el_actuate_new(&device, j, false);
}

/* A daemon's life: set, move, let go. */
static void act(enum el_actuator a)
{
    struct el_actuate *h = hands();
    struct el_actuate_target t = {.key = 0};
    struct el_actuate_item *it;

    strcpy(t.serial, kinds[a].serial);
    el_actuate_set_acting(h, EL_ACTUATE_ALL);
    it = el_actuate_item(h, a, &t);
    el_actuate_want(h, it, &kinds[a].first);
    el_actuate_want(h, it, &kinds[a].second);
    if (kinds[a].is_back(false))
        _exit(2); /* nothing was moved: nothing would be shown */
    if (el_actuate_free(h, 1000000) != 0)
        _exit(3);
}

/* ---- killing ---- */

static bool is_write(pid_t pid)
{
    static const long calls[] = {SYS_write,     SYS_pwrite64, SYS_fsync,    SYS_ftruncate,
#ifdef SYS_rename
                                 SYS_rename,    SYS_unlink,
#endif
                                 SYS_renameat2, SYS_renameat, SYS_unlinkat, SYS_fchmod};
    static long entered = -1;
    struct __ptrace_syscall_info info;

    assert_true(ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) > 0);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        entered = (long)info.entry.nr;
        if (entered == SYS_openat && info.entry.args[2] & O_CREAT)
            return true;
    }
    for (size_t i = 0; i < EL_ARRAY_SIZE(calls); i++)
        if (calls[i] == entered)
            return true;
    return false;
}

/* Kills the child at its `at`-th stop before or after a write; false: it ended well before. */
static bool run_and_kill(enum el_actuator a, long at)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        act(a);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
    while (at > 0 && WIFSTOPPED(status)) {
        ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        at -= WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80) && is_write(pid);
    }
    if (!WIFSTOPPED(status)) {
        assert_int_equal(status, 0);
        return false;
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return true;
}

static void restore(void)
{
    struct el_restore_result result;

    assert_int_equal(el_restore(&device, &settings, false, &result), 0);
    assert_int_equal(result.held + result.failed, 0);
}

/* The next daemon, which only looks, and so lets go what it finds. */
static void start_again(enum el_actuator a)
{
    struct el_actuate *h = hands();
    struct el_actuate_item *out[EL_ACTUATOR_COUNT];
    struct el_actuate_target t = {.key = 0};

    strcpy(t.serial, kinds[a].serial);
    (void)el_actuate_adopt(h, &t, false, out);
    for (int round = 0; round < 3; round++)
        el_actuate_tick(h, el_clock_boottime_us());
    assert_int_equal(el_actuate_free(h, 1000000), 0);
}

static void all_is_given_back(void **state)
{
    enum el_actuator a = *(const enum el_actuator *)*state;
    static const char model[] = "259:0 ctrl=user model=linear rbps=700000000000 rseqiops=70000000 rrandiops=70000000 "
                                "wbps=700000000000 wseqiops=70000000 wrandiops=70000000\n";
    long at = 1, journals = 0;

    assert_non_null(kinds[a].is_back);
    for (bool killed = true; killed; at++) {
        bool had_model = a == EL_ACTUATOR_IO_BUDGET && at % 2;

        machine(had_model ? model : "");
        killed = run_and_kill(a, at);
        journals += faccessat(fs.root, "state/journal", F_OK, 0) == 0;
        at / 2 % 2 ? start_again(a) : restore();
        if (!kinds[a].is_back(had_model) || faccessat(fs.root, "state/journal", F_OK, 0) == 0)
            fail_msg("%s: killed at write %ld: not given back", el_actuator_name(a), at);
    }
    assert_true(at > 20 && journals > 5);
    print_message("%s: %ld points, with something in the journal at %ld\n", el_actuator_name(a), at - 2, journals);
}

static void nonsense_is_refused(void **state)
{
    AUTO_PARTS struct parts p = parts();

    assert_int_equal(el_iocost_restore(&p.cgroup, &p.disks, "off\n"), -EINVAL);
    assert_int_equal(el_iocost_restore(&p.cgroup, &p.disks, "off ctrl=auto"), -EINVAL);
    assert_int_equal(el_iocost_restore(&p.cgroup, &p.disks, "off;259:0 model ctrl=auto"), -EINVAL);
    assert_int_equal(el_iocost_restore(&p.cgroup, &p.disks, "off;259:0 qos enable=1 ctrl=user"), -EINVAL);
    assert_int_equal(el_iocost_restore(&p.cgroup, &p.disks, "off;259:0 model ctrl=user x;"), -EINVAL);
}

static int set_up(void **state)
{
    if (tree_set_up(state) < 0)
        return -1;
    el_settings_default(&settings);
    snprintf(settings.state_dir, sizeof settings.state_dir, "%s/state", scratch);
    put("state/lock", "");
    machine("");
    fake_init(&fake);
    fake.drive[0].temp_k = 300;
    return 0;
}

int main(void)
{
    static enum el_actuator a[EL_ACTUATOR_COUNT];
    struct CMUnitTest tests[EL_ACTUATOR_COUNT + 1];

    el_log_setup("kill_points", EL_LOG_ERROR, EL_LOG_TEXT);
    for (int i = 0; i < EL_ACTUATOR_COUNT; i++) {
        a[i] = (enum el_actuator)i;
        tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(all_is_given_back, &a[i]);
        tests[i].name = el_actuator_name(a[i]);
    }
    tests[EL_ACTUATOR_COUNT] = (struct CMUnitTest)cmocka_unit_test(nonsense_is_refused);
    return cmocka_run_group_tests(tests, set_up, tree_tear_down);
}
