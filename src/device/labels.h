/* What is printed beside the slots of a machine, as its firmware tells the kernel. */
#pragma once

#include "device/sysfs.h"

/* The label of the slot that holds the PCI function at `dir`; `out` stays as it is when there is none. */
void el_label_of_function(const struct el_sysfs *fs, const char *dir, char *out, size_t size);

/* The label of the slot under a port, empty or not. A port that sleeps is left alone. */
void el_label_of_port(const struct el_sysfs *fs, const char *port, char *out, size_t size);
