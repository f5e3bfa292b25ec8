#include "control/journal.h"
#include "support/scratch.h"

static char path[SCRATCH_PATH];

static struct el_journal_entry entry(const char *serial, const char *original)
{
    struct el_journal_entry e = {.actuator = EL_ACTUATOR_IO_BUDGET};

    strcpy(e.serial, serial);
    strcpy(e.place, "card slot \"1\"");
    strcpy(e.original, original);
    return e;
}

static struct el_journal *opened(void)
{
    struct el_journal *j = NULL;

    assert_int_equal(el_journal_open(scratch, &j), 0);
    return j;
}

static void survives_reopening(void **state)
{
    struct el_journal_entry a = entry("A", "ctrl=user \"x\"\nline two"), b = entry("B", "max");
    struct el_journal *j = opened();
    struct stat st;

    assert_int_equal(el_journal_count(j), 0);
    assert_int_equal(el_journal_add(j, &a), 0);
    assert_int_equal(el_journal_add(j, &b), 0);
    strcpy(a.original, "what we set ourselves");
    assert_int_equal(el_journal_add(j, &a), 0); /* the first original stays */
    el_journal_free(j);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    j = opened();
    assert_int_equal(el_journal_count(j), 2);
    assert_string_equal(el_journal_find(j, EL_ACTUATOR_IO_BUDGET, "A")->original, "ctrl=user \"x\"\nline two");
    assert_null(el_journal_find(j, EL_ACTUATOR_IO_MAX, "A"));
    assert_int_equal(el_journal_remove(j, EL_ACTUATOR_IO_BUDGET, "A"), 0);
    assert_int_equal(el_journal_remove(j, EL_ACTUATOR_IO_BUDGET, "A"), 0);
    assert_int_equal(el_journal_remove(j, EL_ACTUATOR_IO_BUDGET, "B"), 0);
    assert_int_equal(stat(path, &st), -1); /* nothing to restore: no file */
    el_journal_free(j);
}

static void voids_entries_of_another_boot(void **state)
{
    static const char other[] = "{\"version\":1,\"boot_id\":\"0123\",\"entries\":[{\"actuator\":\"io_budget\","
                                "\"serial\":\"A\",\"original\":\"x\"},{\"actuator\":\"fan\",\"serial\":\"chip/pwm1\","
                                "\"original\":\"pwm=90 enable=2\"},{\"actuator\":\"hctm\",\"serial\":\"A\","
                                "\"original\":\"0\"}]}";
    struct el_journal *j;

    assert_int_equal(el_file_replace(AT_FDCWD, path, other, strlen(other), 0600, false), 0);
    j = opened();
    assert_int_equal(el_journal_count(j), 1); /* a fan's chip may still be as it was left */
    assert_string_equal(el_journal_find(j, EL_ACTUATOR_FAN, "chip/pwm1")->original, "pwm=90 enable=2");
    assert_int_equal(el_journal_remove(j, EL_ACTUATOR_FAN, "chip/pwm1"), 0);
    assert_int_equal(access(path, F_OK), -1);
    el_journal_free(j);
}

static void refuses_what_is_no_journal(void **state)
{
    static const char *const bad[] = {"", "x", "[]", "{\"version\":2,\"boot_id\":\"\",\"entries\":[]}",
                                      "{\"version\":1,\"entries\":5}"};
    struct el_journal *j = NULL;

    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++) {
        put(EL_JOURNAL_FILE, bad[i]);
        assert_int_equal(el_journal_open(scratch, &j), -EBADMSG);
        assert_int_equal(access(path, F_OK), 0); /* left for a person to look at */
    }
    unlink(path);
}

static void failed_write_changes_nothing(void **state)
{
    struct el_journal_entry a = entry("A", "x"), b = entry("B", "y");
    struct el_journal *j = opened();
    char away[SCRATCH_PATH];

    snprintf(away, sizeof away, "%s.away", scratch);

    assert_int_equal(rmdir(scratch), 0);
    assert_true(el_journal_add(j, &a) < 0);
    assert_int_equal(el_journal_count(j), 0);
    assert_int_equal(mkdir(scratch, 0700), 0);
    assert_int_equal(el_journal_add(j, &a), 0);
    assert_int_equal(el_journal_add(j, &b), 0);
    assert_int_equal(rename(scratch, away), 0);
    assert_true(el_journal_remove(j, EL_ACTUATOR_IO_BUDGET, "A") < 0);
    assert_int_equal(el_journal_count(j), 2);
    assert_string_equal(el_journal_at(j, 0)->serial, "A");
    assert_string_equal(el_journal_at(j, 0)->original, "x");
    assert_string_equal(el_journal_at(j, 1)->serial, "B");
    assert_int_equal(rename(away, scratch), 0);
    assert_int_equal(el_journal_remove(j, EL_ACTUATOR_IO_BUDGET, "A"), 0);
    assert_int_equal(el_journal_remove(j, EL_ACTUATOR_IO_BUDGET, "B"), 0);
    el_journal_free(j);
}

static int set_up(void **state)
{
    int r = scratch_set_up(state);

    scratch_path(path, EL_JOURNAL_FILE);
    return r;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_reopening),
        cmocka_unit_test(voids_entries_of_another_boot),
        cmocka_unit_test(refuses_what_is_no_journal),
        cmocka_unit_test(failed_write_changes_nothing),
    };

    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
