/* What `elementd doctor` looks at: each check says what it found, in its own words. */
#pragma once

#include <stdarg.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "device/device.h"
#include "device/sysfs.h"

enum el_doctor_level { EL_DOCTOR_GOOD, EL_DOCTOR_NOTE, EL_DOCTOR_BAD }; /* works; less than it could; does not */

struct el_doctor {
    struct el_settings settings;
    struct el_device device;
    struct el_inventory inv;
    struct el_sysfs fs;
    json_t *findings; /* NULL: print */
    enum el_doctor_level worst;
};

/* `fix`: lines that mend it, NULL for none. */
void el_doctor_find(struct el_doctor *d, enum el_doctor_level level, const char *topic, const char *fix,
                    const char *fmt, ...) EL_PRINTF(5, 6);

/* doctor_machine.c: what is in it and what the kernel lets us do */
void el_doctor_rights(struct el_doctor *d);
void el_doctor_drives(struct el_doctor *d);
void el_doctor_caps(struct el_doctor *d);
void el_doctor_kernel(struct el_doctor *d);
void el_doctor_sensors(struct el_doctor *d);

/* doctor_programs.c: who else runs on it */
void el_doctor_daemon(struct el_doctor *d);
void el_doctor_processes(struct el_doctor *d);
void el_doctor_snmp(struct el_doctor *d);
