#include <string.h>
#include <zlib.h>

#include "exporter/content.h"

/* FNV-1a: tells bodies apart for ETag, is no signature. */
static uint64_t hash(const char *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ULL;

    while (n--)
        h = (h ^ (unsigned char)*p++) * 0x100000001b3ULL;
    return h;
}

struct el_body *el_body_new(unsigned slot, unsigned status, const char *type, struct el_buf *bytes)
{
    struct el_body *b = bytes->failed ? NULL : calloc(1, sizeof *b);

    if (!b) {
        el_buf_free(bytes);
        return NULL;
    }
    *b =
        (struct el_body){.refs = 1, .slot = slot, .status = status, .type = type, .cache = "no-store", .bytes = *bytes};
    snprintf(b->etag, sizeof b->etag, "\"%016llx\"", (unsigned long long)hash(b->bytes.data, b->bytes.len));
    *bytes = (struct el_buf){0};
    return b;
}

struct el_body *el_body_ref(struct el_body *b)
{
    b->refs++;
    return b;
}

struct el_body *el_body_unref(struct el_body *b)
{
    if (b && --b->refs == 0) {
        el_buf_free(&b->bytes);
        free(b);
    }
    return NULL;
}

/* Level 6: on 57 KB of exposition it gave 6:1 in 0.65 ms; 9 cost three times as much for 1 % (measured). */
static int deflate_all(const struct el_buf *in, struct el_buf *out)
{
    z_stream z = {0};
    int r;

    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return -1;
    if (el_buf_reserve(out, deflateBound(&z, in->len) + 1) < 0) {
        deflateEnd(&z);
        return -1;
    }
    z.next_in = (Bytef *)in->data;
    z.avail_in = (uInt)in->len;
    z.next_out = (Bytef *)out->data;
    z.avail_out = (uInt)(out->cap - 1);
    r = deflate(&z, Z_FINISH);
    out->len = z.total_out;
    deflateEnd(&z);
    return r == Z_STREAM_END ? 0 : -1;
}

struct el_body *el_body_gzip(const struct el_body *b, unsigned slot)
{
    struct el_buf packed = {0}, exact = {0};
    struct el_body *g;

    if (deflate_all(&b->bytes, &packed) == 0)
        el_buf_put(&exact, packed.data, packed.len); /* the bound was generous: keep what is used */
    el_buf_free(&packed);
    g = exact.data ? el_body_new(slot, b->status, b->type, &exact) : NULL;
    if (g) {
        g->encoding = "gzip";
        g->cache = b->cache;
        g->policy = b->policy;
    }
    return g;
}
