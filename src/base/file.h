/* Small files, read and replaced whole. Thread-safe. */
#pragma once

#include <sys/stat.h>

#include "base/buf.h"

/* Reads at most `max` bytes of `path` below `dirfd` (AT_FDCWD allowed) into `out`. 0 or -errno (-EFBIG when longer). */
int el_file_read(int dirfd, const char *path, size_t max, struct el_buf *out);

/* One attribute of sysfs or the like: its first line without the newline. 0, -errno, -ENODATA when empty. */
int el_file_read_line(int dirfd, const char *path, char *out, size_t size);
int el_file_read_i64(int dirfd, const char *path, int64_t *out); /* -EINVAL when it is no number */

/* Writes a file that is there already (sysfs, cgroup) in one write(2). 0 or -errno. */
int el_file_write_attr(int dirfd, const char *path, const char *text);

/* The same two for a file that is kept open: reads all of it from its start; one write(2) at its start. */
int el_file_reread(int fd, size_t max, struct el_buf *out);
int el_file_rewrite(int fd, const char *text);

/* Replaces `path` by a new file of `mode` (write beside it, rename). With `durable`, fsync of file and directory too.
 * Readers see the old or the new bytes, never a mix. 0 or -errno; on failure the old file stands. */
int el_file_replace(int dirfd, const char *path, const void *bytes, size_t n, unsigned mode, bool durable);

/* True when `path` is another file than `*seen`, or its content, owner or mode has changed; `*seen` is then updated. A
 * missing file is no change: it may just be being replaced. */
bool el_file_changed(const char *path, struct stat *seen);

/* mkdir -p. 0 or -errno. */
int el_file_make_dirs(const char *path, unsigned mode);
