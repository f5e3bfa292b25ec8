#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "device/iocost.h"
#include "support/unit.h"

#define NAMESPACES 6

static char dir[] = "/tmp/el-iocost-XXXXXX";
static struct el_sysfs fs;

static void put(const char *file, const char *text, size_t n)
{
    char path[64];

    snprintf(path, sizeof path, EL_CGROUP_ROOT "/%s", file);
    assert_int_equal(el_file_replace(fs.root, path, text, n, 0600, false), 0);
}

/* Settings of somebody else, not enabled, on the first `n` namespaces. */
static void set_foreign(int n)
{
    EL_AUTO_BUF struct el_buf qos = {0}, model = {0};

    for (int i = 0; i < n; i++) {
        el_buf_printf(&qos,
                      "259:%d enable=0 ctrl=user rpct=91.00 rlat=6000 wpct=92.00 wlat=7000 min=40.00 max=140.00\n", i);
        el_buf_printf(&model,
                      "259:%d ctrl=user model=linear rbps=700000000 rseqiops=70001 rrandiops=70002 wbps=700000001 "
                      "wseqiops=70003 wrandiops=70004\n",
                      i);
    }
    put("cgroup.subtree_control", "cpu io\n", 7);
    put("io.cost.qos", qos.data ? qos.data : "", qos.len);
    put("io.cost.model", model.data ? model.data : "", model.len);
}

/* More than can be given back is no surprise at the first cap: it is said beforehand, and io.max takes over. */
static void too_many_settings_of_others_are_said(void **state)
{
    struct el_disk disk[NAMESPACES] = {0};
    struct el_disks d = {disk, NAMESPACES};
    struct el_cgroup c;
    char why[96];

    for (int i = 0; i < NAMESPACES; i++) {
        snprintf(disk[i].name, sizeof disk[i].name, "nvme0n%d", i + 1);
        snprintf(disk[i].head, sizeof disk[i].head, "nvme0n%d", i + 1);
        snprintf(disk[i].number, sizeof disk[i].number, "259:%d", i);
    }
    for (int n = 0; n <= NAMESPACES; n++) {
        char original[EL_ORIGINAL_MAX];
        int r;

        set_foreign(n);
        el_cgroup_open(&c, &fs);
        r = el_iocost_usable(&c, &d, why, sizeof why);
        assert_int_equal(r, el_iocost_save(&c, &d, original, sizeof original));
        assert_int_equal(r, n <= 4 ? 0 : -E2BIG);
        assert_true(r == 0 ? !why[0] : strstr(why, "too many") && strstr(why, "io.max is used instead"));
        el_cgroup_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_many_settings_of_others_are_said)};
    char command[64];
    int r;

    if (!mkdtemp(dir))
        return 1;
    fs.root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (mkdirat(fs.root, "sys", 0700) < 0 || mkdirat(fs.root, "sys/fs", 0700) < 0 ||
        mkdirat(fs.root, EL_CGROUP_ROOT, 0700) < 0)
        return 1;
    r = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) != 0 || r;
}
