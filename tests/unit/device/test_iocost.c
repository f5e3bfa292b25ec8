#include "device/iocost.h"
#include "support/tree.h"

#define NAMESPACES 6

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
    put(EL_CGROUP_ROOT "/cgroup.subtree_control", "cpu io\n");
    put(EL_CGROUP_ROOT "/io.cost.qos", qos.data ? qos.data : "");
    put(EL_CGROUP_ROOT "/io.cost.model", model.data ? model.data : "");
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

    return cmocka_run_group_tests(tests, tree_set_up, tree_tear_down);
}
