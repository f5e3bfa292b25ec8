/* perf_tick DRIVES [ROUNDS]: CPU time of one round over a made-up machine whose drives answer at once: our own work and
 * nothing else. Prints median and p99 of rounds that follow a sleep, as in life: by then others have had the caches.
 * Beside it the floor under the same sleep, a bare loop that takes as many pages and publishes as many bytes (copy,
 * write, rename), and what a round costs warm, without a sleep. Fails when the median is over four times what is
 * promised (50 us for 8 drives, 5 ms for 1,024). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "control/tick.h"

#define SLOTS_PER_CARD 8
#define ROUNDS         200

static uint32_t drives, cards;
static int64_t now_us; /* moves with the rounds, so that warm ones need no waiting */

static int64_t now(void *dev)
{
    return now_us;
}

static int discover(void *dev, struct el_inventory *inv)
{
    memset(inv, 0, sizeof *inv);
    inv->n =
        (struct el_snapshot_counts){.cards = cards, .slots = drives, .links = drives + 2 * cards, .sensors = 4 * cards};
    inv->cards = calloc(cards, sizeof *inv->cards);
    inv->slots = calloc(drives, sizeof *inv->slots);
    inv->links = calloc(inv->n.links, sizeof *inv->links);
    inv->sensors = calloc(inv->n.sensors, sizeof *inv->sensors);
    for (uint32_t c = 0; c < cards; c++) {
        struct el_card *card = &inv->cards[c];

        snprintf(card->name, sizeof card->name, "made-up-%u", c);
        snprintf(card->address, sizeof card->address, "%04x:01:00.0", c);
        strcpy(card->profile, "lqd4500");
        card->number = c;
        card->first_slot = c * SLOTS_PER_CARD;
        card->slots = SLOTS_PER_CARD;
        card->first_link = c * (SLOTS_PER_CARD + 2);
        card->links = SLOTS_PER_CARD + 2;
        card->has_switch = true;
        for (uint32_t i = 0; i < SLOTS_PER_CARD; i++)
            inv->slots[card->first_slot + i] = (struct el_slot){
                .card = c, .number = i, .key = card->first_slot + i, .state = EL_SLOT_UP, .controller = "nvme"};
        for (uint32_t i = 0; i < card->links; i++)
            inv->links[card->first_link + i] = (struct el_link){.card = c, .slot = -1, .role = EL_LINK_DRIVE};
        for (uint32_t i = 0; i < 4; i++)
            inv->sensors[c * 4 + i] = (struct el_sensor){.card = (int32_t)c,
                                                         .role = (enum el_sensor_role)(EL_ROLE_INLET + i),
                                                         .kind = i == 2   ? EL_SENSOR_POWER
                                                                 : i == 3 ? EL_SENSOR_FAN
                                                                          : EL_SENSOR_TEMPERATURE};
    }
    return 0;
}

static int admin(void *dev, uint32_t key, struct el_admin *c)
{
    uint8_t *page = c->data;
    uint16_t k = 340, warning = 351;

    if (c->kind == EL_ADMIN_IDENTIFY && c->id == 1) {
        memset(page + 4, ' ', 68);
        page[5] = (uint8_t)('a' + key % 26);
        page[4] = (uint8_t)('a' + key / 26 % 26);
        page[6] = (uint8_t)('a' + key / 676);
        memcpy(page + 266, &warning, 2);
    } else if (c->kind == EL_ADMIN_GET_LOG && c->id == EL_NVME_LID_SMART) {
        memcpy(page + 1, &k, 2);
        page[3] = 100;
    }
    return 0;
}

static int read_sensors(void *dev, struct el_sensor *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s[i].value = el_reading_good(30000, now_us);
    return 0;
}

static int read_io(void *dev, uint32_t key, struct el_slot_io *io)
{
    static uint64_t bytes;

    bytes += 1 << 20;
    *io = (struct el_slot_io){.read_bytes = bytes, .read_ops = bytes >> 12, .time_us = now_us, .valid = true};
    return 0;
}

static void *close_device(void *dev)
{
    return NULL;
}

static const struct el_device_ops ops = {.name = "made-up",
                                         .discover = discover,
                                         .admin = admin,
                                         .read_sensors = read_sensors,
                                         .read_io = read_io,
                                         .now_us = now,
                                         .close = close_device};

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* ---- what a round may cost ---- */

struct bare {
    int dir, fd[2];
    char *pages, *copy;
    size_t size; /* of the snapshot */
    unsigned spare;
};

static void bare_open(struct bare *b, const char *dir, size_t size)
{
    *b = (struct bare){.dir = open(dir, O_RDONLY | O_DIRECTORY), .size = size};
    b->fd[0] = openat(b->dir, "bare.new", O_RDWR | O_CREAT, 0644);
    b->fd[1] = openat(b->dir, "bare", O_RDWR | O_CREAT, 0644);
    b->pages = calloc(drives, EL_NVME_SMART_SIZE);
    b->copy = calloc(1, size + EL_NVME_SMART_SIZE);
}

static void bare_round(struct bare *b)
{
    for (uint32_t i = 0; i < drives; i++) {
        memcpy(b->copy + i * b->size / drives, b->pages + (size_t)i * EL_NVME_SMART_SIZE, EL_NVME_SMART_SIZE);
        __asm__ volatile("" : : "r"(b->copy) : "memory");
    }
    if (pwrite(b->fd[b->spare], b->copy, b->size, 0) != (ssize_t)b->size ||
        renameat2(b->dir, "bare.new", b->dir, "bare", RENAME_EXCHANGE) < 0)
        abort();
    b->spare = !b->spare;
}

static void full_round(struct el_tick *t)
{
    now_us += drives > 8 ? 60000 : 51000;
    el_tick_begin(t);
    el_tick_finish(t);
}

static void sleep_a_while(void)
{
    el_clock_sleep_until_us(el_clock_boottime_us() + (drives > 8 ? 60000 : 51000), NULL);
}

#define CPU_US(work)                                                                                                   \
    ({                                                                                                                 \
        int64_t began_us = el_clock_thread_cpu_us();                                                                   \
        work;                                                                                                          \
        el_clock_thread_cpu_us() - began_us;                                                                           \
    })

static int64_t percentile(int64_t *v, int n, int percent)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n * percent / 100];
}

static void measure(struct el_tick *t, const char *dir, int rounds, int64_t bound_us, int64_t *median_us)
{
    static int64_t cold[ROUNDS], floor_[ROUNDS];
    int64_t warm_us;
    struct bare b;

    full_round(t);
    bare_open(&b, dir, el_tick_snapshot(t)->size);
    bare_round(&b);
    for (int i = 0; i < rounds; i++) {
        sleep_a_while();
        cold[i] = CPU_US(full_round(t));
        sleep_a_while();
        floor_[i] = CPU_US(bare_round(&b));
    }
    warm_us = CPU_US(for (int i = 0; i < rounds; i++) full_round(t)) / rounds;
    *median_us = percentile(cold, rounds, 50);
    printf("%u drives, %zu KiB of snapshot: median %lld us, p99 %lld us of CPU per round (promised: %lld us); "
           "floor %lld us; warm %lld us\n",
           drives, b.size / 1024, (long long)*median_us, (long long)percentile(cold, rounds, 99), (long long)bound_us,
           (long long)percentile(floor_, rounds, 50), (long long)warm_us);
}

int main(int argc, char **argv)
{
    static struct el_settings s;
    char dir[] = "/dev/shm/el-perf-XXXXXX", command[64];
    struct el_device dev = {.ops = &ops};
    struct el_tick *t;
    int64_t bound_us, median_us;
    int rounds;

    drives = argc > 1 ? (uint32_t)atoi(argv[1]) : 8;
    cards = drives / SLOTS_PER_CARD;
    bound_us = drives > 8 ? 5000 : 50;
    rounds = argc > 2 ? atoi(argv[2]) : drives > 8 ? ROUNDS / 4 : ROUNDS;
    if (rounds < 2 || rounds > ROUNDS || !mkdtemp(dir))
        return 2;
    now_us = el_clock_boottime_us();
    el_settings_default(&s);
    snprintf(s.state_dir, sizeof s.state_dir, "%s/state", dir);
    snprintf(s.runtime_dir, sizeof s.runtime_dir, "%s/run", dir);
    snprintf(s.profiles_dir, sizeof s.profiles_dir, EL_SOURCE_DIR "/deploy/profiles");
    s.poll.tick_ms = s.poll.hot_ms = s.poll.normal_ms = s.poll.idle_ms = 100;
    if (el_tick_new(&dev, &s, &t) < 0)
        return 1;
    measure(t, dir, rounds, bound_us, &median_us);
    el_tick_free(t);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) != 0 || median_us > 4 * bound_us;
}
