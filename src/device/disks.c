#include "device/disks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "device/namespaces.h"

#define CLASS_BLOCK "sys/class/block"

/* Where a disk's attributes are: hidden paths have no entry in the block class. */
static int dev_line(const struct el_sysfs *fs, const char *controller, const char *disk, char dir[EL_SYSFS_PATH],
                    char out[24])
{
    int r;

    snprintf(dir, EL_SYSFS_PATH, CLASS_BLOCK "/%s", disk);
    r = el_sysfs_line(fs, dir, "dev", out, 24);
    if (r == 0)
        return 0;
    snprintf(dir, EL_SYSFS_PATH, EL_CLASS_NVME "/%s/%s", controller, disk);
    return el_sysfs_line(fs, dir, "dev", out, 24);
}

static bool is_same(const struct el_disk *d)
{
    char text[24];
    ssize_t n = d->dev_fd < 0 ? 0 : pread(d->dev_fd, text, sizeof text - 1, 0);

    if (d->dev_fd < 0)
        return true;
    text[n > 0 ? n : 0] = '\0';
    *strchrnul(text, '\n') = '\0';
    return strcmp(text, d->number) == 0;
}

static void look_up(const struct el_sysfs *fs, struct el_disk *d)
{
    char dir[EL_SYSFS_PATH], path[EL_SYSFS_PATH];

    if (strcmp(d->head, d->name) != 0)
        (void)dev_line(fs, d->controller, d->head, dir, d->head_number); /* stays "" */
    if (dev_line(fs, d->controller, d->name, dir, d->number) < 0)
        return;
    if (strcmp(d->head, d->name) == 0)
        memcpy(d->head_number, d->number, sizeof d->number);
    if (!fs->recorded && el_sysfs_join(path, dir, "dev"))
        d->dev_fd = openat(fs->root, path, O_RDONLY | O_CLOEXEC);
    if (!fs->recorded && el_sysfs_join(path, dir, "stat"))
        d->stat_fd = openat(fs->root, path, O_RDONLY | O_CLOEXEC);
    d->gone = !is_same(d);
}

static int add_disks(const struct el_sysfs *fs, const char *controller, struct el_disks *d)
{
    EL_AUTO_NAMES struct el_names names = {0};
    int r = el_namespaces_disks(fs, controller, &names);

    for (size_t i = 0; r == 0 && i < names.n; i++) {
        struct el_disk disk = {.dev_fd = -1, .stat_fd = -1}, *row;

        el_text_copy(disk.controller, sizeof disk.controller, controller);
        if (!el_text_copy(disk.name, sizeof disk.name, names.name[i]) ||
            !el_namespaces_head(disk.name, disk.head, sizeof disk.head))
            continue;
        row = el_row_append(&d->disk, &d->n, sizeof *row);
        if (!row)
            return -ENOMEM;
        look_up(fs, &disk);
        *row = disk;
    }
    return r;
}

int el_disks_read(const struct el_sysfs *fs, const char *controller, struct el_disks *out)
{
    EL_AUTO_NAMES struct el_names controllers = {0};
    struct el_disks d = {0};
    int r = el_namespaces_controllers(fs, controller, &controllers);

    for (size_t i = 0; r == 0 && i < controllers.n; i++)
        r = add_disks(fs, controllers.name[i], &d);
    if (r < 0)
        el_disks_free(&d);
    else
        *out = d;
    return r;
}

/* What the kernel tells of a device stays the same as long as the device is there. When it goes, its files can no
 * longer be read, and poll(2) shows an error: it costs a fraction of reading, and nothing more for each disk beside the
 * first. Only what has been read is quiet from then on: each is when it is looked up. */
void el_disks_asked(struct el_disks_asking *a)
{
    int told = a->n ? poll(a->p, a->n, 0) : 0;

    for (uint32_t i = 0; told != 0 && i < a->n; i++)
        if (told < 0 || a->p[i].revents)
            a->of[i]->gone = !is_same(a->of[i]);
    a->n = 0;
}

void el_disks_ask(struct el_disks_asking *a, struct el_disks *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->disk[i].dev_fd < 0 || d->disk[i].gone)
            continue;
        if (a->n == EL_DISKS_ASKED)
            el_disks_asked(a);
        a->p[a->n] = (struct pollfd){.fd = d->disk[i].dev_fd, .events = POLLPRI};
        a->of[a->n++] = &d->disk[i];
    }
}

int el_disks_present(const struct el_disks *d, struct el_disks *out)
{
    struct el_disks copy = {.disk = malloc((d->n + 1) * sizeof *copy.disk)};

    if (!copy.disk)
        return -ENOMEM;
    for (uint32_t i = 0; i < d->n; i++)
        if (!d->disk[i].gone) {
            copy.disk[copy.n] = d->disk[i];
            copy.disk[copy.n].dev_fd = copy.disk[copy.n].stat_fd = -1;
            copy.n++;
        }
    *out = copy;
    return 0;
}

void el_disks_free(struct el_disks *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->disk[i].dev_fd >= 0)
            close(d->disk[i].dev_fd);
        if (d->disk[i].stat_fd >= 0)
            close(d->disk[i].stat_fd);
    }
    free(d->disk);
    *d = (struct el_disks){0};
}

bool el_disks_multipath(const struct el_disks *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (strcmp(d->disk[i].head, d->disk[i].name) != 0)
            return true;
    return false;
}
