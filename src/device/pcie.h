/* PCIe functions as sysfs tells them: link state of each hop, AER counters, power state, and from the configuration
 * space (where it can be read) port type and slot power limit. PCI Express Base Specification 6.0, 7.5.3; Linux
 * Documentation/ABI/testing/sysfs-bus-pci*. */
#pragma once

#include "device/sysfs.h"
#include "model/snapshot.h"

/* "0000:05:00.0"; the domain may have up to eight digits (VMD and Hyper-V use 32-bit domains). */
bool el_pcie_is_address(const char *text);

/* Orders addresses as numbers: domain, bus, device, function. */
uint64_t el_pcie_address_key(const char *address);

/* "8.0 GT/s PCIe" to 8000 mega-transfers per second. 0 = unknown: every other text, "Unknown" and "Unknown speed" too.
 */
uint32_t el_pcie_speed_mts(const char *text);

/* Lanes that the specification knows (1, 2, 4, 8, 12, 16, 32), else 0 = unknown. 63 and 255 are all-ones registers. */
uint32_t el_pcie_width(int64_t lanes);

/* Payload of a link in one direction before packet overhead: line rate less its encoding. 0 = unknown. */
uint64_t el_pcie_bytes_per_s(uint32_t mts, uint32_t width);

/* Runtime-suspended: reading its registers would wake it. */
bool el_pcie_suspended(const struct el_sysfs *fs, const char *dir);

/* Fresh link, AER and power state of the function in `dir` into `l`. What cannot be read is unknown, never the old
 * value. */
void el_pcie_read(const struct el_sysfs *fs, const char *dir, struct el_link *l);

/* After reading: link up, expectation of both ends, degraded, and bottleneck of the path to each, over all `n` links of
 * the machine (parents are found by address). `el_link.expected_*` that a profile lowered before stays lowered. */
void el_pcie_judge(struct el_link *links, uint32_t n);

enum el_pcie_type { EL_PCIE_OTHER = 0, EL_PCIE_ENDPOINT, EL_PCIE_ROOT_PORT, EL_PCIE_UPSTREAM, EL_PCIE_DOWNSTREAM };

struct el_pcie_config {
    enum el_pcie_type type;
    bool slot_implemented;
    uint32_t slot_power_limit_mw; /* 0 = unknown */
};

/* The PCIe capability in the configuration space. Beyond 64 bytes it takes CAP_SYS_ADMIN: -EACCES without. -ENODATA
 * when the function is suspended (reading would wake it), -ENOENT without the capability. */
int el_pcie_config_read(const struct el_sysfs *fs, const char *dir, struct el_pcie_config *out);

/* Directory of the PCI function above `dir`, which may be `out` itself; false at a host bridge. */
bool el_pcie_parent(const char *dir, char out[EL_SYSFS_PATH]);

/* What the bridge at `dir` is: from the configuration space; where that is closed, by position: under a root port,
 * switches come as upstream port, downstream port, upstream port, ... */
enum el_link_role el_pcie_bridge_role(const struct el_sysfs *fs, const char *dir);
