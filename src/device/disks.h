/* The block devices that carry a drive's own I/O: its controller's, and those of its virtual functions. Looked up once
 * per discovery, since every round reads and writes them. */
#pragma once

#include <poll.h>

#include "device/sysfs.h"

#define EL_DISKS_ASKED 64 /* at once */

struct el_disk {
    char controller[16];  /* that it belongs to */
    char name[32];        /* "nvme3n1", or the hidden path "nvme3c3n1" below a multipath head */
    char head[32];        /* the block device people see and submit to; the same without multipath */
    char number[24];      /* "259:3"; "" = not told */
    char head_number[24]; /* of `head` */
    int dev_fd;           /* the file that tells `number`, open; -1 = none */
    int stat_fd;          /* its counters, open; -1 = none */
    bool gone;            /* when last asked */
};

struct el_disks {
    struct el_disk *disk;
    uint32_t n;
};

/* The disks of the drive with this controller of the day. Free with el_disks_free. 0 or -errno (no disks: 0). */
int el_disks_read(const struct el_sysfs *fs, const char *controller, struct el_disks *out);

/* Whether they are still what they were: a number may belong to another disk by now. The disks of many drives are asked
 * by one system call: begin with `n` 0, add them, end. Asks only open descriptors, so it cannot block. */
struct el_disks_asking {
    struct pollfd p[EL_DISKS_ASKED];
    struct el_disk *of[EL_DISKS_ASKED];
    uint32_t n;
};
void el_disks_ask(struct el_disks_asking *a, struct el_disks *d);
void el_disks_asked(struct el_disks_asking *a);

/* A copy, without descriptors, of those that were not gone when last asked. 0 or -ENOMEM. */
int el_disks_present(const struct el_disks *d, struct el_disks *out);

void el_disks_free(struct el_disks *d); /* closes; leaves it empty */
#define EL_AUTO_DISKS __attribute__((cleanup(el_disks_free)))

bool el_disks_multipath(const struct el_disks *d);
