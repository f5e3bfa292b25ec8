/* The two backends that read a machine: the live host, and a folder recorded from one. */
#pragma once

#include "model/device.h"
#include "model/settings.h"

/* The machine this runs on. `settings` maps sensors and names the state directory; copied. 0 or -errno. */
int el_host_open(const struct el_settings *settings, struct el_device *out);

/* A recorded machine below `root` (layout: see recorded.h); read-only. 0 or -errno with the reason in `why`. */
int el_recorded_open(const char *root, struct el_device *out, char *why, size_t why_size);
