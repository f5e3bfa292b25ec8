/* Hosts of notification sinks: numbers go through, names are asked for beside us, failures are asked again ever later.
 */
#include <poll.h>

#include "base/clock.h"
#include "exporter/snmp_lookup.h"
#include "support/unit.h"

static char out[128];

/* The answer to what was asked at `now_us`, from a name server that may need its time. */
static bool turn(struct el_snmp_lookup *l, const char *address, int64_t now_us)
{
    bool found = el_snmp_lookup_turn(l, address, now_us, out, sizeof out);

    for (int i = 0; i < 6000 && !found && l->question; i++) {
        poll(NULL, 0, 10);
        found = el_snmp_lookup_turn(l, address, now_us, out, sizeof out);
    }
    assert_null(l->question);
    return found;
}

static void numbers_go_through(void **state)
{
    static const char *const numbers[] = {"udp:192.0.2.1:162", "192.0.2.1", "udp6:[2001:db8::1]:162",
                                          "udp6:[fe80::1%lo]:162"};
    struct el_snmp_lookup l = {0};

    for (size_t i = 0; i < EL_ARRAY_SIZE(numbers); i++) {
        assert_true(el_snmp_lookup_turn(&l, numbers[i], 1, out, sizeof out));
        assert_string_equal(out, numbers[i]);
    }
}

static void names_become_numbers(void **state)
{
    struct el_snmp_lookup l = {0};

    assert_true(turn(&l, "udp:localhost:10162", 1));
    assert_string_equal(out, "udp:127.0.0.1:10162");
    assert_true(turn(&l, "localhost", 1));
    assert_string_equal(out, "udp:127.0.0.1");
}

static void failures_are_asked_again_ever_later(void **state)
{
    static const int64_t pauses_s[] = {1, 2, 4, 8, 16, 32, 60, 60};
    struct el_snmp_lookup l = {0};
    int64_t now_us = 1;

    for (size_t i = 0; i < EL_ARRAY_SIZE(pauses_s); i++) {
        assert_false(turn(&l, "udp:no-such-host.invalid:162", now_us));
        assert_int_equal(l.next_us - now_us, pauses_s[i] * EL_USEC_PER_SEC);
        assert_false(el_snmp_lookup_turn(&l, "udp:no-such-host.invalid:162", l.next_us - 1, out, sizeof out));
        assert_null(l.question); /* not yet */
        now_us = l.next_us;
    }
}

static void ends_while_asking(void **state)
{
    struct el_snmp_lookup l = {0};

    el_snmp_lookup_turn(&l, "udp:no-such-host.invalid:162", 1, out, sizeof out);
    el_snmp_lookup_end(&l);
    el_snmp_lookup_end(&l);
    assert_null(l.question);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_go_through),
        cmocka_unit_test(names_become_numbers),
        cmocka_unit_test(failures_are_asked_again_ever_later),
        cmocka_unit_test(ends_while_asking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
