#include "device/namespaces.h"

#include <errno.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "device/pcie.h"

#define CLASS_SUBSYS "sys/class/nvme-subsystem"

bool el_namespaces_head(const char *disk, char *out, size_t size)
{
    unsigned a, b, c;
    char rest;

    if (sscanf(disk, "nvme%uc%un%u%c", &a, &b, &c, &rest) == 3)
        snprintf(out, size, "nvme%un%u", a, c);
    else if (sscanf(disk, "nvme%un%u%c", &a, &c, &rest) == 2)
        el_text_copy(out, size, disk);
    else
        return false;
    return true;
}

static bool has_serial(const struct el_sysfs *fs, const char *controller, const char *serial)
{
    char dir[EL_SYSFS_PATH], own[64];

    return el_sysfs_join(dir, EL_CLASS_NVME, controller) && el_sysfs_line(fs, dir, "serial", own, sizeof own) == 0 &&
           strcmp(own, serial) == 0;
}

/* Controllers below the PCI function at `dir`, added to `out`; `serial`: only those that have it, NULL: all. */
static int add_controllers(const struct el_sysfs *fs, const char *dir, const char *serial, struct el_names *out)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char path[EL_SYSFS_PATH], (*row)[64];
    int r = el_sysfs_join(path, dir, "nvme") ? el_sysfs_list(fs, path, &names) : -ENAMETOOLONG;

    for (size_t i = 0; r == 0 && i < names.n; i++) {
        if (serial && !has_serial(fs, names.name[i], serial))
            continue;
        row = el_row_append(&out->name, &out->n, sizeof *row);
        r = row ? 0 : -ENOMEM;
        if (row)
            memcpy(row, names.name[i], sizeof *row);
    }
    return r;
}

/* Those of the functions `from` to `to` of the device that `dir` is a function of, its own left out, which are the same
 * drive by their serial. None when the controller tells no serial. */
static int add_twins(const struct el_sysfs *fs, const char *controller, const char *dir, char from, char to,
                     struct el_names *out)
{
    char class_dir[EL_SYSFS_PATH], twin[EL_SYSFS_PATH], serial[64], own = dir[strlen(dir) - 1];
    int r = 0;

    if (!el_pcie_is_address(el_text_last_part(dir)) || !el_sysfs_join(class_dir, EL_CLASS_NVME, controller) ||
        el_sysfs_line(fs, class_dir, "serial", serial, sizeof serial) < 0)
        return 0;
    for (char f = from; r == 0 && f <= to; f++) {
        strcpy(twin, dir)[strlen(dir) - 1] = f;
        if (f != own && !el_sysfs_exists(fs, twin, "physfn"))
            r = add_controllers(fs, twin, serial, out);
    }
    return r;
}

bool el_namespaces_repeats(const struct el_sysfs *fs, const char *controller, const char *dir)
{
    EL_AUTO_NAMES struct el_names before = {0};

    return add_twins(fs, controller, dir, '0', (char)(dir[strlen(dir) - 1] - 1), &before) == 0 && before.n > 0;
}

/* Those of the virtual functions of the PCI function at `dir`. */
static int add_virtual(const struct el_sysfs *fs, const char *dir, struct el_names *out)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char path[EL_SYSFS_PATH];
    int r = 0;

    if (el_sysfs_list(fs, dir, &names) < 0) /* no device: of a fabric */
        names.n = 0;
    for (size_t i = 0; r == 0 && i < names.n; i++)
        if (strncmp(names.name[i], "virtfn", 6) == 0 && el_sysfs_join(path, dir, names.name[i]))
            r = add_controllers(fs, path, NULL, out);
    return r;
}

int el_namespaces_controllers(const struct el_sysfs *fs, const char *controller, struct el_names *out)
{
    EL_AUTO_NAMES struct el_names found = {0};
    char device[EL_SYSFS_PATH], real[EL_SYSFS_PATH], (*row)[64] = el_row_append(&found.name, &found.n, sizeof *row);
    int r = 0;

    if (!row)
        return -ENOMEM;
    el_text_copy(*row, sizeof *row, controller);
    snprintf(device, sizeof device, EL_CLASS_NVME "/%s/device", controller);
    if (el_sysfs_real(fs, device, real) == 0 && el_pcie_is_address(el_text_last_part(real)))
        r = add_twins(fs, controller, real, '0', '7', &found);
    for (uint32_t i = 0, n = found.n; r == 0 && i < n; i++) {
        snprintf(device, sizeof device, EL_CLASS_NVME "/%.63s/device", found.name[i]);
        r = add_virtual(fs, device, &found);
    }
    if (r < 0)
        return r;
    *out = found;
    found = (struct el_names){0};
    return 0;
}

int el_namespaces_disks(const struct el_sysfs *fs, const char *controller, struct el_names *out)
{
    char dir[EL_SYSFS_PATH], head[32];
    uint32_t kept = 0;
    int r = el_sysfs_join(dir, EL_CLASS_NVME, controller) ? el_sysfs_list(fs, dir, out) : -ENAMETOOLONG;

    if (r < 0)
        return r;
    for (size_t i = 0; i < out->n; i++)
        if (el_namespaces_head(out->name[i], head, sizeof head))
            memmove(out->name[kept++], out->name[i], sizeof *out->name);
    out->n = kept;
    return 0;
}

/* Known by its disk's name, or by its number: one that several functions of a drive show is one namespace. */
static bool known(const struct el_inventory *inv, uint32_t slot, const char *head, uint32_t nsid)
{
    for (uint32_t i = 0; i < inv->n.namespaces; i++) {
        const struct el_namespace *ns = &inv->namespaces[i];

        if (ns->slot == slot && (strcmp(ns->block, head) == 0 || (nsid && ns->nsid == nsid)))
            return true;
    }
    return false;
}

static int add_namespace(const struct el_sysfs *fs, struct el_inventory *inv, uint32_t slot, const char *head,
                         const char *dir)
{
    struct el_namespace *ns;
    uint32_t nsid = 0;
    int64_t v;

    if (el_sysfs_i64(fs, dir, "nsid", &v) == 0 && v > 0 && v <= UINT32_MAX)
        nsid = (uint32_t)v;
    if (known(inv, slot, head, nsid))
        return 0;
    ns = el_row_append(&inv->namespaces, &inv->n.namespaces, sizeof *ns);
    if (!ns)
        return -ENOMEM;
    ns->slot = slot;
    ns->nsid = nsid;
    el_text_copy(ns->block, sizeof ns->block, head);
    if (el_sysfs_i64(fs, dir, "size", &v) == 0 && v > 0 && v < INT64_MAX / 512)
        ns->size_bytes = (uint64_t)v * 512; /* always 512, whatever the LBA size */
    if (el_sysfs_i64(fs, dir, "queue/logical_block_size", &v) == 0 && v >= 512 && v <= 1 << 20)
        ns->lba_bytes = (uint32_t)v;
    return 0;
}

/* The subsystems of the machine and what is in each, read once for all drives. */
struct subsystems {
    struct el_names names, *members; /* of each name */
};

static void free_subsystems(struct subsystems *s)
{
    for (size_t i = 0; s->members && i < s->names.n; i++)
        el_names_free(&s->members[i]);
    free(s->members);
    el_names_free(&s->names);
}

static int read_subsystems(const struct el_sysfs *fs, struct subsystems *s)
{
    char dir[EL_SYSFS_PATH];
    int r = el_sysfs_list(fs, CLASS_SUBSYS, &s->names);

    if (r < 0)
        return r;
    s->members = calloc(s->names.n + 1, sizeof *s->members);
    if (!s->members)
        return -ENOMEM;
    for (size_t i = 0; i < s->names.n && r != -ENOMEM; i++)
        if (el_sysfs_join(dir, CLASS_SUBSYS, s->names.name[i]))
            r = el_sysfs_list(fs, dir, &s->members[i]); /* one that has just gone has no members */
    return r == -ENOMEM ? r : 0;
}

static bool has_member(const struct el_names *members, const char *name)
{
    for (size_t i = 0; i < members->n; i++)
        if (strcmp(members->name[i], name) == 0)
            return true;
    return false;
}

/* Joined through the subsystem: with multipath nvme0n1 may belong to nvme3. */
static int add_subsystem_namespaces(const struct el_sysfs *fs, struct el_inventory *inv, uint32_t slot,
                                    const struct subsystems *s, const char *controller)
{
    char head[32], path[EL_SYSFS_PATH];
    int r = 0;

    for (size_t i = 0; i < s->names.n; i++) {
        const struct el_names *members = &s->members[i];

        if (!has_member(members, controller))
            continue;
        for (size_t k = 0; r == 0 && k < members->n; k++) {
            if (!el_namespaces_head(members->name[k], head, sizeof head))
                continue;
            snprintf(path, sizeof path, CLASS_SUBSYS "/%s/%s", s->names.name[i], members->name[k]);
            r = add_namespace(fs, inv, slot, head, path);
        }
    }
    return r;
}

static int add_own_namespaces(const struct el_sysfs *fs, struct el_inventory *inv, uint32_t slot,
                              const char *controller)
{
    EL_AUTO_NAMES struct el_names disks = {0};
    char dir[EL_SYSFS_PATH], head[32], path[EL_SYSFS_PATH];
    int r = 0;

    if (el_namespaces_disks(fs, controller, &disks) < 0)
        return 0;
    el_sysfs_join(dir, EL_CLASS_NVME, controller);
    for (size_t i = 0; r == 0 && i < disks.n; i++)
        if (el_namespaces_head(disks.name[i], head, sizeof head) && el_sysfs_join(path, dir, disks.name[i]))
            r = add_namespace(fs, inv, slot, head, path);
    return r;
}

int el_namespaces_read(const struct el_sysfs *fs, struct el_inventory *inv)
{
    struct subsystems subsystems = {0};
    int r = read_subsystems(fs, &subsystems);

    for (uint32_t slot = 0; r == 0 && slot < inv->n.slots; slot++) {
        EL_AUTO_NAMES struct el_names controllers = {0};

        if (inv->slots[slot].controller[0])
            r = el_namespaces_controllers(fs, inv->slots[slot].controller, &controllers);
        for (size_t i = 0; r == 0 && i < controllers.n; i++) {
            r = add_subsystem_namespaces(fs, inv, slot, &subsystems, controllers.name[i]);
            if (r == 0)
                r = add_own_namespaces(fs, inv, slot, controllers.name[i]);
        }
    }
    free_subsystems(&subsystems);
    return r;
}
