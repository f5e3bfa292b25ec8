/* How fast drives wear, from a history that survives restarts. The history is kept per serial, so a drive that moves to
 * another slot keeps its own and a new drive starts afresh; it is bounded (26 hours, 32 days, 25 months of samples per
 * drive, about 2 KB). Time in it is counted by BOOTTIME while the daemon runs and bridged by the wall clock over
 * restarts, so a clock that jumps bends no rate. No I/O and no clock in here: the caller takes the text to and from the
 * state directory, off the tick thread. Not thread-safe. */
#pragma once

#include "base/buf.h"
#include "model/snapshot.h"

#define EL_ENDURANCE_FILE       "endurance"       /* in the state directory */
#define EL_ENDURANCE_FILE_MAX   (8u << 20)        /* a longer file is refused */
#define EL_ENDURANCE_DRIVES_MAX 2048              /* beyond it the drive not seen for longest is forgotten */
#define EL_ENDURANCE_SAVE_US    (600LL * 1000000) /* save this often while something changes, and at exit */

struct el_endurance;
struct el_endurance *el_endurance_new(void);                    /* NULL: out of memory */
struct el_endurance *el_endurance_free(struct el_endurance *e); /* takes NULL, returns NULL */

/* What was saved. Before the first step. 0, -ENOMEM, or -EBADMSG (not a whole history of ours; `e` is as new). */
int el_endurance_load(struct el_endurance *e, const char *text, size_t n);

/* Appends the history as text. True when there is something worth saving since the last call that returned true. */
bool el_endurance_save(struct el_endurance *e, struct el_buf *out);
bool el_endurance_due(const struct el_endurance *e,
                      int64_t now_us); /* save due: changed, and EL_ENDURANCE_SAVE_US since the last */

/* One tick, over the filled rows of `s` (time_us and realtime_us set): once a minute, and at once when it is new or
 * came back, takes a sample of each drive that is up with good SMART and fills wear_days_*, write_rate_*, wear_basis of
 * its slot. NAN where history is too short: an hour for the day's rate, a day for the month's. */
void el_endurance_step(struct el_endurance *e, struct el_snapshot *s);

/* warranty_* of one card: "`years` or maximum endurance used", from `start` ("2026-01-31"). NAN what is not known.
 * 0, or -EINVAL when `start` is not a date. Pure. */
int el_endurance_warranty(struct el_card *card, const struct el_slot *slots, const char *start, double years,
                          int64_t realtime_us);
