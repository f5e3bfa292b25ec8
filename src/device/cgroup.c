#include "device/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"

#define FILE_MAX_BYTES (256u << 10)
#define LINE_MAX_BYTES 512
#define HEAD_BYTES     4096 /* most machines' whole file */

static const char *const names[EL_CGROUP_FILES] = {[EL_CGROUP_SUBTREE] = "cgroup.subtree_control",
                                                   [EL_CGROUP_QOS] = "io.cost.qos",
                                                   [EL_CGROUP_MODEL] = "io.cost.model"};

void el_cgroup_open(struct el_cgroup *c, const struct el_sysfs *fs)
{
    c->fs = fs;
    c->survey_us = 0;
    memset(c->survey, 0, sizeof c->survey);
    pthread_mutex_init(&c->lock, NULL);
    for (int f = 0; f < EL_CGROUP_FILES; f++) {
        char path[EL_SYSFS_PATH];

        el_sysfs_join(path, EL_CGROUP_ROOT, names[f]);
        c->fd[f] = openat(fs->root, path, O_RDWR | O_CLOEXEC);
    }
}

void el_cgroup_close(struct el_cgroup *c)
{
    for (int f = 0; f < EL_CGROUP_FILES; f++) {
        if (c->fd[f] >= 0)
            close(c->fd[f]);
        el_buf_free(&c->survey[f]);
    }
    pthread_mutex_destroy(&c->lock);
}

static int read_root(const struct el_cgroup *c, enum el_cgroup_file f, struct el_buf *out)
{
    return c->fd[f] < 0 ? el_sysfs_bytes(c->fs, EL_CGROUP_ROOT, names[f], FILE_MAX_BYTES, out)
                        : el_file_reread(c->fd[f], FILE_MAX_BYTES, out);
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = text; (p = strstr(p, word)); p += n)
        if ((p == text || p[-1] == ' ') && (!p[n] || p[n] == ' ' || p[n] == '\n'))
            return true;
    return false;
}

int el_cgroup_io_controller(const struct el_cgroup *c)
{
    EL_AUTO_BUF struct el_buf on = {0};
    char line[512];
    int r;

    if (read_root(c, EL_CGROUP_SUBTREE, &on) == 0 && on.data && has_word(on.data, "io"))
        return 0;
    r = el_sysfs_line(c->fs, EL_CGROUP_ROOT, "cgroup.controllers", line, sizeof line);
    if (r < 0)
        return r == -ENODATA ? -ENOTSUP : -ENOENT;
    return has_word(line, "io") ? -ENOLCK : -ENOTSUP;
}

static int find_line(const char *text, const char *device, struct el_buf *out)
{
    size_t n = strlen(device);

    for (const char *line = text, *end; line && *line; line = end + (*end == '\n')) {
        end = strchrnul(line, '\n');
        if (strncmp(line, device, n) == 0 && line[n] == ' ') {
            el_buf_put(out, line + n + 1, (size_t)(end - line) - n - 1);
            return out->failed ? -ENOMEM : 0;
        }
    }
    return -ENODATA;
}

int el_cgroup_line(const struct el_sysfs *fs, const char *dir, const char *file, const char *device, struct el_buf *out)
{
    EL_AUTO_BUF struct el_buf b = {0};
    int r = el_sysfs_bytes(fs, dir, file, FILE_MAX_BYTES, &b);

    return r < 0 ? r : find_line(b.data, device, out);
}

/* The beginning of a file of the root, in one call, without a line that is cut. False when there is more. */
static bool read_head(const struct el_cgroup *c, enum el_cgroup_file file, char head[HEAD_BYTES])
{
    ssize_t n = c->fd[file] < 0 ? 0 : pread(c->fd[file], head, HEAD_BYTES - 1, 0);
    char *end;

    head[n > 0 ? n : 0] = '\0';
    if (n < HEAD_BYTES - 1)
        return true;
    end = strrchr(head, '\n');
    *(end ? end : head) = '\0';
    return false;
}

int el_cgroup_root_line(const struct el_cgroup *c, enum el_cgroup_file file, const char *device, struct el_buf *out)
{
    EL_AUTO_BUF struct el_buf b = {0};
    char head[HEAD_BYTES];
    int r;

    (void)read_head(c, file, head);
    if (find_line(head, device, out) == 0)
        return 0;
    r = read_root(c, file, &b);
    return r < 0 ? r : find_line(b.data, device, out);
}

/* With the lock held. */
static bool is_recent(const struct el_cgroup *c)
{
    return c->survey_us && el_clock_boottime_us() - c->survey_us < EL_CGROUP_RECENT_US;
}

void el_cgroup_survey(struct el_cgroup *c, bool anew)
{
    int64_t began_us = el_clock_boottime_us();
    struct el_buf seen[EL_CGROUP_FILES] = {0};
    char head[HEAD_BYTES];
    bool recent;

    pthread_mutex_lock(&c->lock);
    recent = is_recent(c);
    pthread_mutex_unlock(&c->lock);
    if (recent && !anew)
        return;
    for (int f = 0; f < EL_CGROUP_FILES; f++)
        if (read_head(c, (enum el_cgroup_file)f, head))
            el_buf_puts(&seen[f], head);
        else
            (void)read_root(c, (enum el_cgroup_file)f, &seen[f]); /* what is not there is read again by itself */
    pthread_mutex_lock(&c->lock);
    for (int f = 0; f < EL_CGROUP_FILES; f++) {
        struct el_buf old = c->survey[f];

        c->survey[f] = seen[f];
        seen[f] = old;
    }
    c->survey_us = began_us;
    pthread_mutex_unlock(&c->lock);
    for (int f = 0; f < EL_CGROUP_FILES; f++)
        el_buf_free(&seen[f]);
}

int64_t el_cgroup_surveyed_us(struct el_cgroup *c)
{
    int64_t us;

    pthread_mutex_lock(&c->lock);
    us = is_recent(c) ? c->survey_us : el_clock_boottime_us();
    pthread_mutex_unlock(&c->lock);
    return us;
}

int el_cgroup_surveyed_line(struct el_cgroup *c, enum el_cgroup_file file, const char *device, struct el_buf *out)
{
    int r = -ENODATA;

    pthread_mutex_lock(&c->lock);
    if (is_recent(c))
        r = find_line(c->survey[file].data, device, out);
    pthread_mutex_unlock(&c->lock);
    return r == -ENODATA ? el_cgroup_root_line(c, file, device, out) : r;
}

int el_cgroup_surveyed_controller(struct el_cgroup *c)
{
    const struct el_buf *on = &c->survey[EL_CGROUP_SUBTREE];
    bool told;

    pthread_mutex_lock(&c->lock);
    told = is_recent(c) && on->data && has_word(on->data, "io");
    pthread_mutex_unlock(&c->lock);
    return told ? 0 : el_cgroup_io_controller(c);
}

bool el_cgroup_value(const char *line, const char *key, uint64_t *out)
{
    size_t n = strlen(key);

    for (const char *p = line; (p = strstr(p, key)); p += n) {
        char word[EL_NUM_MAX];

        if ((p != line && p[-1] != ' ') || p[n] != '=')
            continue;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p + n + 1, " ."), p + n + 1);
        if (strcmp(word, "max") == 0) {
            *out = UINT64_MAX;
            return true;
        }
        return el_num_parse_u64(word, out) == 0;
    }
    return false;
}

static bool compose(char line[LINE_MAX_BYTES], const char *device, const char *text)
{
    size_t n = strlen(device), m = strlen(text);

    if (n + 1 + m >= LINE_MAX_BYTES)
        return false;
    memcpy(line, device, n); /* NOLINT(bugprone-not-null-terminated-result): text ends it */
    line[n] = ' ';
    memcpy(line + n + 1, text, m + 1);
    return true;
}

int el_cgroup_write(const struct el_sysfs *fs, const char *dir, const char *file, const char *device, const char *text)
{
    char path[EL_SYSFS_PATH], line[LINE_MAX_BYTES];

    if (!el_sysfs_join(path, dir, file) || !compose(line, device, text))
        return -ENAMETOOLONG;
    return el_file_write_attr(fs->root, path, line);
}

int el_cgroup_root_write(const struct el_cgroup *c, enum el_cgroup_file file, const char *device, const char *text)
{
    char line[LINE_MAX_BYTES];

    if (c->fd[file] < 0)
        return el_cgroup_write(c->fs, EL_CGROUP_ROOT, names[file], device, text);
    return compose(line, device, text) ? el_file_rewrite(c->fd[file], line) : -ENAMETOOLONG;
}
