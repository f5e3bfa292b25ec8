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

/* Creates missing state and runtime directories, which would be impossible later. Only fans that have a pwm file now
 * may be written from here on. Any device can be opened for reading (names come and go with drives), none for writing,
 * and the only requests allowed are NVMe admin commands. 0, or with EL_SANDBOX_REQUIRE -ENOTSUP (logged). */
int el_govern_confine(const struct el_govern_confine *o, const struct el_settings *s);

/* What the launcher of both daemons gives up, for itself and everything it starts: the capabilities that neither needs
 * to start, new privileges, system calls that neither makes, and writing anywhere but in these directories and, with
 * `real`, where the daemon governs. It can still start programs, for which it reads all files. Returns as above. */
int el_launcher_confine(enum el_sandbox_mode mode, bool real, const char *runtime_dir, const char *state_dir);
