/* Fan duty (hwmon pwmN with pwmN_enable). `pwm` is the file's path below the root. One thread. */
#pragma once

#include "device/sysfs.h"

int el_fan_usable(const struct el_sysfs *fs, const char *pwm, char *why, size_t why_size);
int el_fan_save(const struct el_sysfs *fs, const char *pwm, char *text, size_t size); /* "pwm=128 enable=2" */

/* Manual control at `ratio` of full (0..1, finite; else -EINVAL and nothing is written). */
int el_fan_write(const struct el_sysfs *fs, const char *pwm, double ratio);

/* The present duty. -EBUSY when control is no longer manual: someone else took the fan. */
int el_fan_read(const struct el_sysfs *fs, const char *pwm, double *ratio);

/* Leaves a fan alone that is no longer under manual control. */
int el_fan_restore(const struct el_sysfs *fs, const char *pwm, const char *text);
