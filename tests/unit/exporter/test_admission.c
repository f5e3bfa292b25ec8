#include <arpa/inet.h>
#include <netinet/in.h>

#include "exporter/admission.h"
#include "support/unit.h"

#define S 1000000

static struct el_admission house(uint32_t limit)
{
    return (struct el_admission){.limit = limit, .header_us = 3 * S, .total_us = 30 * S, .idle_us = 300 * S};
}

static void enter(struct el_admission *a, struct el_guest *g, const char *ip, int64_t now_us)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr_in four = {.sin_family = AF_INET};

    if (inet_pton(AF_INET, ip, &four.sin_addr) == 1)
        el_admission_enter(a, g, (struct sockaddr *)&four, now_us);
    else if (inet_pton(AF_INET6, ip, &six.sin6_addr) == 1)
        el_admission_enter(a, g, (struct sockaddr *)&six, now_us);
    else
        fail();
}

static void room_means_nobody_leaves(void **state)
{
    struct el_admission a = house(2);
    struct el_guest g[2] = {0};

    enter(&a, &g[0], "10.0.0.1", 0);
    assert_null(el_admission_victim(&a, 10 * S));
    enter(&a, &g[1], "10.0.0.1", 1);
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[0]);
    el_admission_leave(&a, &g[0]);
    assert_null(el_admission_victim(&a, 10 * S));
    assert_int_equal(a.count, 1);
}

/* A crowd from one address pays for itself; loopback and the lone scraper stay. */
static void crowd_pays(void **state)
{
    struct el_admission a = house(6);
    struct el_guest g[6] = {0};

    enter(&a, &g[0], "127.0.0.1", 0);
    enter(&a, &g[1], "10.0.0.9", 1);
    for (int i = 2; i < 6; i++)
        enter(&a, &g[i], "203.0.113.5", i);
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[2]);
    el_admission_phase(&a, &g[2], EL_PHASE_CUT, 9);
    assert_int_equal(a.count, 5);
    assert_null(el_admission_victim(&a, 10 * S));
}

/* Under an attack from as many addresses as there are places, a scraper comes again while its last connection has not
 * gone: that makes two of it, but no crowd. Five are one. */
static void a_few_are_no_crowd(void **state)
{
    static struct el_guest strangers[254];
    struct el_admission a = house(256);
    struct el_guest last = {0}, fresh = {0}, crowd[4] = {0};

    for (int i = 0; i < 254; i++) {
        char ip[24];

        snprintf(ip, sizeof ip, "203.0.113.%d", i);
        enter(&a, &strangers[i], ip, i);
    }
    enter(&a, &last, "10.0.0.9", S);
    el_admission_phase(&a, &last, EL_PHASE_IDLE, S);
    enter(&a, &fresh, "10.0.0.9", S);
    assert_ptr_equal(el_admission_victim(&a, S), &strangers[0]);
    for (int i = 0; i < 4; i++)
        enter(&a, &crowd[i], "203.0.113.100", S - 1 - i);
    assert_ptr_equal(el_admission_victim(&a, S), &strangers[100]);
}

/* Who has left, or was cut, is no longer of the crowd. */
static void a_crowd_that_has_gone_is_none(void **state)
{
    struct el_admission a = house(4);
    struct el_guest g[6] = {0};

    for (int i = 0; i < 4; i++)
        enter(&a, &g[i], "203.0.113.5", i);
    el_admission_leave(&a, &g[0]);
    el_admission_phase(&a, &g[1], EL_PHASE_CUT, 4);
    el_admission_leave(&a, &g[1]);
    el_admission_leave(&a, &g[2]);
    enter(&a, &g[4], "10.0.0.9", 5);
    enter(&a, &g[5], "10.0.0.9", 6);
    enter(&a, &g[0], "127.0.0.1", 7);
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[4]); /* of two, not who is left of four */
}

/* One host can choose among 2^64 addresses of its network: they count as one. */
static void ipv6_counts_by_64(void **state)
{
    struct el_admission a = house(3);
    struct el_guest g[3] = {0};

    enter(&a, &g[0], "2001:db8:1::1", 0);
    enter(&a, &g[1], "2001:db8:2::1", 1);
    enter(&a, &g[2], "2001:db8:2::2", 2);
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[1]);
}

static void merit_within_a_crowd(void **state)
{
    struct el_admission a = house(4);
    struct el_guest g[4] = {0};

    for (int i = 0; i < 4; i++)
        enter(&a, &g[i], "127.0.0.1", i);
    el_admission_phase(&a, &g[0], EL_PHASE_IDLE, 6);
    el_admission_phase(&a, &g[1], EL_PHASE_REPLY, 6);
    assert_ptr_equal(el_admission_victim(&a, S), &g[2]); /* never said anything */
    el_admission_phase(&a, &g[2], EL_PHASE_CHECK, S / 2);
    assert_ptr_equal(el_admission_victim(&a, S), &g[3]);
    el_admission_phase(&a, &g[3], EL_PHASE_CHECK, S / 2);
    assert_ptr_equal(el_admission_victim(&a, S), &g[2]); /* guesses at passwords, for all that one knows */
    el_admission_phase(&a, &g[2], EL_PHASE_REPLY, S);
    el_admission_phase(&a, &g[3], EL_PHASE_REPLY, S);
    assert_ptr_equal(el_admission_victim(&a, S), &g[0]);     /* idle before busy */
    assert_ptr_equal(el_admission_victim(&a, 2 * S), &g[1]); /* but who does not read goes first */
}

/* In a crowd of one address those whose password is checked stay, however long it takes: they are few. And the one who
 * has had a right one stays before all. */
static void checks_in_a_crowd(void **state)
{
    struct el_admission a = house(64);
    struct el_guest g[64] = {0};

    for (int i = 0; i < 64; i++)
        enter(&a, &g[i], "127.0.0.1", i);
    el_admission_phase(&a, &g[0], EL_PHASE_CHECK, 64);
    el_admission_phase(&a, &g[1], EL_PHASE_IDLE, 64);
    for (int i = 2; i < 64; i++)
        el_admission_phase(&a, &g[i], EL_PHASE_REPLY, 10 * S);
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[1]);
    g[1].granted = true;
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[2]);
}

/* Slow readers are all there is: the one who came this moment, its request still on its way, is not the one to go. */
static void newcomers_have_a_grace(void **state)
{
    struct el_admission a = house(3);
    struct el_guest g[3] = {0};

    for (int i = 0; i < 3; i++)
        enter(&a, &g[i], "127.0.0.1", i);
    el_admission_phase(&a, &g[0], EL_PHASE_REPLY, S);
    el_admission_phase(&a, &g[1], EL_PHASE_REPLY, S);
    g[2].since_us = S + 1000;
    assert_ptr_equal(el_admission_victim(&a, S + 2000), &g[0]);
    assert_ptr_equal(el_admission_victim(&a, S + 300000), &g[2]);
    g[2].heard = true; /* and under TLS it is not here for a good while */
    assert_ptr_equal(el_admission_victim(&a, S + 300000), &g[0]);
    assert_ptr_equal(el_admission_victim(&a, 2 * S + 2000), &g[2]);
}

/* Under TLS, of many who have begun a handshake: who got on last is last to go, and who came this very turn was not
 * listened to yet. An answer under way, and who has finished the handshake, are no worse off than a beginner. */
static void who_gets_on_stays(void **state)
{
    struct el_admission a = house(4);
    struct el_guest g[4] = {0};

    for (int i = 0; i < 4; i++) {
        enter(&a, &g[i], "127.0.0.1", i);
        g[i].heard = true;
    }
    el_admission_progress(&g[0], 10);
    assert_ptr_equal(el_admission_victim(&a, 1000), &g[1]);
    el_admission_phase(&a, &g[1], EL_PHASE_REPLY, 11);
    assert_ptr_equal(el_admission_victim(&a, 1000), &g[2]);
    g[3].heard = false;
    assert_ptr_equal(el_admission_victim(&a, 1000), &g[3]);
    g[3].since_us = 1000;
    assert_ptr_equal(el_admission_victim(&a, 1000), &g[2]);
}

/* Under TLS: words that wait to be read speak for who has said them, but no more than a message that was read later,
 * and not again before there is one. */
static void bytes_alone_displace_nobody(void **state)
{
    struct el_admission a = house(3);
    struct el_guest g[3] = {0};

    for (int i = 0; i < 3; i++)
        enter(&a, &g[i], "127.0.0.1", i);
    g[1].heard = true;
    assert_true(el_admission_excuse(&g[0], 1000));
    assert_false(el_admission_excuse(&g[0], 1000));
    assert_ptr_equal(el_admission_victim(&a, 1000), &g[2]);
    assert_true(el_admission_excuse(&g[2], 1000));
    assert_ptr_equal(el_admission_victim(&a, 1000), &g[0]);
    assert_true(el_admission_excuse(&g[1], 1000));
    assert_false(el_admission_excuse(&g[1], 2000));
    assert_int_equal(g[1].since_us, 1000);
    el_admission_progress(&g[1], 2000);
    assert_true(el_admission_excuse(&g[1], 3000));
    assert_int_equal(g[1].since_us, 3000);
}

/* All from different addresses: the least deserving of all. */
static void spread_out(void **state)
{
    struct el_admission a = house(3);
    struct el_guest g[3] = {0};

    enter(&a, &g[0], "10.0.0.1", 0);
    el_admission_phase(&a, &g[0], EL_PHASE_IDLE, 1);
    enter(&a, &g[1], "10.0.0.2", 2);
    enter(&a, &g[2], "10.0.0.3", 3);
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[1]);
    g[1].trusted = true;
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[2]);
    g[2].trusted = true;
    assert_ptr_equal(el_admission_victim(&a, 10 * S), &g[0]);
}

static void deadlines(void **state)
{
    struct el_admission a = house(8);
    struct el_guest g = {0};

    enter(&a, &g, "10.0.0.1", 0);
    el_admission_progress(&g, 2 * S); /* drop by drop is no faster */
    assert_false(el_admission_overdue(&a, &g, 3 * S));
    assert_true(el_admission_overdue(&a, &g, 3 * S + 1));
    el_admission_phase(&a, &g, EL_PHASE_REPLY, 2 * S);
    assert_false(el_admission_overdue(&a, &g, 30 * S)); /* counted from the first byte of the request */
    assert_true(el_admission_overdue(&a, &g, 30 * S + 1));
    el_admission_phase(&a, &g, EL_PHASE_IDLE, 40 * S);
    assert_false(el_admission_overdue(&a, &g, 340 * S));
    assert_true(el_admission_overdue(&a, &g, 340 * S + 1));
    el_admission_phase(&a, &g, EL_PHASE_HEADER, 100 * S);
    assert_true(el_admission_overdue(&a, &g, 103 * S + 1));
    el_admission_phase(&a, &g, EL_PHASE_CUT, 104 * S);
    assert_false(el_admission_overdue(&a, &g, 1000 * S));
}

static void rate(void **state)
{
    int64_t due = 0;
    int passed = 0;

    for (int i = 0; i < 10; i++)
        passed += el_admission_rate(S, 5, &due, 100 * S);
    assert_int_equal(passed, 5);
    assert_false(el_admission_rate(S, 5, &due, 100 * S + S / 2));
    assert_true(el_admission_rate(S, 5, &due, 101 * S));
    assert_false(el_admission_rate(S, 5, &due, 101 * S));
    passed = 0;
    for (int i = 0; i < 10; i++)
        passed += el_admission_rate(S, 5, &due, 500 * S);
    assert_int_equal(passed, 5);
    assert_true(el_admission_rate(0, 0, &due, 0)); /* no limit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_means_nobody_leaves),
        cmocka_unit_test(crowd_pays),
        cmocka_unit_test(a_crowd_that_has_gone_is_none),
        cmocka_unit_test(a_few_are_no_crowd),
        cmocka_unit_test(ipv6_counts_by_64),
        cmocka_unit_test(merit_within_a_crowd),
        cmocka_unit_test(checks_in_a_crowd),
        cmocka_unit_test(spread_out),
        cmocka_unit_test(deadlines),
        cmocka_unit_test(rate),
        cmocka_unit_test(newcomers_have_a_grace),
        cmocka_unit_test(who_gets_on_stays),
        cmocka_unit_test(bytes_alone_displace_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
