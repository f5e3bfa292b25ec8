/* gzip, piece by piece, so that a large page need never be there uncompressed, and a small one is compressed where it
 * changed. One is for many bodies, one after the other. */
#pragma once

#include "exporter/content.h"
#include "exporter/view.h"

struct el_packer;

struct el_packer *el_packer_new(void);                 /* NULL: out of memory */
struct el_packer *el_packer_free(struct el_packer *p); /* takes NULL, returns NULL */

void el_packer_put(struct el_packer *p, const void *bytes, size_t n);

/* The last page. What has not changed since one of this memo was last put is not compressed again: a packer is for one
 * memo. */
void el_packer_put_page(struct el_packer *p, const struct el_view_memo *page);

/* What was put, as a new body of status 200. NULL: out of memory. */
struct el_body *el_packer_end(struct el_packer *p, const char *type);
