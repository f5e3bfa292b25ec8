#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "exporter/door.h"
#include "support/unit.h"

#define HOUSE       3
#define FIRST_WORDS "\x16\x03\x01\x00\x02hi"

static struct el_http_counters counters;
static struct el_lookout lookout;
static struct el_guest guest[16];
static int64_t now_us;
static int guests;

static void arrive(void *ctx, int fd, const struct sockaddr *from, socklen_t n)
{
    struct el_door *d = ctx;

    assert_true(guests < (int)EL_ARRAY_SIZE(guest));
    guest[guests].fd = fd;
    el_admission_enter(&d->admission, &guest[guests++], from, now_us);
}

static int listen_on_loopback(struct sockaddr_in *at)
{
    socklen_t n = sizeof *at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(fd, (struct sockaddr *)at, n), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)at, &n), 0);
    return fd;
}

static void wait_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    assert_int_equal(poll(&p, 1, 60000), 1);
}

static bool known(void *ctx, const uint8_t address[16])
{
    return address[15] == 77;
}

static struct el_door house(uint32_t limit, uint32_t step)
{
    struct el_door d = {.admission = {.limit = limit, .header_us = 1000},
                        .step = {.limit = step, .header_us = 1000},
                        .lookout = &lookout,
                        .counters = &counters,
                        .tls = true,
                        .known = known,
                        .arrive = arrive};

    counters = (struct el_http_counters){0};
    guests = 0;
    return d;
}

/* From 127.0.0.`host`: loopback is the whole of 127. */
static int dial(const struct sockaddr_in *at, uint8_t host)
{
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000000u + host)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)at, sizeof *at), 0);
    return fd;
}

static void say(int client, const char *text, size_t n)
{
    assert_int_equal(send(client, text, n, 0), n);
}

/* Takes one client to the step. */
static int call_on(struct el_door *d, int listener, const struct sockaddr_in *at, uint8_t host, const char *words,
                   size_t n)
{
    int client = dial(at, host);

    d->ctx = d;
    wait_readable(listener);
    el_door_accept(d, listener, now_us);
    say(client, words, n);
    wait_readable(d->step.head->fd);
    return client;
}

static int set_up(void **state)
{
    return el_lookout_open(&lookout);
}

static int tear_down(void **state)
{
    el_lookout_close(&lookout);
    return 0;
}

static void close_all(struct el_door *d, int listener, const int *client, int n)
{
    for (int i = 0; i < n; i++)
        close(client[i]);
    for (int i = 0; i < guests; i++)
        close(guest[i].fd);
    el_door_clear(d);
    close(listener);
}

/* A client of TLS whose words wait to be read, and then a house full of younger ones whose were: it is not the oldest
 * who leaves for the next, but the oldest of those we wait for. */
static void who_is_kept_waiting_stays(void **state)
{
    struct el_door d = house(HOUSE, 8);
    struct sockaddr_in at;
    int client[HOUSE + 1], listener = listen_on_loopback(&at);
    char word[16];

    for (int i = 0; i <= HOUSE; i++) {
        now_us = i;
        client[i] = call_on(&d, listener, &at, 1, FIRST_WORDS, sizeof FIRST_WORDS - 1);
        el_door_admit(&d, now_us);
        assert_int_equal(guests, i + 1);
        if (i > 0)
            assert_true(recv(guest[i].fd, word, sizeof word, 0) > 0);
    }
    assert_int_equal(guest[0].phase, EL_PHASE_HEADER);
    assert_int_equal(guest[1].phase, EL_PHASE_CUT);
    assert_int_equal(counters.crowded_out, 1);
    close_all(&d, listener, client, HOUSE + 1);
}

/* Who has not said its first words whole waits on the step, wakes us with the rest of them, and is sent away when it
 * takes too long, or says no more. */
static void half_words_stay_outside(void **state)
{
    struct el_door d = house(HOUSE, 8);
    struct sockaddr_in at;
    int told[EL_LOOKOUT_MAX], listener = listen_on_loopback(&at);

    now_us = 0;
    int client[] = {call_on(&d, listener, &at, 1, "\x16\x03\x01", 3), call_on(&d, listener, &at, 1, "\x16\x03\x01", 3),
                    call_on(&d, listener, &at, 1, FIRST_WORDS, sizeof FIRST_WORDS - 1)};
    el_door_admit(&d, now_us);
    assert_int_equal(guests, 1);
    assert_int_equal(d.step.count, 2);
    assert_false(d.pressing);
    el_lookout_ready(&lookout, told);
    say(client[0], "\0\2hi", 4);
    wait_readable(lookout.fd);
    assert_int_equal(el_lookout_ready(&lookout, told), 0);
    el_door_admit(&d, now_us);
    assert_int_equal(guests, 2);
    el_door_sweep(&d, 1000);
    assert_int_equal(d.step.count, 1);
    el_door_sweep(&d, 1001);
    assert_int_equal(d.step.count, 0);
    assert_int_equal(counters.header_timeout, 3); /* two of them within */
    close(client[2]);
    client[2] = call_on(&d, listener, &at, 1, FIRST_WORDS, sizeof FIRST_WORDS - 1);
    shutdown(client[2], SHUT_WR);
    wait_readable(lookout.fd);
    el_door_admit(&d, now_us);
    assert_int_equal(guests, 2);
    assert_int_equal(d.step.count, 0);
    close_all(&d, listener, client, 3);
}

/* One signature a turn, of an address with few callers before one with many, of a known one before others; but each
 * fourth turn is the eldest's. */
static void crowds_wait(void **state)
{
    static const uint8_t host[] = {1, 1, 1, 1, 2, 2, 3, 77}, order[] = {1, 77, 3, 2, 1, 2, 1, 1};
    struct el_door d = house(16, 16);
    struct sockaddr_in at;
    int client[EL_ARRAY_SIZE(host)], listener = listen_on_loopback(&at);

    for (size_t i = 0; i < EL_ARRAY_SIZE(host); i++) {
        now_us = (int64_t)i;
        client[i] = call_on(&d, listener, &at, host[i], FIRST_WORDS, sizeof FIRST_WORDS - 1);
    }
    for (size_t i = 0; i < EL_ARRAY_SIZE(host); i++) {
        el_door_admit(&d, now_us);
        assert_int_equal(guests, i + 1);
        assert_int_equal(guest[i].address[15], order[i]);
        assert_int_equal(d.pressing, i + 1 < EL_ARRAY_SIZE(host));
    }
    close_all(&d, listener, client, EL_ARRAY_SIZE(host));
}

/* The step is full: of the address that has most on it the one leaves that has said least for longest. */
static void the_step_has_an_end(void **state)
{
    struct el_door d = house(HOUSE, 3);
    struct sockaddr_in at;
    int listener = listen_on_loopback(&at);

    now_us = 0;
    int client[] = {call_on(&d, listener, &at, 2, "\x16", 1),
                    call_on(&d, listener, &at, 1, FIRST_WORDS, sizeof FIRST_WORDS - 1),
                    call_on(&d, listener, &at, 1, "\x16", 1), -1};
    d.step.head->next->heard = true; /* as the next turn will find it */
    now_us = 500;
    client[3] = call_on(&d, listener, &at, 3, "\x16", 1);
    assert_int_equal(d.step.count, 3);
    assert_int_equal(counters.crowded_out, 1);
    assert_true(d.step.head->next->heard);
    assert_int_equal(d.step.head->next->next->address[15], 2);
    close_all(&d, listener, client, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_is_kept_waiting_stays),
                                       cmocka_unit_test(half_words_stay_outside), cmocka_unit_test(crowds_wait),
                                       cmocka_unit_test(the_step_has_an_end)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
