#include "device/cgroup.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"

#define FILE_MAX_BYTES (256u << 10)

int el_cgroup_device(const struct el_sysfs *fs, const char *controller, const char *disk, char out[24])
{
    char dir[EL_SYSFS_PATH], line[24];
    int r;

    snprintf(dir, sizeof dir, "sys/class/block/%s", disk);
    r = el_sysfs_line(fs, dir, "dev", line, sizeof line);
    if (r < 0) {
        snprintf(dir, sizeof dir, "sys/class/nvme/%s/%s", controller, disk);
        r = el_sysfs_line(fs, dir, "dev", line, sizeof line);
    }
    if (r == 0)
        memcpy(out, line, sizeof line);
    return r;
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = text; (p = strstr(p, word)); p += n)
        if ((p == text || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

int el_cgroup_io_controller(const struct el_sysfs *fs)
{
    char line[512];
    int r = el_sysfs_line(fs, EL_CGROUP_ROOT, "cgroup.controllers", line, sizeof line);

    if (r < 0)
        return r == -ENODATA ? -ENOTSUP : -ENOENT;
    if (!has_word(line, "io"))
        return -ENOTSUP;
    r = el_sysfs_line(fs, EL_CGROUP_ROOT, "cgroup.subtree_control", line, sizeof line);
    return r == 0 && has_word(line, "io") ? 0 : -ENOLCK;
}

int el_cgroup_line(const struct el_sysfs *fs, const char *dir, const char *file, const char *device, struct el_buf *out)
{
    EL_AUTO_BUF struct el_buf b = {0};
    size_t n = strlen(device);
    char *save, *line;
    int r = el_sysfs_bytes(fs, dir, file, FILE_MAX_BYTES, &b);

    if (r < 0)
        return r;
    for (line = b.data ? strtok_r(b.data, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, device, n) == 0 && line[n] == ' ') {
            el_buf_puts(out, line + n + 1);
            return out->failed ? -ENOMEM : 0;
        }
    return -ENODATA;
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

int el_cgroup_write(const struct el_sysfs *fs, const char *dir, const char *file, const char *device, const char *text)
{
    char path[EL_SYSFS_PATH], line[512];

    if (!el_sysfs_join(path, dir, file) || (size_t)snprintf(line, sizeof line, "%s %s", device, text) >= sizeof line)
        return -ENAMETOOLONG;
    return el_file_write_attr(fs->root, path, line);
}
