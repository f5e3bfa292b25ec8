/* hwmon read as text, for recorded machines (the live host goes through libsensors, hwmon.c). Same names, same rules.
 */
#pragma once

#include "device/sysfs.h"
#include "model/device.h"

/* Where one sensor's files are. */
struct el_hwtext_place {
    char dir[EL_SYSFS_PATH];
    char feature[16]; /* "temp1" */
    char value[24];   /* "temp1_input" */
    char tag[16];     /* "hwmon3": of the day */
};

struct el_hwtext {
    struct el_hwtext_place *place; /* one per sensor row, same order */
    uint32_t n;
};

/* Sensor rows into `inv` (which has none yet), their places into `t` (empty). NVMe chips are skipped: their drives are
 * asked directly. 0 or -errno; no hwmon at all is no error. */
int el_hwtext_discover(const struct el_sysfs *fs, struct el_inventory *inv, struct el_hwtext *t);
void el_hwtext_free(struct el_hwtext *t);

/* Fresh value, alarm and fault. An empty file is no value (absent); an error is `failed`, and the next call tries
 * again. */
void el_hwtext_read(const struct el_sysfs *fs, const struct el_hwtext_place *p, struct el_sensor *s, int64_t now_us);
