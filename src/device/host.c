#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rows.h"
#include "base/text.h"
#include "device/acting.h"
#include "device/blkio.h"
#include "device/hwmon.h"
#include "device/keys.h"
#include "device/sensor.h"
#include "device/topology.h"
#include "device/uevent.h"

#define READING_WAIT_US (50 * EL_USEC_PER_MSEC) /* a discovery waits no longer for a reading under way */
#define DESCRIPTORS     65536
#define NAMED_GAP_US    (10 * EL_USEC_PER_SEC) /* drives that are told of without end are identified this often */
#define RESCAN_US       (5 * EL_USEC_PER_SEC)  /* uevents can be lost or never come; looking is cheap */

enum { ROW_GONE = -1, ROW_FILE = -2 };

/* Where a sensor is read from today. */
struct place {
    int32_t row;             /* its number in hwmon, or one of the above */
    char pwm[EL_SYSFS_PATH]; /* of a fan duty */
};

struct host {
    struct el_settings settings;
    struct el_sysfs fs;
    struct el_drives *drives;
    struct el_hwmon *hwmon;
    struct el_acting *acting;
    pthread_mutex_t reading; /* of hwmon, which can hang on a dead bus; taken before `lock` */
    pthread_mutex_t lock;    /* of what follows, never held over I/O */
    struct el_keys sensors;  /* by name */
    struct place *place;     /* by sensor key */
    uint32_t places;
    struct el_sensor *found; /* rows of the last discovery that could look at hwmon */
    uint32_t n_found;
    int uevents;            /* -1 = none */
    struct el_uevents news; /* since the last discovery */
    int64_t named_us;       /* when controllers were last named in it */
    uint64_t fingerprint;
    int64_t looked_us;
};

/* ---- sensors ---- */

static bool is_file(const struct el_sensor_map *map)
{
    return strncmp(map->source, "file:", 5) == 0;
}

/* A file's name as a sensor's: its end when it is too long to fit. */
static void file_name(const struct el_sensor_map *map, char *out, size_t size)
{
    size_t n = strlen(map->source);

    if (!el_text_copy(out, size, map->source))
        snprintf(out, size, "file:...%s", map->source + n - (size - 9));
}

static const struct el_sensor_map *map_of(const struct host *h, const struct el_sensor *s)
{
    for (uint32_t i = 0; i < h->settings.sensors; i++) {
        char name[sizeof s->name];

        file_name(&h->settings.sensor[i], name, sizeof name);
        if (strcmp(name, s->name) == 0)
            return &h->settings.sensor[i];
    }
    return NULL;
}

static int add_file_sensors(struct host *h, struct el_inventory *inv)
{
    for (uint32_t i = 0; i < h->settings.sensors; i++) {
        const struct el_sensor_map *map = &h->settings.sensor[i];
        struct el_sensor *s;

        if (!is_file(map))
            continue;
        s = el_row_append(&inv->sensors, &inv->n.sensors, sizeof *s);
        if (!s)
            return -ENOMEM;
        s->card = -1;
        s->kind = map->kind;
        s->limit_min = INT64_MIN;
        s->limit_max = INT64_MAX;
        file_name(map, s->name, sizeof s->name);
        el_text_copy(s->label, sizeof s->label, el_sensor_role_name(map->role));
    }
    return 0;
}

static int key_sensor(struct host *h, struct el_sensor *s, uint32_t row)
{
    const struct el_sensor_map *map = map_of(h, s);
    const char *pwm = el_hwmon_pwm(h->hwmon, row);
    struct place *p;

    s->key = el_keys_get(&h->sensors, s->name);
    while (s->key > h->places)
        if (!el_row_append(&h->place, &h->places, sizeof *h->place))
            return -ENOMEM;
    if (!s->key)
        return -ENOMEM;
    p = &h->place[s->key - 1];
    p->row = map && is_file(map) ? ROW_FILE : (int32_t)row;
    el_text_copy(p->pwm, sizeof p->pwm, p->row >= 0 && pwm ? pwm : "");
    if (map)
        s->role = map->role;
    return 0;
}

static struct el_sensor *copy_rows(const struct el_sensor *rows, uint32_t n)
{
    struct el_sensor *copy = malloc(sizeof *copy * (n + 1));

    if (copy && n)
        memcpy(copy, rows, sizeof *copy * n);
    return copy;
}

/* Keys by name, and where each key is read from today. */
static int key_sensors(struct host *h, struct el_inventory *inv)
{
    struct el_sensor *found;
    int r = 0;

    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i < h->places; i++)
        h->place[i].row = ROW_GONE;
    for (uint32_t i = 0; r == 0 && i < inv->n.sensors; i++)
        r = key_sensor(h, &inv->sensors[i], i);
    pthread_mutex_unlock(&h->lock);
    found = r == 0 ? copy_rows(inv->sensors, inv->n.sensors) : NULL;
    if (!found)
        return -ENOMEM;
    free(h->found);
    h->found = found;
    h->n_found = inv->n.sensors;
    return 0;
}

/* Looks for sensors; while a reading hangs, what was found before stands. */
static int discover_sensors(struct host *h, struct el_inventory *inv)
{
    struct timespec until;
    int r;

    el_clock_monotonic_after(READING_WAIT_US, &until);
    if (pthread_mutex_clocklock(&h->reading, CLOCK_MONOTONIC, &until) != 0) {
        inv->sensors = copy_rows(h->found, h->n_found);
        inv->n.sensors = h->n_found;
        return inv->sensors ? 0 : -ENOMEM;
    }
    r = el_hwmon_discover(h->hwmon, inv);
    if (r == 0)
        r = add_file_sensors(h, inv);
    if (r == 0)
        r = key_sensors(h, inv);
    pthread_mutex_unlock(&h->reading);
    return r;
}

static struct place place_of(struct host *h, uint32_t key)
{
    struct place p = {.row = ROW_GONE};

    pthread_mutex_lock(&h->lock);
    if (key > 0 && key <= h->places)
        p = h->place[key - 1];
    pthread_mutex_unlock(&h->lock);
    return p;
}

static void read_sensor(struct host *h, struct el_sensor *s, int64_t now_us, int64_t realtime_us)
{
    const struct el_sensor_map *map = map_of(h, s);
    struct place p = place_of(h, s->key);
    int64_t before_us = s->value.time_us;

    if (p.row == ROW_FILE && map) {
        el_sensor_read_file(map, s, now_us, realtime_us);
    } else if (p.row >= 0) {
        el_hwmon_read(h->hwmon, (uint32_t)p.row, s, now_us);
        if (map && s->value.time_us != before_us) /* scaled once */
            el_sensor_apply(map, s);
    } else {
        s->value.quality = EL_FAILED;
    }
}

static int host_read_sensors(void *dev, struct el_sensor *sensors, uint32_t n)
{
    struct host *h = dev;
    int64_t now_us = el_clock_boottime_us(), realtime_us = el_clock_realtime_us();

    pthread_mutex_lock(&h->reading);
    for (uint32_t i = 0; i < n; i++)
        read_sensor(h, &sensors[i], now_us, realtime_us);
    pthread_mutex_unlock(&h->reading);
    return 0;
}

/* ---- discovery ---- */

static int host_discover(void *dev, struct el_inventory *out)
{
    struct host *h = dev;
    struct el_inventory inv = {0};
    uint64_t fingerprint = el_topology_fingerprint(&h->fs); /* before: what changes meanwhile is seen next time */
    int r = el_topology_read(&h->fs, &inv);

    if (r == 0)
        r = el_drives_update(h->drives, &inv, &h->news);
    if (r == 0)
        r = discover_sensors(h, &inv);
    if (r < 0) {
        el_inventory_free(&inv);
        return r;
    }
    el_blkio_arrays(&h->fs, &inv);
    el_inventory_free(out);
    *out = inv;
    h->fingerprint = fingerprint;
    if (h->news.n || h->news.all)
        h->named_us = el_clock_boottime_us();
    h->news = (struct el_uevents){0};
    h->looked_us = el_clock_boottime_us();
    return 0;
}

static int host_event_fd(void *dev)
{
    struct host *h = dev;

    return h->uevents;
}

static bool host_changed(void *dev)
{
    struct host *h = dev;
    int64_t now_us = el_clock_boottime_us();
    enum el_uevent most;

    if (h->uevents >= 0)
        el_uevents_drain(h->uevents, &h->news);
    most = h->uevents >= 0 ? h->news.most : EL_UEVENT_LOOK;
    if (most == EL_UEVENT_DEVICE)
        return true;
    if ((h->news.n || h->news.all) && now_us - h->named_us >= NAMED_GAP_US)
        return true;
    if (most == EL_UEVENT_NONE && now_us - h->looked_us < RESCAN_US)
        return false;
    h->news.most = EL_UEVENT_NONE;
    h->looked_us = now_us;
    return el_topology_fingerprint(&h->fs) != h->fingerprint;
}

/* ---- reading ---- */

static int host_admin(void *dev, uint32_t key, struct el_admin *cmd)
{
    struct host *h = dev;

    return el_drives_admin(h->drives, key, cmd);
}

static int host_read_links(void *dev, struct el_link *links, uint32_t n)
{
    struct host *h = dev;

    el_topology_read_links(&h->fs, links, n);
    return 0;
}

static int host_read_io(void *dev, uint32_t key, struct el_slot_io *io)
{
    struct host *h = dev;

    return el_drives_io(h->drives, key, io);
}

/* ---- acting ---- */

/* The fan duty file of a fan's key; drives have none. */
static const char *pwm_of(struct host *h, enum el_actuator a, uint32_t key, struct place *p)
{
    if (a != EL_ACTUATOR_FAN)
        return NULL;
    *p = place_of(h, key);
    return p->row >= 0 && p->pwm[0] ? p->pwm : NULL;
}

static int host_usable(void *dev, enum el_actuator a, uint32_t key, char *why, size_t why_size)
{
    struct host *h = dev;
    struct place p;

    return el_acting_usable(h->acting, a, key, pwm_of(h, a, key, &p), why, why_size);
}

static int host_save(void *dev, enum el_actuator a, uint32_t key, char *text, size_t size)
{
    struct host *h = dev;
    struct place p;

    return el_acting_save(h->acting, a, key, pwm_of(h, a, key, &p), text, size);
}

static int host_write(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    struct host *h = dev;
    struct place p;

    return el_acting_write(h->acting, a, key, pwm_of(h, a, key, &p), v);
}

static void host_survey(void *dev, bool anew)
{
    struct host *h = dev;

    el_acting_survey(h->acting, anew);
}

static int host_read(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    struct host *h = dev;
    struct place p;

    return el_acting_read(h->acting, a, key, pwm_of(h, a, key, &p), out);
}

static int host_restore(void *dev, enum el_actuator a, uint32_t key, const char *text)
{
    struct host *h = dev;
    struct place p;

    return el_acting_restore(h->acting, a, key, pwm_of(h, a, key, &p), text);
}

static void *host_close(void *dev)
{
    struct host *h = dev;

    if (!h)
        return NULL;
    if (h->uevents >= 0)
        close(h->uevents);
    h->uevents = -1;
    /* A call that is still in the kernel keeps alive what it points to. */
    if (!el_acting_free(h->acting) || !el_drives_free(h->drives))
        return NULL;
    if (pthread_mutex_trylock(&h->reading) != 0)
        return NULL;
    el_hwmon_free(h->hwmon);
    pthread_mutex_unlock(&h->reading);
    pthread_mutex_destroy(&h->reading);
    pthread_mutex_destroy(&h->lock);
    el_keys_free(&h->sensors);
    free(h->place);
    free(h->found);
    close(h->fs.root);
    free(h);
    return NULL;
}

static const struct el_device_ops host_ops = {
    .name = "host",
    .may_block = true,
    .lasts = true,
    .by_order = true,
    .discover = host_discover,
    .event_fd = host_event_fd,
    .changed = host_changed,
    .admin = host_admin,
    .read_links = host_read_links,
    .read_sensors = host_read_sensors,
    .read_io = host_read_io,
    .actuator_usable = host_usable,
    .actuator_save = host_save,
    .actuator_write = host_write,
    .actuator_survey = host_survey,
    .actuator_read = host_read,
    .actuator_restore = host_restore,
    .close = host_close,
};

/* A drive holds five descriptors or more; hundreds of drives are more than the usual soft limit of 1,024. */
static void allow_descriptors(void)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
        l.rlim_cur = EL_MIN(l.rlim_max, (rlim_t)DESCRIPTORS);
        (void)setrlimit(RLIMIT_NOFILE, &l); /* then the drives beyond are said to fail */
    }
}

int el_host_open(const struct el_settings *settings, struct el_device *out)
{
    struct host *h = calloc(1, sizeof *h);

    if (!h)
        return -ENOMEM;
    allow_descriptors();
    h->settings = *settings;
    pthread_mutex_init(&h->reading, NULL);
    pthread_mutex_init(&h->lock, NULL);
    h->uevents = -1;
    h->fs.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    h->drives = el_drives_new(&h->fs, settings->poll.timeout_ms);
    h->hwmon = el_hwmon_new(&h->fs);
    h->acting = el_acting_new(&h->fs, h->drives);
    if (h->fs.root < 0 || !h->drives || !h->hwmon || !h->acting) {
        host_close(h);
        return -ENOMEM;
    }
    h->uevents = el_uevent_open();
    if (h->uevents < 0) {
        el_log_info("no kernel events here (%s): looking for changes in every round instead",
                    strerrordesc_np(-h->uevents));
        h->uevents = -1;
    }
    *out = (struct el_device){.ops = &host_ops, .dev = h};
    return 0;
}
