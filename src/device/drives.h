/* The live drives behind their keys: one open descriptor each, so that a name of the day that moves on to another drive
 * can never answer for this one. Thread-safe: the tick discovers while workers send commands, and a worker may be stuck
 * in the kernel for ever. */
#pragma once

#include "device/disks.h"
#include "device/uevent.h"
#include "model/device.h"

struct el_drives;

struct el_drives *el_drives_new(const struct el_sysfs *fs, uint32_t timeout_ms); /* `fs` is kept; NULL: out of memory */

/* Frees (takes NULL) and says true, unless a command is still in the kernel: then its memory, and what `fs` points to,
 * must live to the end of the process. */
bool el_drives_free(struct el_drives *d);

/* Gives each slot with a controller its key, and closes what is no longer there. Names the slots whose drives are new,
 * were told of in `news`, or look different from last time: state, firmware, namespaces. 0 or -ENOMEM. */
int el_drives_update(struct el_drives *d, struct el_inventory *inv, const struct el_uevents *news);

/* Sends a command. 0, NVMe status > 0, or -errno: -ENODEV it is gone or dead, -EAGAIN a reset is under way,
 * -EHOSTDOWN it is suspended and was not woken, -EACCES/-EPERM CAP_SYS_ADMIN is missing. Blocks: a log asked for in the
 * first reset after a good command waits for its end. */
int el_drives_admin(struct el_drives *d, uint32_t key, struct el_admin *cmd);

/* Finds out, once for all drives, which of their block devices are still the same; the answer holds for ten
 * milliseconds. Not `anew`: does nothing while the last answer still holds. */
void el_drives_ask_disks(struct el_drives *d, bool anew);

/* The block devices found by the last discovery that are still the same. Free with el_disks_free. 0, -ENODEV (the drive
 * is gone) or -ENOMEM. */
int el_drives_disks(struct el_drives *d, uint32_t key, struct el_disks *out);

/* The I/O of its block devices so far. 0, or -errno with `io` untouched. */
int el_drives_io(struct el_drives *d, uint32_t key, struct el_slot_io *io);

/* What earlier answers have told about a drive: asking again would cost commands, and could block. */
struct el_drive_facts {
    bool identified;
    struct el_nvme_identify identify; /* of the last Identify Controller */
    int power_management, hctm;       /* last Get Features 02h, 10h: 0, status > 0, -errno; 1 << 16 = not asked yet */
};
#define EL_DRIVE_NOT_ASKED (1 << 16)

/* False when the drive is gone. */
bool el_drives_facts(struct el_drives *d, uint32_t key, struct el_drive_facts *out);
