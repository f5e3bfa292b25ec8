#include <crypt.h>
#include <math.h>
#include <poll.h>

#include "base/clock.h"
#include "exporter/auth.h"
#include "support/unit.h"

static char alice[] = "alice", bob[] = "bob", alice_hash[128], bob_hash[128];
static struct el_web_user users[] = {{alice, alice_hash}, {bob, bob_hash}};
static const struct el_web_config config = {.users = users, .users_n = 2};
static const struct el_guest here = {.address = {[10] = 0xff, 0xff, 127, 0, 0, 1}},
                             lan = {.address = {[10] = 0xff, 0xff, 192, 0, 2, 7}},
                             far = {.address = {0x20, 1, 0xd, 0xb8}};

static struct el_auth *start(void)
{
    struct el_auth *a = el_auth_new();

    assert_non_null(a);
    el_auth_configure(a, &config);
    return a;
}

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
    enum el_verdict v = el_auth_check(a, user, password, &lan, &ticket);

    return v == EL_VERDICT_PENDING ? decide(a, &ticket) : v;
}

static void right_and_wrong(void **state)
{
    struct el_auth *a = start();
    int t;

    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    assert_int_equal(ask(a, "bob", "builder"), EL_VERDICT_GRANTED);
    assert_int_equal(ask(a, "alice", "builder"), EL_VERDICT_DENIED);
    assert_int_equal(ask(a, "bob", "wonderland"), EL_VERDICT_DENIED);
    assert_int_equal(ask(a, "carol", "wonderland"), EL_VERDICT_DENIED);
    assert_int_equal(ask(a, "", ""), EL_VERDICT_DENIED);
    /* What was right is remembered: no second check. What was wrong is not. */
    assert_int_equal(el_auth_check(a, "alice", "wonderland", &lan, &t), EL_VERDICT_GRANTED);
    assert_int_equal(el_auth_check(a, "alice", "builder", &lan, &t), EL_VERDICT_PENDING);
    assert_int_equal(decide(a, &t), EL_VERDICT_DENIED);
    /* "alice" + "wonder" and "alicew" + "onder" are not the same. */
    assert_int_equal(ask(a, "alicew", "onderland"), EL_VERDICT_DENIED);
    el_auth_free(a);
}

/* The last character of a salt has bits that say nothing: other makers of hashes leave them as they are. */
static void salt_of_another_maker(void **state)
{
    struct el_auth *a = start();

    alice_hash[28]++;
    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    assert_int_equal(ask(a, "alice", "builder"), EL_VERDICT_DENIED);
    alice_hash[28]--;
    el_auth_free(a);
}

/* Too many at once are turned away at once; those who are known are not. */
static void bounded(void **state)
{
    struct el_auth *a = start();
    static char tickets[100];
    int busy = 0, pending = 0;

    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    for (int i = 0; i < 100; i++) {
        enum el_verdict v = el_auth_check(a, "mallory", "guess", &lan, &tickets[i]);

        busy += v == EL_VERDICT_BUSY;
        pending += v == EL_VERDICT_PENDING;
        assert_int_equal(el_auth_check(a, "alice", "wonderland", &lan, &busy), EL_VERDICT_GRANTED);
    }
    assert_in_range(pending, 8, 16); /* more when some were decided meanwhile */
    assert_int_equal(busy + pending, 100);
    for (int i = 0; i < 100; i++)
        el_auth_forget(a, &tickets[i]);
    assert_int_equal(ask(a, "bob", "builder"), EL_VERDICT_GRANTED);
    el_auth_free(a); /* with checks still waiting */
}

/* Other users: who was known and still is, stays known; a new hash is asked for. */
static void kept_over_a_change(void **state)
{
    static char other_hash[128];
    struct el_web_user others[] = {{alice, alice_hash}, {bob, other_hash}};
    const struct el_web_config next = {.users = others, .users_n = 2}, less = {.users = others, .users_n = 1};
    struct el_auth *a = start();
    int t;

    snprintf(other_hash, sizeof other_hash, "%s", crypt("builder", crypt_gensalt("$2y$", 4, NULL, 0)));
    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    assert_int_equal(ask(a, "bob", "builder"), EL_VERDICT_GRANTED);
    el_auth_configure(a, &next);
    assert_int_equal(el_auth_check(a, "alice", "wonderland", &lan, &t), EL_VERDICT_GRANTED);
    assert_int_equal(el_auth_check(a, "bob", "builder", &lan, &t), EL_VERDICT_PENDING);
    assert_int_equal(decide(a, &t), EL_VERDICT_GRANTED);
    el_auth_configure(a, &less);
    assert_int_equal(ask(a, "bob", "builder"), EL_VERDICT_DENIED);
    el_auth_configure(a, &config);
    assert_int_equal(el_auth_check(a, "bob", "builder", &lan, &t), EL_VERDICT_GRANTED);
    el_auth_free(a);
}

/* A user who is there no more is not known by what another's equal hash made right. */
static void gone_with_an_equal_hash(void **state)
{
    struct el_web_user both[] = {{alice, alice_hash}, {bob, alice_hash}}, one[] = {{bob, alice_hash}};
    const struct el_web_config before = {.users = both, .users_n = 2}, after = {.users = one, .users_n = 1};
    struct el_auth *a = start();

    el_auth_configure(a, &before);
    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    el_auth_configure(a, &after);
    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_DENIED);
    assert_int_equal(ask(a, "bob", "wonderland"), EL_VERDICT_GRANTED);
    el_auth_free(a);
}

/* bcrypt reads 72 bytes: what is far longer is not taken for what it begins with. */
static void too_long(void **state)
{
    static char hash[128], password[129];
    struct el_web_user user = {alice, hash};
    const struct el_web_config c = {.users = &user, .users_n = 1};
    struct el_auth *a = start();
    int t;

    memset(password, 'a', 72);
    snprintf(hash, sizeof hash, "%s", crypt(password, crypt_gensalt("$2y$", 4, NULL, 0)));
    el_auth_configure(a, &c);
    assert_int_equal(ask(a, "alice", password), EL_VERDICT_GRANTED);
    memset(password, 'a', sizeof password - 1);
    assert_int_equal(el_auth_check(a, "alice", password, &lan, &t), EL_VERDICT_DENIED);
    el_auth_free(a);
}

/* Among 8 guesses of one address and one each of 20 others: after how many verdicts loopback and a last address had
 * theirs. */
static void in_a_crowd(bool proven, int *local_at, int *quiet_at)
{
    static char flood[40], crowd[20], quiet, local;
    struct el_auth *a = start();
    enum el_verdict v;
    void *ticket;

    if (proven) {
        assert_int_equal(el_auth_check(a, "bob", "builder", &far, &quiet), EL_VERDICT_PENDING);
        assert_int_equal(decide(a, &quiet), EL_VERDICT_GRANTED);
    }
    for (int i = 0; i < 40; i++)
        el_auth_check(a, "alice", "guess", &lan, &flood[i]);
    for (int i = 0; i < 20; i++) {
        struct el_guest one = {.address = {[10] = 0xff, 0xff, 198, 51, 100, (uint8_t)i}};

        el_auth_check(a, "alice", "guess", &one, &crowd[i]);
    }
    assert_int_equal(el_auth_check(a, "alice", "wonderland", &far, &quiet), EL_VERDICT_PENDING);
    assert_int_equal(el_auth_check(a, "carol", "builder", &here, &local), EL_VERDICT_PENDING);
    *local_at = *quiet_at = 0;
    for (int i = 1; !*local_at || !*quiet_at; i++) {
        struct pollfd p = {.fd = el_auth_fd(a), .events = POLLIN};

        while (!el_auth_next(a, &ticket, &v))
            assert_true(poll(&p, 1, 60000) > 0);
        *quiet_at = ticket == &quiet ? i : *quiet_at;
        *local_at = ticket == &local ? i : *local_at;
        assert_int_equal(v, ticket == &quiet ? EL_VERDICT_GRANTED : EL_VERDICT_DENIED);
    }
    el_auth_free(a);
}

/* In whichever order they came: addresses take turns, and every second turn is loopback's, or an address's that was
 * right before. When this thread was held up some of the crowd was served before the two came: then once more. */
static void addresses_take_turns(void **state)
{
    int local_at = 0, quiet_at = 0;

    for (int proven = 0; proven <= 1; proven++) {
        for (int i = 0; i < 50; i++) {
            in_a_crowd(proven, &local_at, &quiet_at);
            if (local_at <= 4 && quiet_at <= (proven ? 4 : 25))
                break;
        }
        if (local_at > 4 || quiet_at > (proven ? 4 : 25))
            fail_msg("%d: after %d and %d verdicts", proven, local_at, quiet_at);
    }
}

/* Behind guesses from its own address that leave no room: a new password on a connection that was right before, and one
 * that was right under an older hash, are checked all the same, and soon. */
static void right_before_in_a_crowd(void **state)
{
    static char other_hash[128], flood[40], again, fresh;
    struct el_web_user others[] = {{alice, other_hash}, {bob, bob_hash}};
    const struct el_web_config next = {.users = others, .users_n = 2};
    struct el_auth *a = start();
    struct el_guest regular = lan;
    void *ticket = NULL;
    enum el_verdict v;

    regular.granted = true;
    snprintf(other_hash, sizeof other_hash, "%s", crypt("wonderland", crypt_gensalt("$2y$", 8, NULL, 0)));
    assert_int_equal(ask(a, "alice", "wonderland"), EL_VERDICT_GRANTED);
    el_auth_configure(a, &next);
    for (int i = 0; i < 40; i++)
        el_auth_check(a, "alice", "guess", &lan, &flood[i]);
    assert_int_equal(el_auth_check(a, "alice", "wonderland", &lan, &again), EL_VERDICT_PENDING);
    assert_int_equal(el_auth_check(a, "bob", "builder", &regular, &fresh), EL_VERDICT_PENDING);
    for (int right = 0, i = 1; right < 2; i++) {
        struct pollfd p = {.fd = el_auth_fd(a), .events = POLLIN};

        while (!el_auth_next(a, &ticket, &v))
            assert_true(poll(&p, 1, 60000) > 0);
        right += v == EL_VERDICT_GRANTED;
        assert_int_equal(v == EL_VERDICT_GRANTED, ticket == &again || ticket == &fresh);
        assert_in_range(i, 1, 8); /* one of the flood may have been under way, and every second is an other's */
    }
    el_auth_free(a);
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
    struct el_auth *a = start();
    double dear = seconds(a, "bob"), cheap = seconds(a, "alice"), unknown = seconds(a, "nobody");

    if (fmin(unknown, cheap) < dear * 0.6 || fmax(unknown, cheap) > dear * 1.7)
        fail_msg("dear %.1f ms, cheap %.1f ms, unknown %.1f ms", dear * 1e3, cheap * 1e3, unknown * 1e3);
    el_auth_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_and_wrong),
                                       cmocka_unit_test(salt_of_another_maker),
                                       cmocka_unit_test(bounded),
                                       cmocka_unit_test(kept_over_a_change),
                                       cmocka_unit_test(gone_with_an_equal_hash),
                                       cmocka_unit_test(too_long),
                                       cmocka_unit_test(addresses_take_turns),
                                       cmocka_unit_test(right_before_in_a_crowd),
                                       cmocka_unit_test(same_time_for_all)};

    /* An eighth for alice. */
    snprintf(alice_hash, sizeof alice_hash, "%s", crypt("wonderland", crypt_gensalt("$2y$", 5, NULL, 0)));
    snprintf(bob_hash, sizeof bob_hash, "%s", crypt("builder", crypt_gensalt("$2y$", 8, NULL, 0)));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
