/* Where `elementd run` keeps its files: for root on the real machine the system's directories, else a private one that
 * is removed at the end. */
#pragma once

#include "model/settings.h"

struct el_rundir {
    const char *runtime, *state; /* as given by flags, else filled by el_rundir_make */
    bool is_private;             /* something was made that must be removed */
    char base[EL_PATH_MAX], runtime_path[EL_PATH_MAX + 8], state_path[EL_PATH_MAX + 8];
};

int el_rundir_make(struct el_rundir *d, bool play); /* 0 or -errno; the reason is said */
void el_rundir_remove(struct el_rundir *d);
