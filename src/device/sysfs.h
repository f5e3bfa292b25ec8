/* Text trees of the kernel (sysfs, procfs), on the live machine or recorded in a folder. All paths are relative to the
 * root and never leave it. Every file may be missing, empty, unreadable, garbage or gone between two reads: callers get
 * -errno and keep what they have. In a recorded tree a file whose text is `!EIO` (any errno name) stands for a read
 * that failed with that error. Thread-safe: no state but the descriptor. */
#pragma once

#include "base/buf.h"

#define EL_SYSFS_PATH  512
#define EL_CLASS_NVME  "sys/class/nvme"
#define EL_PCI_DEVICES "sys/bus/pci/devices"

struct el_sysfs {
    int root;      /* directory descriptor, owned by whoever opened it */
    bool recorded; /* a folder: `!ERRNO` files are errors, attributes that are symlinks are refused */
};

/* First line of dir/name, cleaned of control characters and bad UTF-8. 0, -errno, -ENODATA when empty. `dir` may be "".
 */
int el_sysfs_line(const struct el_sysfs *fs, const char *dir, const char *name, char *out, size_t size);

/* The same as a number (decimal, or hexadecimal after 0x). -EINVAL when it is none. */
int el_sysfs_i64(const struct el_sysfs *fs, const char *dir, const char *name, int64_t *out);

/* Appends the bytes of dir/name, at most `max`. 0 or -errno; a recorded error is returned as such. */
int el_sysfs_bytes(const struct el_sysfs *fs, const char *dir, const char *name, size_t max, struct el_buf *out);

/* The first `n` bytes of dir/name into `out`, and no byte more is asked for (reading a configuration space is not
 * free). How many there were, or -errno. */
int el_sysfs_head(const struct el_sysfs *fs, const char *dir, const char *name, void *out, size_t n);

/* `path` with every symlink followed inside the root: "sys/devices/...", no leading slash. 0 or -errno. */
int el_sysfs_real(const struct el_sysfs *fs, const char *path, char out[EL_SYSFS_PATH]);

/* Last component of what the symlink dir/name points to (a driver's or group's name), resolved or not. 0 or -errno. */
int el_sysfs_link_name(const struct el_sysfs *fs, const char *dir, const char *name, char *out, size_t size);

bool el_sysfs_exists(const struct el_sysfs *fs, const char *dir, const char *name);

/* Names in a directory, hidden ones skipped, in the order of strverscmp (nvme2 before nvme10). A missing directory is
 * an empty list. Free with el_names_free. 0 or -errno. */
struct el_names {
    char (*name)[64];
    uint32_t n;
};
int el_sysfs_list(const struct el_sysfs *fs, const char *dir, struct el_names *out);
void el_names_free(struct el_names *names);
#define EL_AUTO_NAMES __attribute__((cleanup(el_names_free)))

/* "dir/name" into `out`, which is neither; false, and "", when it does not fit. */
bool el_sysfs_join(char out[EL_SYSFS_PATH], const char *dir, const char *name);
