/* Each event is told once, in order, no faster than the bucket allows, over restarts of either side. */
#include "base/oid.h"
#include "exporter/snmp_state.h"
#include "model/alarm.h"
#include "support/make_snapshot.h"
#include "support/scratch.h"

#define SECOND EL_USEC_PER_SEC

static struct el_snapshot *events(uint32_t n, uint64_t first, int64_t daemon_start)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 4, .events = n});

    for (uint32_t i = 0; i < n; i++) {
        el_snapshot_events(s)[i].seq = first + n - 1 - i; /* a ring: the order of rows means nothing */
        el_snapshot_events(s)[i].kind = EL_ALARM_FAILSAFE;
    }
    s->daemon.start_realtime_us = daemon_start;
    return s;
}

/* Tells everything that may be told at `now`; returns how many, checks that numbers rise by one from `*seq`. */
static int drain(struct el_snmp_notifier *n, const struct el_snapshot *s, int64_t now, uint64_t *seq)
{
    const struct el_event *e;
    bool waiting;
    int told = 0;

    for (; (e = el_snmp_notifier_next(n, s, now, &waiting)) != NULL; told++)
        assert_int_equal(e->seq, ++*seq);
    return told;
}

static void once_and_in_order(void **state)
{
    struct el_snapshot *s = events(10, 1, 5);
    struct el_snmp_notifier n;
    uint64_t seq = 0;

    el_snmp_notifier_init(&n, 0);
    assert_int_equal(drain(&n, s, 0, &seq), 10);
    assert_int_equal(drain(&n, s, 100 * SECOND, &seq), 0);
    el_snapshot_free(s);
    s = events(12, 5, 5); /* 5..16: 11..16 are new */
    assert_int_equal(drain(&n, s, 100 * SECOND, &seq), 6);
    assert_int_equal(n.suppressed, 0);
    el_snapshot_free(s);
}

static void storm_is_slowed_not_lost(void **state)
{
    struct el_snapshot *s = events(200, 1, 5);
    struct el_snmp_notifier n;
    uint64_t seq = 0;
    int told, worst = 0;

    el_snmp_notifier_init(&n, 0);
    told = drain(&n, s, 0, &seq);
    assert_int_equal(told, (int)EL_SNMP_BURST);
    for (int64_t t = 1; seq < 200; t++) {
        told = drain(&n, s, t * SECOND, &seq);
        worst = EL_MAX(worst, told);
        assert_true(t < 60);
    }
    assert_int_equal(worst, (int)EL_SNMP_RATE_HZ);
    assert_int_equal(n.suppressed, 0);
    el_snapshot_free(s);
}

static void what_left_the_ring_is_counted(void **state)
{
    struct el_snapshot *s = events(5, 1, 5);
    struct el_snmp_notifier n;
    uint64_t seq = 0;

    el_snmp_notifier_init(&n, 0);
    drain(&n, s, 0, &seq);
    el_snapshot_free(s);
    s = events(10, 101, 5);
    seq = 100;
    assert_int_equal(drain(&n, s, SECOND, &seq), 10);
    assert_int_equal(n.suppressed, 95);
    assert_int_equal(n.number, 5 + 95 + 10); /* a manager sees the gap */
    el_snapshot_free(s);
}

static void over_restarts(void **state)
{
    struct el_snapshot *s = events(5, 1, 5);
    struct el_snmp_notifier n;
    uint64_t seq = 0;
    char text[64];

    el_snmp_notifier_init(&n, 0);
    drain(&n, s, 0, &seq);
    el_snmp_notifier_save(&n, text, sizeof text);

    el_snmp_notifier_init(&n, 0); /* the exporter */
    assert_int_equal(el_snmp_notifier_load(&n, text), 0);
    assert_int_equal(drain(&n, s, 0, &seq), 0);
    el_snapshot_free(s);
    s = events(7, 1, 5);
    assert_int_equal(drain(&n, s, 0, &seq), 2);
    el_snapshot_free(s);

    s = events(3, 1, 6); /* the daemon: its numbers begin again */
    seq = 0;
    assert_int_equal(drain(&n, s, 0, &seq), 3);
    assert_int_equal(n.number, 5 + 2 + 3); /* ours go on */
    el_snapshot_free(s);
    assert_int_equal(el_snmp_notifier_load(&n, "x"), -EINVAL);
    assert_int_equal(el_snmp_notifier_load(&n, "1 2"), -EINVAL);
    assert_int_equal(el_snmp_notifier_load(&n, ""), -EINVAL);
}

static void first_start_begins_with_the_ring(void **state)
{
    struct el_snapshot *s = events(5, 1001, 5);
    struct el_snmp_notifier n;
    uint64_t seq = 1000;

    el_snmp_notifier_init(&n, 0);
    assert_int_equal(drain(&n, s, 0, &seq), 5);
    assert_int_equal(n.suppressed, 0);
    el_snapshot_free(s);
}

static void only_alarms_are_told(void **state)
{
    struct el_snapshot *s = events(3, 1, 5);
    struct el_snmp_notifier n;
    bool waiting;

    el_snapshot_events(s)[2].kind = 0;              /* seq 1 */
    el_snapshot_events(s)[0].kind = EL_ALARM_COUNT; /* seq 3: of a newer daemon */
    el_snmp_notifier_init(&n, 0);
    assert_int_equal(el_snmp_notifier_next(&n, s, 0, &waiting)->seq, 2);
    assert_null(el_snmp_notifier_next(&n, s, 0, &waiting));
    assert_int_equal(n.last_seq, 3);
    assert_int_equal(n.number, n.sent); /* and no gap where nothing was to be told */
    el_snapshot_free(s);
}

static void notification_has_its_number(void **state)
{
    struct el_snapshot *s = events(1, 9, 5);
    struct el_event *e = el_snapshot_events(s);
    struct el_snmp_view_options o = {0};
    struct el_snmp_binding b[EL_SNMP_BINDINGS];

    o.base_len = el_oid_parse("1.3.6.1.4.1.1.2", o.base);
    e->slot = 2, e->card = 0, e->raised = true;
    el_snmp_notification(&o, s, e, 4, b);
    assert_int_equal(b[0].value.oid[o.base_len], 0);
    assert_int_equal(b[0].value.oid[o.base_len + 1], EL_ALARM_FAILSAFE);
    assert_int_equal(b[1].value.gauge, 4);
    assert_int_equal(b[9].value.gauge, 9);
    assert_int_equal(b[7].value.integer, 2);
    assert_memory_equal(b[6].value.text, "lqd4500-0", b[6].value.len);
    e->raised = false;
    el_snmp_notification(&o, s, e, 4, b);
    assert_int_equal(b[0].value.oid[o.base_len + 1], EL_ALARM_FAILSAFE + 100);
    assert_int_equal(b[4].value.integer, 2);
    e->kind = EL_ALARM_DRIVE_REPLACED; /* an event only: nothing to clear */
    el_snmp_notification(&o, s, e, 4, b);
    assert_int_equal(b[0].value.oid[o.base_len + 1], EL_ALARM_DRIVE_REPLACED);
    el_snapshot_free(s);
}

/* An engine counts its starts; one that cannot write them down is another engine each time, and starts as the first. */
static void engines_count_their_starts(void **state)
{
    char first[65], id[65];
    unsigned boots;

    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(el_snmp_state_engine(scratch, id, &boots), 0);
        assert_int_equal(boots, i);
        if (i > 1)
            assert_string_equal(id, first);
        strcpy(first, id);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(el_snmp_state_engine("/proc/self", id, &boots), 0);
        assert_int_equal(boots, 1);
        assert_string_not_equal(id, first);
        strcpy(first, id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once_and_in_order),
        cmocka_unit_test(storm_is_slowed_not_lost),
        cmocka_unit_test(what_left_the_ring_is_counted),
        cmocka_unit_test(over_restarts),
        cmocka_unit_test(first_start_begins_with_the_ring),
        cmocka_unit_test(only_alarms_are_told),
        cmocka_unit_test(notification_has_its_number),
        cmocka_unit_test(engines_count_their_starts),
    };

    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
