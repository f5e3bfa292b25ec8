#include <crypt.h>
#include <math.h>
#include <poll.h>

#include "base/clock.h"
#include "exporter/auth.h"
#include "support/unit.h"

static char alice[] = "alice", bob[] = "bob", alice_hash[128], bob_hash[128];
static struct el_web_user users[] = {{alice, alice_hash}, {bob, bob_hash}};
static const struct el_web_config config = {.users = users, .users_n = 2};

/* Waits for the verdict of a pending check. */
static enum el_verdict decide(struct el_auth *a, const void *expect)
{
    struct pollfd p = {.fd = el_auth_fd(a), .events = POLLIN};
    enum el_verdict v = EL_VERDICT_NONE;
    void *ticket = NULL;

    for (int i = 0; i < 100 && !el_auth_next(a, &ticket, &v); i++)
        poll(&p, 1, 100);
    assert_ptr_equal(ticket, expect);
    return v;
}

static enum el_verdict ask(struct el_auth *a, const char *user, const char *password)
{
    static int ticket;
    enum el_verdict v = el_auth_check(a, user, password, &ticket);

    return v == EL_VERDICT_PENDING ? decide(a, &ticket) : v;
}

static void right_and_wrong(void **state)
{
    struct el_auth *a = el_auth_new(&config);
    int t;

    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    assert_int_equal(ask(a, "bob", "builder"), EL_VERDICT_GRANTED);
    assert_int_equal(ask(a, "alice", "builder"), EL_VERDICT_DENIED);
    assert_int_equal(ask(a, "bob", "wonderland"), EL_VERDICT_DENIED);
    assert_int_equal(ask(a, "carol", "wonderland"), EL_VERDICT_DENIED);
    assert_int_equal(ask(a, "", ""), EL_VERDICT_DENIED);
    /* What was right is remembered: no second check. What was wrong is not. */
    assert_int_equal(el_auth_check(a, "alice", "wonderland", &t), EL_VERDICT_GRANTED);
    assert_int_equal(el_auth_check(a, "alice", "builder", &t), EL_VERDICT_PENDING);
    assert_int_equal(decide(a, &t), EL_VERDICT_DENIED);
    /* "alice" + "wonder" and "alicew" + "onder" are not the same. */
    assert_int_equal(ask(a, "alicew", "onderland"), EL_VERDICT_DENIED);
    el_auth_free(a);
}

/* Too many at once are turned away at once; those who are known are not. */
static void bounded(void **state)
{
    struct el_auth *a = el_auth_new(&config);
    static char tickets[100];
    int busy = 0, pending = 0;

    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    for (int i = 0; i < 100; i++) {
        enum el_verdict v = el_auth_check(a, "mallory", "guess", &tickets[i]);

        busy += v == EL_VERDICT_BUSY;
        pending += v == EL_VERDICT_PENDING;
        assert_int_equal(el_auth_check(a, "alice", "wonderland", &busy), EL_VERDICT_GRANTED);
    }
    assert_in_range(pending, 1, 40);
    assert_int_equal(busy + pending, 100);
    for (int i = 0; i < 100; i++)
        el_auth_forget(a, &tickets[i]);
    assert_int_equal(ask(a, "bob", "builder"), EL_VERDICT_GRANTED);
    el_auth_free(a); /* with checks still waiting */
}

/* Processor time: what else runs on the machine must not fail a test. */
static double seconds(struct el_auth *a, const char *user)
{
    int64_t best = INT64_MAX;

    for (int i = 0; i < 5; i++) {
        int64_t begin = el_clock_process_cpu_us(), took;

        assert_int_equal(ask(a, user, "no"), EL_VERDICT_DENIED);
        took = el_clock_process_cpu_us() - begin;
        best = took < best ? took : best;
    }
    return (double)best / 1e6;
}

/* The time to be refused tells neither whether a user exists nor how dear their hash is. */
static void same_time_for_all(void **state)
{
    struct el_auth *a = el_auth_new(&config);
    double dear = seconds(a, "bob"), cheap = seconds(a, "alice"), unknown = seconds(a, "nobody");

    if (fmin(unknown, cheap) < dear * 0.6 || fmax(unknown, cheap) > dear * 1.7)
        fail_msg("dear %.1f ms, cheap %.1f ms, unknown %.1f ms", dear * 1e3, cheap * 1e3, unknown * 1e3);
    el_auth_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_and_wrong), cmocka_unit_test(bounded),
                                       cmocka_unit_test(same_time_for_all)};

    /* An eighth for alice. */
    snprintf(alice_hash, sizeof alice_hash, "%s", crypt("wonderland", crypt_gensalt("$2y$", 5, NULL, 0)));
    snprintf(bob_hash, sizeof bob_hash, "%s", crypt("builder", crypt_gensalt("$2y$", 8, NULL, 0)));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
