/* A machine looked at once: what is plugged in, what each drive says, what could be done to it. Writes nothing, needs
 * no directories, and works beside a running daemon. */
#pragma once

#include "control/world.h"
#include "model/settings.h"

struct el_scan_hand {
    bool usable;
    char why[96]; /* why not */
};

struct el_scan {
    struct el_world world;                          /* cards with limits, slots with decision.limit_c, links, sensors */
    struct el_scan_hand (*hand)[EL_ACTUATOR_COUNT]; /* of each slot row */
};

/* Waits a few seconds for drives that do not answer. 0 or -errno. The device stays the caller's; when `*hung` it must
 * not be closed, for a reader still stands inside of it. */
int el_scan_read(const struct el_device *dev, const struct el_settings *settings, struct el_scan *out, bool *hung);
void el_scan_free(struct el_scan *s);
