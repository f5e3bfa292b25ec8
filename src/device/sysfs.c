#include "device/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"

#define LINKS_MAX 32 /* a loop of symlinks ends here */
#define NAMES_MAX 4096

bool el_sysfs_join(char out[EL_SYSFS_PATH], const char *dir, const char *name)
{
    size_t n = strlen(dir), more = strlen(name);

    if (n + 1 + more >= EL_SYSFS_PATH) {
        out[0] = '\0';
        return false;
    }
    memcpy(out, dir, n);
    if (n)
        out[n++] = '/';
    memcpy(out + n, name, more + 1);
    return true;
}

/* `!EIO` in a recorded file: the error it stands for, 0 when the text is just text. */
static int recorded_error(const struct el_sysfs *fs, const char *text)
{
    if (!fs->recorded || text[0] != '!')
        return 0;
    for (int e = 1; e < 134; e++) {
        const char *name = strerrorname_np(e);
        size_t n = name ? strlen(name) : 0;

        if (n && strncmp(text + 1, name, n) == 0 && (!text[1 + n] || text[1 + n] == '\n'))
            return -e;
    }
    return -EIO;
}

/* A recorded attribute that is a symlink could point out of the folder. */
static int check_regular(const struct el_sysfs *fs, const char *path)
{
    struct stat st;

    if (!fs->recorded)
        return 0;
    if (fstatat(fs->root, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

/* The path of dir/name with the symlinks of `dir` followed (a recorded tree may hold hostile ones). */
static int attribute_path(const struct el_sysfs *fs, const char *dir, const char *name, char out[EL_SYSFS_PATH])
{
    char real[EL_SYSFS_PATH];
    int r;

    if (!fs->recorded)
        return el_sysfs_join(out, dir, name) ? 0 : -ENAMETOOLONG;
    r = el_sysfs_real(fs, dir, real);
    if (r < 0)
        return r;
    if (!el_sysfs_join(out, real, name))
        return -ENAMETOOLONG;
    return check_regular(fs, out);
}

int el_sysfs_line(const struct el_sysfs *fs, const char *dir, const char *name, char *out, size_t size)
{
    char path[EL_SYSFS_PATH], line[1024], clean[1024];
    int r = attribute_path(fs, dir, name, path);

    if (r == 0)
        r = el_file_read_line(fs->root, path, line, sizeof line);
    if (r == 0)
        r = recorded_error(fs, line);
    if (r < 0)
        return r;
    el_text_clean(clean, sizeof clean, line);
    if (!clean[0])
        return -ENODATA;
    el_text_copy(out, size, clean);
    return 0;
}

int el_sysfs_i64(const struct el_sysfs *fs, const char *dir, const char *name, int64_t *out)
{
    char line[64];
    int r = el_sysfs_line(fs, dir, name, line, sizeof line);

    return r < 0 ? r : el_num_parse_i64(line, out);
}

int el_sysfs_bytes(const struct el_sysfs *fs, const char *dir, const char *name, size_t max, struct el_buf *out)
{
    char path[EL_SYSFS_PATH];
    size_t start = out->len;
    int r = attribute_path(fs, dir, name, path);

    if (r == 0)
        r = el_file_read(fs->root, path, max, out);
    return r == 0 && out->len > start ? recorded_error(fs, out->data + start) : r;
}

int el_sysfs_head(const struct el_sysfs *fs, const char *dir, const char *name, void *out, size_t n)
{
    char path[EL_SYSFS_PATH];
    int r = attribute_path(fs, dir, name, path);
    EL_AUTO_CLOSE int fd = r < 0 ? -1 : openat(fs->root, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got;

    if (r < 0)
        return r;
    if (fd < 0)
        return -errno;
    got = pread(fd, out, n, 0);
    return got < 0 ? -errno : (int)got;
}

/* Drops the last component. */
static void pop(char *path)
{
    char *slash = strrchr(path, '/');

    *(slash ? slash : path) = '\0';
}

/* A path being followed: what is resolved, and what is still to walk. */
struct walk {
    char done[EL_SYSFS_PATH], rest[EL_SYSFS_PATH];
    int links;
};

/* Takes the first component off the rest. */
static void shift(struct walk *w, char first[EL_SYSFS_PATH])
{
    char *end = strchrnul(w->rest, '/');
    size_t n = (size_t)(end - w->rest), skip = n + (*end == '/');

    memcpy(first, w->rest, n);
    first[n] = '\0';
    memmove(w->rest, w->rest + skip, strlen(w->rest + skip) + 1);
}

static int follow(struct walk *w, const char *link)
{
    char joined[EL_SYSFS_PATH * 2];

    if (++w->links > LINKS_MAX)
        return -ELOOP;
    if (link[0] == '/')
        w->done[0] = '\0';
    snprintf(joined, sizeof joined, "%s%s%s", link, w->rest[0] ? "/" : "", w->rest);
    return el_text_copy(w->rest, sizeof w->rest, joined) ? 0 : -ENAMETOOLONG;
}

static int step(const struct el_sysfs *fs, struct walk *w)
{
    char part[EL_SYSFS_PATH], next[EL_SYSFS_PATH], link[EL_SYSFS_PATH];
    ssize_t n;

    shift(w, part);
    if (!part[0] || strcmp(part, ".") == 0)
        return 0;
    if (strcmp(part, "..") == 0) {
        pop(w->done);
        return 0;
    }
    if (!el_sysfs_join(next, w->done, part))
        return -ENAMETOOLONG;
    n = readlinkat(fs->root, next, link, sizeof link - 1);
    if (n >= 0) {
        link[n] = '\0';
        return follow(w, link);
    }
    if (errno != EINVAL) /* EINVAL: there, and no symlink */
        return -errno;
    memcpy(w->done, next, sizeof w->done);
    return 0;
}

int el_sysfs_real(const struct el_sysfs *fs, const char *path, char out[EL_SYSFS_PATH])
{
    struct walk w = {0};
    int r = el_text_copy(w.rest, sizeof w.rest, path) ? 0 : -ENAMETOOLONG;

    while (r == 0 && w.rest[0])
        r = step(fs, &w);
    if (r == 0)
        memcpy(out, w.done, sizeof w.done);
    return r;
}

int el_sysfs_link_name(const struct el_sysfs *fs, const char *dir, const char *name, char *out, size_t size)
{
    char path[EL_SYSFS_PATH], link[EL_SYSFS_PATH];
    ssize_t n;

    if (!el_sysfs_join(path, dir, name))
        return -ENAMETOOLONG;
    n = readlinkat(fs->root, path, link, sizeof link - 1);
    if (n < 0) /* a folder recorded without symlinks holds the name as text */
        return errno == EINVAL && fs->recorded ? el_sysfs_line(fs, dir, name, out, size) : -errno;
    link[n] = '\0';
    el_text_clean(out, size, el_text_last_part(link));
    return 0;
}

bool el_sysfs_exists(const struct el_sysfs *fs, const char *dir, const char *name)
{
    char path[EL_SYSFS_PATH], real[EL_SYSFS_PATH];

    if (!el_sysfs_join(path, dir, name))
        return false;
    return fs->recorded ? el_sysfs_real(fs, path, real) == 0 : faccessat(fs->root, path, F_OK, 0) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(a, b);
}

int el_sysfs_list(const struct el_sysfs *fs, const char *dir, struct el_names *out)
{
    char real[EL_SYSFS_PATH];
    struct el_names names = {0};
    char(*row)[64];
    struct dirent *e;
    DIR *d;
    int fd, r = fs->recorded ? el_sysfs_real(fs, dir, real) : el_text_copy(real, sizeof real, dir) ? 0 : -ENAMETOOLONG;

    *out = names;
    if (r != 0)
        return r == -ENOENT ? 0 : r;
    fd = openat(fs->root, real[0] ? real : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        r = errno == ENOENT ? 0 : -errno;
        if (fd >= 0)
            close(fd);
        return r;
    }
    while ((e = readdir(d)) && names.n < NAMES_MAX) {
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof *names.name)
            continue;
        row = el_row_append(&names.name, &names.n, sizeof *row);
        if (!row) {
            r = -ENOMEM;
            break;
        }
        el_text_copy(*row, sizeof *row, e->d_name);
    }
    closedir(d);
    if (r < 0) {
        el_names_free(&names);
        return r;
    }
    if (names.n)
        qsort(names.name, names.n, sizeof *names.name, compare_names);
    *out = names;
    return 0;
}

void el_names_free(struct el_names *names)
{
    free(names->name);
    *names = (struct el_names){0};
}
