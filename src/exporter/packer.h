/* gzip, piece by piece, so that a large page need never be there uncompressed, and of a small one only what moves is
 * compressed. One is for many bodies, one after the other. */
#pragma once

#include "exporter/content.h"

struct el_packer;

struct el_packer *el_packer_new(void);                 /* NULL: out of memory */
struct el_packer *el_packer_free(struct el_packer *p); /* takes NULL, returns NULL */

void el_packer_put(struct el_packer *p, const void *bytes, size_t n);

/* The first piece of a body, not compressed again where it was put last under the same edition. */
void el_packer_put_first(struct el_packer *p, const struct el_buf *text, uint32_t edition);

/* The plain bytes of a body that a packer has made, in order; for one client. */
struct el_unpacker;

struct el_unpacker *el_unpacker_new(struct el_body *packed); /* holds it. NULL: out of memory */
void el_unpacker_free(void *unpacker);                       /* takes NULL; to be called back */

/* The next of them, at least one and at most `n`. Their number, -1 at the end, or -2 when it cannot: what
 * MHD_ContentReaderCallback asks for. `at` is told for nothing. */
ssize_t el_unpacker_read(void *unpacker, uint64_t at, char *out, size_t n);

/* What was put, as a new body of status 200. NULL: out of memory. */
struct el_body *el_packer_end(struct el_packer *p, const char *type);
