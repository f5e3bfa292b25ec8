#include "device/blkio.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

#define SYS_BLOCK     "sys/class/block"
#define UDEV_DATA     "run/udev/data"
#define ZFS_POOLS     "proc/spl/kstat/zfs"
#define DISKSTATS_MAX (1u << 20)
#define UDEV_MAX      65536
#define STACK_MAX     4 /* dm devices above one another */

/* Documentation/admin-guide/iostats.rst: reads, merged, sectors, ms, writes, merged, sectors, ... A sector is 512
 * bytes. */
static bool parse_stat(const char *text, struct el_slot_io *io)
{
    unsigned long long reads, read_sectors, writes, write_sectors;

    if (sscanf(text, "%llu %*u %llu %*u %llu %*u %llu", &reads, &read_sectors, &writes, &write_sectors) != 4 ||
        EL_MAX(reads, writes) > INT64_MAX || EL_MAX(read_sectors, write_sectors) > INT64_MAX / 512)
        return false; /* sscanf takes "-1" too */
    io->read_ops += reads;
    io->write_ops += writes;
    io->read_bytes += read_sectors * 512;
    io->write_bytes += write_sectors * 512;
    return true;
}

static bool stat_file(const struct el_sysfs *fs, const char *dir, struct el_slot_io *io)
{
    char line[512];

    return el_sysfs_line(fs, dir, "stat", line, sizeof line) == 0 && parse_stat(line, io);
}

/* "   259       0 nvme0n1 123 ..." */
static bool diskstats_line(const struct el_sysfs *fs, const char *disk, struct el_slot_io *io)
{
    EL_AUTO_BUF struct el_buf b = {0};
    char *save, *line;

    if (el_sysfs_bytes(fs, "proc", "diskstats", DISKSTATS_MAX, &b) < 0 || !b.data)
        return false;
    for (line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char name[64];
        int at = 0;

        if (sscanf(line, "%*u %*u %63s%n", name, &at) == 1 && strcmp(name, disk) == 0)
            return parse_stat(line + at, io);
    }
    return false;
}

static bool add_disk(const struct el_sysfs *fs, const char *controller, const char *disk, struct el_slot_io *io)
{
    char dir[EL_SYSFS_PATH];

    snprintf(dir, sizeof dir, "sys/class/nvme/%s/%s", controller, disk);
    if (stat_file(fs, dir, io))
        return true;
    return el_sysfs_join(dir, SYS_BLOCK, disk) && (stat_file(fs, dir, io) || diskstats_line(fs, disk, io));
}

int el_blkio_read(const struct el_sysfs *fs, const struct el_disks *disks, int64_t now_us, struct el_slot_io *io)
{
    struct el_slot_io sum = {.time_us = now_us, .valid = true};
    uint32_t counted = 0;

    for (uint32_t i = 0; i < disks->n; i++)
        counted += add_disk(fs, disks->disk[i].controller, disks->disk[i].name, &sum);
    for (uint32_t i = 0; !counted && i < disks->n; i++)
        if (strcmp(disks->disk[i].head, disks->disk[i].name) != 0)
            counted += add_disk(fs, disks->disk[i].controller, disks->disk[i].head, &sum);
    if (!counted)
        return -ENODATA;
    *io = sum;
    return 0;
}

int el_blkio_reread(const struct el_disks *disks, int64_t now_us, struct el_slot_io *io)
{
    struct el_slot_io sum = {.time_us = now_us, .valid = true};
    char text[512]; /* 17 numbers of 20 digits at most */

    for (uint32_t i = 0; i < disks->n; i++) {
        int fd = disks->disk[i].stat_fd;
        ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof text - 1, 0);

        text[EL_MAX(n, 0)] = '\0';
        if (!parse_stat(text, &sum))
            return -ENODATA;
    }
    if (disks->n)
        *io = sum;
    return disks->n ? 0 : -ENODATA;
}

static enum el_array_level level_of(const struct el_sysfs *fs, const char *md)
{
    char dir[EL_SYSFS_PATH], level[16] = "";

    if (el_sysfs_join(dir, SYS_BLOCK, md))
        el_sysfs_line(fs, dir, "md/level", level, sizeof level);
    if (strcmp(level, "raid1") == 0)
        return EL_ARRAY_MIRROR;
    /* raid0, 4, 5, 6 and 10 spread each request over their members: the slowest sets the pace. */
    return strncmp(level, "raid", 4) == 0 ? EL_ARRAY_STRIPE : EL_ARRAY_NONE;
}

/* A spare that waits does nothing at the pace of the others; one that is being filled has its place already. */
static bool waits(const struct el_sysfs *fs, const char *md, const char *member)
{
    char file[EL_SYSFS_PATH], place[16];

    snprintf(file, sizeof file, "md/dev-%s/slot", member);
    return el_sysfs_line(fs, md, file, place, sizeof place) == 0 && strcmp(place, "none") == 0;
}

/* Finds the array above `member`, whose directory is `dir`, also through dm devices (encryption, volumes). Of several,
 * one that has a level: a container of firmware RAID has none, the volumes in it have. */
static void join_holders(const struct el_sysfs *fs, const char *dir, const char *member, unsigned deep,
                         struct el_slot *s)
{
    EL_AUTO_NAMES struct el_names holders = {0};
    char path[EL_SYSFS_PATH];

    if (!el_sysfs_join(path, dir, "holders") || el_sysfs_list(fs, path, &holders) < 0)
        return;
    for (size_t i = 0; i < holders.n && s->array_level == EL_ARRAY_NONE; i++) {
        const char *holder = holders.name[i];

        if (!el_sysfs_join(path, SYS_BLOCK, holder))
            continue;
        if (!el_sysfs_exists(fs, path, "md")) {
            if (deep < STACK_MAX)
                join_holders(fs, path, holder, deep + 1, s);
        } else if (!waits(fs, path, member)) {
            s->array_level = level_of(fs, holder);
            if (s->array_level != EL_ARRAY_NONE || !s->array[0])
                el_text_copy(s->array, sizeof s->array, holder);
        }
    }
}

void el_blkio_arrays(const struct el_sysfs *fs, struct el_inventory *inv)
{
    for (uint32_t i = 0; i < inv->n.namespaces; i++) {
        const char *block = inv->namespaces[i].block;
        struct el_slot *s = &inv->slots[inv->namespaces[i].slot];
        EL_AUTO_NAMES struct el_names parts = {0};
        char dir[EL_SYSFS_PATH], part[EL_SYSFS_PATH];

        if (s->array[0] || !el_sysfs_join(dir, SYS_BLOCK, block))
            continue;
        join_holders(fs, dir, block, 0, s);
        if (el_sysfs_list(fs, dir, &parts) < 0)
            continue;
        for (size_t k = 0; k < parts.n; k++)
            if (strncmp(parts.name[k], block, strlen(block)) == 0 && el_sysfs_join(part, dir, parts.name[k]))
                join_holders(fs, part, parts.name[k], 0, s);
    }
}

/* The value of a whole line "KEY=value" of a file with one a line. */
static bool value_in(const struct el_sysfs *fs, const char *dir, const char *file, const char *key, char *out,
                     size_t size)
{
    EL_AUTO_BUF struct el_buf b = {0};
    char *save, *line;
    size_t n = strlen(key);

    if (el_sysfs_bytes(fs, dir, file, UDEV_MAX, &b) < 0 || !b.data)
        return false;
    for (line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, key, n) == 0 && line[n] == '=') {
            el_text_clean(out, size, line + n + 1);
            return true;
        }
    return false;
}

static bool zfs_on(const struct el_sysfs *fs, const char *dir, char *pool, size_t size)
{
    char number[24], file[32], text[64];

    el_text_copy(pool, size, "");
    if (el_sysfs_line(fs, dir, "dev", number, sizeof number) == 0) {
        snprintf(file, sizeof file, "b%s", number);
        if (value_in(fs, UDEV_DATA, file, "E:ID_FS_TYPE", text, sizeof text)) {
            (void)value_in(fs, UDEV_DATA, file, "E:ID_FS_LABEL", pool, size);
            return strcmp(text, "zfs_member") == 0;
        }
    }
    return value_in(fs, dir, "uevent", "PARTNAME", text, sizeof text) && strncmp(text, "zfs-", 4) == 0;
}

bool el_blkio_zfs(const struct el_sysfs *fs, const char *block, char *pool, size_t size, bool *imported)
{
    EL_AUTO_NAMES struct el_names parts = {0};
    char dir[EL_SYSFS_PATH], part[EL_SYSFS_PATH];
    bool found;

    if (!el_sysfs_join(dir, SYS_BLOCK, block))
        return false;
    found = zfs_on(fs, dir, pool, size);
    if (!found && el_sysfs_list(fs, dir, &parts) < 0)
        return false;
    for (size_t i = 0; !found && i < parts.n; i++)
        found = strncmp(parts.name[i], block, strlen(block)) == 0 && el_sysfs_join(part, dir, parts.name[i]) &&
                zfs_on(fs, part, pool, size);
    *imported = found && (pool[0] ? el_sysfs_exists(fs, ZFS_POOLS, pool) : el_sysfs_exists(fs, ZFS_POOLS, ""));
    return found;
}
