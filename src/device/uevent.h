/* Kernel uevents: notices that something came, went or changed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Socket that turns readable on uevents. Descriptor, or -errno (containers have none: rescans do it then). */
int el_uevent_open(void);

/* What the notices are about: the weightiest of all that were waiting. Disks send many that change nothing we show, and
 * `udevadm trigger` does so for every device: a look at the names tells. */
enum el_uevent { EL_UEVENT_NONE = 0, EL_UEVENT_LOOK, EL_UEVENT_DEVICE /* came or went */ };

#define EL_UEVENT_NAMES 64
struct el_uevents {
    enum el_uevent most;
    bool all; /* notices were lost, or named too many: any controller may have changed */
    uint32_t n;
    char controller[EL_UEVENT_NAMES][16]; /* their driver reported a change: a reset, an event, ... */
};

/* Reads all that is waiting, and adds it to `news`. */
void el_uevents_drain(int fd, struct el_uevents *news);
bool el_uevents_name(const struct el_uevents *news, const char *controller);

/* One message ("action@path\0KEY=value\0...", NUL-terminated behind its `n` bytes), added to `news`. */
void el_uevents_take(const char *message, size_t n, struct el_uevents *news);
