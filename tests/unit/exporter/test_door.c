#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "exporter/door.h"
#include "support/unit.h"

#define HOUSE 3

static struct el_http_counters counters;
static struct el_guest guest[HOUSE + 1];
static int64_t now_us;
static int guests;

static void arrive(void *ctx, int fd, const struct sockaddr *from, socklen_t n)
{
    struct el_door *d = ctx;

    guest[guests].fd = fd;
    el_admission_enter(&d->admission, &guest[guests++], from, now_us);
}

static int listen_on_loopback(struct sockaddr_in *at)
{
    socklen_t n = sizeof *at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(fd, (struct sockaddr *)at, n), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)at, &n), 0);
    return fd;
}

static void wait_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    assert_int_equal(poll(&p, 1, 60000), 1);
}

/* A client of TLS whose words wait to be read, and then a house full of younger ones that say nothing: it is not the
 * oldest who leaves for the next, but the oldest of those we wait for. */
static void who_is_kept_waiting_stays(void **state)
{
    struct el_door d = {.admission = {.limit = HOUSE}, .counters = &counters, .tls = true, .arrive = arrive, .ctx = &d};
    struct sockaddr_in at;
    int client[HOUSE + 1], listener = listen_on_loopback(&at);

    assert_int_equal(el_door_init(&d), 0);
    for (int i = 0; i <= HOUSE; i++) {
        client[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(client[i], (struct sockaddr *)&at, sizeof at), 0);
        wait_readable(listener);
        now_us = i;
        el_door_accept(&d, listener, now_us);
        el_door_admit(&d, now_us);
        assert_int_equal(guests, i + 1);
        if (i == 0) {
            assert_true(send(client[i], "\x16", 1, 0) > 0);
            wait_readable(guest[i].fd);
        }
    }
    assert_int_equal(guest[0].phase, EL_PHASE_HEADER);
    assert_int_equal(guest[1].phase, EL_PHASE_CUT);
    assert_int_equal(counters.crowded_out, 1);
    for (int i = 0; i <= HOUSE; i++) {
        close(client[i]);
        close(guest[i].fd);
    }
    close(listener);
    el_door_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_is_kept_waiting_stays)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
