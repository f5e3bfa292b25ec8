/* What must survive a restart (wear history, what the governors learnt, the numbers of cards), written to the state
 * directory on a thread of its own: an fsync there can take long when the drive under it is capped. */
#pragma once

#include "base/buf.h"
#include "control/card_numbers.h"

#define EL_LEARNT_FILE "learnt"

struct el_saver;
struct el_saver *el_saver_new(const char *dir);     /* NULL: out of memory or threads */
struct el_saver *el_saver_free(struct el_saver *s); /* takes NULL, returns NULL; a write under way is left to itself */
bool el_saver_idle(struct el_saver *s);
/* Takes the texts over (leaves the buffers empty); an empty one is not written. Only while idle. */
void el_saver_save(struct el_saver *s, struct el_buf *wear, struct el_buf *learnt, struct el_buf *cards);
