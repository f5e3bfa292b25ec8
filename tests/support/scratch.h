/* A directory of the test's own, for a test (cmocka_unit_test_setup_teardown) or for all of a file
 * (cmocka_run_group_tests). In memory, as what a daemon has in /run is. */
#pragma once

#include "base/file.h"
#include "support/unit.h"

#ifndef SCRATCH_IN
#define SCRATCH_IN "/dev/shm"
#endif
#define SCRATCH_PATH 256

static char scratch[32];

static inline int scratch_set_up(void **state)
{
    strcpy(scratch, SCRATCH_IN "/elementd-test.XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

/* A thread that an ended daemon left behind may still write there: tried for a minute. */
static inline int scratch_tear_down(void **state)
{
    char command[160];

    snprintf(command, sizeof command, "for i in $(seq 600); do rm -rf %s 2>/dev/null && exit; sleep 0.1; done; exit 1",
             scratch);
    return system(command);
}

static inline void scratch_path(char out[SCRATCH_PATH], const char *name)
{
    assert_in_range(snprintf(out, SCRATCH_PATH, "%s/%s", scratch, name), 1, SCRATCH_PATH - 1);
}

/* A file in it, with the directories above. */
static inline void put_bytes(const char *name, const void *bytes, size_t n)
{
    char path[SCRATCH_PATH];

    scratch_path(path, name);
    *strrchr(path, '/') = '\0';
    assert_int_equal(el_file_make_dirs(path, 0755), 0);
    scratch_path(path, name);
    assert_int_equal(el_file_replace(AT_FDCWD, path, bytes, n, 0644, false), 0);
}

static inline void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}
