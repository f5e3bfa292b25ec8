/* SIGKILL at every system call of a daemon that caps two drives: whatever was touched is back after a restore. The
 * made-up drives live in shared memory, so that they outlive the process as real ones do. */
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "control/actuate.h"
#include "control/restore.h"
#include "support/scratch.h"
#include "fake.h"

static struct el_settings settings;
static struct fake *fake;

static void reset(uint16_t temp_k)
{
    fake_init(fake);
    for (int i = 0; i < 2; i++)
        fake->drive[i].temp_k = temp_k;
    fake->drive[0].cap = 0.9;
    fake->drive[1].cap = 1;
}

/* What a daemon does to two drives; ends without restoring, as a killed one does. */
static void cap_two(void)
{
    struct el_device dev = {&fake_ops_inline, fake};
    struct el_journal *j = NULL;
    struct el_actuate *a;

    if (el_journal_open(scratch, &j) < 0 || !(a = el_actuate_new(&dev, j, false)))
        _exit(1);
    el_actuate_set_acting(a, EL_ACTUATE_ALL);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 2; i++) {
            struct el_actuate_target t = {.key = (uint32_t)i};

            snprintf(t.serial, sizeof t.serial, "SERIAL%d", i);
            el_actuate_want(a, el_actuate_item(a, EL_ACTUATOR_IO_BUDGET, &t),
                            &(struct el_actuator_value){.cap.ratio = 0.5 - 0.1 * round});
        }
}

/* Kills the child at its `at`-th system call stop; false: it ended before. */
static bool run_and_kill(long at)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        cap_two();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    for (long i = 0; i < at && WIFSTOPPED(status); i++) {
        ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
    }
    if (!WIFSTOPPED(status))
        return false;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return true;
}

static struct el_restore_result restore(bool force)
{
    struct el_device dev = {&fake_ops_inline, fake};
    struct el_restore_result r;

    assert_int_equal(el_restore(&dev, &settings, force, &r), 0);
    return r;
}

static bool journal_is_there(void)
{
    char path[128];

    snprintf(path, sizeof path, "%s/" EL_JOURNAL_FILE, scratch);
    return access(path, F_OK) == 0;
}

static void every_write_point(void **state)
{
    long at = 1;

    for (;; at++) {
        reset(313);
        bool killed = run_and_kill(at);

        restore(false);
        assert_true(fake->drive[0].cap == 0.9);
        assert_true(fake->drive[1].cap == 1);
        assert_false(journal_is_there());
        if (!killed)
            break;
    }
    print_message("%ld kill points, all restored\n", at - 1);
    assert_true(at > 40);
}

static void holds_what_is_hot(void **state)
{
    struct el_restore_result r;

    reset(349); /* 76 C of 77 */
    assert_false(run_and_kill(1000000));
    r = restore(false);
    assert_int_equal(r.held, 2);
    assert_true(fake->drive[0].cap == 0.4);
    assert_true(journal_is_there());
    fake->drive[0].temp_k = 320; /* one has cooled */
    r = restore(false);
    assert_int_equal(r.restored, 1);
    assert_int_equal(r.held, 1);
    assert_true(fake->drive[0].cap == 0.9 && fake->drive[1].cap == 0.4);
    r = restore(true);
    assert_int_equal(r.restored, 1);
    assert_true(fake->drive[1].cap == 1);
    assert_false(journal_is_there());
}

static void forgets_drives_that_are_gone(void **state)
{
    reset(313);
    assert_false(run_and_kill(1000000));
    fake->drive[1].present = false;
    assert_int_equal(restore(false).failed, 0);
    assert_false(journal_is_there());
}

/* It may be the very one: what was set on it must not be forgotten. */
static void keeps_the_entry_of_a_mute_drive(void **state)
{
    reset(313);
    assert_false(run_and_kill(1000000));
    fake->drive[1].mute = true;
    assert_int_equal(restore(false).held, 1);
    assert_true(fake->drive[0].cap == 0.9 && fake->drive[1].cap == 0.4);
    assert_true(journal_is_there());
    fake->drive[1].mute = false;
    assert_int_equal(restore(false).restored, 1);
    assert_true(fake->drive[1].cap == 1);
}

/* How hot it is cannot be told. */
static void holds_what_does_not_tell_its_temperature(void **state)
{
    reset(313);
    assert_false(run_and_kill(1000000));
    fake->drive[1].smart_status = 6;
    assert_int_equal(restore(false).held, 1);
    assert_true(fake->drive[0].cap == 0.9 && fake->drive[1].cap == 0.4);
    fake->drive[1].smart_status = 0;
    assert_int_equal(restore(false).restored, 1);
    assert_true(fake->drive[1].cap == 1);
}

/* What a running daemon has set is its own to take back. */
static void leaves_a_running_daemon_alone(void **state)
{
    struct el_device dev = {&fake_ops_inline, fake};
    struct el_restore_result r;
    char path[SCRATCH_PATH];
    int fd;

    reset(313);
    assert_false(run_and_kill(1000000));
    scratch_path(path, "lock");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(el_restore(&dev, &settings, true, &r), -EBUSY);
    assert_true(fake->drive[0].cap == 0.4 && journal_is_there());
    close(fd);
    assert_int_equal(restore(false).restored, 2);
}

static int set_up(void **state)
{
    fake = mmap(NULL, sizeof *fake, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fake == MAP_FAILED || scratch_set_up(state) < 0)
        return -1;
    el_settings_default(&settings);
    strcpy(settings.state_dir, scratch);
    el_log_set_level((enum el_log_level)0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_write_point),
        cmocka_unit_test(holds_what_is_hot),
        cmocka_unit_test(forgets_drives_that_are_gone),
        cmocka_unit_test(keeps_the_entry_of_a_mute_drive),
        cmocka_unit_test(holds_what_does_not_tell_its_temperature),
        cmocka_unit_test(leaves_a_running_daemon_alone),
    };

    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
