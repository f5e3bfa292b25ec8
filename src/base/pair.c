#include "base/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_MOST (1u << 20) /* larger files are not worth the resident pages: copying is all they cost */

static const struct el_file_half none = {.fd = -1};

void el_file_pair_init(struct el_file_pair *p)
{
    p->live = p->spare = none;
    signal(SIGIO, SIG_IGN);
}

static void unmap(struct el_file_half *h)
{
    if (h->map)
        munmap(h->map, (size_t)h->size);
    h->map = NULL;
}

static void drop(struct el_file_half *h)
{
    unmap(h);
    if (h->fd >= 0)
        close(h->fd);
    *h = none;
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
    return ftruncate(fd, at) < 0 ? -errno : 0;
}

/* Pages that were written are there: copying into them cannot fail, a call that makes them can. */
static int put(struct el_file_half *h, const void *bytes, size_t n)
{
    int r;

    if (h->map && h->size == (off_t)n) {
        memcpy(h->map, bytes, n);
        return 0;
    }
    unmap(h);
    r = put_all(h->fd, bytes, n);
    if (r < 0)
        return r;
    h->size = (off_t)n;
    h->map = n <= MAP_MOST ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, h->fd, 0) : MAP_FAILED;
    if (h->map == MAP_FAILED)
        h->map = NULL;
    return 0;
}

/* Still under its name and as long as we left it, and nobody else has it open or mapped: only then the kernel grants a
 * write lease. It is given back at once: under the lease a reader of the published file would have to wait for us. The
 * spare has no reader that knows its name. */
static bool is_free(const struct el_file_half *spare)
{
    struct stat st;

    return spare->fd >= 0 && fstat(spare->fd, &st) == 0 && st.st_nlink == 1 && st.st_size == spare->size &&
           fcntl(spare->fd, F_SETLEASE, F_WRLCK) == 0 && fcntl(spare->fd, F_SETLEASE, F_UNLCK) == 0;
}

/* Opened anew under a name that is free: what had the name may be in somebody's hands. */
static int open_fresh(struct el_file_half *spare, int dirfd, const char *name, mode_t mode)
{
    drop(spare);
    if (unlinkat(dirfd, name, 0) < 0 && errno != ENOENT)
        return -errno;
    spare->fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    return spare->fd < 0 || fchmod(spare->fd, mode) < 0 ? -errno : 0;
}

/* The spare takes the name. What had the name becomes the spare if it is ours, and goes otherwise. */
static int publish(struct el_file_pair *p, int dirfd, const char *spare, const char *name)
{
    struct el_file_half was = p->live;

    if (was.fd < 0 || renameat2(dirfd, spare, dirfd, name, RENAME_EXCHANGE) < 0) {
        if (renameat(dirfd, spare, dirfd, name) < 0)
            return -errno;
        drop(&was);
    }
    p->live = p->spare;
    p->spare = was;
    return 0;
}

int el_file_pair_write(struct el_file_pair *p, int dirfd, const char *name, const void *bytes, size_t n, mode_t mode)
{
    char spare[NAME_MAX + 1];
    int r = 0;

    if ((size_t)snprintf(spare, sizeof spare, "%s.new", name) >= sizeof spare)
        return -ENAMETOOLONG;
    if (!is_free(&p->spare))
        r = open_fresh(&p->spare, dirfd, spare, mode);
    if (r == 0)
        r = put(&p->spare, bytes, n);
    if (r == 0)
        r = publish(p, dirfd, spare, name);
    if (r < 0) {
        unlinkat(dirfd, spare, 0);
        drop(&p->spare);
    }
    return r;
}

void el_file_pair_remove(struct el_file_pair *p, int dirfd, const char *name)
{
    char spare[NAME_MAX + 1];

    snprintf(spare, sizeof spare, "%.240s.new", name);
    unlinkat(dirfd, name, 0);
    unlinkat(dirfd, spare, 0);
    drop(&p->live);
    drop(&p->spare);
}
