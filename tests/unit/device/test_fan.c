/* Fan duty and cgroup files on a made-up tree. */
#include "base/file.h"
#include "device/cgroup.h"
#include "device/fan.h"
#include "support/tree.h"

static int64_t get(const char *name)
{
    int64_t v = -1;

    assert_int_equal(el_file_read_i64(fs.root, name, &v), 0);
    return v;
}

static void fan_is_given_back(void **state)
{
    char text[64], why[128];
    double ratio;

    put("pwm1", "100\n");
    put("pwm1_enable", "2\n");
    assert_int_equal(el_fan_usable(&fs, "pwm1", why, sizeof why), 0);
    assert_int_equal(el_fan_save(&fs, "pwm1", text, sizeof text), 0);
    assert_string_equal(text, "pwm=100 enable=2");
    assert_int_equal(el_fan_read(&fs, "pwm1", &ratio), -EBUSY); /* the board drives it */
    assert_int_equal(el_fan_write(&fs, "pwm1", 1), 0);
    assert_int_equal(get("pwm1"), 255);
    assert_int_equal(get("pwm1_enable"), 1);
    assert_int_equal(el_fan_read(&fs, "pwm1", &ratio), 0);
    assert_true(ratio == 1);
    assert_int_equal(el_fan_restore(&fs, "pwm1", text), 0);
    assert_int_equal(get("pwm1"), 100);
    assert_int_equal(get("pwm1_enable"), 2);
    put("pwm1", "70\n");
    put("pwm1_enable", "5\n"); /* taken by someone else */
    assert_int_equal(el_fan_restore(&fs, "pwm1", text), 0);
    assert_int_equal(get("pwm1"), 70);
    assert_int_equal(get("pwm1_enable"), 5);
}

static void nonsense_moves_no_fan(void **state)
{
    const double bad[] = {NAN, INFINITY, -0.1, 1.01};
    const char *texts[] = {"", "pwm=", "pwm=300 enable=1", "pwm=-1 enable=2", "pwm=1 enable=2x", "off"};
    char why[128];

    put("pwm2", "100\n");
    put("pwm2_enable", "1\n");
    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++)
        assert_int_equal(el_fan_write(&fs, "pwm2", bad[i]), -EINVAL);
    for (size_t i = 0; i < EL_ARRAY_SIZE(texts); i++)
        assert_int_equal(el_fan_restore(&fs, "pwm2", texts[i]), -EINVAL);
    assert_int_equal(get("pwm2"), 100);
    assert_true(el_fan_usable(&fs, "pwm9", why, sizeof why) < 0 && why[0]);
    assert_true(el_fan_write(&fs, "pwm9", 0.5) < 0);
}

static int io_controller(void)
{
    struct el_cgroup c;
    int r;

    el_cgroup_open(&c, &fs);
    r = el_cgroup_io_controller(&c);
    el_cgroup_close(&c);
    return r;
}

static void controller_is_found_where_it_is(void **state)
{
    assert_int_equal(io_controller(), -ENOENT);
    assert_int_equal(
        mkdirat(fs.root, "sys", 0755) | mkdirat(fs.root, "sys/fs", 0755) | mkdirat(fs.root, "sys/fs/cgroup", 0755), 0);
    put("sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n");
    assert_int_equal(io_controller(), -ENOTSUP);
    put("sys/fs/cgroup/cgroup.controllers", "cpu io memory\n");
    put("sys/fs/cgroup/cgroup.subtree_control", "memory pids rdio iox\n");
    assert_int_equal(io_controller(), -ENOLCK);
    put("sys/fs/cgroup/cgroup.subtree_control", "memory io pids\n");
    assert_int_equal(io_controller(), 0);
}

static void lines_are_found_by_device(void **state)
{
    EL_AUTO_BUF struct el_buf line = {0};
    uint64_t v;

    put("io.max", "259:10 rbps=1 wbps=2 riops=max wiops=4\n259:1 rbps=max wbps=20 riops=30 wiops=40.50\n");
    assert_int_equal(el_cgroup_line(&fs, "", "io.max", "259:1", &line), 0);
    assert_true(el_cgroup_value(line.data, "rbps", &v) && v == UINT64_MAX);
    assert_true(el_cgroup_value(line.data, "wbps", &v) && v == 20);
    assert_true(el_cgroup_value(line.data, "wiops", &v) && v == 40);
    assert_false(el_cgroup_value(line.data, "bps", &v));
    assert_int_equal(el_cgroup_line(&fs, "", "io.max", "259:2", &line), -ENODATA);
    assert_int_equal(el_cgroup_line(&fs, "", "none", "259:2", &line), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fan_is_given_back),
        cmocka_unit_test(nonsense_moves_no_fan),
        cmocka_unit_test(controller_is_found_where_it_is),
        cmocka_unit_test(lines_are_found_by_device),
    };

    return cmocka_run_group_tests(tests, tree_set_up, tree_tear_down);
}
