/* Board sensors of the live machine: the only user of libsensors (so /etc/sensors3.conf counts). Fan duty (pwm), which
 * libsensors does not know, is read beside it. Callers keep to one thread at a time. */
#pragma once

#include "device/sysfs.h"
#include "model/device.h"

struct el_hwmon;

/* NULL: out of memory. Chips are looked for in el_hwmon_discover. */
struct el_hwmon *el_hwmon_new(const struct el_sysfs *fs); /* `fs` is kept, not copied */
struct el_hwmon *el_hwmon_free(struct el_hwmon *h);       /* takes NULL, returns NULL */

/* Looks at the machine anew and puts sensor rows into `inv` (which has none), in the order used by el_hwmon_read. NVMe
 * chips are skipped, because each reading of theirs costs an admin command. No device is asked anything yet: limits
 * come with the first reading. 0 or -errno; a machine without sensors is no error. */
int el_hwmon_discover(struct el_hwmon *h, struct el_inventory *inv);

/* Fresh value, alarm and fault of sensor `i`. A suspended device is not woken: its reading turns stale. */
void el_hwmon_read(struct el_hwmon *h, uint32_t i, struct el_sensor *s, int64_t now_us);

/* Path of the fan duty file of sensor `i` below the root ("sys/class/hwmon/hwmon2/pwm1"); NULL when it is none. */
const char *el_hwmon_pwm(const struct el_hwmon *h, uint32_t i);
