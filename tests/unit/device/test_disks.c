/* Disks that go while their numbers are remembered. */
#include <fcntl.h>
#include <unistd.h>

#include "device/disks.h"
#include "support/tree.h"

static void read_disks(struct el_disks *d, int disks)
{
    for (int i = 0; i < disks; i++) {
        char path[64], text[32];

        snprintf(path, sizeof path, "sys/class/nvme/nvme0/nvme0n%d/dev", i + 1);
        snprintf(text, sizeof text, "259:%d\n", i);
        put(path, text);
    }
    assert_int_equal(el_disks_read(&fs, "nvme0", d), 0);
    assert_int_equal(d->n, disks);
}

/* As poll(2) and read(2) show a file of sysfs whose device is gone. */
static void take_away(struct el_disk *d)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(dup2(ends[1], d->dev_fd), d->dev_fd);
    close(ends[1]);
}

static uint32_t present(struct el_disks *d, const char *missing)
{
    EL_AUTO_DISKS struct el_disks left = {0};
    struct el_disks_asking a;

    a.n = 0;
    el_disks_ask(&a, d);
    el_disks_asked(&a);
    assert_int_equal(el_disks_present(d, &left), 0);
    for (uint32_t i = 0; missing && i < left.n; i++)
        assert_string_not_equal(left.disk[i].number, missing);
    return left.n;
}

static void gone_disk_is_left_out(void **state)
{
    EL_AUTO_DISKS struct el_disks d = {0};

    read_disks(&d, 3);
    assert_int_equal(present(&d, NULL), 3);
    take_away(&d.disk[1]);
    assert_int_equal(present(&d, d.disk[1].number), 2);
    assert_int_equal(present(&d, d.disk[1].number), 2);
}

static void more_disks_than_are_asked_at_once(void **state)
{
    EL_AUTO_DISKS struct el_disks d = {0};
    uint32_t n = 2 * EL_DISKS_ASKED + 3;

    read_disks(&d, (int)n);
    assert_int_equal(present(&d, NULL), n);
    take_away(&d.disk[0]);
    take_away(&d.disk[n - 1]);
    assert_int_equal(present(&d, d.disk[n - 1].number), n - 2);
}

static void looked_for_anew_it_is_there_again(void **state)
{
    EL_AUTO_DISKS struct el_disks d = {0};

    read_disks(&d, 1);
    take_away(&d.disk[0]);
    assert_int_equal(present(&d, NULL), 0);
    el_disks_free(&d);
    read_disks(&d, 1);
    assert_int_equal(present(&d, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gone_disk_is_left_out, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(more_disks_than_are_asked_at_once, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(looked_for_anew_it_is_there_again, tree_set_up, tree_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
