/* Host I/O per drive as the block layer counts it, and which md array a drive belongs to. */
#pragma once

#include "device/disks.h"
#include "model/device.h"

/* Sums the counters of all disks of a drive (several namespaces; under multipath the hidden paths, so that each
 * drive of a multipath set counts its own I/O; the heads only where the paths are not listed). From each disk's `stat`
 * file, else from proc/diskstats. 0 or -errno: `io` untouched. */
int el_blkio_read(const struct el_sysfs *fs, const struct el_disks *disks, int64_t now_us, struct el_slot_io *io);

/* The same from open files alone: a quarter of the cost (measured), and nothing that waits for a drive. -ENODATA, `io`
 * untouched: not every disk has one, or one has gone. */
int el_blkio_reread(const struct el_disks *disks, int64_t now_us, struct el_slot_io *io);

/* Fills array and array_level of every slot from the md arrays above its namespaces or their partitions, directly or
 * through dm devices; a spare that waits is in none. */
void el_blkio_arrays(const struct el_sysfs *fs, struct el_inventory *inv);

/* The ZFS pool that a disk or one of its partitions belongs to, by what udev found on it (its label is the pool's name)
 * or by a partition that ZFS named itself (no pool name then: ""). False: none, or nobody looked. `imported`: ZFS uses
 * it now. */
bool el_blkio_zfs(const struct el_sysfs *fs, const char *block, char *pool, size_t size, bool *imported);
