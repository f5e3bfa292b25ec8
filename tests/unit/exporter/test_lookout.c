/* Descriptors and an alarm behind one descriptor. */
#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "exporter/lookout.h"
#include "support/unit.h"

static struct el_lookout l;
static int fd[2];

static int setup(void **state)
{
    for (int i = 0; i < 2; i++)
        fd[i] = eventfd(0, EFD_NONBLOCK);
    return el_lookout_open(&l) < 0 || el_lookout_add(&l, fd[0]) < 0 || el_lookout_add(&l, fd[1]) < 0;
}

static int teardown(void **state)
{
    el_lookout_close(&l);
    for (int i = 0; i < 2; i++)
        close(fd[i]);
    return 0;
}

static bool has_news(int wait_ms)
{
    struct pollfd p = {.fd = l.fd, .events = POLLIN};

    return poll(&p, 1, wait_ms) == 1;
}

static void tells_what_is_readable(void **state)
{
    int ready[EL_LOOKOUT_MAX];

    assert_false(has_news(0));
    assert_int_equal(el_lookout_ready(&l, ready), 0);
    eventfd_write(fd[1], 1);
    assert_true(has_news(0));
    assert_int_equal(el_lookout_ready(&l, ready), 1);
    assert_int_equal(ready[0], fd[1]);
    eventfd_write(fd[0], 1);
    assert_int_equal(el_lookout_ready(&l, ready), 2);
}

static void stops_telling_and_tells_again(void **state)
{
    int ready[EL_LOOKOUT_MAX];

    eventfd_write(fd[0], 1);
    el_lookout_heed(&l, fd[0], false);
    assert_false(has_news(0));
    el_lookout_heed(&l, fd[0], true);
    assert_true(has_news(0));
    assert_int_equal(el_lookout_ready(&l, ready), 1);
}

static void forgets_what_was_closed(void **state)
{
    eventfd_write(fd[0], 1);
    close(fd[0]);
    assert_false(has_news(0));
    fd[0] = eventfd(0, EFD_NONBLOCK);
}

static void wakes_at_the_time_until_the_next_is_set(void **state)
{
    int ready[EL_LOOKOUT_MAX];
    int64_t soon_us = el_clock_boottime_us() + 2000;

    el_lookout_alarm(&l, soon_us);
    assert_true(has_news(60000));
    assert_true(el_clock_boottime_us() >= soon_us);
    assert_int_equal(el_lookout_ready(&l, ready), 0);
    assert_true(has_news(0));
    el_lookout_alarm(&l, soon_us + 3600 * EL_USEC_PER_SEC);
    assert_false(has_news(0));
    el_lookout_alarm(&l, 1); /* long ago */
    assert_true(has_news(60000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tells_what_is_readable, setup, teardown),
        cmocka_unit_test_setup_teardown(stops_telling_and_tells_again, setup, teardown),
        cmocka_unit_test_setup_teardown(forgets_what_was_closed, setup, teardown),
        cmocka_unit_test_setup_teardown(wakes_at_the_time_until_the_next_is_set, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
