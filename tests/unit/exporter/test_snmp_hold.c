/* What SNMP answers from while snapshots come, fail and go: one view for a turn, made once, and given back. */
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "exporter/snmp_hold.h"
#include "support/make_snapshot.h"
#include "support/unit.h"

#define BASE_LEN 10
static const el_oid base[BASE_LEN] = {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 10450};

/* A source that counts; what it has given out dies at its release. */
struct source {
    struct el_snapshot *next; /* NULL: the update failed */
    unsigned asked, out;
};

static const struct el_snapshot *acquire(void *ctx, int64_t now_us, bool *stale)
{
    struct source *s = ctx;

    s->asked++;
    *stale = false;
    if (!s->next)
        return NULL;
    s->out++;
    return s->next;
}

static void release(void *ctx, const struct el_snapshot *s)
{
    struct source *from = ctx;

    from->out--;
    if (s != from->next)
        el_snapshot_free((struct el_snapshot *)(uintptr_t)s);
}

/* It points to itself: it is made where it stays. */
static struct el_snmp_hold *hold_of(struct el_snmp_hold *h, struct source *s)
{
    assert_int_equal(el_snmp_hold_init(h, &(struct el_snmp_source){acquire, release, s}, base, BASE_LEN), 0);
    return h;
}

static struct el_snapshot *snapshot(uint32_t drives, uint64_t seq)
{
    return el_test_snapshot_new(&(struct el_test_snapshot){.drives = drives, .sensors = 2, .seq = seq});
}

/* All of our tree; how many instances, and its snapshot's number. */
static unsigned walk(const struct el_snmp_view *v, uint32_t *seq)
{
    struct el_snmp_place at = el_snmp_view_find(v, EL_SNMP_TREE_ELEMENT, base, BASE_LEN, false);
    struct el_snmp_value value;
    el_oid name[EL_OID_MAX];
    size_t len;
    unsigned n = 0;

    for (; el_snmp_view_step(v, &at, name, &len, &value) == 0; n++)
        if (n == 0)
            *seq = value.gauge;
    return n;
}

/* A table that is refilled in the middle of a walk: the walk goes on over the rows it began with. */
static void new_rows_do_not_touch_a_turn(void **state)
{
    struct source source = {.next = snapshot(8, 1)};
    struct el_snmp_hold *h = hold_of(&(struct el_snmp_hold){0}, &source);
    const struct el_snmp_view *v = el_snmp_hold_view(h);
    struct el_snmp_place at = el_snmp_view_find(v, EL_SNMP_TREE_ELEMENT, base, BASE_LEN, false);
    struct el_snmp_value value;
    el_oid name[EL_OID_MAX];
    unsigned n, before;
    uint32_t seq;
    size_t len;

    before = walk(v, &seq);
    for (n = 0; n < 100; n++)
        assert_int_equal(el_snmp_view_step(v, &at, name, &len, &value), 0);
    source.next = snapshot(2, 2); /* the first is now held by us alone */
    for (; el_snmp_view_step(v, &at, name, &len, &value) == 0; n++)
        assert_ptr_equal(el_snmp_hold_view(h), v);
    assert_int_equal(n, before);
    el_snmp_hold_turn(h);
    assert_int_not_equal(walk(el_snmp_hold_view(h), &seq), before);
    assert_int_equal(seq, 2);
    assert_int_equal(source.out, 1);
    el_snmp_hold_free(h);
    assert_int_equal(source.out, 0);
    el_snapshot_free(source.next);
}

/* The source is asked once a turn, however much is looked up; the view is made once a snapshot. */
static void asked_once_a_turn(void **state)
{
    struct source source = {.next = snapshot(8, 1)};
    struct el_snmp_hold *h = hold_of(&(struct el_snmp_hold){0}, &source);
    const struct el_snmp_view *v = NULL;

    for (int turn = 1; turn <= 3; turn++) {
        el_snmp_hold_turn(h);
        for (int i = 0; i < 1000; i++) {
            assert_true(!v || el_snmp_hold_view(h) == v);
            v = el_snmp_hold_view(h);
        }
        assert_int_equal(source.asked, turn);
    }
    el_snmp_hold_free(h);
    el_snapshot_free(source.next);
}

/* A master asks for the repetitions of a GETBULK one by one, and for several managers in turn: all of one request see
 * what its first one saw, whoever looks for news in between; the next request sees news. */
static void a_request_is_of_one_snapshot(void **state)
{
    struct source source = {.next = snapshot(8, 1)};
    struct el_snmp_hold *h = hold_of(&(struct el_snmp_hold){0}, &source);
    const struct {
        long id;
        uint32_t seq;
    } asked[] = {{7, 1}, {7, 1}, {8, 2}, {7, 1}, {8, 2}, {9, 2}, {8, 2}, {7, 1}, {10, 2}};
    uint32_t seq;

    for (size_t i = 0; i < EL_ARRAY_SIZE(asked); i++) {
        el_snmp_hold_turn(h);
        el_snmp_hold_request(h, asked[i].id);
        walk(el_snmp_hold_view(h), &seq);
        assert_int_equal(seq, asked[i].seq);
        if (i == 0)
            source.next = snapshot(8, 2); /* the one before is now held by us alone */
        el_snmp_hold_turn(h);
        assert_int_equal(el_snmp_hold_snapshot(h)->seq, 1 + (source.next->seq == 2)); /* who tells of events */
        el_snmp_hold_rest(h);
    }
    assert_int_equal(source.out, 2);
    assert_int_equal(h->requests, 4);
    h->self.now_us += EL_USEC_PER_SEC; /* nobody is in the midst of an answer any more */
    el_snmp_hold_rest(h);
    assert_int_equal(source.out, 1);
    el_snmp_hold_free(h);
    assert_int_equal(source.out, 0);
    el_snapshot_free(source.next);
}

/* A number that comes again after a long time is another request; what a request began with goes when two newer came.
 */
static void a_request_ends(void **state)
{
    struct source source = {.next = snapshot(8, 1)};
    struct el_snmp_hold *h = hold_of(&(struct el_snmp_hold){0}, &source);
    const int64_t later_us[] = {0, 10 * EL_USEC_PER_SEC};
    const long id[] = {1, 2, 3, 1};
    uint32_t seq;

    for (size_t i = 0; i < EL_ARRAY_SIZE(later_us); i++) {
        el_snmp_hold_turn(h);
        h->self.now_us += later_us[i];
        el_snmp_hold_request(h, 7);
        walk(el_snmp_hold_view(h), &seq);
        assert_int_equal(seq, i + 1);
        source.next = snapshot(8, i + 2);
    }
    for (size_t i = 0; i < EL_ARRAY_SIZE(id); i++) {
        el_snmp_hold_turn(h);
        el_snmp_hold_request(h, id[i]);
        walk(el_snmp_hold_view(h), &seq);
        assert_int_equal(seq, i < 3 ? i + 3 : 5);
        if (i < 2)
            source.next = snapshot(8, i + 4);
    }
    assert_int_equal(source.out, 2);
    el_snmp_hold_free(h);
    el_snapshot_free(source.next);
}

/* Answers come from memory: the kernel kills whoever opens, asks or waits in the middle of a walk. */
static void a_walk_asks_nobody(void **state)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* the sanitizer itself asks the kernel */
#endif
    struct source source = {.next = snapshot(64, 1)};
    struct el_snmp_hold *h = hold_of(&(struct el_snmp_hold){0}, &source);
    const struct el_snmp_view *v = el_snmp_hold_view(h);
    uint32_t seq;
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
            _exit(2);
        syscall(SYS_exit, walk(v, &seq) > 1000 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    el_snmp_hold_free(h);
    el_snapshot_free(source.next);
}

/* An update that fails empties the tables and keeps the tree; the next one fills them again. */
static void failed_update_is_an_empty_table(void **state)
{
    struct source source = {0};
    struct el_snmp_hold *h = hold_of(&(struct el_snmp_hold){0}, &source);
    struct el_snapshot *good = snapshot(8, 7);
    uint32_t seq;
    unsigned none, all;

    none = walk(el_snmp_hold_view(h), &seq);
    assert_true(none > 10); /* the scalars */
    for (int i = 0; i < 3; i++) {
        source.next = good;
        el_snmp_hold_turn(h);
        all = walk(el_snmp_hold_view(h), &seq);
        assert_true(all > 1000);
        assert_int_equal(seq, 7);
        good = snapshot(8, 7); /* the other dies when it is released */
        source.next = NULL;
        el_snmp_hold_turn(h);
        assert_int_equal(walk(el_snmp_hold_view(h), &seq), none);
    }
    el_snapshot_free(good);
    el_snmp_hold_free(h);
}

/* What nobody asked for in a long time is given back, and a walk is not. */
static void given_back_when_idle(void **state)
{
    struct source source = {.next = snapshot(8, 1)};
    struct el_snmp_hold *h = hold_of(&(struct el_snmp_hold){0}, &source);

    el_snmp_hold_view(h);
    h->self.now_us += EL_USEC_PER_SEC;
    el_snmp_hold_rest(h);
    assert_int_equal(source.out, 1);
    h->self.now_us += 2 * EL_USEC_PER_SEC;
    el_snmp_hold_rest(h);
    assert_int_equal(source.out, 0);
    el_snmp_hold_turn(h);
    assert_non_null(el_snmp_hold_view(h));
    el_snmp_hold_free(h);
    el_snapshot_free(source.next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_asks_nobody), /* first: nothing is warmed up yet */
        cmocka_unit_test(new_rows_do_not_touch_a_turn),
        cmocka_unit_test(asked_once_a_turn),
        cmocka_unit_test(a_request_is_of_one_snapshot),
        cmocka_unit_test(a_request_ends),
        cmocka_unit_test(failed_update_is_an_empty_table),
        cmocka_unit_test(given_back_when_idle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
