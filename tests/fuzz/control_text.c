/* Small files and one answer that others leave for us. First byte: which, '0' and on; the rest is what stands there:
 * a sensor's file, the numbers of cards, our SNMP engine, snmpd.conf, the answer of an AgentX master, how far SNMP
 * notified. */
#include <arpa/inet.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

#include "config/snmpd.h"
#include "control/card_numbers.h"
#include "device/sensor.h"
#include "exporter/snmp_state.h"
#include "fuzz.h"
#include "support/make_snapshot.h"

#define START_US 1700000000000000 /* of the daemon whose events are told: see the seeds */

/* Of any kind: what counts as read could be true. */
static void read_sensor(const uint8_t *data, size_t n)
{
    static struct el_sensor_map map = {.min = NAN, .max = NAN, .max_age_s = 60};

    snprintf(map.source, sizeof map.source, "file:%s", fuzz_file(data, n));
    for (enum el_sensor_kind kind = 0; kind < EL_SENSOR_KIND_COUNT; kind++) {
        struct el_sensor s = {.kind = kind};

        el_sensor_read_file(&map, &s, 0, 0);
        /* A little less, for it is rounded to our unit. */
        if ((s.value.quality == EL_GOOD || s.value.quality == EL_STALE) &&
            !el_sensor_plausible(kind, 0.999 * (double)s.value.value / el_sensor_unit(kind)->to_ours))
            abort();
    }
}

/* What is saved can be read, and no two cards have one number. */
static void number_cards(const uint8_t *data, size_t n)
{
    static struct el_slot slots[4] = {
        {.number = 0, .identify.serial = "S1"}, {.number = 1, .identify.serial = "S2"}, {.number = 0}, {.number = 1}};
    static struct el_card cards[3] = {{.address = "0000:01:00.0", .slots = 2},
                                      {.address = "0000:02:00.0", .first_slot = 2, .slots = 2}};
    struct el_inventory inv = {.cards = cards, .slots = slots, .n = {.cards = 3, .slots = 4}};
    struct el_card_numbers *numbers = el_card_numbers_new(), *again = el_card_numbers_new();
    EL_AUTO_BUF struct el_buf saved = {0};

    el_card_numbers_read(numbers, fuzz_dir(EL_CARD_NUMBERS_FILE, data, n));
    if (el_card_numbers_apply(numbers, &inv) < 0 || cards[0].number == cards[1].number ||
        cards[0].number == cards[2].number || cards[1].number == cards[2].number)
        abort();
    el_card_numbers_save(numbers, &saved);
    if (el_card_numbers_load(again, saved.data) < 0)
        abort();
    el_card_numbers_free(numbers);
    el_card_numbers_free(again);
}

/* Never an engine that nobody would hear. */
static void start_engine(const uint8_t *data, size_t n)
{
    char id[65];
    unsigned boots;

    if (el_snmp_state_engine(fuzz_dir("snmp-engine", data, n), id, &boots) < 0 || boots < 1 || boots >= INT32_MAX ||
        strlen(id) < 10 || strlen(id) % 2 || id[strspn(id, "0123456789abcdef")])
        abort();
}

/* With what was missing nothing is. */
static void read_snmpd_conf(const uint8_t *data, size_t n)
{
    static const char base[] = "1.3.6.1.4.1.8072.9999.9999.10450";
    EL_AUTO_BUF struct el_buf missing = {0}, mended = {0}, still = {0};

    if (el_snmpd_missing(fuzz_dir("snmpd.conf", data, n), base, "", &missing) < 0)
        abort();
    if (memchr(data, '\0', n)) /* ends the file */
        return;
    el_buf_printf(&mended, "%.*s\n%s", (int)n, (const char *)data, missing.len ? missing.data : "");
    if (el_snmpd_missing(fuzz_dir("snmpd.conf", (const uint8_t *)mended.data, mended.len), base, "", &still) < 0 ||
        still.len)
        abort();
}

static const uint8_t *answer;
static size_t answer_n;
static int master = -1;

/* A master that has said its word before it was asked (tests.cmake). */
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t n);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t n)
{
    int pair[2];

    (void)to;
    (void)n;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 || dup2(pair[0], fd) < 0 ||
        send(pair[1], answer, answer_n, MSG_NOSIGNAL) != (ssize_t)answer_n || shutdown(pair[1], SHUT_WR) < 0)
        abort();
    close(pair[0]);
    master = pair[1];
    return 0;
}

static void ask_master(const uint8_t *data, size_t n)
{
    bool whole = n >= 20;

    answer = data;
    answer_n = n < 4096 ? n : 4096;
    if ((el_snmpd_ask("/run/agentx/master") == 0) != (whole && data[1] == 18))
        abort();
    close(master);
}

/* What is saved can be read, and each event is told once, in order. */
static void go_on_notifying(const uint8_t *data, size_t n)
{
    static struct el_snapshot *s;
    const char *dir = fuzz_dir("snmp-notified", data, n);
    struct el_snmp_notifier first, again;
    const struct el_event *e;
    bool failed = false, waiting;
    uint64_t seq;

    if (!s && !(s = el_test_snapshot_new(&(struct el_test_snapshot){.events = 40, .time_us = EL_USEC_PER_SEC})))
        abort();
    s->daemon.start_realtime_us = START_US;
    el_snmp_state_load(dir, &first, 0);
    el_snmp_state_save(dir, &first, &failed);
    el_snmp_state_load(dir, &again, 0);
    if (failed || memcmp(&first, &again, sizeof first) != 0)
        abort();
    seq = first.daemon_realtime_us == START_US ? first.last_seq : 0;
    for (int64_t now_us = 0; now_us < 20 * EL_USEC_PER_SEC; now_us += EL_USEC_PER_SEC)
        for (; (e = el_snmp_notifier_next(&first, s, now_us, &waiting)); seq = e->seq)
            if (e->seq <= seq)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static void (*const kinds[])(const uint8_t *, size_t) = {read_sensor,     number_cards, start_engine,
                                                             read_snmpd_conf, ask_master,   go_on_notifying};

    if (n)
        kinds[(uint8_t)(data[0] - '0') % (sizeof kinds / sizeof kinds[0])](data + 1, n - 1);
    return 0;
}
