#include "device/sensor.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/num.h"
#include "base/text.h"

static const struct {
    struct el_sensor_unit unit;
    double min, max; /* of raw values */
} kinds[EL_SENSOR_KIND_COUNT] = {
    [EL_SENSOR_TEMPERATURE] = {{"temp", EL_SENSOR_TEMPERATURE, 1, 1e3}, -150e3, 250e3},
    [EL_SENSOR_FAN] = {{"fan", EL_SENSOR_FAN, 1, 1}, 0, 60000},
    [EL_SENSOR_PWM] = {{"pwm", EL_SENSOR_PWM, 1e6 / 255, 1e6}, 0, 255},
    [EL_SENSOR_VOLTAGE] = {{"in", EL_SENSOR_VOLTAGE, 1, 1e3}, -1e6, 1e6},
    [EL_SENSOR_CURRENT] = {{"curr", EL_SENSOR_CURRENT, 1, 1e3}, -10e6, 10e6},
    [EL_SENSOR_POWER] = {{"power", EL_SENSOR_POWER, 1e-3, 1e3}, -60e9, 60e9},
    [EL_SENSOR_HUMIDITY] = {{"humidity", EL_SENSOR_HUMIDITY, 10, 1e6}, 0, 100e3},
    [EL_SENSOR_AIRFLOW] = {{"airflow", EL_SENSOR_AIRFLOW, 1, 1e3}, 0, 5e6},
};

const struct el_sensor_unit *el_sensor_unit(enum el_sensor_kind kind)
{
    return &kinds[kind].unit;
}

const struct el_sensor_unit *el_sensor_unit_of(const char *prefix, size_t n)
{
    for (size_t k = 0; k < EL_ARRAY_SIZE(kinds); k++)
        if (k != EL_SENSOR_AIRFLOW && strlen(kinds[k].unit.prefix) == n &&
            strncmp(kinds[k].unit.prefix, prefix, n) == 0)
            return &kinds[k].unit;
    return NULL;
}

/* A 32-bit register that read all ones, or a small negative number shown unsigned, in the file's unit or one step up.
 */
static bool all_ones(double raw)
{
    const double top = 4294967296.0, near = 65536;

    return (raw >= top - near && raw < top) || (raw >= (top - near) * 1000 && raw < top * 1000);
}

bool el_sensor_plausible(enum el_sensor_kind kind, double raw)
{
    return isfinite(raw) && raw >= kinds[kind].min && raw <= kinds[kind].max && !all_ones(raw);
}

struct el_reading el_sensor_reading(enum el_sensor_kind kind, double raw, int64_t now_us)
{
    struct el_reading r = {.time_us = now_us, .quality = EL_IMPLAUSIBLE};

    if (el_sensor_plausible(kind, raw))
        r.quality = EL_GOOD;
    if (isfinite(raw) && fabs(raw) < 1e15)
        r.value = llround(raw * kinds[kind].unit.to_ours);
    return r;
}

int64_t el_sensor_limit(enum el_sensor_kind kind, double raw, int64_t none)
{
    return el_sensor_plausible(kind, raw) ? llround(raw * kinds[kind].unit.to_ours) : none;
}

void el_sensor_apply(const struct el_sensor_map *map, struct el_sensor *s)
{
    double per_base = kinds[s->kind].unit.per_base, scale = map->scale == 0 ? 1 : map->scale, base;

    s->role = map->role;
    if (s->value.quality != EL_GOOD)
        return;
    base = (double)s->value.value / per_base * scale + map->offset;
    if ((isfinite(map->min) && base < map->min) || (isfinite(map->max) && base > map->max))
        s->value.quality = EL_IMPLAUSIBLE;
    s->value.value = llround(base * per_base);
}

void el_sensor_read_file(const struct el_sensor_map *map, struct el_sensor *s, int64_t now_us, int64_t realtime_us)
{
    const char *path = map->source + strlen("file:");
    EL_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char line[EL_NUM_MAX];
    double base, per_base = kinds[s->kind].unit.per_base;
    struct stat st;
    int64_t age_us;

    if (fd < 0 || fstat(fd, &st) < 0 || el_file_read_line(AT_FDCWD, path, line, sizeof line) < 0 ||
        el_num_parse_double(line, &base) < 0) {
        s->value.quality = EL_FAILED;
        return;
    }
    /* A clock that jumped, or a file dated in the future, is as doubtful as an old one. */
    age_us = llabs(realtime_us - ((int64_t)st.st_mtim.tv_sec * EL_USEC_PER_SEC + st.st_mtim.tv_nsec / 1000));
    s->value = el_sensor_reading(s->kind, base * per_base / kinds[s->kind].unit.to_ours, now_us - age_us);
    el_sensor_apply(map, s);
    if (s->value.quality == EL_GOOD && (double)age_us > map->max_age_s * EL_USEC_PER_SEC)
        s->value.quality = EL_STALE;
}

void el_sensor_make_unique(struct el_sensor *s, uint32_t n, const char *(*tag)(void *ctx, uint32_t i), void *ctx)
{
    for (uint32_t i = 0; i < n; i++) {
        bool twin = false;
        char feature[32], name[sizeof s->name];
        const char *slash = strrchr(s[i].name, '/');

        for (uint32_t k = 0; k < n; k++)
            twin |= k != i && strcmp(s[i].name, s[k].name) == 0;
        if (!twin || !slash)
            continue;
        /* All of one name are changed together: the last one found alone would keep a name that moves between boots. */
        for (uint32_t k = n; k-- > i;)
            if (strcmp(s[k].name, s[i].name) == 0) {
                slash = strrchr(s[k].name, '/');
                el_text_copy(feature, sizeof feature, slash);
                snprintf(name, sizeof name, "%.*s-%s%s", (int)(slash - s[k].name), s[k].name, tag(ctx, k), feature);
                memcpy(s[k].name, name, sizeof name);
            }
    }
}
