/* Board sensors, independent of what reads them: which numbers can be true, their names, and the meaning that settings
 * give them. */
#pragma once

#include "model/settings.h"
#include "model/snapshot.h"

/* How a source spells a kind: hwmon's file prefix and the factor from its unit to ours. */
struct el_sensor_unit {
    const char *prefix; /* "temp" */
    enum el_sensor_kind kind;
    double to_ours;  /* raw x this = el_sensor value (mC, rpm, ppm, mV, mA, mW, ppm) */
    double per_base; /* our units in one base unit (C, rpm, ratio, V, A, W, ratio, LFM) */
};
const struct el_sensor_unit *el_sensor_unit(enum el_sensor_kind kind);
const struct el_sensor_unit *el_sensor_unit_of(const char *prefix, size_t n); /* NULL: no kind of ours */

/* Whether `raw`, in the unit of hwmon files, can be a reading: no sentinel of a register that read all ones (fans 65535
 * and 4294967295, powers FFFFFFFFh), no -273150, and inside a wide window per kind (assumed: -150..250 C, 0..60000 rpm,
 * +-1 kV, +-10 kA, +-100 kW, 0..100 %). Negative currents and powers are true. */
bool el_sensor_plausible(enum el_sensor_kind kind, double raw);

/* The reading of a raw value: good or implausible. */
struct el_reading el_sensor_reading(enum el_sensor_kind kind, double raw, int64_t now_us);

/* A limit file's value in our unit, or `none` when it cannot be one (65261850, -273150). */
int64_t el_sensor_limit(enum el_sensor_kind kind, double raw, int64_t none);

/* Gives `s` the role of its map, and applies scale, offset and range to its fresh reading. Once after each read. */
void el_sensor_apply(const struct el_sensor_map *map, struct el_sensor *s);

/* A sensor that comes from a file: first line, a decimal number in base units; age by the file's modification time. */
void el_sensor_read_file(const struct el_sensor_map *map, struct el_sensor *s, int64_t now_us, int64_t realtime_us);

/* Sensors of the same name get their device's present number ("-hwmon7") added to the chip's part, so that names stay
 * unique. `tag` gives it for row i. */
void el_sensor_make_unique(struct el_sensor *s, uint32_t n, const char *(*tag)(void *ctx, uint32_t i), void *ctx);
