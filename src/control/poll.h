/* What one poll of one drive asks it, and nothing more: SMART each time; Identify, features and the optional logs at
 * discovery and after a change; endurance, self-test and OCP logs every `logs_ms`. Only what the drive claims to
 * support is asked, and a "no" is remembered. A poll works on a row of its own, so it can run on any thread; the tick
 * takes the row when it is done. */
#pragma once

#include "model/device.h"

#define EL_POLL_NAMESPACES 4 /* whose Identify pages are read; more stay as sysfs tells them */

struct el_poll_request {
    bool identify; /* at discovery, after a change or reset */
    bool confirm;  /* the same, but all that matters is whether it is still the same drive */
    bool logs;     /* the optional logs are due */
    uint32_t namespaces;
    uint32_t nsid[EL_POLL_NAMESPACES];
};

struct el_poll {
    struct el_device dev;
    uint32_t key;
    struct el_poll_request request;

    /* Results. Only the drive's own fields of `row` mean anything: see el_poll_take. */
    struct el_slot row;
    struct el_namespace ns[EL_POLL_NAMESPACES]; /* size_bytes 0: not read */
    int result;                                 /* of the SMART read (or Identify): 0, NVMe status > 0, -errno */
    bool identified;                            /* Identify was read in this poll */
    bool more;                                  /* more than SMART was read or tried */
    int64_t start_us, end_us;                   /* BOOTTIME */

    /* Memory over polls. */
    bool features_read, error_entries_known;
    uint16_t endurance_group; /* of the first namespace; 0 = none */
    uint32_t refused;         /* bit per el_read: never ask again */
    uint32_t refused_count;   /* commands the drive refused since the last SMART */
    uint64_t error_entries;   /* error-log entries at the last SMART */
};

void el_poll_run(void *poll); /* one poll, request in poll->request; takes a struct el_poll */

/* Takes what the last poll read into the published row. Place, state, decision and action of `slot` stay. */
void el_poll_take(const struct el_poll *p, struct el_slot *slot);
