/* The actuators of the live machine behind one set of calls, by key (see model/device.h). Calls for one key come from
 * one thread at a time; different keys may come from different threads. */
#pragma once

#include "device/drives.h"

struct el_acting;

struct el_acting *el_acting_new(const struct el_sysfs *fs,
                                struct el_drives *drives); /* both are kept; NULL: out of memory */

/* Frees (takes NULL), unless a write is still in the kernel: then its memory is left to the end of the process.
 * Restores nothing. True when it is gone. */
bool el_acting_free(struct el_acting *a);

/* `pwm`: the fan duty file of a fan's key, else NULL. */
int el_acting_usable(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm, char *why,
                     size_t why_size);
int el_acting_save(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm, char *text, size_t size);
int el_acting_write(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm,
                    const struct el_actuator_value *v);
void el_acting_survey(struct el_acting *a, bool anew); /* see actuator_survey in model/device.h */
int el_acting_read(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm,
                   struct el_actuator_value *out);
int el_acting_restore(struct el_acting *a, enum el_actuator what, uint32_t key, const char *pwm, const char *text);
