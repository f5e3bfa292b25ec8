/* The I/O budget as the kernel's cost model (io.cost.model, io.cost.qos in the root cgroup), by rules measured on
 * Linux 6.1:
 *
 *  - qos is set once and stays; only the model moves. (Moving min = max instead creeps for seconds.)
 *  - enabling can block for long while an I/O is stuck: done once, by the caller's own thread.
 *  - released in order: prices and qos far up, a period for the waiters to leave, then off. (Plain off left waiters for
 * 8 s.)
 *  - on a multipath head settings echo and do not act: refused there.
 *  - without the io controller for the children of the root nothing is capped and nothing says so: refused, and read
 * back as "no cap" when it was taken away. A drive with several namespaces has its watts split among them evenly.
 * Settings that someone else made are refused. Thread-safe as long as each drive is in one thread. */
#pragma once

#include "device/cgroup.h"
#include "device/disks.h"
#include "model/device.h"

/* `write` does not ask for the controller: where it was taken away meanwhile, `read` says that nothing is in force.
 * What was last set on a drive, to read a ratio back from prices; zero at first. One per drive, kept by the caller. */
struct el_iocost_memory {
    struct el_cap cap;
    double full_w;   /* budget over ratio; 0 = nothing set yet */
    int64_t held_us; /* BOOTTIME when all disks were seen with our qos, which then need not be looked at again ... */
    uint64_t held;   /* ... for these disks */
};

int el_iocost_usable(const struct el_cgroup *cg, const struct el_disks *d, char *why, size_t why_size);
int el_iocost_save(const struct el_cgroup *cg, const struct el_disks *d, char *text, size_t size);
int el_iocost_write(struct el_cgroup *cg, const struct el_disks *d, struct el_iocost_memory *m,
                    const struct el_cap *cap);
int el_iocost_read(struct el_cgroup *cg, const struct el_disks *d, struct el_iocost_memory *m, struct el_cap *out);
int el_iocost_restore(const struct el_cgroup *cg, const struct el_disks *d, const char *text);
