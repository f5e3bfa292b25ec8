/* The labels printed beside the slots of a machine, as its firmware reports them to the kernel. */
#pragma once

#include "device/sysfs.h"

/* All of them, read once for all functions. Free with el_labels_free. 0 or -ENOMEM. */
struct el_labels {
    struct el_label *label;
    uint32_t n;
};
int el_labels_read(const struct el_sysfs *fs, struct el_labels *out);
void el_labels_free(struct el_labels *l);

/* The label of the slot that holds the PCI function at `dir`; `out` stays as it is when there is none. */
void el_label_of_function(const struct el_labels *l, const char *dir, char *out, size_t size);

/* The label of the slot below a port, whether empty or not. A suspended port is left alone. */
void el_label_of_port(const struct el_labels *l, const struct el_sysfs *fs, const char *port, char *out, size_t size);
