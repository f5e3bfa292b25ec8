/* What every fuzz target shares. A target is tests/fuzz/ROOM_NAME.c with LLVMFuzzerTestOneInput; its seeds are in
 * corpus/ROOM_NAME. Built with the preset `fuzz` it runs under libFuzzer; in every other build it replays its seeds and
 * cheap variations of them. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The bytes as a file, for parsers that take a path. The path is good until the next call. */
static inline const char *fuzz_file(const uint8_t *data, size_t n)
{
    static int fd = -1;
    static char path[64];

    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, n, 0) != (ssize_t)n)
        abort();
    return path;
}

static inline char *fuzz_dir_path(void)
{
    static char dir[64];

    return dir;
}

static inline void fuzz_dir_remove(void)
{
    DIR *dir = opendir(fuzz_dir_path());

    for (struct dirent *e; dir && (e = readdir(dir));)
        unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(fuzz_dir_path());
}

/* A scratch directory, gone at the end, with the bytes in a file called `name`. */
static inline const char *fuzz_dir(const char *name, const uint8_t *data, size_t n)
{
    char *dir = fuzz_dir_path(), path[128];
    int fd;

    if (!dir[0]) {
        snprintf(dir, 64, "%s/fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(dir) || atexit(fuzz_dir_remove) != 0)
            abort();
    }
    snprintf(path, sizeof path, "%s/%s", dir, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n)
        abort();
    close(fd);
    return dir;
}
