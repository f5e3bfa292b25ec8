/* The snapshot as a table for people. Pure but for el_table_look_of. */
#pragma once

#include "base/buf.h"
#include "model/snapshot.h"

/* How to print: on a terminal, columns that do not fit are left out or cut, and colour marks what needs attention. */
struct el_table_look {
    uint32_t columns; /* 0 = as wide as it gets */
    bool colour;
};
/* The look for an open file: plain unless it is a terminal; no colour when NO_COLOR is set. */
struct el_table_look el_table_look_of(int fd);

/* Appends the table. `before`: an older snapshot of the same machine for throughput, or NULL. `now_us`: BOOTTIME. */
void el_table_status(struct el_buf *b, const struct el_snapshot *s, const struct el_snapshot *before, int64_t now_us,
                     struct el_table_look look);

/* The same in one line: drives, hottest, power, throughput, caps. */
void el_table_line(struct el_buf *b, const struct el_snapshot *s, const struct el_snapshot *before);
