/* Records what the kernel and the drives say into a folder that el_recorded_open replays (layout: recorded.h). What
 * names one machine among others is left out or replaced: serials, NQNs, GUIDs, and everything that is not on the list
 * of files to copy. Reading is all it does to the machine. */
#pragma once

#include "device/sysfs.h"
#include "model/device.h"

/* The text trees that belong to `inv`, from the machine at `fs` below the existing folder `out`. What cannot be read is
 * recorded as the error it gave. 0, or -errno when the folder cannot be written. */
int el_capture_tree(const struct el_sysfs *fs, const struct el_inventory *inv, const char *out);

/* The answer to one admin command of the drive in slot row `row`: `r` is what sending it returned. Refusals are not
 * recorded (a missing page is a refusal). 0 or -errno. */
int el_capture_answer(const char *out, const struct el_inventory *inv, uint32_t row, const struct el_admin *cmd, int r);

/* What stands for the serial of the drive in slot row `row`: the same for drives that say the same. */
void el_capture_serial(const struct el_inventory *inv, uint32_t row, char text[21]);
