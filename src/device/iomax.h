/* The I/O budget as plain limits (io.max) in each top-level cgroup, split by their recent demand: the fallback where
 * io.cost cannot act (multipath heads, kernels without it). A cgroup that appears later has no limit until the next
 * write; reading back says so. Where someone else has set limits, it refuses. Thread-safe as long as each drive is in
 * one thread. */
#pragma once

#include "device/cgroup.h"
#include "device/disks.h"
#include "model/device.h"

#define EL_IOMAX_GROUPS 64

/* What was last set, and the I/O of each cgroup until then; zero at first. One per drive, kept by the caller. */
struct el_iomax_memory {
    struct el_cap cap;
    double full_w; /* 0 = nothing set yet */
    uint32_t groups;
    struct {
        char name[64];
        struct el_slot_io io;
    } group[EL_IOMAX_GROUPS];
};

int el_iomax_usable(const struct el_cgroup *cg, const struct el_disks *d, const struct el_iomax_memory *m, char *why,
                    size_t why_size);
int el_iomax_save(const struct el_cgroup *cg, const struct el_disks *d, const struct el_iomax_memory *m, char *text,
                  size_t size);
int el_iomax_write(const struct el_cgroup *cg, const struct el_disks *d, struct el_iomax_memory *m,
                   const struct el_cap *cap);
int el_iomax_read(const struct el_cgroup *cg, const struct el_disks *d, const struct el_iomax_memory *m,
                  struct el_cap *out);
int el_iomax_restore(const struct el_cgroup *cg, const struct el_disks *d, const char *text);
