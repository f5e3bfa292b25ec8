#include "base/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void el_file_pair_init(struct el_file_pair *p)
{
    *p = (struct el_file_pair){.live_fd = -1, .spare_fd = -1};
    signal(SIGIO, SIG_IGN);
}

static void drop(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int put_all(int fd, const char *bytes, size_t n)
{
    off_t at = 0;

    while ((size_t)at < n) {
        ssize_t w = pwrite(fd, bytes + at, n - (size_t)at, at);

        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return -errno;
        at += w;
    }
    return 0;
}

/* The kernel grants a write lease only on a file that nobody else has open or mapped. It is given back at once: under
 * the lease a reader of the published file would have to wait for us. The spare has no reader that knows its name. */
static bool spare_is_free(const struct el_file_pair *p, int dirfd, const char *spare)
{
    struct stat st;

    return p->spare_fd >= 0 && fstatat(dirfd, spare, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == p->spare_ino &&
           st.st_dev == p->spare_dev && fcntl(p->spare_fd, F_SETLEASE, F_WRLCK) == 0 &&
           fcntl(p->spare_fd, F_SETLEASE, F_UNLCK) == 0;
}

/* Opened anew under a name that is free: what had the name may be in somebody's hands. */
static int fresh_spare(struct el_file_pair *p, int dirfd, const char *spare, mode_t mode)
{
    struct stat st;

    drop(&p->spare_fd);
    if (unlinkat(dirfd, spare, 0) < 0 && errno != ENOENT)
        return -errno;
    p->spare_fd = openat(dirfd, spare, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (p->spare_fd < 0 || fchmod(p->spare_fd, mode) < 0 || fstat(p->spare_fd, &st) < 0)
        return -errno;
    p->spare_dev = st.st_dev;
    p->spare_ino = st.st_ino;
    p->spare_size = 0;
    return 0;
}

/* The spare takes the name. What had the name becomes the spare if it is ours, and goes otherwise. */
static int publish(struct el_file_pair *p, int dirfd, const char *spare, const char *name)
{
    int fd = p->spare_fd;
    size_t size = p->spare_size;
    dev_t dev = p->spare_dev;
    ino_t ino = p->spare_ino;

    if (p->live_fd >= 0 && renameat2(dirfd, spare, dirfd, name, RENAME_EXCHANGE) == 0) {
        p->spare_fd = p->live_fd;
        p->spare_dev = p->live_dev;
        p->spare_ino = p->live_ino;
        p->spare_size = p->live_size;
    } else if (renameat(dirfd, spare, dirfd, name) == 0) {
        drop(&p->live_fd);
        p->spare_fd = -1;
    } else {
        return -errno;
    }
    p->live_fd = fd;
    p->live_dev = dev;
    p->live_ino = ino;
    p->live_size = size;
    return 0;
}

int el_file_pair_write(struct el_file_pair *p, int dirfd, const char *name, const void *bytes, size_t n, mode_t mode)
{
    char spare[NAME_MAX + 1];
    int r = 0;

    if ((size_t)snprintf(spare, sizeof spare, "%s.new", name) >= sizeof spare)
        return -ENAMETOOLONG;
    if (!spare_is_free(p, dirfd, spare))
        r = fresh_spare(p, dirfd, spare, mode);
    if (r == 0)
        r = put_all(p->spare_fd, bytes, n);
    if (r == 0 && p->spare_size > n && ftruncate(p->spare_fd, (off_t)n) < 0)
        r = -errno;
    p->spare_size = n;
    if (r == 0)
        r = publish(p, dirfd, spare, name);
    if (r < 0) {
        unlinkat(dirfd, spare, 0);
        drop(&p->spare_fd);
    }
    return r;
}

void el_file_pair_remove(struct el_file_pair *p, int dirfd, const char *name)
{
    char spare[NAME_MAX + 1];

    snprintf(spare, sizeof spare, "%.240s.new", name);
    unlinkat(dirfd, name, 0);
    unlinkat(dirfd, spare, 0);
    drop(&p->live_fd);
    drop(&p->spare_fd);
}
