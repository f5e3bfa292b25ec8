#include "base/clock.h"
#include "base/log.h"
#include "control/endurance.h"
#include "control/saver.h"
#include "support/scratch.h"

static char path[SCRATCH_PATH], aside[SCRATCH_PATH + 16], log_path[SCRATCH_PATH];
static int stderr_fd;

static int set_up(void **state)
{
    int fd;

    if (scratch_set_up(state) < 0)
        return -1;
    scratch_path(path, EL_ENDURANCE_FILE);
    snprintf(aside, sizeof aside, "%s" EL_SAVER_ASIDE, path);
    scratch_path(log_path, "log");
    el_log_setup("test", EL_LOG_WARNING, EL_LOG_TEXT);
    fd = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    stderr_fd = dup(STDERR_FILENO);
    return dup2(fd, STDERR_FILENO) < 0 || close(fd) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    dup2(stderr_fd, STDERR_FILENO);
    close(stderr_fd);
    return scratch_tear_down(state);
}

static const char *content(const char *of)
{
    static struct el_buf b;

    el_buf_clear(&b);
    if (el_file_read(AT_FDCWD, of, 1 << 20, &b) < 0)
        return NULL;
    return b.data;
}

static int lines_of_log(void)
{
    int n = 0;

    for (const char *at = content(log_path); at && *at; at++)
        n += *at == '\n';
    return n;
}

static int take(void *ctx, const char *text, size_t n)
{
    int *calls = ctx;

    assert_int_equal(strlen(text), n);
    ++*calls;
    return strcmp(text, "good\n") == 0 ? 0 : -EBADMSG;
}

/* Starts on what stands in the directory, and saves "new"; tells how often a text was given. */
static int run(void)
{
    struct el_saver *s = el_saver_new(scratch);
    struct el_buf text[EL_SAVED] = {0};
    int64_t until = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC;
    int calls = 0;

    el_saver_load(s, EL_SAVED_WEAR, take, &calls);
    el_buf_puts(&text[EL_SAVED_WEAR], "new");
    el_saver_save(s, text);
    assert_null(text[EL_SAVED_WEAR].data);
    while (!el_saver_idle(s) && el_clock_boottime_us() < until)
        el_clock_sleep_until_us(el_clock_boottime_us() + EL_USEC_PER_MSEC, NULL);
    assert_true(el_saver_idle(s));
    el_saver_free(s);
    return calls;
}

static void nothing_there_is_nothing_to_say(void **state)
{
    assert_int_equal(run(), 0);
    assert_int_equal(lines_of_log(), 0);
    assert_string_equal(content(path), "new");
    assert_int_equal(access(aside, F_OK), -1);
}

static void good_is_taken(void **state)
{
    put(EL_ENDURANCE_FILE, "good\n");
    assert_int_equal(run(), 1);
    assert_int_equal(lines_of_log(), 0);
    assert_string_equal(content(path), "new");
}

/* Lost is nothing: it stands aside, and that is said with its path. */
static void garbage_is_kept_aside(void **state)
{
    put(EL_ENDURANCE_FILE, "rubbish");
    assert_int_equal(run(), 1);
    assert_string_equal(content(path), "new");
    assert_string_equal(content(aside), "rubbish");
    assert_int_equal(lines_of_log(), 1);
    assert_non_null(strstr(content(log_path), path));
    assert_non_null(strstr(content(log_path), "kept as endurance.unreadable"));
}

/* No text, or none that ends where it says: not even looked at. */
static void zeros_and_giants_are_kept_aside(void **state)
{
    assert_int_equal(mkdir(aside, 0700), 0); /* it cannot be moved there */
    put_bytes(EL_ENDURANCE_FILE, "good\n\0", 6);
    assert_int_equal(run(), 0);
    assert_string_equal(content(path), "good\n");
    assert_int_equal(lines_of_log(), 1);
    assert_int_equal(rmdir(aside), 0);
    assert_int_equal(run(), 0);
    assert_string_equal(content(path), "new");
    assert_string_equal(content(aside), "good\n");
    assert_int_equal(truncate(path, EL_ENDURANCE_FILE_MAX + 1), 0);
    assert_int_equal(run(), 0);
    assert_string_equal(content(path), "new");
}

/* Another's rights or a bad sector: what stands there may be good, so it stays for who can mend that. */
static void unreadable_is_not_written_over(void **state)
{
    char target[64];

    assert_int_equal(symlink(EL_ENDURANCE_FILE, path), 0);
    assert_int_equal(run(), 0);
    assert_int_equal(readlink(path, target, sizeof target), strlen(EL_ENDURANCE_FILE));
    assert_int_equal(access(aside, F_OK), -1);
    assert_int_equal(lines_of_log(), 1);
    assert_non_null(strstr(content(log_path), path));
    assert_non_null(strstr(content(log_path), strerror(ELOOP)));
}

#define SAVER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SAVER_TEST(nothing_there_is_nothing_to_say), SAVER_TEST(good_is_taken),
        SAVER_TEST(garbage_is_kept_aside),           SAVER_TEST(zeros_and_giants_are_kept_aside),
        SAVER_TEST(unreadable_is_not_written_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
