/* What the kernel tells of I/O control, and what the journal kept of it. The bytes, parted by '|': io.cost.qos,
 * io.cost.model, io.max and io.stat of a cgroup, an original from the journal, what a fan's pwm and pwm_enable say. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "device/fan.h"
#include "device/iocost.h"
#include "device/iomax.h"
#include "fuzz.h"

#define GROUP EL_CGROUP_ROOT "/a.slice"
#define PWM   "sys/pwm1"

enum { QOS, MODEL, MAX, STAT, ORIGINAL, DUTY, ENABLE, PARTS };
static const char *const files[PARTS] = {EL_CGROUP_ROOT "/io.cost.qos",
                                         EL_CGROUP_ROOT "/io.cost.model",
                                         GROUP "/io.max",
                                         GROUP "/io.stat",
                                         NULL,
                                         PWM,
                                         PWM "_enable"};

static struct el_sysfs fs = {.root = -1};
static char scratch[32];

static void put(const char *name, const char *text, size_t n)
{
    int fd = openat(fs.root, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, text, n) != (ssize_t)n)
        abort();
    close(fd);
}

static void take_down(void)
{
    static const char *const dirs[] = {GROUP, EL_CGROUP_ROOT, "sys/fs", "sys"};

    for (int i = 0; i < PARTS; i++)
        if (files[i])
            unlinkat(fs.root, files[i], 0);
    unlinkat(fs.root, EL_CGROUP_ROOT "/cgroup.subtree_control", 0);
    for (size_t i = 0; i < EL_ARRAY_SIZE(dirs); i++)
        unlinkat(fs.root, dirs[i], AT_REMOVEDIR);
    rmdir(scratch);
}

static void set_up(void)
{
    static const char *const dirs[] = {"sys", "sys/fs", EL_CGROUP_ROOT, GROUP};

    snprintf(scratch, sizeof scratch, "%s/fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(scratch) || (fs.root = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
        atexit(take_down) != 0)
        abort();
    for (size_t i = 0; i < EL_ARRAY_SIZE(dirs); i++)
        if (mkdirat(fs.root, dirs[i], 0700) < 0)
            abort();
    put(EL_CGROUP_ROOT "/cgroup.subtree_control", "cpu io\n", 7);
}

/* In place of the product's (tests.cmake): what is written must be one line, of a device that is ours; and no time is
 * spent. */
static void look_at(const char *text)
{
    unsigned minor;
    int used = 0;

    if (strchr(text, '\n') || sscanf(text, "259:%u %n", &minor, &used) != 1 || minor > 1 || !text[used])
        abort();
}

int __wrap_el_file_rewrite(int fd, const char *text);
int __wrap_el_file_rewrite(int fd, const char *text)
{
    (void)fd;
    look_at(text);
    return 0;
}

int __wrap_el_file_write_attr(int dirfd, const char *path, const char *text);
int __wrap_el_file_write_attr(int dirfd, const char *path, const char *text)
{
    (void)dirfd;
    if (strncmp(path, PWM, strlen(PWM)) != 0)
        look_at(text);
    return 0;
}

void __wrap_el_clock_sleep_until_us(int64_t when_us, const volatile int *stop);
void __wrap_el_clock_sleep_until_us(int64_t when_us, const volatile int *stop)
{
    (void)when_us;
    (void)stop;
}

static void is_share(const struct el_cap *cap)
{
    if (!isnan(cap->ratio) && !(cap->ratio >= 0 && cap->ratio <= 1))
        abort();
}

/* What was saved can be given back; who may act can save. */
static void try_cost(struct el_cgroup *c, const struct el_disks *d, const char *original)
{
    struct el_cap cap = {0.5, 10, 1e-9, 2e-9, 1e-5, 2e-5}, read = {0};
    struct el_iocost_memory m = {0};
    char text[EL_ORIGINAL_MAX], why[96];
    int saved = el_iocost_save(c, d, text, sizeof text);

    if (el_iocost_usable(c, d, why, sizeof why) != saved || !why[0] != !saved)
        abort();
    if (saved == 0 && el_iocost_restore(c, d, text) < 0)
        abort();
    el_iocost_restore(c, d, original);
    for (int i = 0; i < 2; i++) { /* what an earlier run left, then what is ours */
        if (el_iocost_read(c, d, &m, &read) == 0)
            is_share(&read);
        el_cgroup_survey(c, true);
        el_iocost_write(c, d, &m, &cap);
    }
}

static void try_max(const struct el_cgroup *c, const struct el_disks *d, const char *original)
{
    static struct el_iomax_memory m;
    struct el_cap cap = {0.5, 10, 1e-9, 2e-9, 1e-5, 2e-5}, read = {0};
    char text[EL_ORIGINAL_MAX], why[96];

    m = (struct el_iomax_memory){0};
    el_iomax_restore(c, d, original);
    if (el_iomax_usable(c, d, &m, why, sizeof why) == 0 &&
        (el_iomax_save(c, d, &m, text, sizeof text) < 0 || el_iomax_write(c, d, &m, &cap) < 0 ||
         el_iomax_write(c, d, &m, &cap) < 0 || el_iomax_restore(c, d, text) < 0))
        abort();
    if (el_iomax_read(c, d, &m, &read) == 0)
        is_share(&read);
}

static void try_fan(const char *original)
{
    char text[EL_ORIGINAL_MAX];
    double ratio;

    el_fan_restore(&fs, PWM, original);
    if (el_fan_read(&fs, PWM, &ratio) == 0 && !(ratio >= 0 && ratio <= 1))
        abort();
    if (el_fan_save(&fs, PWM, text, sizeof text) == 0 && el_fan_restore(&fs, PWM, text) < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct el_disk disk[2] = {{"nvme0", "nvme0n1", "nvme0n1", "259:0", "259:0", -1, false},
                                     {"nvme0", "nvme0n2", "nvme0n2", "259:1", "259:1", -1, false}};
    const struct el_disks d = {disk, 2};
    const char *at = (const char *)data, *end = at + n;
    char original[EL_ORIGINAL_MAX] = "";
    struct el_cgroup c;

    if (fs.root < 0)
        set_up();
    for (int i = 0; i < PARTS; i++) {
        const char *bar = memchr(at, '|', (size_t)(end - at)), *stop = bar && i < PARTS - 1 ? bar : end;

        if (files[i])
            put(files[i], at, (size_t)(stop - at));
        else
            snprintf(original, sizeof original, "%.*s", (int)(stop - at), at);
        at = stop < end ? stop + 1 : end;
    }
    el_cgroup_open(&c, &fs);
    try_cost(&c, &d, original);
    try_max(&c, &d, original);
    try_fan(original);
    el_cgroup_close(&c);
    return 0;
}
