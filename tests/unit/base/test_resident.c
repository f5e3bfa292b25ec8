#include "base/resident.h"
#include "support/unit.h"

/* Pages of files that are mapped; 0 when /proc does not tell. */
static long file_pages(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long size, resident, shared = 0;

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld %ld", &size, &resident, &shared), 3);
    fclose(f);
    return shared;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void gives_back_and_goes_on(void **state)
{
    static int written[] = {3, 1, 2};
    char *heap = strdup("kept"), text[32];
    long before, after;

    assert_true(cos(atof("0")) == 1);
    before = file_pages();
    el_resident_trim();
    after = file_pages();
    assert_true(after < before);
    /* Data, heap and relocations are as they were, and code comes back when it is called. */
    qsort(written, 3, sizeof *written, compare);
    snprintf(text, sizeof text, "%s %d %.2f", heap, written[0], pow(atof("2"), 0.5));
    assert_string_equal(text, "kept 1 1.41");
    free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_back_and_goes_on)};

    return cmocka_run_group_tests_name("base/resident", tests, NULL, NULL);
}
