/* A made-up tree of files in a scratch directory: what a kernel would show. */
#pragma once

#include "device/sysfs.h"
#include "support/scratch.h"

static struct el_sysfs fs;

static inline int tree_set_up(void **state)
{
    if (scratch_set_up(state) < 0)
        return -1;
    fs = (struct el_sysfs){.root = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return fs.root < 0 ? -1 : 0;
}

static inline int tree_tear_down(void **state)
{
    close(fs.root);
    return scratch_tear_down(state);
}
