/* Actuators inside the drive: power states (Feature 02h) and host controlled thermal management (Feature 10h). What a
 * drive can do is known from its Identify page and features when they were polled (el_drives_facts), so `usable` sends
 * nothing and never blocks. Firmware known to be bad is on a list with sources. The save bit and non-operational states
 * are never used. Thread-safe as el_drives is; all but `usable` can block. */
#pragma once

#include "device/drives.h"

int el_feature_usable(struct el_drives *d, enum el_actuator a, uint32_t key, char *why, size_t why_size);
int el_feature_save(struct el_drives *d, enum el_actuator a, uint32_t key, char *text, size_t size);
int el_feature_write(struct el_drives *d, enum el_actuator a, uint32_t key, const struct el_actuator_value *v);
int el_feature_read(struct el_drives *d, enum el_actuator a, uint32_t key, struct el_actuator_value *out);
int el_feature_restore(struct el_drives *d, enum el_actuator a, uint32_t key, const char *text);
