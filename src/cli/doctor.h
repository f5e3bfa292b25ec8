/* The checks of `elementd doctor`. Each reports what it found in its own words. */
#pragma once

#include <stdarg.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "device/device.h"
#include "device/sysfs.h"

/* It works; it works less well than it could; it does not work. */
enum el_doctor_level { EL_DOCTOR_GOOD, EL_DOCTOR_NOTE, EL_DOCTOR_BAD };

struct el_doctor {
    struct el_settings settings;
    struct el_device device;
    struct el_inventory inv;
    struct el_sysfs fs;
    json_t *findings; /* NULL: print */
    enum el_doctor_level worst;
};

/* `fix`: lines that repair it; NULL = none. */
void el_doctor_find(struct el_doctor *d, enum el_doctor_level level, const char *topic, const char *fix,
                    const char *fmt, ...) EL_PRINTF(5, 6);

/* doctor_machine.c: what is in the machine, and what the kernel lets us do */
void el_doctor_rights(struct el_doctor *d);
void el_doctor_drives(struct el_doctor *d);
void el_doctor_caps(struct el_doctor *d);
void el_doctor_kernel(struct el_doctor *d);
void el_doctor_sensors(struct el_doctor *d);

/* doctor_programs.c: which other programs matter */
void el_doctor_daemon(struct el_doctor *d);
void el_doctor_processes(struct el_doctor *d);
void el_doctor_snmp(struct el_doctor *d);
