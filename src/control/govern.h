/* The governing daemon: rounds at the set period until SIGTERM or SIGINT; SIGHUP reloads the settings. */
#pragma once

#include "control/confine.h"
#include "model/device.h"
#include "model/settings.h"

struct el_govern_options {
    struct el_device device;            /* taken over */
    const struct el_settings *settings; /* in force at the start */
    const char *config;                 /* read again on SIGHUP; NULL = nothing to read */
    const struct el_settings *defaults; /* what that file stands over */
    /* Applied to settings read on SIGHUP before they are taken (flags win over the file); may be NULL. */
    void (*amend)(void *ctx, struct el_settings *s);
    void *ctx;
    enum el_sandbox_mode sandbox;
    const char *machine; /* a recorded machine's directory; NULL = none */
    bool real;           /* drives of this host */
};

/* From here on SIGTERM, SIGINT and SIGHUP wait until el_govern takes them. Call it before anything that takes time. */
void el_govern_hold_signals(void);

/* Returns 0 when told to end, or -errno when it could not begin (-ENOTSUP: a required sandbox is missing). Blocks the
 * signals it handles; run it before other threads exist. */
int el_govern(const struct el_govern_options *o);
