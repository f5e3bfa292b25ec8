#include "device/labels.h"

#include <errno.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "device/pcie.h"

#define PCI_SLOTS "sys/bus/pci/slots"

struct el_label {
    char name[64], address[24];
};

/* A slot that is a whole bus tells no device. */
static bool is_in_slot(const char *bus_device, const char *slot)
{
    size_t n = strlen(slot);

    return strncmp(bus_device, slot, n) == 0 && (!bus_device[n] || (bus_device[n] == ':' && strchr(slot, ':')));
}

int el_labels_read(const struct el_sysfs *fs, struct el_labels *out)
{
    EL_AUTO_NAMES struct el_names names = {0};
    struct el_labels l = {0};

    if (el_sysfs_list(fs, PCI_SLOTS, &names) == -ENOMEM)
        return -ENOMEM;
    for (size_t i = 0; i < names.n; i++) {
        char dir[EL_SYSFS_PATH], address[24];
        struct el_label *row;

        if (!el_sysfs_join(dir, PCI_SLOTS, names.name[i]) ||
            el_sysfs_line(fs, dir, "address", address, sizeof address) < 0)
            continue;
        row = el_row_append(&l.label, &l.n, sizeof *row);
        if (!row) {
            el_labels_free(&l);
            return -ENOMEM;
        }
        memcpy(row->name, names.name[i], sizeof row->name);
        memcpy(row->address, address, sizeof row->address);
    }
    *out = l;
    return 0;
}

void el_labels_free(struct el_labels *l)
{
    free(l->label);
    *l = (struct el_labels){0};
}

static void physical_slot(const struct el_labels *l, const char *bus_device, char *out, size_t size)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (is_in_slot(bus_device, l->label[i].address)) {
            el_text_clean(out, size, l->label[i].name);
            return;
        }
}

void el_label_of_function(const struct el_labels *l, const char *dir, char *out, size_t size)
{
    char address[24];

    el_text_copy(address, sizeof address, el_text_last_part(dir));
    *strchrnul(address, '.') = '\0';
    physical_slot(l, address, out, size);
}

void el_label_of_port(const struct el_labels *l, const struct el_sysfs *fs, const char *port, char *out, size_t size)
{
    const char *name = el_text_last_part(port);
    char address[24];
    int64_t bus;

    if (el_pcie_suspended(fs, port) || el_sysfs_i64(fs, port, "secondary_bus_number", &bus) < 0 || bus <= 0 ||
        bus > 255)
        return;
    snprintf(address, sizeof address, "%.*s:%02x:00", (int)(strchrnul(name, ':') - name), name, (unsigned)bus);
    physical_slot(l, address, out, size);
}
