#include "device/endpoints.h"

#include <errno.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "device/namespaces.h"
#include "device/pcie.h"

/* The upstream port of the switch right above a drive. */
static bool find_switch(const struct el_sysfs *fs, const char *dir, char out[EL_SYSFS_PATH])
{
    char port[EL_SYSFS_PATH], up[EL_SYSFS_PATH];

    if (!el_pcie_parent(strcpy(port, dir), port) || el_pcie_bridge_role(fs, port) != EL_LINK_DOWNSTREAM)
        return false;
    if (!el_pcie_parent(strcpy(up, port), up) || el_pcie_bridge_role(fs, up) != EL_LINK_UPSTREAM)
        return false;
    memcpy(out, up, sizeof up);
    return true;
}

/* Directory of the PCI function with this address, symlinks followed. 0 or -errno. */
static int pci_dir(const struct el_sysfs *fs, const char *address, char out[EL_SYSFS_PATH])
{
    char path[EL_SYSFS_PATH];

    if (!el_pcie_is_address(address))
        return -EINVAL;
    return el_sysfs_join(path, EL_PCI_DEVICES, address) ? el_sysfs_real(fs, path, out) : -ENAMETOOLONG;
}

/* The PCI function a controller sits on: the last address in its real path, else what its address file names. */
static bool controller_pci_dir(const struct el_sysfs *fs, const char *ctrl_dir, char out[EL_SYSFS_PATH])
{
    char real[EL_SYSFS_PATH], path[EL_SYSFS_PATH], address[64];

    if (el_sysfs_join(path, ctrl_dir, "device") && el_sysfs_real(fs, path, real) == 0 &&
        el_pcie_is_address(el_text_last_part(real))) {
        memcpy(out, real, sizeof real);
        return true;
    }
    if (el_sysfs_real(fs, ctrl_dir, real) == 0)
        for (char *slash = real + strlen(real); slash; slash = strrchr(real, '/')) {
            *slash = '\0';
            if (el_pcie_is_address(el_text_last_part(real))) {
                memcpy(out, real, sizeof real);
                return true;
            }
        }
    return el_sysfs_line(fs, ctrl_dir, "address", address, sizeof address) == 0 && pci_dir(fs, address, out) == 0;
}

static bool is_fabric(const char *transport)
{
    return transport[0] && strcmp(transport, "pcie") != 0;
}

static void place(const struct el_sysfs *fs, struct el_endpoint *e)
{
    unsigned number = 0;

    if (!e->dir[0]) {
        sscanf(e->controller, "nvme%u", &number);
        el_text_copy(e->card, sizeof e->card, e->controller);
        e->order = (1ULL << 63) + number;
        return;
    }
    e->behind_switch = find_switch(fs, e->dir, e->card);
    if (!e->behind_switch)
        memcpy(e->card, e->dir, sizeof e->card);
    e->order = el_pcie_address_key(el_text_last_part(e->card)) >> 1; /* fits under the others */
}

static int add(struct el_endpoints *list, const struct el_sysfs *fs, const char *controller, const char *dir)
{
    struct el_endpoint *e = el_row_append(&list->row, &list->n, sizeof *e);

    if (!e)
        return -ENOMEM;
    el_text_copy(e->controller, sizeof e->controller, controller);
    el_text_copy(e->dir, sizeof e->dir, dir);
    place(fs, e);
    return 0;
}

static bool has_controller(const struct el_sysfs *fs, const char *dir)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char path[EL_SYSFS_PATH];

    return el_sysfs_join(path, dir, "nvme") && el_sysfs_list(fs, path, &names) == 0 && names.n > 0;
}

/* A virtual function whose drive has a controller of its own is a part of that drive, not another one. */
static bool belongs_to_another(const struct el_sysfs *fs, const char *dir)
{
    char path[EL_SYSFS_PATH];

    return el_sysfs_join(path, dir, "physfn") && has_controller(fs, path);
}

/* Tells what a fabric offers; it has no media and takes no SMART command. */
static bool is_discovery(const struct el_sysfs *fs, const char *ctrl_dir)
{
    char text[64];

    return (el_sysfs_line(fs, ctrl_dir, "cntrltype", text, sizeof text) == 0 && strcmp(text, "discovery") == 0) ||
           (el_sysfs_line(fs, ctrl_dir, "subsysnqn", text, sizeof text) == 0 &&
            strcmp(text, "nqn.2014-08.org.nvmexpress.discovery") == 0);
}

static bool is_controller_name(const char *name)
{
    unsigned n;
    char rest;

    return sscanf(name, "nvme%u%c", &n, &rest) == 1;
}

static int find_controllers(struct el_endpoints *list, const struct el_sysfs *fs)
{
    EL_AUTO_NAMES struct el_names names = {0};
    bool pages_only = fs->recorded && !el_sysfs_exists(fs, EL_CLASS_NVME, "");
    const char *class =
        pages_only ? "nvme" : EL_CLASS_NVME; /* a recorded machine may be nothing but its drives' pages */
    int r = el_sysfs_list(fs, class, &names);

    for (size_t i = 0; r == 0 && i < names.n; i++) {
        char path[EL_SYSFS_PATH], dir[EL_SYSFS_PATH] = "", transport[16] = "", real[EL_SYSFS_PATH];

        if (!is_controller_name(names.name[i]) || strlen(names.name[i]) > 15 ||
            !el_sysfs_join(path, class, names.name[i]))
            continue;
        if (el_sysfs_real(fs, path, real) < 0) /* a link to a directory that has just gone */
            continue;
        el_sysfs_line(fs, path, "transport", transport, sizeof transport);
        if (is_fabric(transport) || !controller_pci_dir(fs, path, dir))
            dir[0] = '\0';
        if (!is_discovery(fs, path) &&
            !(dir[0] && (belongs_to_another(fs, dir) || el_namespaces_repeats(fs, names.name[i], dir))))
            r = add(list, fs, names.name[i], dir);
    }
    return r;
}

static bool is_nvme_class(const struct el_sysfs *fs, const char *dir)
{
    int64_t class;

    return el_sysfs_i64(fs, dir, "class", &class) == 0 && class >> 8 == 0x0108;
}

const struct el_endpoint *el_endpoint_at(const struct el_endpoints *list, const char *dir)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->row[i].dir, dir) == 0)
            return &list->row[i];
    return NULL;
}

/* NVMe functions that have no controller: bound to vfio-pci, uio, nothing, or given up by the nvme driver. */
static int find_unbound(struct el_endpoints *list, const struct el_sysfs *fs)
{
    EL_AUTO_NAMES struct el_names names = {0};
    int r = el_sysfs_list(fs, EL_PCI_DEVICES, &names);

    for (size_t i = 0; r == 0 && i < names.n; i++) {
        char dir[EL_SYSFS_PATH];

        if (pci_dir(fs, names.name[i], dir) == 0 && is_nvme_class(fs, dir) && !has_controller(fs, dir) &&
            !el_endpoint_at(list, dir) &&
            !el_sysfs_exists(fs, dir, "physfn")) /* an idle virtual function is no drive */
            r = add(list, fs, "", dir);
    }
    return r;
}

static int compare(const void *a, const void *b)
{
    const struct el_endpoint *x = a, *y = b;
    uint64_t kx = el_pcie_address_key(el_text_last_part(x->dir)), ky = el_pcie_address_key(el_text_last_part(y->dir));

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return kx == ky ? strverscmp(x->controller, y->controller) : kx < ky ? -1 : 1;
}

int el_endpoints_find(const struct el_sysfs *fs, struct el_endpoints *out)
{
    struct el_endpoints list = {0};
    int r = find_controllers(&list, fs);

    if (r == 0)
        r = find_unbound(&list, fs);
    if (r < 0) {
        free(list.row);
        return r;
    }
    if (list.n)
        qsort(list.row, list.n, sizeof *list.row, compare);
    *out = list;
    return 0;
}
