/* What is plugged in, from sysfs alone: NVMe controllers grouped into cards by the switch they sit behind.
 *
 * A card is the switch upstream port nearest to its drives (a server's own switch may stand above several cards); its
 * slots are that switch's downstream ports in the order of their addresses, empty ones included, but not ports that
 * lead to something other than an NVMe drive. A drive behind no switch is a card with one slot, and so is each
 * controller that is no PCI device (tcp, rdma, fc, loop, apple-nvme): it has no links. Drives bound to vfio-pci, uio or
 * nothing are slots without a controller. Virtual functions (SR-IOV) are no drives: what their controllers hold and do
 * counts for the drive that they are functions of, when that one has a controller here; and so do further functions of
 * a device whose controllers tell the same serial. Cards come in the order of their addresses, others behind them in
 * the order of their numbers. */
#pragma once

#include "device/sysfs.h"
#include "model/device.h"

/* Cards, slots, namespaces and links of the machine (no sensors). Slot keys stay 0: the backend gives them. `out` must
 * be empty. 0 or -errno; no NVMe at all is an empty inventory. */
int el_topology_read(const struct el_sysfs *fs, struct el_inventory *out);

/* Reads the present state into link rows made by a discovery, each function by its address, and then judges all of
 * them. */
void el_topology_read_links(const struct el_sysfs *fs, struct el_link *links, uint32_t n);

/* A number that changes when a controller, its state or serial, a PCI function, a hwmon chip or a disk comes, goes or
 * changes: a cheap check before a new discovery. */
uint64_t el_topology_fingerprint(const struct el_sysfs *fs);
