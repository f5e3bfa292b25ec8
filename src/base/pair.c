#include "base/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE     4096u
#define MAP_MOST (1u << 20) /* mapping larger frames would cost more in resident pages than it saves */

void el_file_pair_init(struct el_file_pair *p)
{
    *p = (struct el_file_pair){.fd = -1};
}

static void drop(struct el_file_pair *p)
{
    if (p->map)
        munmap(p->map, 2 * p->room);
    if (p->fd >= 0)
        close(p->fd);
    el_file_pair_init(p);
}

/* Still under its name and as long as we made it, so the mapping can be written. */
static bool is_ours(const struct el_file_pair *p)
{
    struct stat st;

    return p->fd >= 0 && fstat(p->fd, &st) == 0 && st.st_nlink == 1 && st.st_size == (off_t)(2 * p->room);
}

/* Allocates all pages of both frames now, so that copying into them cannot fail later. */
static int make(struct el_file_pair *p, int dirfd, const char *name, size_t n, mode_t mode)
{
    int r;

    drop(p);
    if (unlinkat(dirfd, name, 0) < 0 && errno != ENOENT)
        return -errno;
    p->fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (p->fd < 0 || fchmod(p->fd, mode) < 0)
        return -errno;
    p->room = (n / PAGE + 2) * PAGE; /* with a page to spare, as the content's size varies */
    do
        r = posix_fallocate(p->fd, 0, (off_t)(2 * p->room));
    while (r == EINTR);
    if (r != 0)
        return -r;
    if (p->room > MAP_MOST)
        return 0;
    p->map = mmap(NULL, 2 * p->room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, p->fd, 0);
    if (p->map == MAP_FAILED)
        p->map = NULL;
    return 0;
}

static int put(const struct el_file_pair *p, const char *bytes, size_t n)
{
    size_t frame = p->second ? p->room : 0, at = 0;

    if (p->map) {
        memcpy(p->map + frame, bytes, n);
        return futimens(p->fd, NULL) < 0 ? -errno : 0; /* a write to a mapping does not update the file's times */
    }
    while (at < n) {
        ssize_t w = pwrite(p->fd, bytes + at, n - at, (off_t)(frame + at));

        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return -errno;
        at += (size_t)w;
    }
    return 0;
}

static int replace(struct el_file_pair *p, int dirfd, const char *name, const void *bytes, size_t n, mode_t mode)
{
    char fresh[NAME_MAX + 1];
    int r;

    if ((size_t)snprintf(fresh, sizeof fresh, "%s.new", name) >= sizeof fresh)
        return -ENAMETOOLONG;
    r = make(p, dirfd, fresh, n, mode);
    if (r == 0)
        r = put(p, bytes, n);
    if (r == 0 && renameat(dirfd, fresh, dirfd, name) < 0)
        r = -errno;
    if (r < 0) {
        unlinkat(dirfd, fresh, 0);
        drop(p);
    }
    return r;
}

int el_file_pair_write(struct el_file_pair *p, int dirfd, const char *name, const void *bytes, size_t n, mode_t mode)
{
    int r = n <= p->room && is_ours(p) ? put(p, bytes, n) : replace(p, dirfd, name, bytes, n, mode);

    if (r == 0)
        p->second = !p->second;
    return r;
}

void el_file_pair_remove(struct el_file_pair *p, int dirfd, const char *name)
{
    unlinkat(dirfd, name, 0);
    drop(p);
}
