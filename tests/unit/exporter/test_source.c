#include <pthread.h>

#include "base/clock.h"
#include "base/file.h"
#include "exporter/source.h"
#include "support/make_snapshot.h"
#include "support/scratch.h"

static char path[SCRATCH_PATH];

static void publish(uint64_t seq, int64_t time_us, const char *boot)
{
    struct el_snapshot *s =
        el_test_snapshot_new(&(struct el_test_snapshot){.drives = 2, .seq = seq, .time_us = time_us});

    assert_non_null(s);
    s->period_ms = 2000;
    memset(s->boot_id, 0, sizeof s->boot_id);
    memcpy(s->boot_id, boot, strlen(boot));
    el_snapshot_seal(s);
    assert_int_equal(el_file_replace(AT_FDCWD, path, s, s->size, 0644, false), 0);
    el_snapshot_free(s);
}

static uint64_t seq_of(struct el_source *src, int64_t now, enum el_source_state *state)
{
    const struct el_snapshot *s = el_source_acquire(src, now, state);
    uint64_t seq = s->seq;

    el_source_release(src, s);
    return seq;
}

static void life(void **ctx)
{
    struct el_source *src = el_source_new(path);
    int64_t now = el_clock_boottime_us();
    enum el_source_state st;
    const struct el_snapshot *kept;
    char boot[33], why[160];

    el_clock_boot_id(boot);
    assert_int_equal(seq_of(src, now, &st), 0);
    assert_int_equal(st, EL_SOURCE_NONE);
    el_source_problem(src, why, sizeof why);
    assert_non_null(strstr(why, "is not there"));

    assert_false(el_source_changed(src));
    publish(1, now, boot);
    assert_true(el_source_changed(src));
    kept = el_source_acquire(src, now, &st);
    assert_false(el_source_changed(src));
    assert_int_equal(kept->seq, 1);
    assert_int_equal(st, EL_SOURCE_FRESH);
    el_source_problem(src, why, sizeof why);
    assert_string_equal(why, "");

    publish(2, now, boot);
    assert_int_equal(seq_of(src, now, &st), 2);
    assert_int_equal(kept->seq, 1); /* still whole for whoever holds it */
    el_source_release(src, kept);

    assert_int_equal(seq_of(src, now + 6 * EL_USEC_PER_SEC, &st), 2);
    assert_int_equal(st, EL_SOURCE_FRESH);
    seq_of(src, now + 6 * EL_USEC_PER_SEC + 1, &st);
    assert_int_equal(st, EL_SOURCE_STALE);
    el_source_free(src);
}

/* A broken, foreign or future file is never believed, and what was known stays. */
static void never_believed(void **ctx)
{
    struct el_source *src;
    int64_t now = el_clock_boottime_us();
    struct el_buf bytes = {0};
    enum el_source_state st;
    char boot[33], why[160];

    el_clock_boot_id(boot);
    publish(7, now, boot);
    src = el_source_new(path);
    assert_int_equal(seq_of(src, now, &st), 7);
    assert_int_equal(el_file_read(AT_FDCWD, path, 1 << 24, &bytes), 0);

    for (size_t cut = 0; cut < bytes.len; cut += bytes.len / 40 + 1) {
        assert_int_equal(el_file_replace(AT_FDCWD, path, bytes.data, cut, 0644, false), 0);
        assert_int_equal(seq_of(src, now, &st), 7);
        assert_int_equal(st, EL_SOURCE_FRESH);
    }
    for (size_t at = 0; at < bytes.len; at += bytes.len / 40 + 1) {
        bytes.data[at] = (char)~bytes.data[at];
        assert_int_equal(el_file_replace(AT_FDCWD, path, bytes.data, bytes.len, 0644, false), 0);
        bytes.data[at] = (char)~bytes.data[at];
        assert_int_equal(seq_of(src, now, &st), 7);
    }
    el_source_problem(src, why, sizeof why);
    assert_non_null(strstr(why, path));
    publish(8, now, "0123456789abcdef0123456789abcdef");
    assert_int_equal(seq_of(src, now, &st), 7);
    el_source_problem(src, why, sizeof why);
    assert_non_null(strstr(why, "another boot"));
    publish(9, now + 60 * EL_USEC_PER_SEC, boot);
    assert_int_equal(seq_of(src, now, &st), 7);
    unlink(path);
    assert_int_equal(seq_of(src, now, &st), 7);
    publish(10, now, boot);
    assert_int_equal(seq_of(src, now, &st), 10);
    el_buf_free(&bytes);
    el_source_free(src);
}

/* The file that is held open is let go when it is removed, and when it has nothing new to say while the name may. */
static void file_behind_the_name(void **ctx)
{
    int64_t now = el_clock_boottime_us();
    struct el_source *src;
    enum el_source_state st;
    char boot[33], other[SCRATCH_PATH + 8], why[160];

    el_clock_boot_id(boot);
    publish(1, now, boot);
    src = el_source_new(path);
    assert_int_equal(seq_of(src, now, &st), 1);
    unlink(path);
    assert_int_equal(seq_of(src, now, &st), 1);
    el_source_problem(src, why, sizeof why);
    assert_non_null(strstr(why, "is not there"));
    publish(2, now, boot);
    assert_int_equal(seq_of(src, now, &st), 2);

    snprintf(other, sizeof other, "%s.kept", path);
    assert_int_equal(link(path, other), 0);
    publish(3, now + 7 * EL_USEC_PER_SEC, boot);
    assert_int_equal(seq_of(src, now + 7 * EL_USEC_PER_SEC, &st), 3);
    assert_int_equal(st, EL_SOURCE_FRESH);
    unlink(other);
    unlink(path);
    el_source_free(src);
}

static void *reader(void *arg)
{
    for (int i = 0; i < 2000; i++) {
        enum el_source_state st;
        const struct el_snapshot *s = el_source_acquire(arg, el_clock_boottime_us(), &st);

        if (s->seq && s->slots.count != el_snapshot_cards(s)->slots)
            return arg;
        el_source_release(arg, s);
    }
    return NULL;
}

static void shared_by_threads(void **ctx)
{
    struct el_source *src = el_source_new(path);
    pthread_t t[2];
    char boot[33];
    void *bad;

    el_clock_boot_id(boot);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, src);
    for (uint64_t seq = 1; seq < 200; seq++)
        publish(seq, el_clock_boottime_us(), boot);
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
    el_source_free(src);
}

static int set_up(void **state)
{
    int r = scratch_set_up(state);

    scratch_path(path, "snapshot");
    return r;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(life), cmocka_unit_test(never_believed),
                                       cmocka_unit_test(file_behind_the_name), cmocka_unit_test(shared_by_threads)};

    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
