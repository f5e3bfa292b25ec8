/* Whether a file is another one. */

#include "support/scratch.h"

static char path[SCRATCH_PATH], other[SCRATCH_PATH];

static int set_up(void **state)
{
    int r = scratch_set_up(state);

    scratch_path(path, "file");
    scratch_path(other, "other");
    return r;
}

static void change_is_told_once(void **state)
{
    struct stat seen = {0};

    assert_false(el_file_changed(path, &seen)); /* not there yet */
    put("file", "one");
    assert_true(el_file_changed(path, &seen));
    assert_false(el_file_changed(path, &seen));
    put("file", "two"); /* as long as before */
    assert_true(el_file_changed(path, &seen));
    assert_false(el_file_changed(path, &seen));
}

static void who_may_read_it_is_a_change(void **state)
{
    struct stat seen = {0};

    put("file", "one");
    assert_true(el_file_changed(path, &seen));
    do /* the clock of files is coarse */
        assert_return_code(chmod(path, 0644), errno);
    while (!el_file_changed(path, &seen));
}

static void absence_is_none(void **state)
{
    struct stat seen = {0};

    put("file", "one");
    assert_true(el_file_changed(path, &seen));
    assert_return_code(rename(path, other), errno);
    assert_false(el_file_changed(path, &seen));
    put("file", "new");
    assert_true(el_file_changed(path, &seen));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(change_is_told_once),
                                       cmocka_unit_test(who_may_read_it_is_a_change),
                                       cmocka_unit_test(absence_is_none)};

    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
