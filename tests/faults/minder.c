/* The launcher's children in virtual time: crash loops, and no process to be had. The calls that make, await and log a
 * child are put in place of the system's by the linker. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include "cli/minder.h"
#include "support/unit.h"
#include "support/wrap.h"

#define STEP_US (10 * EL_USEC_PER_MSEC)
#define SECOND  (1000000 / STEP_US)

static struct {
    bool no_processes;
    int code, lives_steps; /* of each child; 0 steps = for ever */
    int left, pipes;
    unsigned starts, refused;
    int64_t now_us;
} world;

WRAP(pid_t, fork, void)
{
    if (world.no_processes) {
        world.refused++;
        errno = EAGAIN;
        return -1;
    }
    world.starts++;
    world.left = world.lives_steps;
    return 4000000;
}

WRAP(pid_t, waitpid, pid_t pid, int *status, int options)
{
    if (world.lives_steps == 0 || --world.left > 0)
        return 0;
    *status = world.code << 8;
    return pid;
}

WRAP(int, pipe2, int fd[2], int flags)
{
    int r = __real_pipe2(fd, flags);

    world.pipes += r == 0 ? 2 : 0;
    return r;
}

WRAP(int, close, int fd)
{
    world.pipes--;
    return __real_close(fd);
}

/* So many steps; the code it gave up with, or 0. */
static int pass(struct el_minder *m, int steps)
{
    int code = 0;

    for (int i = 0; i < steps && code == 0; i++)
        code = el_minder_step(m, world.now_us += STEP_US, false);
    return code;
}

static struct el_minder fresh(int code, int lives_steps)
{
    static char name[] = "x", *args[] = {name, NULL};
    struct el_minder m;

    memset(&world, 0, sizeof world);
    world.code = code;
    world.lives_steps = lives_steps;
    world.now_us = EL_USEC_PER_SEC;
    el_minder_init(&m, "x", NULL, args, true);
    return m;
}

static void crash_loop_slows_down(void **state)
{
    struct el_minder m = fresh(0, 1);

    assert_int_equal(pass(&m, 600 * SECOND), 0);
    assert_in_range(world.starts, 60, 80); /* each 10 s, after a few quick ones */
    assert_in_range(world.pipes, 0, 2);
    world.lives_steps = 0; /* mended */
    pass(&m, 10 * SECOND + 2);
    assert_true(m.pid > 0);
    world.lives_steps = 6 * SECOND; /* one that worked comes back at once, again and again */
    world.left = 1;
    world.starts = 0;
    pass(&m, 20 * SECOND);
    assert_in_range(world.starts, 2, 4);
}

static void no_process_to_be_had(void **state)
{
    struct el_minder m = fresh(0, 0);

    world.no_processes = true;
    assert_int_equal(pass(&m, 300 * SECOND), 0);
    assert_in_range(world.refused, 290, 301); /* once a second */
    assert_int_equal(m.pid, 0);
    assert_in_range(world.pipes, 0, 1);
    el_minder_signal(&m, SIGTERM); /* there is nobody to be told */
    world.no_processes = false;
    pass(&m, SECOND + 1);
    assert_int_equal(world.starts, 1);
    assert_true(m.pid > 0);
}

/* A child that gives up by itself before it had worked ends the launcher, also when the first try found no process. */
static void gives_up_after_a_late_start(void **state)
{
    struct el_minder m = fresh(1, 3);

    world.no_processes = true;
    pass(&m, 2 * SECOND);
    world.no_processes = false;
    assert_int_equal(pass(&m, 10 * SECOND), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crash_loop_slows_down), cmocka_unit_test(no_process_to_be_had),
                                       cmocka_unit_test(gives_up_after_a_late_start)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
