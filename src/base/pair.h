/* A file that gets new content at every round, without a name or a page made anew for it: two frames of equal room, each half
 * of the file, written in turns, so that the content before stays whole while the next one comes. The content itself must
 * tell which frame is the newer one and whether it is whole: a reader that is slower than a round may find the one it reads
 * half overwritten. Readers are told of a new round by the file's change time. Content that outgrows its frame, and
 * whatever happened to the file behind our back, makes a new file that takes the name. One owner, one thread. */
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

/* The next content of `name` below `dirfd`. 0 or -errno; on failure the old content stands. */
int el_file_pair_write(struct el_file_pair *p, int dirfd, const char *name, const void *bytes, size_t n, mode_t mode);

/* Removes the file. */
void el_file_pair_remove(struct el_file_pair *p, int dirfd, const char *name);
