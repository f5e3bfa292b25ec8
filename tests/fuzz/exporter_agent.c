/* A manager's datagram to an agent of our own, through net-snmp and our answers, over loopback. After each an honest
 * question: its answer tells that the agent lives, and that all there was to say before has been said. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "exporter/snmp.h"
#include "fuzz.h"
#include "support/make_snapshot.h"

#define COMMUNITY "mellon"
#define USERS     "community " COMMUNITY "\nuser reader SHA-256 \"long enough\" AES \"long enough\"\n"
#define ENGINE    "80001f8805a1b2c3d4e5f60718 1\n" /* that the seeds for version 3 speak to */
#define NUMBER_AT 17                               /* of the request, in the question below */

static int manager = -1;
static uint8_t question[] =
    "\x30\x26\x02\x01\x01\x04\x06" COMMUNITY "\xa0\x19\x02\x04\x7f\0\0\0\x02\x01\0\x02\x01\0\x30\x0b"
    "\x30\x09\x06\x05\x2b\x06\x01\x02\x01\x05\0"; /* GET of no instance */
/* 1.3.6.1.4.1.8072.9999.9999.10450, and what stands below it */
static const uint8_t ours[] = {0x2b, 6, 1, 4, 1, 0xbf, 8, 0xce, 0xf, 0xce, 0xf, 0xd1, 0x52};

static const struct el_snapshot *acquire(void *ctx, int64_t now_us, bool *stale)
{
    *stale = false;
    return ctx;
}

static void release(void *ctx, const struct el_snapshot *s)
{
}

static uint16_t free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, n) < 0 || getsockname(fd, (struct sockaddr *)&at, &n) < 0)
        abort();
    close(fd);
    return ntohs(at.sin_port);
}

static void open_agent(void)
{
    static struct el_test_snapshot made = {.drives = 9, .sensors = 2, .events = 3, .alarms = 2, .odd = true};
    static struct el_settings settings;
    const struct timeval patience = {.tv_sec = 30};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct el_snmp_source source = {.acquire = acquire, .release = release, .ctx = el_test_snapshot_new(&made)};
    const char *dir = fuzz_dir("users", (const uint8_t *)USERS, sizeof USERS - 1);
    struct el_snmp *agent;
    char why[256];

    fuzz_dir("snmp-engine", (const uint8_t *)ENGINE, sizeof ENGINE - 1);
    el_settings_default(&settings);
    to.sin_port = htons(free_port());
    settings.snmp.agentx = 0;
    snprintf(settings.snmp.standalone, sizeof settings.snmp.standalone, "udp:127.0.0.1:%u", ntohs(to.sin_port));
    snprintf(settings.snmp.users_file, sizeof settings.snmp.users_file, "%s/users", dir);
    if (el_snmp_prepare(&settings, dir, &source, &agent, why, sizeof why) < 0 || el_snmp_start(agent) < 0)
        abort();
    manager = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (manager < 0 || connect(manager, (struct sockaddr *)&to, sizeof to) < 0 ||
        setsockopt(manager, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
        abort();
}

/* Who gives no name hears nothing of ours: a report at most, or what was asked and authorizationError (16). */
static void check_reply(const uint8_t *reply, size_t n, bool known)
{
    bool refused = memmem(reply, n, "\x02\x01\x10\x02\x01", 5);

    if (n < 2 || reply[0] != 0x30 || (!known && !refused && memmem(reply, n, ours, sizeof ours)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint32_t number;
    static uint8_t reply[1 << 16];
    bool known = memmem(data, n, COMMUNITY, sizeof COMMUNITY - 1);
    ssize_t got;

    if (manager < 0)
        open_agent();
    number++;
    for (int i = 0; i < 3; i++)
        question[NUMBER_AT + 1 + i] = (uint8_t)(number >> (16 - 8 * i));
    if (n > 65000 || send(manager, data, n, 0) != (ssize_t)n ||
        send(manager, question, sizeof question - 1, 0) != sizeof question - 1)
        return 0;
    do {
        do
            got = recv(manager, reply, sizeof reply, 0);
        while (got < 0 && errno == EINTR); /* the fuzzer's own alarm */
        if (got < 0)
            abort(); /* it does not answer any more */
        check_reply(reply, (size_t)got, known);
    } while (!memmem(reply, (size_t)got, question + NUMBER_AT, 4));
    return 0;
}
