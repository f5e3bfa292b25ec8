/* probe COMMAND...: drives the host backend alone, for the lab. Commands run in order, each an argument with words in
 * it:
 *
 *   discover | links | sensors | sleep SECONDS | file PATH ROLE MAX_AGE | changed SECONDS | until ROW STATE SECONDS
 *   smart SERIAL | identify SERIAL | feature SERIAL FID | polls SERIAL COUNT | cost SERIAL CONTROLLER COUNT | io SERIAL
 *   pauses RUNTIME_DIR COUNT | watch SNAPSHOT SECONDS
 *   usable|save|read|restore ACTUATOR SERIAL-OR-SENSOR | write ACTUATOR SERIAL-OR-SENSOR VALUE [WATTS]
 *
 * Energy prices in `write io_budget|io_max`: 1 nJ a byte, 1 uJ an operation, both ways. Exit 1 when a command failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/nvme_ioctl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/text.h"
#include "device/device.h"

static struct el_device device;
static struct el_inventory inv;
static struct el_settings settings;
static char saved[1024];
static bool failed;

static uint32_t key_of(const char *name)
{
    for (uint32_t i = 0; name && i < inv.n.slots; i++)
        if (strcmp(inv.slots[i].identify.serial, name) == 0)
            return inv.slots[i].key;
    for (uint32_t i = 0; name && i < inv.n.sensors; i++)
        if (strcmp(inv.sensors[i].name, name) == 0)
            return inv.sensors[i].key;
    return 0;
}

static enum el_actuator actuator_of(const char *name)
{
    for (int a = 0; a < EL_ACTUATOR_COUNT; a++)
        if (name && strcmp(el_actuator_name((enum el_actuator)a), name) == 0)
            return (enum el_actuator)a;
    fprintf(stderr, "no such actuator\n");
    exit(2);
}

static void result(const char *what, int r)
{
    failed |= r != 0;
    printf("%s %s%s\n", what, r < 0 ? strerrorname_np(-r) : r > 0 ? "status " : "ok", r > 0 ? "refused" : "");
}

static void discover(void)
{
    int r = device.ops->discover(device.dev, &inv);

    if (r < 0)
        result("discover", r);
    for (uint32_t i = 0; i < inv.n.slots; i++) {
        const struct el_slot *s = &inv.slots[i];

        printf("slot %u.%u %s %s %s %s label=%s array=%s\n", s->card, s->number, el_slot_state_name(s->state),
               s->controller[0] ? s->controller : "-", s->address, s->identify.serial[0] ? s->identify.serial : "-",
               s->label, s->array);
    }
}

static void links(void)
{
    device.ops->read_links(device.dev, inv.links, inv.n.links);
    for (uint32_t i = 0; i < inv.n.links; i++) {
        const struct el_link *l = &inv.links[i];

        printf(
            "link %s %s slot=%d %ux%u max %ux%u%s%s correctable=%" PRIu64 " fatal=%" PRIu64 " nonfatal=%" PRIu64 "\n",
            el_link_role_name(l->role), l->address, l->slot, l->current_mts, l->current_width, l->max_mts, l->max_width,
            l->up ? " up" : "", l->degraded ? " DEGRADED" : "", l->aer[0].total, l->aer[2].total, l->aer[1].total);
    }
}

static void sensors(void)
{
    device.ops->read_sensors(device.dev, inv.sensors, inv.n.sensors);
    for (uint32_t i = 0; i < inv.n.sensors; i++)
        printf("sensor %s %s %s %" PRId64 " role=%s%s%s\n", inv.sensors[i].name,
               el_sensor_kind_name(inv.sensors[i].kind), el_quality_name(inv.sensors[i].value.quality),
               inv.sensors[i].value.value, el_sensor_role_name(inv.sensors[i].role),
               inv.sensors[i].alarm ? " alarm" : "", inv.sensors[i].fault ? " fault" : "");
}

static void changed(double seconds)
{
    int64_t start = el_clock_boottime_us(), end = start + (int64_t)(seconds * 1e6);
    struct pollfd p = {.fd = device.ops->event_fd(device.dev), .events = POLLIN};

    while (el_clock_boottime_us() < end) {
        poll(&p, 1, 100);
        if (device.ops->changed(device.dev)) {
            printf("changed after %" PRId64 " ms\n", (el_clock_boottime_us() - start) / 1000);
            return;
        }
    }
    result("changed", -ETIMEDOUT);
}

/* Looks until a slot is in this state. */
static void until(uint32_t row, const char *state, double seconds)
{
    int64_t end = el_clock_boottime_us() + (int64_t)(seconds * 1e6);

    for (; el_clock_boottime_us() < end; usleep(100000)) {
        if (device.ops->discover(device.dev, &inv) == 0 && row < inv.n.slots &&
            strcmp(el_slot_state_name(inv.slots[row].state), state) == 0)
            return;
    }
    result("until", -ETIMEDOUT);
}

static int smart_page(uint32_t key, uint8_t page[EL_NVME_SMART_SIZE])
{
    struct el_admin cmd = {.kind = EL_ADMIN_GET_LOG,
                           .id = EL_NVME_LID_SMART,
                           .nsid = EL_NVME_NSID_ALL,
                           .data = page,
                           .size = EL_NVME_SMART_SIZE};

    return device.ops->admin(device.dev, key, &cmd);
}

static void smart(uint32_t key)
{
    int64_t start = el_clock_boottime_us();
    uint8_t page[EL_NVME_SMART_SIZE];
    int r = smart_page(key, page);

    if (r == 0)
        printf("smart kelvin=%d warning=%d us=%" PRId64 "\n", page[1] | page[2] << 8, page[0],
               el_clock_boottime_us() - start);
    else
        result("smart", r);
}

static void polls(uint32_t key, int count)
{
    uint8_t page[EL_NVME_SMART_SIZE];
    int bad = 0;

    for (int i = 0; i < count; i++)
        bad += smart_page(key, page) != 0;
    printf("polls %d bad %d error_log %u\n", count, bad, page[176] | (unsigned)page[177] << 8);
}

static int bare_page(int fd, uint8_t page[EL_NVME_SMART_SIZE])
{
    struct nvme_passthru_cmd cmd = {.opcode = 2,
                                    .nsid = EL_NVME_NSID_ALL,
                                    .addr = (uint64_t)(uintptr_t)page,
                                    .data_len = EL_NVME_SMART_SIZE,
                                    .cdw10 = EL_NVME_LID_SMART | (EL_NVME_SMART_SIZE / 4 - 1) << 16,
                                    .timeout_ms = 5000};

    return ioctl(fd, NVME_IOCTL_ADMIN_CMD, &cmd);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { BARE, OURS, COSTS };

/* CPU of one poll, user and system, beside that of the ioctl alone; ten of each in turn, and the median of many turns.
 * Where the clock counts instructions, nanoseconds are instructions. */
static void cost(uint32_t key, const char *controller, int turns)
{
    double *us[COSTS] = {calloc((size_t)turns, sizeof(double)), calloc((size_t)turns, sizeof(double))};
    uint8_t page[EL_NVME_SMART_SIZE];
    int fd, bad = 0;
    char path[64];

    snprintf(path, sizeof path, "/dev/%s", controller);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < turns; i++)
        for (int what = 0; what < COSTS; what++) {
            int64_t from = el_clock_thread_cpu_us();

            for (int k = 0; k < 10; k++)
                bad += (what == OURS ? smart_page(key, page) : bare_page(fd, page)) != 0;
            us[what][i] = (double)(el_clock_thread_cpu_us() - from) / 10;
        }
    for (int what = 0; what < COSTS; what++)
        qsort(us[what], (size_t)turns, sizeof(double), by_value);
    printf("cost bare %.2f us poll %.2f us bad %d error_log %u\n", us[BARE][turns / 2], us[OURS][turns / 2], bad,
           page[176] | (unsigned)page[177] << 8);
    close(fd);
    for (int what = 0; what < COSTS; what++)
        free(us[what]);
}

/* Into a file, on one line. */
static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    failed |= !f || fprintf(f, "%s\n", text) < 0;
    if (f)
        fclose(f);
}

/* What a round's writes cost at least: all prices in force, written once more as they are. */
static void bare_writes(int fd)
{
    static char text[16384], *line[64];
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    char *save, *l;
    int n = 0;

    text[got > 0 ? got : 0] = '\0';
    for (l = strtok_r(text, "\n", &save); l && n < 64; l = strtok_r(NULL, "\n", &save))
        if (strstr(l, "ctrl=user"))
            line[n++] = l;
    int64_t from = el_clock_monotonic_us();
    for (int i = 0; i < n; i++)
        failed |= pwrite(fd, line[i], strlen(line[i]), 0) < 0;
    printf("bare %d writes %" PRId64 " us\n", n, el_clock_monotonic_us() - from);
}

/* Looks seldom: looking takes the guest's one processor, at times from the writes that are waited for. */
static void until_paused(const char *dir, bool paused)
{
    int64_t end = el_clock_boottime_us() + 60 * EL_USEC_PER_SEC;
    char path[256];

    snprintf(path, sizeof path, "%s/" EL_SNAPSHOT_FILE, dir);
    for (bool is = !paused; is != paused;) {
        struct el_snapshot *s = NULL;
        const char *why;

        usleep(paused ? 20000 : 300000);
        if (el_snapshot_read(AT_FDCWD, path, &s, &why) == 0)
            is = el_snapshot_cards(s)[0].paused;
        el_snapshot_free(s);
        if (el_clock_boottime_us() > end) {
            result("paused", -ETIMEDOUT);
            return;
        }
    }
}

/* Pauses a daemon of which all drives are hot and capped, and lets it go on: it writes all its caps in one round.
 * Between two such rounds the bare time of the same writes. */
static void pauses(const char *dir, int count)
{
    int fd = open("/sys/fs/cgroup/io.cost.model", O_RDWR | O_CLOEXEC);
    char path[256];

    snprintf(path, sizeof path, "%s/pause", dir);
    for (; count > 0 && !failed; count--) {
        put(path, "99999999999999");
        until_paused(dir, true);
        bare_writes(fd);
        unlink(path);
        until_paused(dir, false);
    }
    close(fd);
}

static uint32_t boot_ms(int64_t us)
{
    return (uint32_t)(us / 1000);
}

/* Every state that a slot takes, when (BOOTTIME, ms), how often an actuator of it did not hold, and how old its
 * readings are in each snapshot. */
static void watch(const char *path, double seconds)
{
    int64_t end = el_clock_boottime_us() + (int64_t)(seconds * 1e6);
    enum el_slot_state was[16] = {0};
    uint64_t seq = 0, lost[16] = {0};

    for (; el_clock_boottime_us() < end; usleep(10000)) {
        struct el_snapshot *s = NULL;
        const char *why;

        if (el_snapshot_read(AT_FDCWD, path, &s, &why) < 0)
            continue;
        for (uint32_t i = 0; s->seq != seq && i < EL_MIN(s->slots.count, 16u); i++) {
            const struct el_slot *slot = &el_snapshot_slots(s)[i];

            if (slot->state != was[i])
                printf("slot %u %s at %u\n", i, el_slot_state_name(slot->state), boot_ms(el_clock_boottime_us()));
            was[i] = slot->state;
            if (slot->action.mismatches != lost[i])
                printf("mismatches %u %" PRIu64 " at %u\n", i, slot->action.mismatches, boot_ms(s->time_us));
            lost[i] = slot->action.mismatches;
            printf("age %u %u at %u\n", i, boot_ms(s->time_us - slot->last_success_us), boot_ms(s->time_us));
        }
        seq = s->seq;
        fflush(stdout);
        el_snapshot_free(s);
    }
}

static void feature(uint32_t key, const char *fid)
{
    struct el_admin cmd = {.kind = EL_ADMIN_GET_FEATURE, .id = (uint8_t)strtoul(fid, NULL, 0)};
    int r = device.ops->admin(device.dev, key, &cmd);

    result("feature", r);
    if (r == 0)
        printf("value %u\n", cmd.result);
}

static void identify(uint32_t key)
{
    uint8_t page[EL_NVME_IDENTIFY_SIZE];
    struct el_admin cmd = {.kind = EL_ADMIN_IDENTIFY, .id = 1, .data = page, .size = sizeof page};
    int r = device.ops->admin(device.dev, key, &cmd);

    result("identify", r);
    if (r == 0)
        printf("serial %.20s\n", page + 4);
}

static void io(uint32_t key)
{
    struct el_slot_io v = {0};
    int r = device.ops->read_io(device.dev, key, &v);

    if (r == 0)
        printf("io %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " at %" PRId64 "\n", v.read_bytes, v.write_bytes,
               v.read_ops, v.write_ops, v.time_us);
    else
        result("io", r);
}

static void write_actuator(enum el_actuator a, uint32_t key, const char *value, const char *watts)
{
    double v = value ? strtod(value, NULL) : 0, full_w = watts ? strtod(watts, NULL) : 0;
    struct el_actuator_value out = {
        .cap = {.ratio = v,
                .budget_w = v * full_w,
                .read_j_per_byte = 1e-9,
                .write_j_per_byte = 1e-9,
                .read_j_per_op = 1e-6,
                .write_j_per_op = 1e-6},
        .power_state = (int32_t)v,
        .tmt1_c = (int32_t)v,
        .tmt2_c = (int32_t)v + 5,
        .pwm_ratio = v,
    };
    int64_t start = el_clock_boottime_us();

    result("write", device.ops->actuator_write(device.dev, a, key, &out));
    printf("write_us %" PRId64 "\n", el_clock_boottime_us() - start);
}

static void read_actuator(enum el_actuator a, uint32_t key)
{
    struct el_actuator_value v = {0};
    int r = device.ops->actuator_read(device.dev, a, key, &v);

    result("read", r);
    if (r == 0)
        printf("value ratio=%.4f watts=%.4f ps=%d tmt=%d,%d pwm=%.3f\n", v.cap.ratio, v.cap.budget_w, v.power_state,
               v.tmt1_c, v.tmt2_c, v.pwm_ratio);
}

static void act(const char *verb, enum el_actuator a, char *words[8])
{
    uint32_t key = key_of(words[2]);
    char why[256] = "";

    if (strcmp(verb, "usable") == 0) {
        int r = device.ops->actuator_usable(device.dev, a, key, why, sizeof why);

        printf("usable %s %s\n", r == 0 ? "yes" : strerrorname_np(-r), why);
    } else if (strcmp(verb, "save") == 0) {
        result("save", device.ops->actuator_save(device.dev, a, key, saved, sizeof saved));
        printf("saved %s\n", saved);
    } else if (strcmp(verb, "read") == 0) {
        read_actuator(a, key);
    } else if (strcmp(verb, "write") == 0) {
        write_actuator(a, key, words[3], words[4]);
    } else {
        result("restore", device.ops->actuator_restore(device.dev, a, key, words[3] ? words[3] : saved));
    }
}

static void add_file(char *words[8])
{
    struct el_sensor_map *m = &settings.sensor[settings.sensors++];

    snprintf(m->source, sizeof m->source, "file:%s", words[1]);
    m->role = EL_ROLE_INLET;
    m->kind = EL_SENSOR_TEMPERATURE;
    m->max_age_s = words[2] ? strtod(words[2], NULL) : 10;
    m->min = -100;
    m->max = 200;
}

static void run(char *command)
{
    char *words[8] = {0}, *save = command;
    const char *verb;

    for (int i = 0; i < 7 && (words[i] = strsep(&save, " ")); i++)
        ;
    verb = words[0];
    if (strcmp(verb, "discover") == 0)
        discover();
    else if (strcmp(verb, "links") == 0)
        links();
    else if (strcmp(verb, "sensors") == 0)
        sensors();
    else if (strcmp(verb, "sleep") == 0)
        usleep((useconds_t)(strtod(words[1], NULL) * 1e6));
    else if (strcmp(verb, "changed") == 0)
        changed(strtod(words[1], NULL));
    else if (strcmp(verb, "until") == 0)
        until((uint32_t)atoi(words[1]), words[2], strtod(words[3], NULL));
    else if (strcmp(verb, "smart") == 0)
        smart(key_of(words[1]));
    else if (strcmp(verb, "identify") == 0)
        identify(key_of(words[1]));
    else if (strcmp(verb, "feature") == 0)
        feature(key_of(words[1]), words[2]);
    else if (strcmp(verb, "polls") == 0)
        polls(key_of(words[1]), atoi(words[2]));
    else if (strcmp(verb, "cost") == 0)
        cost(key_of(words[1]), words[2], atoi(words[3]));
    else if (strcmp(verb, "pauses") == 0)
        pauses(words[1], atoi(words[2]));
    else if (strcmp(verb, "watch") == 0)
        watch(words[1], strtod(words[2], NULL));
    else if (strcmp(verb, "put") == 0)
        put(words[1], words[2]);
    else if (strcmp(verb, "io") == 0)
        io(key_of(words[1]));
    else
        act(verb, actuator_of(words[1]), words);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int first = 1;

    el_log_setup("probe", EL_LOG_INFO, EL_LOG_TEXT);
    el_settings_default(&settings);
    for (; first < argc && strncmp(argv[first], "file ", 5) == 0; first++) {
        char *words[8] = {0}, *save = argv[first];

        for (int i = 0; i < 7 && (words[i] = strsep(&save, " ")); i++)
            ;
        add_file(words);
    }
    if (el_host_open(&settings, &device) < 0)
        return 2;
    for (int i = first; i < argc; i++)
        run(argv[i]);
    el_inventory_free(&inv);
    device.ops->close(device.dev);
    return failed;
}
