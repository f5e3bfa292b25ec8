/* A made-up tree of files in a scratch directory: what a kernel would show. */
#pragma once

#include "base/file.h"
#include "device/sysfs.h"
#include "support/unit.h"

static char root[64];
static struct el_sysfs fs;

static inline int tree_set_up(void **state)
{
    strcpy(root, "/tmp/elementd-tree.XXXXXX");
    if (!mkdtemp(root))
        return -1;
    fs = (struct el_sysfs){.root = open(root, O_RDONLY | O_DIRECTORY)};
    return fs.root < 0 ? -1 : 0;
}

static inline int tree_tear_down(void **state)
{
    char command[80];

    close(fs.root);
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static inline void put_bytes(const char *path, const void *bytes, size_t n)
{
    char dir[256];

    snprintf(dir, sizeof dir, "%s/%s", root, path);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(el_file_make_dirs(dir, 0755), 0);
    assert_int_equal(el_file_replace(fs.root, path, bytes, n, 0644, false), 0);
}

static inline void put(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}
