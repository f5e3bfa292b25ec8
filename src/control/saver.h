/* What must survive a restart, read from the state directory at start and written to it on a thread of its own: an
 * fsync there can take long when the drive under it is capped. */
#pragma once

#include "base/buf.h"
#include "control/card_numbers.h"

enum el_saved { EL_SAVED_WEAR, EL_SAVED_LEARNT, EL_SAVED_CARDS, EL_SAVED }; /* wear history, the governors', numbers */

#define EL_LEARNT_FILE "learnt"
#define EL_SAVER_ASIDE ".unreadable" /* the last file that was none of ours is kept under its name with this */

struct el_saver;
struct el_saver *el_saver_new(const char *dir);     /* NULL: out of memory or threads */
struct el_saver *el_saver_free(struct el_saver *s); /* takes NULL, returns NULL; a write under way is left to itself */

/* Gives what was saved to `take` (0 or -errno; -EBADMSG: not ours), when there is any. A file that is not ours is moved
 * aside; over one that cannot be read (or moved) nothing is written, so that it can be mended. Both are logged. */
void el_saver_load(struct el_saver *s, enum el_saved which, int (*take)(void *ctx, const char *text, size_t n),
                   void *ctx);

bool el_saver_idle(struct el_saver *s);
/* Takes the texts over (leaves the buffers empty); an empty one is not written. Only while idle. */
void el_saver_save(struct el_saver *s, struct el_buf text[EL_SAVED]);
