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

#define HELD  "enable=1 ctrl=user rpct=0.00 rlat=5000 wpct=0.00 wlat=5000 min=100.00 max=100.00"
#define ALIEN "enable=1 ctrl=user rpct=95.00 rlat=5000 wpct=95.00 wlat=5000 min=50.00 max=150.00"
#define PRICE "ctrl=user model=linear rbps=7 rseqiops=7 rrandiops=7 wbps=7 wseqiops=7 wrandiops=7"

static struct el_disk two[2] = {{.name = "nvme0n1", .head = "nvme0n1", .number = "259:0"},
                                {.name = "nvme0n2", .head = "nvme0n2", .number = "259:1"}};
static const struct el_disks one_disk = {two, 1}, two_disks = {two, 2};
static const struct el_cap half = {.ratio = 0.5, .budget_w = 4, .read_j_per_byte = 1e-9, .write_j_per_byte = 2e-9};

/* The root cgroup with these lines of the first disk. What is written then stands behind them, in the order it came. */
static void begin(struct el_cgroup *c, const char *qos, const char *model)
{
    static const char *const names[] = {[EL_CGROUP_QOS] = "io.cost.qos", [EL_CGROUP_MODEL] = "io.cost.model"};
    char line[256], path[SCRATCH_PATH];

    put(EL_CGROUP_ROOT "/cgroup.controllers", "cpu io\n");
    put(EL_CGROUP_ROOT "/cgroup.subtree_control", "cpu io\n");
    for (int f = EL_CGROUP_QOS; f <= EL_CGROUP_MODEL; f++) {
        snprintf(path, sizeof path, EL_CGROUP_ROOT "/%s", names[f]);
        snprintf(line, sizeof line, "259:0 %s\n", f == EL_CGROUP_QOS ? qos : model);
        put(path, line);
    }
    el_cgroup_open(c, &fs);
    for (int f = EL_CGROUP_QOS; f <= EL_CGROUP_MODEL; f++)
        assert_int_equal(fcntl(c->fd[f], F_SETFL, O_APPEND), 0);
}

/* Were these written to a file, one after the other, and nothing else? */
static void wrote(const struct el_cgroup *c, enum el_cgroup_file f, const char *all)
{
    EL_AUTO_BUF struct el_buf b = {0};

    assert_int_equal(el_file_reread(c->fd[f], 1u << 16, &b), 0);
    assert_string_equal(strchr(b.data, '\n') + 1, all);
}

static void wrote_nothing(const struct el_cgroup *c)
{
    wrote(c, EL_CGROUP_QOS, "");
    wrote(c, EL_CGROUP_MODEL, "");
}

/* Watts are split, prices come first, and what holds already is not set again. */
static void sets_prices_then_the_switch(void **state)
{
    struct el_iocost_memory m = {0};
    struct el_cgroup c;

    begin(&c, HELD, PRICE);
    assert_int_equal(el_iocost_write(&c, &two_disks, &m, &half), 0);
    wrote(&c, EL_CGROUP_MODEL,
          "259:0 ctrl=user model=linear rbps=2000000000 rseqiops=488281 rrandiops=488281 wbps=1000000000 "
          "wseqiops=244141 wrandiops=244141"
          "259:1 ctrl=user model=linear rbps=2000000000 rseqiops=488281 rrandiops=488281 wbps=1000000000 "
          "wseqiops=244141 wrandiops=244141");
    wrote(&c, EL_CGROUP_QOS, "259:1 enable=1 ctrl=user rpct=0 rlat=5000 wpct=0 wlat=5000 min=100 max=100");
    el_cgroup_close(&c);

    begin(&c, "enable=0 ctrl=auto", "ctrl=auto");
    close(c.fd[EL_CGROUP_MODEL]);
    c.fd[EL_CGROUP_MODEL] = open("/dev/full", O_RDWR | O_CLOEXEC);
    assert_int_equal(el_iocost_write(&c, &one_disk, &m, &half), -ENOSPC);
    wrote(&c, EL_CGROUP_QOS, "");
    el_cgroup_close(&c);
}

/* Prices and switch far up, then off: a plain off leaves waiters behind. */
static void lets_go_in_order(void **state)
{
    struct el_cgroup c;

    begin(&c, HELD, PRICE);
    assert_int_equal(el_iocost_restore(&c, &one_disk, "off"), 0);
    wrote(&c, EL_CGROUP_MODEL,
          "259:0 ctrl=user model=linear rbps=100000000000 rseqiops=100000000 rrandiops=100000000 wbps=100000000000 "
          "wseqiops=100000000 wrandiops=100000000"
          "259:0 ctrl=auto");
    wrote(&c, EL_CGROUP_QOS,
          "259:0 enable=1 ctrl=user rpct=0 rlat=5000 wpct=0 wlat=5000 min=10000 max=10000"
          "259:0 enable=0 ctrl=auto");
    el_cgroup_close(&c);
}

/* Settings that somebody had made and not switched on stand there again. */
static void gives_back_what_was_there(void **state)
{
    EL_AUTO_BUF struct el_buf qos = {0}, model = {0};
    char original[EL_ORIGINAL_MAX];
    struct el_cgroup c;

    set_foreign(1);
    el_cgroup_open(&c, &fs);
    assert_int_equal(el_iocost_save(&c, &one_disk, original, sizeof original), 0);
    assert_int_equal(el_cgroup_root_line(&c, EL_CGROUP_QOS, "259:0", &qos), 0);
    assert_int_equal(el_cgroup_root_line(&c, EL_CGROUP_MODEL, "259:0", &model), 0);
    el_cgroup_close(&c);
    begin(&c, HELD, PRICE);
    assert_int_equal(el_iocost_restore(&c, &one_disk, original), 0);
    for (int f = EL_CGROUP_QOS; f <= EL_CGROUP_MODEL; f++) {
        const char *line = f == EL_CGROUP_QOS ? qos.data : model.data, *end;
        EL_AUTO_BUF struct el_buf b = {0};

        assert_int_equal(el_file_reread(c.fd[f], 1u << 16, &b), 0);
        end = b.data + b.len - strlen(line);
        assert_string_equal(end, line);
    }
    el_cgroup_close(&c);
}

/* Ended after the prices, before the switch: the prices go, nothing is switched. */
static void takes_prices_back_alone(void **state)
{
    struct el_cgroup c;

    begin(&c, "enable=0 ctrl=auto", PRICE);
    assert_int_equal(el_iocost_restore(&c, &one_disk, "off"), 0);
    wrote(&c, EL_CGROUP_MODEL, "259:0 ctrl=auto");
    wrote(&c, EL_CGROUP_QOS, "");
    el_cgroup_close(&c);
}

static void leaves_what_others_set_up(void **state)
{
    struct el_iocost_memory m = {0};
    char original[EL_ORIGINAL_MAX], why[128];
    struct el_cgroup c;

    begin(&c, ALIEN, PRICE);
    assert_int_equal(el_iocost_usable(&c, &one_disk, why, sizeof why), -EBUSY);
    assert_int_equal(el_iocost_save(&c, &one_disk, original, sizeof original), -EBUSY);
    assert_int_equal(el_iocost_write(&c, &one_disk, &m, &half), -EBUSY);
    assert_int_equal(el_iocost_restore(&c, &one_disk, "off"), 0);
    assert_int_equal(el_iocost_restore(&c, &one_disk, "on"), -EINVAL);
    wrote_nothing(&c);
    el_cgroup_close(&c);
}

static void is_of_no_use_under_multipath(void **state)
{
    struct el_disk path = {.name = "nvme0c1n1", .head = "nvme0n1", .number = "259:0"};
    const struct el_disks d = {&path, 1};
    struct el_iocost_memory m = {0};
    struct el_cgroup c;
    char why[128];

    begin(&c, "enable=0 ctrl=auto", "ctrl=auto");
    assert_int_equal(el_iocost_usable(&c, &d, why, sizeof why), -EOPNOTSUPP);
    assert_int_equal(el_iocost_write(&c, &d, &m, &half), -EOPNOTSUPP);
    wrote_nothing(&c);
    el_cgroup_close(&c);
}

/* Whatever the files say: without the controller nothing is in force. */
static void nothing_holds_without_the_controller(void **state)
{
    struct el_iocost_memory m = {.cap = half, .full_w = 8};
    struct el_cgroup c;
    struct el_cap now;

    begin(&c, HELD, "ctrl=user model=linear rbps=4000000000 rseqiops=1 rrandiops=1 wbps=1 wseqiops=1 wrandiops=1");
    assert_int_equal(el_iocost_read(&c, &one_disk, &m, &now), 0);
    assert_float_equal(now.ratio, 0.5, 1e-9);
    el_cgroup_close(&c);
    put(EL_CGROUP_ROOT "/cgroup.subtree_control", "cpu\n");
    el_cgroup_open(&c, &fs);
    assert_int_equal(el_iocost_read(&c, &one_disk, &m, &now), 0);
    assert_true(now.ratio == 1);
    el_cgroup_close(&c);
}

static void an_original_fits_or_is_refused(void **state)
{
    struct el_cgroup c;
    char text[5] = "....";

    begin(&c, "enable=0 ctrl=auto", "ctrl=auto");
    assert_int_equal(el_iocost_save(&c, &one_disk, text, 3), -E2BIG);
    assert_string_equal(text, "....");
    assert_int_equal(el_iocost_save(&c, &one_disk, text, 4), 0);
    assert_string_equal(text, "off");
    el_cgroup_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_settings_of_others_are_said),
        cmocka_unit_test(sets_prices_then_the_switch),
        cmocka_unit_test(lets_go_in_order),
        cmocka_unit_test(gives_back_what_was_there),
        cmocka_unit_test(takes_prices_back_alone),
        cmocka_unit_test(leaves_what_others_set_up),
        cmocka_unit_test(is_of_no_use_under_multipath),
        cmocka_unit_test(nothing_holds_without_the_controller),
        cmocka_unit_test(an_original_fits_or_is_refused),
    };

    return cmocka_run_group_tests(tests, tree_set_up, tree_tear_down);
}
