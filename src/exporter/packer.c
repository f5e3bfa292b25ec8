/* One gzip member of pieces that do not refer to each other: RFC 1952 around RFC 1951. */
#include "exporter/packer.h"

#include <zlib.h>

/* Of what zlib offers, measured on 68 KB of exposition: level 1 takes 0.22 ms for 9.0 KB, 6 takes 0.72 for 7.8. Each
 * piece begins with an empty table of strings and trees of its own: memory level 6 keeps the table small (16 KB), and a
 * piece costs about what 3 KB of text do. */
#define LEVEL        Z_BEST_SPEED
#define MEMORY       6
#define GAP_BYTES    2048 /* of what does not change, between two that do: not worth a piece of its own */
#define HOT_EDITIONS 32   /* a metric that changed within these is expected to change again */

/* Text of neighbouring metrics that does not change, compressed. */
struct piece {
    uint32_t first, after; /* blocks */
    uint32_t edition;      /* the last in which one of them changed */
    struct el_buf bytes;
};

struct pieces {
    struct piece *piece;
    uint32_t n;
};

struct el_packer {
    z_stream z;
    struct el_buf out;
    uint32_t crc, size; /* of what was put */
    bool begun;
    struct pieces kept; /* of the page put last */
};

struct el_packer *el_packer_new(void)
{
    struct el_packer *p = calloc(1, sizeof *p);

    if (p && deflateInit2(&p->z, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
        return p;
    free(p);
    return NULL;
}

static void free_pieces(struct pieces *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        el_buf_free(&s->piece[i].bytes);
    free(s->piece);
    *s = (struct pieces){0};
}

struct el_packer *el_packer_free(struct el_packer *p)
{
    if (!p)
        return NULL;
    deflateEnd(&p->z);
    el_buf_free(&p->out);
    free_pieces(&p->kept);
    free(p);
    return NULL;
}

/* Until zlib has no more to say: it has taken all when it leaves room. */
static void drain(struct el_packer *p, struct el_buf *out, int flush)
{
    do {
        if (el_buf_reserve(out, 4096) < 0)
            return;
        p->z.next_out = (Bytef *)out->data + out->len;
        p->z.avail_out = (uInt)(out->cap - out->len - 1);
        deflate(&p->z, flush);
        out->len = (size_t)((char *)p->z.next_out - out->data);
    } while (p->z.avail_out == 0);
}

static void begin(struct el_packer *p)
{
    static const uint8_t header[10] = {0x1f, 0x8b, Z_DEFLATED, [9] = 3 /* Unix */};

    if (p->begun)
        return;
    p->begun = true;
    p->crc = (uint32_t)crc32(0, NULL, 0);
    p->size = 0;
    el_buf_put(&p->out, header, sizeof header);
    deflateReset(&p->z);
}

static void count(struct el_packer *p, const void *bytes, size_t n)
{
    p->crc = (uint32_t)crc32(p->crc, bytes, (uInt)n);
    p->size += (uint32_t)n;
}

void el_packer_put(struct el_packer *p, const void *bytes, size_t n)
{
    begin(p);
    count(p, bytes, n);
    p->z.next_in = (Bytef *)(uintptr_t)bytes;
    p->z.avail_in = (uInt)n;
    drain(p, &p->out, Z_NO_FLUSH);
}

/* Refers to nothing outside, and ends with a whole byte. */
static void deflate_alone(struct el_packer *p, const char *text, size_t n, struct el_buf *out)
{
    deflateReset(&p->z);
    p->z.next_in = (Bytef *)(uintptr_t)text;
    p->z.avail_in = (uInt)n;
    drain(p, out, Z_SYNC_FLUSH);
}

static size_t block_begin(const struct el_view_page *page, uint32_t i)
{
    return i ? page->block[i - 1].end : 0;
}

static bool is_hot(const struct el_view_memo *m, uint32_t block)
{
    uint32_t edition = m->last.block[block].edition;

    return edition > 1 && m->edition - edition < HOT_EDITIONS; /* all of them are new in the first */
}

/* The end of the run of blocks from `first` on that do not change. */
static uint32_t cold_run(const struct el_view_memo *m, uint32_t first)
{
    uint32_t i = first;

    while (i < EL_METRIC_ID_COUNT && !is_hot(m, i))
        i++;
    return i;
}

/* The end of the run that does, with small gaps. */
static uint32_t hot_run(const struct el_view_memo *m, uint32_t first)
{
    uint32_t i = first, cold;

    for (;;) {
        while (i < EL_METRIC_ID_COUNT && is_hot(m, i))
            i++;
        cold = cold_run(m, i);
        if (cold == EL_METRIC_ID_COUNT || block_begin(&m->last, cold) - block_begin(&m->last, i) > GAP_BYTES)
            return i;
        i = cold;
    }
}

static struct el_buf take_kept(struct pieces *kept, const struct piece *want)
{
    for (uint32_t i = 0; i < kept->n; i++) {
        struct piece *k = &kept->piece[i];
        struct el_buf bytes = k->bytes;

        if (k->first == want->first && k->after == want->after && k->edition == want->edition) {
            k->bytes = (struct el_buf){0};
            return bytes;
        }
    }
    return (struct el_buf){0};
}

/* Puts a run of blocks that does not change, and keeps it for the next time. */
static void put_cold(struct el_packer *p, const struct el_view_memo *m, uint32_t first, uint32_t after,
                     struct pieces *next)
{
    size_t from = block_begin(&m->last, first), to = block_begin(&m->last, after);
    struct piece *piece = from < to ? realloc(next->piece, (next->n + 1) * sizeof *piece) : NULL, *s;

    p->out.failed = p->out.failed || (from < to && !piece);
    if (!piece)
        return;
    next->piece = piece;
    s = &piece[next->n++];
    *s = (struct piece){.first = first, .after = after};
    for (uint32_t i = first; i < after; i++)
        s->edition = EL_MAX(s->edition, m->last.block[i].edition);
    s->bytes = take_kept(&p->kept, s);
    if (!s->bytes.len)
        deflate_alone(p, m->last.text.data + from, to - from, &s->bytes);
    p->out.failed = p->out.failed || s->bytes.failed;
    el_buf_put(&p->out, s->bytes.data, s->bytes.len);
}

void el_packer_put_page(struct el_packer *p, const struct el_view_memo *page)
{
    const struct el_view_page *last = &page->last;
    struct pieces next = {0};
    uint32_t after;

    begin(p);
    count(p, last->text.data, last->text.len);
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT; i = after) {
        after = cold_run(page, i);
        if (after > i) {
            put_cold(p, page, i, after, &next);
            continue;
        }
        after = hot_run(page, i);
        deflate_alone(p, last->text.data + block_begin(last, i), block_begin(last, after) - block_begin(last, i),
                      &p->out);
    }
    free_pieces(&p->kept);
    p->kept = next;
    after = (uint32_t)block_begin(last, EL_METRIC_ID_COUNT);
    deflate_alone(p, last->text.data + after, last->text.len - after, &p->out); /* what ends the page */
}

static void put_u32(struct el_buf *b, uint32_t v)
{
    const uint8_t bytes[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};

    el_buf_put(b, bytes, sizeof bytes);
}

struct el_body *el_packer_end(struct el_packer *p, const char *type)
{
    struct el_body *b;

    begin(p);
    p->z.avail_in = 0;
    drain(p, &p->out, Z_FINISH);
    put_u32(&p->out, p->crc);
    put_u32(&p->out, p->size);
    p->begun = false;
    b = el_body_new(200, type, &p->out);
    if (b) {
        b->encoding = "gzip";
        b->plain_size = p->size;
    }
    return b;
}

struct el_unpacker {
    z_stream z;
    struct el_body *packed;
};

struct el_unpacker *el_unpacker_new(struct el_body *packed)
{
    struct el_unpacker *u = calloc(1, sizeof *u);

    if (!u)
        return NULL;
    u->z.next_in = (Bytef *)packed->bytes.data;
    u->z.avail_in = (uInt)packed->bytes.len;
    if (inflateInit2(&u->z, MAX_WBITS + 16) != Z_OK) { /* 16: gzip */
        free(u);
        return NULL;
    }
    u->packed = el_body_ref(packed);
    return u;
}

void el_unpacker_free(void *unpacker)
{
    struct el_unpacker *u = unpacker;

    if (!u)
        return;
    inflateEnd(&u->z);
    el_body_unref(u->packed);
    free(u);
}

ssize_t el_unpacker_read(void *unpacker, uint64_t at, char *out, size_t n)
{
    struct el_unpacker *u = unpacker;
    int r;

    u->z.next_out = (Bytef *)out;
    u->z.avail_out = (uInt)n;
    r = inflate(&u->z, Z_SYNC_FLUSH);
    if (u->z.avail_out < n)
        return (ssize_t)(n - u->z.avail_out);
    return r == Z_STREAM_END ? -1 : -2;
}
