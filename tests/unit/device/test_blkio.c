#include "device/blkio.h"
#include "support/tree.h"

static void zfs_is_told_by_udev_or_by_its_partition(void **state)
{
    char pool[64];
    bool imported;

    put("sys/class/block/nvme0n1/dev", "259:0\n");
    put("sys/class/block/nvme0n1/nvme0n1p1/dev", "259:1\n");
    put("sys/class/block/nvme0n1/nvme0n1p1/uevent", "MAJOR=259\nDEVTYPE=partition\nPARTNAME=zfs-0f1e2d3c\n");
    put("sys/class/block/nvme0n1/nvme0n1p9/dev", "259:2\n");
    put("sys/class/block/nvme1n1/dev", "259:3\n");
    put("run/udev/data/b259:3", "S:disk/by-id/x\nE:ID_FS_TYPE=ext4\nE:ID_FS_LABEL=zfs_member\n");
    assert_true(el_blkio_zfs(&fs, "nvme0n1", pool, sizeof pool, &imported)); /* by its partition's name alone */
    assert_string_equal(pool, "");
    assert_false(imported);
    put("run/udev/data/b259:1", "S:disk/by-label/tank\nE:ID_FS_TYPE=zfs_member\nE:ID_FS_LABEL=tank\n");
    put("proc/spl/kstat/zfs/other/state", "ONLINE\n");
    assert_true(el_blkio_zfs(&fs, "nvme0n1", pool, sizeof pool, &imported));
    assert_string_equal(pool, "tank");
    assert_false(imported); /* another pool is */
    put("proc/spl/kstat/zfs/tank/state", "ONLINE\n");
    assert_true(el_blkio_zfs(&fs, "nvme0n1", pool, sizeof pool, &imported));
    assert_true(imported);
    assert_false(el_blkio_zfs(&fs, "nvme1n1", pool, sizeof pool, &imported));
    assert_false(el_blkio_zfs(&fs, "nvme2n1", pool, sizeof pool, &imported));
    put("run/udev/data/b259:3", "E:ID_FS_TYPE=zfs_member\n"); /* the whole disk, its label not read yet */
    assert_true(el_blkio_zfs(&fs, "nvme1n1", pool, sizeof pool, &imported));
    assert_true(imported); /* which pool is not told, and some pool is */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zfs_is_told_by_udev_or_by_its_partition)};

    return cmocka_run_group_tests(tests, tree_set_up, tree_tear_down);
}
