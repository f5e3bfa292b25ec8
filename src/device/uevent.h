/* Kernel uevents: the news that something came, went or changed. */
#pragma once

#include <stdbool.h>

/* Socket that turns readable on uevents. Descriptor, or -errno (containers have none: rescans do it then). */
int el_uevent_open(void);

/* Reads all that is waiting; true when some of it concerns NVMe, PCI or hwmon devices, or some was lost. */
bool el_uevent_drain(int fd);
