#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"

/* A call that a signal interrupted is made again: file systems of others may give up on any signal. */
static int open_at(int dirfd, const char *path, int flags, unsigned mode)
{
    return TEMP_FAILURE_RETRY(openat(dirfd, path, flags | O_CLOEXEC, mode));
}

static int sync_fd(int fd)
{
    return TEMP_FAILURE_RETRY(fsync(fd)) < 0 ? -errno : 0;
}

/* Reads from the file's position, or from its start when it is `kept`. Usually one read takes it all; a file that grows
 * or does not know its size takes more. */
static int read_whole(int fd, bool kept, size_t max, struct el_buf *out)
{
    size_t start = out->len, room = 4096;
    struct stat st;

    if (fstat(fd, &st) == 0 && st.st_size > 0)
        room = EL_MIN((size_t)st.st_size, max) + 1;
    while (el_buf_reserve(out, room) == 0) {
        char *at = out->data + out->len;
        size_t most = out->cap - out->len - 1;
        ssize_t n = kept ? pread(fd, at, most, (off_t)(out->len - start)) : read(fd, at, most);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at[n] = '\0';
        if (n == 0)
            return 0;
        out->len += (size_t)n;
        if (out->len - start > max)
            return -EFBIG;
        room = 4096;
    }
    return -ENOMEM;
}

int el_file_read(int dirfd, const char *path, size_t max, struct el_buf *out)
{
    EL_AUTO_CLOSE int fd = open_at(dirfd, path, O_RDONLY | O_NONBLOCK, 0);

    return fd < 0 ? -errno : read_whole(fd, false, max, out);
}

int el_file_reread(int fd, size_t max, struct el_buf *out)
{
    return read_whole(fd, true, max, out);
}

int el_file_read_line(int dirfd, const char *path, char *out, size_t size)
{
    EL_AUTO_CLOSE int fd = open_at(dirfd, path, O_RDONLY | O_NONBLOCK, 0);
    char line[4096];
    ssize_t n;
    char *end;

    if (fd < 0)
        return -errno;
    n = TEMP_FAILURE_RETRY(read(fd, line, sizeof line - 1));
    if (n < 0)
        return -errno;
    line[n] = '\0';
    end = strchrnul(line, '\n');
    *end = '\0';
    if (end == line)
        return -ENODATA;
    if ((size_t)(end - line) >= size)
        return -EFBIG;
    memcpy(out, line, (size_t)(end - line) + 1);
    return 0;
}

int el_file_read_i64(int dirfd, const char *path, int64_t *out)
{
    char line[64];
    int r = el_file_read_line(dirfd, path, line, sizeof line);

    return r < 0 ? r : el_num_parse_i64(line, out);
}

static int write_once(int fd, bool kept, const char *text)
{
    size_t n = strlen(text);
    ssize_t w = TEMP_FAILURE_RETRY(kept ? pwrite(fd, text, n, 0) : write(fd, text, n));

    if (w < 0)
        return -errno;
    return (size_t)w == n ? 0 : -EIO;
}

int el_file_write_attr(int dirfd, const char *path, const char *text)
{
    EL_AUTO_CLOSE int fd = open_at(dirfd, path, O_WRONLY, 0);

    return fd < 0 ? -errno : write_once(fd, false, text);
}

int el_file_rewrite(int fd, const char *text)
{
    return write_once(fd, true, text);
}

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t w = write(fd, bytes, n);

        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return -errno;
        bytes += w;
        n -= (size_t)w;
    }
    return 0;
}

static int sync_parent(int dirfd, const char *path)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');

    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    EL_AUTO_CLOSE int fd = open_at(dirfd, parent[0] ? parent : "/", O_RDONLY | O_DIRECTORY, 0);

    return fd < 0 ? -errno : sync_fd(fd);
}

int el_file_replace(int dirfd, const char *path, const void *bytes, size_t n, unsigned mode, bool durable)
{
    char tmp[PATH_MAX];
    int r;

    if ((size_t)snprintf(tmp, sizeof tmp, "%s.new", path) >= sizeof tmp)
        return -ENAMETOOLONG;
    {
        EL_AUTO_CLOSE int fd = open_at(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode);
        if (fd < 0)
            return -errno;
        r = fchmod(fd, mode) < 0 ? -errno : write_all(fd, bytes, n);
        if (r == 0 && durable)
            r = sync_fd(fd);
    }
    if (r == 0 && renameat(dirfd, tmp, dirfd, path) < 0)
        r = -errno;
    if (r < 0) {
        unlinkat(dirfd, tmp, 0);
        return r;
    }
    return durable ? sync_parent(dirfd, path) : 0;
}

bool el_file_changed(const char *path, struct stat *seen)
{
    struct stat st;
    bool same = stat(path, &st) < 0 ||
                (st.st_dev == seen->st_dev && st.st_ino == seen->st_ino && st.st_size == seen->st_size &&
                 st.st_ctim.tv_sec == seen->st_ctim.tv_sec && st.st_ctim.tv_nsec == seen->st_ctim.tv_nsec);

    if (!same)
        *seen = st;
    return !same;
}

int el_file_make_dirs(const char *path, unsigned mode)
{
    char part[PATH_MAX];

    for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
        if (part[0] && mkdir(part, mode) < 0 && errno != EEXIST)
            return -errno;
    }
    if (mkdir(path, mode) < 0 && errno != EEXIST)
        return -errno;
    return 0;
}
