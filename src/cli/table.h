/* The snapshot as a table for people. Pure. */
#pragma once

#include "base/buf.h"
#include "model/snapshot.h"

/* Appends the table. `before`: an older snapshot of the same machine for throughput, or NULL. `now_us`: BOOTTIME. */
void el_table_status(struct el_buf *b, const struct el_snapshot *s, const struct el_snapshot *before, int64_t now_us);

/* The same in one line: drives, hottest, power, throughput, caps. */
void el_table_line(struct el_buf *b, const struct el_snapshot *s, const struct el_snapshot *before);
