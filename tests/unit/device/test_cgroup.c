#include "device/cgroup.h"
#include "support/tree.h"

#define LINES 100 /* longer than what one read takes */

/* A line per device, `min` of the last one. */
static void set_qos(int min)
{
    EL_AUTO_BUF struct el_buf b = {0};

    for (int i = 0; i < LINES; i++)
        el_buf_printf(&b, "259:%d enable=1 ctrl=user rpct=0.00 rlat=5000 wpct=0.00 wlat=5000 min=%d.00 max=100.00\n", i,
                      i == LINES - 1 ? min : 100);
    put(EL_CGROUP_ROOT "/io.cost.qos", b.data);
}

static uint64_t min_of(int (*line)(struct el_cgroup *c, const char *device, struct el_buf *out), struct el_cgroup *c)
{
    EL_AUTO_BUF struct el_buf b = {0};
    char device[16];
    uint64_t min;

    snprintf(device, sizeof device, "259:%d", LINES - 1);
    assert_int_equal(line(c, device, &b), 0);
    assert_true(el_cgroup_value(b.data, "min", &min));
    return min;
}

static int surveyed(struct el_cgroup *c, const char *device, struct el_buf *out)
{
    return el_cgroup_surveyed_line(c, EL_CGROUP_QOS, device, out);
}

static int strict(struct el_cgroup *c, const char *device, struct el_buf *out)
{
    return el_cgroup_root_line(c, EL_CGROUP_QOS, device, out);
}

/* A survey shows all lines, of what it was begun at; without one, or of a device it does not show, the file is read. */
static void survey_shows_what_was_there(void **state)
{
    EL_AUTO_BUF struct el_buf b = {0};
    struct el_cgroup c;

    set_qos(100);
    el_cgroup_open(&c, &fs);
    assert_int_equal(min_of(surveyed, &c), 100);
    el_cgroup_survey(&c, true);
    assert_int_equal(min_of(surveyed, &c), 100);
    assert_int_equal(surveyed(&c, "259:1000", &b), -ENODATA);
    assert_int_equal(surveyed(&c, "", &b), -ENODATA);
    el_cgroup_close(&c);

    set_qos(77); /* by someone else: seen by the next survey, and without one */
    el_cgroup_open(&c, &fs);
    assert_int_equal(min_of(strict, &c), 77);
    el_cgroup_survey(&c, false);
    assert_int_equal(min_of(surveyed, &c), 77);
    assert_int_equal(ftruncate(c.fd[EL_CGROUP_QOS], 0), 0);
    el_cgroup_survey(&c, true);
    assert_int_equal(surveyed(&c, "259:1", &b), -ENODATA);
    el_cgroup_close(&c);
}

static void survey_of_a_machine_without_cgroups_is_empty(void **state)
{
    struct el_sysfs none = {.root = open("/var/empty-that-is-not-there", O_RDONLY)};
    EL_AUTO_BUF struct el_buf b = {0};
    struct el_cgroup c;

    el_cgroup_open(&c, &none);
    el_cgroup_survey(&c, true);
    assert_true(surveyed(&c, "259:1", &b) < 0);
    assert_int_equal(el_cgroup_surveyed_controller(&c), -ENOENT);
    el_cgroup_close(&c);
}

/* The controller as the survey showed it; taken away, it is missed by the next one, and without one. */
static void controller_is_seen_to_go(void **state)
{
    struct el_cgroup c;

    put(EL_CGROUP_ROOT "/cgroup.controllers", "cpu io\n");
    put(EL_CGROUP_ROOT "/cgroup.subtree_control", "cpu io memory\n");
    el_cgroup_open(&c, &fs);
    assert_int_equal(el_cgroup_surveyed_controller(&c), 0);
    el_cgroup_survey(&c, true);
    assert_int_equal(el_cgroup_surveyed_controller(&c), 0);
    assert_int_equal(pwrite(c.fd[EL_CGROUP_SUBTREE], "cpu            ", 14, 0), 14);
    el_cgroup_survey(&c, true);
    assert_int_equal(el_cgroup_surveyed_controller(&c), -ENOLCK);
    el_cgroup_close(&c);
    el_cgroup_open(&c, &fs);
    assert_int_equal(el_cgroup_surveyed_controller(&c), -ENOLCK);
    el_cgroup_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(survey_shows_what_was_there),
                                       cmocka_unit_test(controller_is_seen_to_go),
                                       cmocka_unit_test(survey_of_a_machine_without_cgroups_is_empty)};

    return cmocka_run_group_tests(tests, tree_set_up, tree_tear_down);
}
