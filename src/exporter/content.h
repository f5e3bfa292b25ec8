/* What the HTTP server serves: a provider hands out finished, immutable, reference-counted bodies. The server knows
 * nothing about snapshots, the provider nothing about HTTP connections; each is tested with a fake of the other. */
#pragma once

#include "base/buf.h"

/* A finished answer. Everything but the count is constant once made; `type` and the like are static text. */
struct el_body {
    unsigned refs;              /* HTTP thread only */
    unsigned status;            /* 200, 503 */
    const char *type;           /* Content-Type */
    const char *encoding;       /* Content-Encoding; NULL = identity */
    const char *cache;          /* Cache-Control */
    const char *header, *value; /* one more header; NULL = none */
    char etag[24];              /* quoted, of the bytes; "" = none */
    uint64_t plain_size;        /* of what is packed; 0 = not known */
    struct el_buf bytes;
    /* Not NULL: `bytes` is empty, what there is of them is gzip, to be unpacked as it is sent (exporter/packer.h). */
    struct el_body *packed;
    /* What the server has made of it, for all who get it; goes when the provider is done with the body. */
    void *answer;
    unsigned answer_edition;
    void (*answer_free)(void *answer);
};

struct el_request {
    const char *path, *accept, *accept_encoding; /* as received, not unescaped; NULL = no such header */
};

struct el_content {
    void *ctx;
    /* The body for a request, with a reference for the caller. 0, -ENOENT (no such path), or another -errno. */
    int (*get)(void *ctx, const struct el_request *r, int64_t now_us, struct el_body **out);
};

/* A new body with one reference, which no client may keep; takes over `bytes` (also on failure). NULL: out of memory.
 */
struct el_body *el_body_new(unsigned status, const char *type, struct el_buf *bytes);

/* For clients that keep it and ask again whether it is still the same: with an ETag. Returns `b`. */
struct el_body *el_body_keep(struct el_body *b);

/* A line of text and a line feed. NULL: out of memory. */
struct el_body *el_body_text(unsigned status, const char *text);

/* The plain form of one that is packed, whose plain size is known; holds it. NULL: out of memory. */
struct el_body *el_body_unpacked(struct el_body *packed);

/* Why there is nothing to serve, in words, with the status and the header that go with it. */
enum el_refusal {
    EL_REFUSE_PATH,
    EL_REFUSE_HOSTS,
    EL_REFUSE_METHOD,
    EL_REFUSE_PASSWORD,
    EL_REFUSE_RATE,
    EL_REFUSE_BUSY,
    EL_REFUSALS
};
struct el_body *el_body_refusal(enum el_refusal why); /* NULL: out of memory */

struct el_body *el_body_ref(struct el_body *b);
struct el_body *el_body_unref(struct el_body *b); /* takes NULL, returns NULL */
void el_body_drop(void *b);                       /* the same, to be called back */

/* The provider's own reference: nobody new will get it. Those who still read it hold it. Takes NULL, returns NULL. */
struct el_body *el_body_retire(struct el_body *b);
