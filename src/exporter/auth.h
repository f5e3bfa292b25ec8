/* Basic authentication against bcrypt hashes. A check takes tens of milliseconds of CPU on purpose, so it runs in a
 * worker thread; what was found right is remembered (under a keyed hash, bounded) for as long as user and hash stay the
 * same, so a scraper pays once. Addresses take turns; connections and passwords that were right before, addresses that
 * had a right one before, loopback and all others are served alike: who guesses delays themselves. To be refused takes
 * as long as the dearest hash, whoever asks. One HTTP thread calls; the worker is hidden. */
#pragma once

#include <stdbool.h>

#include "exporter/admission.h"
#include "model/webconfig.h"

enum el_verdict {
    EL_VERDICT_NONE = 0, /* not asked yet */
    EL_VERDICT_PENDING,  /* el_auth_next will tell */
    EL_VERDICT_GRANTED,
    EL_VERDICT_DENIED,
    EL_VERDICT_BUSY, /* too many checks of this address are waiting: try again later */
};

struct el_auth;

/* Nobody is known yet. NULL: out of memory or threads. */
struct el_auth *el_auth_new(void);
/* Stops the worker (waits for the check under way, forgets the rest). Takes NULL, returns NULL. */
struct el_auth *el_auth_free(struct el_auth *a);

/* Who is known from now on; `c` must stay until the next call. What is pending is decided by what it was asked under.
 */
void el_auth_configure(struct el_auth *a, const struct el_web_config *c);

/* Readable when a pending check was decided. */
int el_auth_fd(const struct el_auth *a);

/* `ticket` comes back from el_auth_next when the answer is PENDING. At least one user must be known. */
enum el_verdict el_auth_check(struct el_auth *a, const char *user, const char *password, const struct el_guest *guest,
                              void *ticket);

/* Did this address have a right password lately? */
bool el_auth_proven(struct el_auth *a, const uint8_t address[16]);

/* The next decided check; false: none. */
bool el_auth_next(struct el_auth *a, void **ticket, enum el_verdict *verdict);

/* Whoever waits under this ticket is gone: it will not come back. */
void el_auth_forget(struct el_auth *a, const void *ticket);
