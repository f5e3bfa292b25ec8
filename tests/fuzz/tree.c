#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/wrap.h"

#define NODES_MAX 1024
#define OPEN_MAX  64
#define FIRST_FD  100000 /* no real descriptor is as high */

struct node {
    char path[256], text[512]; /* of a link: its target */
    size_t n;
    bool link;
};

static struct node pool[NODES_MAX], *nodes[NODES_MAX]; /* the first n_nodes, in the order of their paths */
static size_t n_nodes;
static struct handle {
    bool used;
    char dir[512]; /* "" = the root, else with a / at its end */
    const struct node *file;
    size_t at; /* byte of a file, node of a directory */
    struct dirent entry;
} handles[OPEN_MAX];

void tree_clear(void)
{
    n_nodes = 0;
    for (size_t i = 0; i < OPEN_MAX; i++)
        handles[i].used = false;
    for (size_t i = 0; i < NODES_MAX; i++)
        nodes[i] = &pool[i];
}

/* strcmp, but of no interest to the fuzzer, which would watch each call of that. */
static int compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/* The first node that does not stand before `path`. */
static size_t lower(const char *path)
{
    size_t lo = 0, hi = n_nodes;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (compare(nodes[mid]->path, path) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool is_below(size_t i, const char *dir)
{
    return i < n_nodes && strncmp(nodes[i]->path, dir, strlen(dir)) == 0;
}

static bool is_dir(const char *path, char slashed[512])
{
    size_t n = strlen(path);

    if (n == 0 || strcmp(path, ".") == 0 || n > 500) {
        slashed[0] = '\0';
        return n <= 500;
    }
    memcpy(slashed, path, n + 1);
    strcpy(slashed + n, "/");
    return is_below(lower(slashed), slashed);
}

static struct node *find(const char *path)
{
    size_t i = lower(path);

    return i < n_nodes && compare(nodes[i]->path, path) == 0 ? nodes[i] : NULL;
}

/* Takes nodes out of the order; they come after the last, to be used again. */
static void take_out(size_t i)
{
    struct node *gone = nodes[i];

    memmove(nodes + i, nodes + i + 1, (--n_nodes - i) * sizeof *nodes);
    nodes[n_nodes] = gone;
}

static void remove_all(const char *path)
{
    char dir[512];

    if (find(path))
        take_out(lower(path));
    if (!path[0] || !is_dir(path, dir))
        return;
    for (size_t i = lower(dir); is_below(i, dir);)
        take_out(i);
}

/* No directory is put where a file stands, and no file where a directory does. */
static bool has_place(char *path)
{
    char dir[512];

    for (char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        bool taken = find(path);
        *p = '/';
        if (taken)
            return false;
    }
    return find(path) || !is_dir(path, dir);
}

static struct node *put(char *path)
{
    size_t i = lower(path);
    struct node *fresh = nodes[n_nodes % NODES_MAX];

    if (i < n_nodes && compare(nodes[i]->path, path) == 0)
        return nodes[i];
    if (n_nodes == NODES_MAX || !has_place(path))
        return NULL;
    memmove(nodes + i + 1, nodes + i, (n_nodes++ - i) * sizeof *nodes);
    strcpy(fresh->path, path);
    return nodes[i] = fresh;
}

static void fill(struct node *node, bool link, const char *text, size_t n)
{
    if (!node)
        return;
    node->n = 0;
    node->link = link;
    for (size_t i = 0; i < n && node->n < sizeof node->text - 2; i++) {
        bool newline = !link && text[i] == '\\' && i + 1 < n && text[i + 1] == 'n';

        node->text[node->n++] = newline ? '\n' : text[i];
        i += newline;
    }
    if (n && !link)
        node->text[node->n++] = '\n';
    node->text[node->n] = '\0';
}

void tree_apply(const char *line, size_t n)
{
    const char *sep = memchr(line, ' ', n);
    size_t path_n = sep ? (size_t)(sep - line) : n, left = n - path_n;
    char path[sizeof pool->path];

    if (left < 2 || path_n == 0 || path_n >= sizeof path || line[0] == '/' || line[path_n - 1] == '/' ||
        memchr(line, '\0', path_n) || memmem(line, path_n, "//", 2))
        return;
    memcpy(path, line, path_n);
    path[path_n] = '\0';
    if (left >= 4 && memcmp(sep, " -> ", 4) == 0)
        fill(put(path), true, sep + 4, left - 4);
    else if (sep[1] == '=')
        fill(put(path), false, sep + (left > 2 ? 3 : 2), left > 2 ? left - 3 : 0);
    else if (sep[1] == '-')
        remove_all(path);
}

/* ---- the calls ---- */

static int fail(int error)
{
    errno = error;
    return -1;
}

static struct handle *handle_of(int fd)
{
    return fd >= FIRST_FD && fd < FIRST_FD + OPEN_MAX && handles[fd - FIRST_FD].used ? &handles[fd - FIRST_FD] : NULL;
}

static int open_node(const char *path, int flags)
{
    struct handle *h = handles;

    while (h < handles + OPEN_MAX && h->used)
        h++;
    if (h == handles + OPEN_MAX)
        abort(); /* descriptors are left open */
    h->file = find(path);
    h->at = 0;
    if (!h->file && !is_dir(path, h->dir))
        return fail(ENOENT);
    if (h->file && (h->file->link || flags & O_DIRECTORY))
        return fail(h->file->link ? ELOOP : ENOTDIR);
    h->used = true;
    return FIRST_FD + (int)(h - handles);
}

WRAP(int, open, const char *path, int flags, ...)
{
    va_list ap;
    unsigned mode;

    if (strcmp(path, TREE_ROOT) == 0)
        return open_node("", flags);
    va_start(ap, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, unsigned) : 0;
    va_end(ap);
    return __real_open(path, flags, mode);
}

WRAP(int, openat, int dir, const char *path, int flags, ...)
{
    va_list ap;
    unsigned mode;

    if (handle_of(dir))
        return open_node(path, flags);
    va_start(ap, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, unsigned) : 0;
    va_end(ap);
    return __real_openat(dir, path, flags, mode);
}

WRAP(ssize_t, pread, int fd, void *out, size_t n, off_t at)
{
    struct handle *h = handle_of(fd);

    if (!h)
        return __real_pread(fd, out, n, at);
    if (!h->file)
        return fail(EISDIR);
    if (at < 0 || (size_t)at > h->file->n)
        return 0;
    n = n < h->file->n - (size_t)at ? n : h->file->n - (size_t)at;
    memcpy(out, h->file->text + at, n);
    return (ssize_t)n;
}

WRAP(ssize_t, read, int fd, void *out, size_t n)
{
    struct handle *h = handle_of(fd);
    ssize_t got = h ? __wrap_pread(fd, out, n, (off_t)h->at) : __real_read(fd, out, n);

    if (h && got > 0)
        h->at += (size_t)got;
    return got;
}

static int stat_node(const struct node *file, struct stat *st)
{
    *st = (struct stat){.st_mode = !file        ? S_IFDIR
                                   : file->link ? S_IFLNK
                                                : S_IFREG,
                        .st_size = file ? (off_t)file->n : 0};
    return 0;
}

WRAP(int, fstat, int fd, struct stat *st)
{
    struct handle *h = handle_of(fd);

    return h ? stat_node(h->file, st) : __real_fstat(fd, st);
}

WRAP(int, fstatat, int dir, const char *path, struct stat *st, int flags)
{
    const struct node *node;
    char slashed[512];

    if (!handle_of(dir))
        return __real_fstatat(dir, path, st, flags);
    node = find(path);
    return node || is_dir(path, slashed) ? stat_node(node, st) : fail(ENOENT);
}

WRAP(ssize_t, readlinkat, int dir, const char *path, char *out, size_t n)
{
    const struct node *node;
    char slashed[512];

    if (!handle_of(dir))
        return __real_readlinkat(dir, path, out, n);
    node = find(path);
    if (!node || !node->link)
        return fail(node || is_dir(path, slashed) ? EINVAL : ENOENT);
    n = n < node->n ? n : node->n;
    memcpy(out, node->text, n);
    return (ssize_t)n;
}

WRAP(int, close, int fd)
{
    struct handle *h = handle_of(fd);

    if (!h)
        return __real_close(fd);
    h->used = false;
    return 0;
}

WRAP(DIR *, fdopendir, int fd)
{
    struct handle *h = handle_of(fd);

    if (!h)
        return __real_fdopendir(fd);
    h->at = lower(h->dir);
    return (DIR *)h;
}

static bool is_ours(const void *dir)
{
    return (const char *)dir >= (const char *)handles && (const char *)dir < (const char *)(handles + OPEN_MAX);
}

WRAP(struct dirent *, readdir, DIR *dir)
{
    struct handle *h = (struct handle *)dir;
    const char *name;
    char below[512 + 260];
    size_t n;

    if (!is_ours(dir))
        return __real_readdir(dir);
    if (!is_below(h->at, h->dir))
        return NULL;
    name = nodes[h->at]->path + strlen(h->dir);
    n = strcspn(name, "/");
    memcpy(h->entry.d_name, name, n);
    h->entry.d_name[n] = '\0';
    h->at++;
    if (name[n]) { /* all that is below it is this one name */
        strcpy(stpcpy(stpcpy(below, h->dir), h->entry.d_name), "/");
        while (is_below(h->at, below))
            h->at++;
    }
    return &h->entry;
}

WRAP(int, closedir, DIR *dir)
{
    if (!is_ours(dir))
        return __real_closedir(dir);
    ((struct handle *)dir)->used = false;
    return 0;
}
