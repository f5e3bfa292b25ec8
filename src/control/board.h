/* Everything that is not NVMe: board sensors and block I/O, which a round waits for, and links, which it does not. Read
 * on workers where the backend can block (a dead i2c bus can hold a reader for seconds), into copies that the tick
 * takes when they are whole. Tick thread only. */
#pragma once

#include "control/worker.h"
#include "control/world.h"

struct el_board;

/* NULL: out of memory. */
struct el_board *el_board_new(const struct el_device *dev, int done_fd);
struct el_board *el_board_free(struct el_board *b); /* takes NULL, returns NULL */

/* After a merge: from now on these rows are read. 0 or -ENOMEM. */
int el_board_remap(struct el_board *b, const struct el_world *w);

void el_board_start(struct el_board *b, int64_t now_us); /* does nothing while the previous reading still runs */
bool el_board_waiting(const struct el_board *b);         /* for sensors or I/O */
bool el_board_busy(const struct el_board *b);            /* anything is being read */
/* Takes what has arrived; true when that includes links. Rows of a board that has not answered for `stale_us` turn
 * stale. */
bool el_board_collect(struct el_board *b, struct el_world *w, int64_t now_us, int64_t stale_us);
