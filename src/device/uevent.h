/* Kernel uevents: the news that something came, went or changed. */
#pragma once

#include <stdbool.h>

/* Socket that turns readable on uevents. Descriptor, or -errno (containers have none: rescans do it then). */
int el_uevent_open(void);

/* What the news is about, the weightiest of all that was waiting. Disks send many that change nothing we show. */
enum el_uevent { EL_UEVENT_NONE = 0, EL_UEVENT_DISK, EL_UEVENT_DEVICE /* NVMe, PCI, hwmon; or news were lost */ };

/* Reads all that is waiting. */
enum el_uevent el_uevent_drain(int fd);
