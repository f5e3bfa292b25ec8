#include "device/hwmon.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <sensors/sensors.h>

#include "base/rows.h"
#include "base/text.h"
#include "device/sensor.h"

#define ALARMS 6 /* plain, and of each limit */

/* Where one row comes from. */
struct source {
    const sensors_chip_name *chip;
    int value, alarm[ALARMS], fault, min, max, max2; /* subfeature numbers; -1 = none */
    bool limits_known;
    int64_t limit_min, limit_max;
    double to_raw;              /* libsensors' unit to that of hwmon files */
    char pwm[EL_SYSFS_PATH];    /* of a fan duty: its file instead */
    char device[EL_SYSFS_PATH]; /* of the chip; "" = none */
    char tag[16];
};

struct el_hwmon {
    const struct el_sysfs *fs;
    struct source *source;
    uint32_t n;
    bool open;
};

static const struct kind {
    sensors_feature_type feature;
    enum el_sensor_kind kind;
    double to_raw;
    sensors_subfeature_type value, value2, min, max, max2, fault;
} kinds[] = {
    {SENSORS_FEATURE_TEMP, EL_SENSOR_TEMPERATURE, 1e3, SENSORS_SUBFEATURE_TEMP_INPUT, SENSORS_SUBFEATURE_UNKNOWN,
     SENSORS_SUBFEATURE_TEMP_MIN, SENSORS_SUBFEATURE_TEMP_MAX, SENSORS_SUBFEATURE_TEMP_CRIT,
     SENSORS_SUBFEATURE_TEMP_FAULT},
    {SENSORS_FEATURE_FAN, EL_SENSOR_FAN, 1, SENSORS_SUBFEATURE_FAN_INPUT, SENSORS_SUBFEATURE_UNKNOWN,
     SENSORS_SUBFEATURE_FAN_MIN, SENSORS_SUBFEATURE_FAN_MAX, SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_FAN_FAULT},
    {SENSORS_FEATURE_IN, EL_SENSOR_VOLTAGE, 1e3, SENSORS_SUBFEATURE_IN_INPUT, SENSORS_SUBFEATURE_UNKNOWN,
     SENSORS_SUBFEATURE_IN_MIN, SENSORS_SUBFEATURE_IN_MAX, SENSORS_SUBFEATURE_IN_CRIT, SENSORS_SUBFEATURE_UNKNOWN},
    {SENSORS_FEATURE_CURR, EL_SENSOR_CURRENT, 1e3, SENSORS_SUBFEATURE_CURR_INPUT, SENSORS_SUBFEATURE_UNKNOWN,
     SENSORS_SUBFEATURE_CURR_MIN, SENSORS_SUBFEATURE_CURR_MAX, SENSORS_SUBFEATURE_CURR_CRIT,
     SENSORS_SUBFEATURE_UNKNOWN},
    {SENSORS_FEATURE_POWER, EL_SENSOR_POWER, 1e6, SENSORS_SUBFEATURE_POWER_INPUT, SENSORS_SUBFEATURE_POWER_AVERAGE,
     SENSORS_SUBFEATURE_POWER_MIN, SENSORS_SUBFEATURE_POWER_MAX, SENSORS_SUBFEATURE_POWER_CRIT,
     SENSORS_SUBFEATURE_UNKNOWN},
    {SENSORS_FEATURE_HUMIDITY, EL_SENSOR_HUMIDITY, 1e3, SENSORS_SUBFEATURE_HUMIDITY_INPUT, SENSORS_SUBFEATURE_UNKNOWN,
     SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_UNKNOWN},
};

static int number(const sensors_chip_name *chip, const sensors_feature *f, sensors_subfeature_type type)
{
    const sensors_subfeature *s = type == SENSORS_SUBFEATURE_UNKNOWN ? NULL : sensors_get_subfeature(chip, f, type);

    return s && (s->flags & SENSORS_MODE_R) ? s->number : -1;
}

static void find_alarms(const sensors_chip_name *chip, const sensors_feature *f, int alarm[ALARMS])
{
    const sensors_subfeature *s;
    int nr = 0, n = 0;

    while (n < ALARMS && (s = sensors_get_all_subfeatures(chip, f, &nr)))
        if (strstr(s->name, "_alarm") && (s->flags & SENSORS_MODE_R))
            alarm[n++] = s->number;
    while (n < ALARMS)
        alarm[n++] = -1;
}

static double get(const sensors_chip_name *chip, int subfeature, double none)
{
    double v;

    return subfeature >= 0 && sensors_get_value(chip, subfeature, &v) == 0 ? v : none;
}

/* A zeroed row and its source, with the name of the chip. */
static struct el_sensor *add_row(struct el_hwmon *h, struct el_inventory *inv, const struct source *from,
                                 const char *feature, enum el_sensor_kind kind)
{
    struct source *source = el_row_append(&h->source, &h->n, sizeof *source);
    struct el_sensor *s = source ? el_row_append(&inv->sensors, &inv->n.sensors, sizeof *s) : NULL;
    char chip[64];

    if (!s)
        return NULL;
    *source = *from;
    if (sensors_snprintf_chip_name(chip, sizeof chip, from->chip) < 0)
        el_text_copy(chip, sizeof chip, from->chip->prefix);
    snprintf(s->name, sizeof s->name, "%.40s/%.20s", chip, feature);
    s->card = -1;
    s->kind = kind;
    s->limit_min = INT64_MIN;
    s->limit_max = INT64_MAX;
    el_text_clean(s->label, sizeof s->label, feature);
    return s;
}

static int add_feature(struct el_hwmon *h, struct el_inventory *inv, const struct source *base,
                       const sensors_feature *f, const struct kind *k)
{
    struct source source = *base;
    struct el_sensor *s;
    char *label;

    source.value = number(base->chip, f, k->value);
    if (source.value < 0)
        source.value = number(base->chip, f, k->value2);
    if (source.value < 0)
        return 0;
    find_alarms(base->chip, f, source.alarm);
    source.fault = number(base->chip, f, k->fault);
    source.min = number(base->chip, f, k->min);
    source.max = number(base->chip, f, k->max);
    source.max2 = number(base->chip, f, k->max2);
    source.to_raw = k->to_raw;
    s = add_row(h, inv, &source, f->name, k->kind);
    if (!s)
        return -ENOMEM;
    label = sensors_get_label(base->chip, f);
    if (label)
        el_text_clean(s->label, sizeof s->label, label);
    free(label);
    return 0;
}

static int add_pwms(struct el_hwmon *h, struct el_inventory *inv, const struct source *base, const char *dir)
{
    EL_AUTO_NAMES struct el_names names = {0};
    int r = el_sysfs_list(h->fs, dir, &names);

    for (size_t i = 0; r == 0 && i < names.n; i++) {
        struct source source = *base;
        const char *digits = names.name[i] + 3;

        if (strncmp(names.name[i], "pwm", 3) != 0 || !*digits || strspn(digits, "0123456789") != strlen(digits) ||
            !el_sysfs_join(source.pwm, dir, names.name[i]))
            continue;
        if (!add_row(h, inv, &source, names.name[i], EL_SENSOR_PWM))
            r = -ENOMEM;
    }
    return r;
}

static int add_chip(struct el_hwmon *h, struct el_inventory *inv, const sensors_chip_name *chip)
{
    struct source base = {.chip = chip, .value = -1, .fault = -1};
    const char *dir = chip->path && chip->path[0] == '/' ? chip->path + 1 : "";
    const char *tag = strrchr(dir, '/');
    const sensors_feature *f;
    int r = 0, nr = 0;

    el_text_copy(base.tag, sizeof base.tag, tag ? tag + 1 : "chip");
    if (!el_sysfs_join(base.device, dir, "device") || !el_sysfs_exists(h->fs, base.device, ""))
        base.device[0] = '\0';
    while (r == 0 && (f = sensors_get_features(chip, &nr)))
        for (size_t k = 0; r == 0 && k < EL_ARRAY_SIZE(kinds); k++)
            if (kinds[k].feature == f->type)
                r = add_feature(h, inv, &base, f, &kinds[k]);
    return r == 0 && dir[0] ? add_pwms(h, inv, &base, dir) : r;
}

static const char *tag_of(void *ctx, uint32_t i)
{
    const struct el_hwmon *h = ctx;

    return h->source[i].tag;
}

static void forget(struct el_hwmon *h)
{
    free(h->source);
    h->source = NULL;
    h->n = 0;
    if (h->open)
        sensors_cleanup();
    h->open = false;
}

struct el_hwmon *el_hwmon_new(const struct el_sysfs *fs)
{
    struct el_hwmon *h = calloc(1, sizeof *h);

    if (h)
        h->fs = fs;
    return h;
}

struct el_hwmon *el_hwmon_free(struct el_hwmon *h)
{
    if (h)
        forget(h);
    free(h);
    return NULL;
}

int el_hwmon_discover(struct el_hwmon *h, struct el_inventory *inv)
{
    const sensors_chip_name *chip;
    int r = 0, nr = 0;

    forget(h);
    if (!el_sysfs_exists(h->fs, "sys/class/hwmon", "")) /* libsensors calls that an error; it is just no sensors */
        return 0;
    h->open = true; /* to be cleaned up even when it fails half way */
    if (sensors_init(NULL) != 0)
        return 0;
    while (r == 0 && (chip = sensors_get_detected_chips(NULL, &nr)))
        if (strcmp(chip->prefix, "nvme") != 0)
            r = add_chip(h, inv, chip);
    if (r == 0)
        el_sensor_make_unique(inv->sensors, inv->n.sensors, tag_of, h);
    return r;
}

static bool asleep(const struct el_hwmon *h, const struct source *source)
{
    char text[32];

    return source->device[0] && el_sysfs_line(h->fs, source->device, "power/runtime_status", text, sizeof text) == 0 &&
           strncmp(text, "suspend", 7) == 0;
}

static void read_pwm(const struct el_hwmon *h, const struct source *source, struct el_sensor *s, int64_t now_us)
{
    int64_t raw;

    if (el_sysfs_i64(h->fs, "", source->pwm, &raw) == 0)
        s->value = el_sensor_reading(s->kind, (double)raw, now_us);
    else
        s->value.quality = EL_FAILED;
}

static int64_t limit(const struct source *source, int subfeature, enum el_sensor_kind kind, int64_t none)
{
    return el_sensor_limit(kind, get(source->chip, subfeature, NAN) * source->to_raw, none);
}

/* Limits once: on some chips each is a transaction on a slow bus. */
static void fill_limits(struct source *source, struct el_sensor *s)
{
    if (!source->limits_known) {
        source->limit_min = limit(source, source->min, s->kind, INT64_MIN);
        source->limit_max = limit(source, source->max, s->kind, INT64_MAX);
        if (source->limit_max == INT64_MAX)
            source->limit_max = limit(source, source->max2, s->kind, INT64_MAX);
        source->limits_known = true;
    }
    s->limit_min = source->limit_min;
    s->limit_max = source->limit_max;
}

void el_hwmon_read(struct el_hwmon *h, uint32_t i, struct el_sensor *s, int64_t now_us)
{
    struct source *source;
    double v;

    if (i >= h->n) {
        s->value.quality = EL_FAILED;
        return;
    }
    source = &h->source[i];
    if (asleep(h, source)) {
        if (s->value.quality == EL_GOOD)
            s->value.quality = EL_STALE;
        return;
    }
    if (source->pwm[0]) {
        read_pwm(h, source, s, now_us);
        return;
    }
    fill_limits(source, s);
    v = get(source->chip, source->value, NAN);
    if (isnan(v))
        s->value.quality = EL_FAILED;
    else
        s->value = el_sensor_reading(s->kind, v * source->to_raw, now_us);
    s->alarm = false;
    for (int k = 0; k < ALARMS; k++)
        s->alarm |= get(source->chip, source->alarm[k], 0) == 1;
    s->fault = get(source->chip, source->fault, 0) == 1;
    if (s->fault && s->kind == EL_SENSOR_TEMPERATURE && s->value.quality == EL_GOOD)
        s->value.quality = EL_FAILED; /* an open diode: the number beside it is noise */
}

const char *el_hwmon_pwm(const struct el_hwmon *h, uint32_t i)
{
    return i < h->n && h->source[i].pwm[0] ? h->source[i].pwm : NULL;
}
