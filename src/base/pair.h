/* A file that gets new content every round without creating a name or allocating a page. It has two frames of equal
 * size, written in turn, so that the previous content stays whole while the next is being written. The content itself
 * must tell which frame is newer and whether it is complete: a reader slower than a round may find its frame half
 * overwritten. Readers notice a new round by the file's change time. When content outgrows its frame, or anyone else
 * has touched the file, a new file takes over the name. One owner, one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct el_file_pair {
    int fd;      /* -1 = none */
    char *map;   /* the whole file, NULL = not mapped */
    size_t room; /* of one frame */
    bool second; /* the frame that is written next */
};

void el_file_pair_init(struct el_file_pair *p);

/* Writes the next content of `name` below `dirfd`. 0 or -errno; on failure the old content stands. */
int el_file_pair_write(struct el_file_pair *p, int dirfd, const char *name, const void *bytes, size_t n, mode_t mode);

/* Removes the file. */
void el_file_pair_remove(struct el_file_pair *p, int dirfd, const char *name);
