/* Basic authentication against bcrypt hashes. A check takes tens of milliseconds of CPU on purpose, so it runs in a
 * worker thread; what was found right is remembered (under a keyed hash, bounded), so a scraper pays once. To be
 * refused takes as long as the dearest hash, whoever asks. One HTTP thread calls; the worker is hidden. */
#pragma once

#include <stdbool.h>

#include "model/webconfig.h"

enum el_verdict {
    EL_VERDICT_NONE = 0, /* not asked yet */
    EL_VERDICT_PENDING,  /* el_auth_next will tell */
    EL_VERDICT_GRANTED,
    EL_VERDICT_DENIED,
    EL_VERDICT_BUSY, /* too many checks are waiting: try again later */
};

struct el_auth;

/* `c` must outlive it. NULL: out of memory or threads. */
struct el_auth *el_auth_new(const struct el_web_config *c);
/* Stops the worker (waits for the check under way, forgets the rest). Takes NULL, returns NULL. */
struct el_auth *el_auth_free(struct el_auth *a);

/* Readable when a pending check was decided. */
int el_auth_fd(const struct el_auth *a);

/* `ticket` comes back from el_auth_next when the answer is PENDING. */
enum el_verdict el_auth_check(struct el_auth *a, const char *user, const char *password, void *ticket);

/* The next decided check; false: none. */
bool el_auth_next(struct el_auth *a, void **ticket, enum el_verdict *verdict);

/* Whoever waits under this ticket is gone: it will not come back. */
void el_auth_forget(struct el_auth *a, const void *ticket);
