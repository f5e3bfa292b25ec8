/* What the governing daemon gives up before its first round: capabilities beyond those that NVMe admin commands and
 * files of other owners take, new privileges, sockets, programs and processes, and writing anywhere but where it
 * governs. */
#pragma once

#include "base/confine.h"
#include "model/settings.h"

struct el_govern_confine {
    enum el_sandbox_mode mode;
    const char *config;  /* read again on SIGHUP; NULL = none */
    const char *machine; /* a recorded machine's directory; NULL = none */
    bool real;           /* drives of this host; else no capability, no device and nothing below /sys */
};

/* Makes the state and runtime directories when they are missing: later it could not. Which fans may be written is
 * settled here, by what has a pwm file now. Devices: any can be opened for reading (names come and go with their
 * drives), none for writing, and what is asked of them are NVMe admin commands. 0, or with EL_SANDBOX_REQUIRE
 * -ENOTSUP (logged). */
int el_govern_confine(const struct el_govern_confine *o, const struct el_settings *s);

/* What the launcher of both daemons gives up, for itself and for all it starts: the capabilities that neither needs to
 * start, new privileges, system calls that neither makes, and writing anywhere but in these directories and, `real`,
 * where the daemon governs. It can still start programs, which takes reading all files. Likewise. */
int el_launcher_confine(enum el_sandbox_mode mode, bool real, const char *runtime_dir, const char *state_dir);
