#include <errno.h>

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

/* As the kernel shows new counters in a file that is open. */
static void write_over(const char *name, const char *text)
{
    char path[SCRATCH_PATH];
    int fd;

    scratch_path(path, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void counters_are_told_by_open_files(void **state)
{
    struct el_slot_io io = {0}, slow = {0};
    EL_AUTO_DISKS struct el_disks d = {0};

    put("sys/class/nvme/nvme0/nvme0n1/dev", "259:0\n");
    put("sys/class/nvme/nvme0/nvme0n1/stat", "1 0 8 0 2 0 16 0 0 0 0\n");
    put("sys/class/nvme/nvme0/nvme0n2/dev", "259:1\n");
    put("sys/class/nvme/nvme0/nvme0n2/stat", "10 0 80 0 20 0 160 0 0 0 0\n");
    assert_int_equal(el_disks_read(&fs, "nvme0", &d), 0);
    assert_int_equal(el_blkio_reread(&d, 7, &io), 0);
    assert_int_equal(io.read_ops, 11);
    assert_int_equal(io.write_ops, 22);
    assert_int_equal(io.read_bytes, 88 * 512);
    assert_int_equal(io.write_bytes, 176 * 512);
    assert_int_equal(io.time_us, 7);
    assert_int_equal(el_blkio_read(&fs, &d, 7, &slow), 0);
    assert_memory_equal(&io, &slow, sizeof io);
    write_over("sys/class/nvme/nvme0/nvme0n1/stat", "2");
    assert_int_equal(el_blkio_reread(&d, 8, &io), 0);
    assert_int_equal(io.read_ops, 12); /* each time anew */
}

static void half_of_the_counters_are_none(void **state)
{
    struct el_slot_io io = {.read_ops = 5};
    EL_AUTO_DISKS struct el_disks d = {0};

    put("sys/class/nvme/nvme0/nvme0n1/dev", "259:0\n");
    put("sys/class/nvme/nvme0/nvme0n2/dev", "259:1\n");
    put("sys/class/nvme/nvme0/nvme0n1/stat", "1 0 8 0 2 0 16 0 0 0 0\n");
    assert_int_equal(el_blkio_reread(&d, 7, &io), -ENODATA); /* no disk at all */
    assert_int_equal(el_disks_read(&fs, "nvme0", &d), 0);
    assert_int_equal(el_blkio_reread(&d, 7, &io), -ENODATA); /* the second has no such file */
    el_disks_free(&d);
    put("sys/class/nvme/nvme0/nvme0n2/stat", "10 0 80 0 -20 0 160 0 0 0 0\n");
    assert_int_equal(el_disks_read(&fs, "nvme0", &d), 0);
    assert_int_equal(el_blkio_reread(&d, 7, &io), -ENODATA); /* or one that makes no sense */
    assert_int_equal(io.read_ops, 5);
    assert_int_equal(io.time_us, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(zfs_is_told_by_udev_or_by_its_partition, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(counters_are_told_by_open_files, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(half_of_the_counters_are_none, tree_set_up, tree_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
