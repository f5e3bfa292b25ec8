/* Undoing what a daemon that died left set: every journal entry of this boot back to its original, unless its drive is
 * hot. */
#pragma once

#include "model/device.h"
#include "model/settings.h"

struct el_restore_result {
    unsigned restored, held, failed; /* held: the drive is hot, or cannot be read */
};

/* Says on the log what it does. `force`: hot drives too. 0, -EBUSY (a daemon is at work and sees to it), or -errno;
 * with nothing in the journal the device is never asked anything. */
int el_restore(const struct el_device *dev, const struct el_settings *settings, bool force,
               struct el_restore_result *out);
