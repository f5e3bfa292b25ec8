/* The NVMe functions of the machine, with or without a controller of the nvme driver, and the card that each sits on
 * (what is a card, and what is no drive: see topology.h). */
#pragma once

#include "device/sysfs.h"

struct el_endpoint {
    char controller[16];      /* "" = unbound */
    char dir[EL_SYSFS_PATH];  /* of the PCI function; "" = no PCI device */
    char card[EL_SYSFS_PATH]; /* same text = same card: the upstream port above it, else its own dir, else its
                                 controller */
    bool behind_switch;
    uint64_t order; /* of its card among cards */
};

struct el_endpoints {
    struct el_endpoint *row;
    uint32_t n;
};

/* All of them, card by card in the order of topology.h. The caller frees `row`. 0 or -errno. */
int el_endpoints_find(const struct el_sysfs *fs, struct el_endpoints *out);

/* The one whose PCI function is at `dir`, or NULL. */
const struct el_endpoint *el_endpoint_at(const struct el_endpoints *list, const char *dir);
