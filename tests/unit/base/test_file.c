/* Whether a file is another one. */

#include "base/file.h"
#include "support/unit.h"

static char dir[] = "/tmp/el-file-XXXXXX", path[64], other[64];

static void put(const char *name, const char *text)
{
    assert_int_equal(el_file_replace(AT_FDCWD, name, text, strlen(text), 0600, false), 0);
}

static void change_is_told_once(void **state)
{
    struct stat seen = {0};

    assert_false(el_file_changed(path, &seen)); /* not there yet */
    put(path, "one");
    assert_true(el_file_changed(path, &seen));
    assert_false(el_file_changed(path, &seen));
    put(path, "two"); /* as long as before */
    assert_true(el_file_changed(path, &seen));
    assert_false(el_file_changed(path, &seen));
}

static void who_may_read_it_is_a_change(void **state)
{
    struct stat seen = {0};

    put(path, "one");
    assert_true(el_file_changed(path, &seen));
    do /* the clock of files is coarse */
        assert_return_code(chmod(path, 0644), errno);
    while (!el_file_changed(path, &seen));
}

static void absence_is_none(void **state)
{
    struct stat seen = {0};

    put(path, "one");
    assert_true(el_file_changed(path, &seen));
    assert_return_code(rename(path, other), errno);
    assert_false(el_file_changed(path, &seen));
    put(path, "new");
    assert_true(el_file_changed(path, &seen));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(change_is_told_once),
                                       cmocka_unit_test(who_may_read_it_is_a_change),
                                       cmocka_unit_test(absence_is_none)};
    int r;

    if (!mkdtemp(dir))
        return 1;
    snprintf(path, sizeof path, "%s/file", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    r = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(other);
    rmdir(dir);
    return r;
}
