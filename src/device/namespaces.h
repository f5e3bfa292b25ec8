/* Namespaces of the controllers in an inventory, joined through their subsystem, and the disks that stand for them. */
#pragma once

#include "device/sysfs.h"
#include "model/device.h"

/* Adds the namespace rows of all slots with a controller, those of its virtual functions among them. NSID or sizes that
 * the kernel does not tell stay 0. 0 or -errno. */
int el_namespaces_read(const struct el_sysfs *fs, struct el_inventory *inv);

/* The controller itself, then those of the other functions of its device that are the same drive: physical functions
 * with its serial, virtual functions (SR-IOV), as far as the nvme driver uses them. Free with el_names_free. 0 or
 * -errno. */
int el_namespaces_controllers(const struct el_sysfs *fs, const char *controller, struct el_names *out);

/* Whether the function at `dir`, whose controller has this name, is a drive that a function before it stands for. */
bool el_namespaces_repeats(const struct el_sysfs *fs, const char *controller, const char *dir);

/* The disks that carry one controller's I/O: "nvme3n1", or the hidden path "nvme3c3n1" below a multipath head. Free
 * with el_names_free. 0 or -errno. */
int el_namespaces_disks(const struct el_sysfs *fs, const char *controller, struct el_names *out);

/* A disk's name to that of the block device people see: "nvme3c3n1" to "nvme3n1". False when `disk` is no NVMe disk. */
bool el_namespaces_head(const char *disk, char *out, size_t size);
