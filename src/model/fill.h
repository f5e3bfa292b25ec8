/* From raw pages to the rows of a snapshot: the one place where a page becomes readings, with all quality rules.
 * Whoever read the page (host, twin, recorded machine, `decode`) hands it in with the time it was read. Pure,
 * thread-safe.
 *
 * Rules: an all-zero page is a failed read (-ENODATA); an all-ones page comes from a device that is gone (-ENODEV); 0 K
 * is absent, not -273 C; a temperature no drive can have is implausible: kept for people, never exported, never
 * governed by. Where a function fails, decoded values stay as they were and the stamp of the page (el_slot.stamp) says
 * why. */
#pragma once

#include "model/snapshot.h"

/* A page of `what`. `size` counts where el_fill_size is 0 (whole 64-byte entries of the error log; a Level 0 Discovery
 * page, which may be cut short); else the page has that size. 0, -ENODATA, -ENODEV, -EPROTONOSUPPORT (log C0h of
 * another vendor), -EBADMSG (no discovery page). The group that an endurance page is of stands in its row beforehand.
 */
int el_fill_page(struct el_slot *slot, enum el_read what, const uint8_t *page, size_t size, int64_t now_us);
size_t el_fill_size(enum el_read what); /* 0: not fixed */

/* The drive has no security protocol that gives a discovery page. */
void el_fill_no_security(struct el_slot *slot, int64_t now_us);

/* -EINVAL: no sane block size. */
int el_fill_namespace(struct el_namespace *ns, const uint8_t page[EL_NVME_IDENTIFY_SIZE]);

/* Dword 0 of Get Features `fid` (02h, 04h, 06h, 10h); `dword11` is what was asked (04h: sensor and bound). */
void el_fill_feature(struct el_slot *slot, uint8_t fid, uint32_t dword11, uint32_t result, int64_t now_us);

/* A read failed: `error` is -errno, or an NVMe status > 0 (the drive answered, it will not give this page). Counted. */
void el_fill_unread(struct el_slot *slot, enum el_read what, int error);

/* Readings that the SMART page gave before `oldest_us` turn stale. */
void el_fill_expire(struct el_slot *slot, int64_t oldest_us);

/* The drive is no longer there: clears what it reported. Its serial goes to `last_serial`; its place, our own counters
 * and the decision stay. */
void el_fill_forget(struct el_slot *slot);
