/* A file that is replaced at every round, without new pages at every round: two files that change places. One is
 * published under its name, the spare (NAME.new) is written and then exchanged with it in one step. Readers see the old
 * or the new bytes, never a mix: a spare that somebody still has open or mapped is left to them, and a new file takes
 * its place. As long as the size stays, a round writes into memory that both files are mapped to; readers tell a new
 * round by inode and change time, for such a write moves no time of modification. Where the kernel or the file system
 * cannot tell, map or exchange, each round writes or makes a file. One owner, one thread. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct el_file_half {
    int fd;     /* -1 = none */
    void *map;  /* the whole file, NULL = not mapped */
    off_t size; /* as last written */
};

struct el_file_pair {
    struct el_file_half live, spare;
};

/* From here on the process ignores SIGIO: the kernel sends it when a spare is opened while it is looked at. */
void el_file_pair_init(struct el_file_pair *p);

/* The next content of `name` below `dirfd`. 0 or -errno; on failure the old content stands. */
int el_file_pair_write(struct el_file_pair *p, int dirfd, const char *name, const void *bytes, size_t n, mode_t mode);

/* Removes both files. */
void el_file_pair_remove(struct el_file_pair *p, int dirfd, const char *name);
