/* The snapshot file, watched: the last sound snapshot is kept, shared by reference, and never replaced by a broken one.
 * The file is read only when somebody acquires and it changed (a look before each); no copy that nobody asked for.
 * Thread-safe: the HTTP and the SNMP thread share one source. */
#pragma once

#include "model/snapshot.h"

enum el_source_state {
    EL_SOURCE_NONE = 0, /* no sound snapshot of this boot was ever seen: the snapshot is an empty one */
    EL_SOURCE_FRESH,
    EL_SOURCE_STALE, /* older than 3 of its own periods: only what is still true may be shown */
};

struct el_source;

/* `path` is kept by copy. NULL: out of memory. */
struct el_source *el_source_new(const char *path);
struct el_source *
el_source_free(struct el_source *src); /* after every reference is released; takes NULL, returns NULL */

/* The last sound snapshot, never NULL (an empty one before the first). `now_us`: BOOTTIME. Valid until released. */
const struct el_snapshot *el_source_acquire(struct el_source *src, int64_t now_us, enum el_source_state *state);
void el_source_release(struct el_source *src, const struct el_snapshot *s);

/* Whether the next acquire will read the file: the old snapshot and the new one are then there at once. */
bool el_source_changed(struct el_source *src);

/* Why there is no newer snapshot ("" while all is well), for people. */
void el_source_problem(struct el_source *src, char *text, size_t size);

/* Files that were there and could not be believed, since start. */
uint64_t el_source_refused(struct el_source *src);
