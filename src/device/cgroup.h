/* The cgroup v2 tree, as far as I/O control needs it. Thread-safe. */
#pragma once

#include "base/buf.h"
#include "device/sysfs.h"

#define EL_CGROUP_ROOT "sys/fs/cgroup"

/* "259:3" of a block device ("nvme3n1", hidden paths too). 0 or -errno. */
int el_cgroup_device(const struct el_sysfs *fs, const char *controller, const char *disk, char out[24]);

/* Whether the io controller is on for the children of the root. Without it the kernel accepts caps and applies none. 0;
 * -ENOENT: no cgroup v2 root here; -ENOTSUP: the kernel has no io controller; -ENOLCK: it is there, but switched off.
 */
int el_cgroup_io_controller(const struct el_sysfs *fs);

/* The line of `device` in a file with one line per device, without the device number. 0, -ENODATA when there is none.
 */
int el_cgroup_line(const struct el_sysfs *fs, const char *dir, const char *file, const char *device,
                   struct el_buf *out);

/* Value of `key=` in such a line as a number ("max" is UINT64_MAX; fractions are cut). False when it is not there. */
bool el_cgroup_value(const char *line, const char *key, uint64_t *out);

/* Writes "DEVICE TEXT" to dir/file: one write(2), which can block for long while the device does not answer. 0 or
 * -errno. */
int el_cgroup_write(const struct el_sysfs *fs, const char *dir, const char *file, const char *device, const char *text);
