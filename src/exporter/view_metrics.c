/* The Prometheus exposition: text 0.0.4 and OpenMetrics 1.0.0, both from the same rows of the catalog.
 *
 * What is constant over a page is rendered once: the labels of each row once per scope, those of each sub index once
 * per metric. A sample is then a few memory copies and one number. With a memo, a metric whose labels and values are
 * those of the rendering before is one memory copy. */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "exporter/view.h"

/* Pieces of text, one after the other, by index. */
struct pieces {
    struct el_buf text;
    uint32_t *end; /* of each piece */
    uint32_t n;
};

#define FLUSH_BYTES 65536

struct page {
    struct el_buf *out;
    const struct el_view_options *o;
    struct el_catalog_context c;
    enum el_view_format format;
    struct pieces rows[EL_SCOPE_COUNT]; /* labels of the rows of a scope */
    struct pieces subs;                 /* labels of the sub indexes of the metric at work */
    struct el_buf values;               /* of the metric at work: struct el_value by row and sub index */
    size_t values_before;               /* of the metrics before it, in bytes of the last page's values */
    bool same_labels[EL_SCOPE_COUNT];   /* as in the last page */
};

static void pieces_free(struct pieces *p)
{
    el_buf_free(&p->text);
    free(p->end);
}

static void put_label(struct el_buf *b, const char *name, const char *value)
{
    el_buf_puts(b, name);
    el_buf_puts(b, "=\"");
    el_text_label_escape(b, value);
    el_buf_putc(b, '"');
}

static void put_labels(struct el_buf *b, const struct el_labels *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (i)
            el_buf_putc(b, ',');
        put_label(b, l->label[i].name, l->label[i].value);
    }
}

static bool same_bytes(const void *a, size_t a_n, const void *b, size_t b_n)
{
    return a_n == b_n && (!a_n || memcmp(a, b, a_n) == 0);
}

static int render_rows(struct page *p, enum el_metric_scope scope)
{
    struct pieces *rows = &p->rows[scope];
    uint32_t n = el_scope_rows(&p->c, scope);
    struct el_labels labels;

    if (rows->end || !n)
        return 0;
    rows->end = malloc(n * sizeof *rows->end);
    if (!rows->end)
        return -ENOMEM;
    for (; rows->n < n; rows->n++) {
        el_scope_labels(&p->c, scope, rows->n, &labels);
        put_labels(&rows->text, &labels);
        rows->end[rows->n] = (uint32_t)rows->text.len;
    }
    if (p->o->memo) {
        const struct el_buf *last = &p->o->memo->last.labels[scope];

        p->same_labels[scope] = same_bytes(last->data, last->len, rows->text.data, rows->text.len);
    }
    return rows->text.failed ? -ENOMEM : 0;
}

static void put_sub(struct page *p, const struct el_metric *m, uint32_t row, uint32_t sub, struct el_buf *b)
{
    for (int which = 0; which < 2 && m->sub[which]; which++) {
        if (which)
            el_buf_putc(b, ',');
        put_label(b, m->sub[which]->label, el_metric_sub_value(&p->c, m, row, sub, which));
    }
}

/* False when the labels depend on the row: those are rendered sample by sample. */
static bool subs_are_fixed(const struct el_metric *m)
{
    return (!m->sub[0] || m->sub[0]->value) && (!m->sub[1] || m->sub[1]->value);
}

static int render_subs(struct page *p, const struct el_metric *m)
{
    uint32_t n = el_metric_subs(m);
    uint32_t *end;

    if (!m->sub[0] || !subs_are_fixed(m))
        return 0;
    end = realloc(p->subs.end, n * sizeof *end);

    if (!end)
        return -ENOMEM;
    p->subs.end = end;
    p->subs.n = n;
    el_buf_clear(&p->subs.text);
    for (uint32_t i = 0; i < n; i++) {
        put_sub(p, m, 0, i, &p->subs.text);
        end[i] = (uint32_t)p->subs.text.len;
    }
    return p->subs.text.failed ? -ENOMEM : 0;
}

static uint32_t piece_start(const struct pieces *p, uint32_t i)
{
    return i ? p->end[i - 1] : 0;
}

static size_t piece_size(const struct pieces *p, uint32_t i)
{
    return p->end ? p->end[i] - piece_start(p, i) : 0;
}

static void put_piece(struct el_buf *b, const struct pieces *p, uint32_t i)
{
    el_buf_put(b, p->text.data + piece_start(p, i), piece_size(p, i));
}

static void put_header_line(struct page *p, const char *what, const struct el_metric *m, const char *suffix,
                            const char *text)
{
    struct el_buf *b = p->out;

    el_buf_puts(b, what);
    el_buf_puts(b, m->name);
    el_buf_puts(b, suffix);
    el_buf_putc(b, ' ');
    el_buf_puts(b, text);
    el_buf_putc(b, '\n');
}

/* HELP, TYPE and UNIT. The older format names the family as its samples are named, the newer one without the suffix. */
static void put_header(struct page *p, const struct el_metric *m)
{
    bool open = p->format == EL_VIEW_OPENMETRICS;
    const char *suffix = open ? "" : el_metric_suffix(m);
    const char *type = m->type == EL_METRIC_COUNTER        ? "counter"
                       : m->type == EL_METRIC_INFO && open ? "info"
                                                           : "gauge"; /* our states carry labels of their own */

    put_header_line(p, "# HELP ", m, suffix, m->help);
    put_header_line(p, "# TYPE ", m, suffix, type);
    if (open && m->unit[0])
        put_header_line(p, "# UNIT ", m, "", m->unit);
}

/* Between the braces: the row's labels, the sub index's, an info metric's own. */
static void put_sample_labels(struct page *p, const struct el_metric *m, uint32_t row, uint32_t sub)
{
    struct el_buf *b = p->out;
    size_t start = b->len;
    struct el_labels info = {0};

    if (piece_size(&p->rows[m->scope], row))
        put_piece(b, &p->rows[m->scope], row);
    if (m->sub[0]) {
        if (b->len > start)
            el_buf_putc(b, ',');
        if (subs_are_fixed(m))
            put_piece(b, &p->subs, sub);
        else
            put_sub(p, m, row, sub, b);
    }
    if (m->type != EL_METRIC_INFO)
        return;
    el_info_labels(&p->c, m, row, sub, &info);
    if (info.n && b->len > start)
        el_buf_putc(b, ',');
    put_labels(b, &info);
}

static void put_sample(struct page *p, const struct el_metric *m, uint32_t row, uint32_t sub, struct el_value v)
{
    struct el_buf *b = p->out;
    char number[EL_NUM_MAX];

    el_buf_puts(b, m->name);
    el_buf_puts(b, el_metric_suffix(m));
    if (piece_size(&p->rows[m->scope], row) || m->sub[0] || m->type == EL_METRIC_INFO) {
        el_buf_putc(b, '{');
        put_sample_labels(p, m, row, sub);
        el_buf_putc(b, '}');
    }
    el_buf_putc(b, ' ');
    el_buf_put(b, number, el_value_text(number, v));
    el_buf_putc(b, '\n');
}

/* Reads them all; how many are there. */
static uint32_t read_values(struct page *p, const struct el_metric *m, uint32_t rows, uint32_t subs)
{
    struct el_value *v;
    uint32_t there = 0;

    el_buf_clear(&p->values);
    if (el_buf_reserve(&p->values, (size_t)rows * subs * sizeof *v) < 0)
        return 0;
    v = (struct el_value *)(void *)p->values.data;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t sub = 0; sub < subs; sub++, v++) {
            *v = el_metric_value(&p->c, m, row, sub);
            there += v->kind != EL_VALUE_ABSENT;
        }
    p->values.len = (size_t)rows * subs * sizeof *v;
    return there;
}

static void put_samples(struct page *p, const struct el_metric *m, uint32_t rows, uint32_t subs)
{
    const struct el_value *v = (const struct el_value *)(const void *)p->values.data;

    put_header(p, m);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t sub = 0; sub < subs; sub++, v++) {
            if (v->kind == EL_VALUE_ABSENT)
                continue;
            put_sample(p, m, row, sub, *v);
            if (p->o->flush && p->out->len > FLUSH_BYTES)
                p->o->flush(p->o->ctx, p->out);
        }
}

static struct el_view_block *block_of(struct el_view_page *page, const struct el_metric *m, size_t *begin)
{
    size_t i = (size_t)(m - el_metric(0));

    *begin = i ? page->block[i - 1].end : 0;
    return &page->block[i];
}

/* True when the last page has its text: labels and values are the same. */
static bool put_as_before(struct page *p, const struct el_metric *m)
{
    struct el_view_page *last = &p->o->memo->last;
    size_t begin, size = 0;
    const struct el_view_block *b = block_of(last, m, &begin);

    if (b->values * sizeof(struct el_value) <= last->values.len - p->values_before)
        size = b->values * sizeof(struct el_value);
    p->values_before += size;
    if (m->type == EL_METRIC_INFO || !subs_are_fixed(m) || !p->same_labels[m->scope] ||
        !same_bytes(last->values.data + p->values_before - size, size, p->values.data, p->values.len))
        return false;
    el_buf_put(p->out, last->text.data + begin, b->end - begin);
    return true;
}

/* Notes what stands in the page since `begin`; it may be what stood there before. */
static void note_block(struct page *p, const struct el_metric *m, size_t begin, bool as_before)
{
    struct el_view_memo *memo = p->o->memo;
    size_t last_begin, next_begin;
    const struct el_view_block *last = block_of(&memo->last, m, &last_begin);
    struct el_view_block *next = block_of(&memo->next, m, &next_begin);
    bool same = as_before || same_bytes(memo->last.text.data + last_begin, last->end - last_begin, p->out->data + begin,
                                        p->out->len - begin);

    *next = (struct el_view_block){.end = p->out->len,
                                   .edition = same ? last->edition : memo->edition + 1,
                                   .values = (uint32_t)(p->values.len / sizeof(struct el_value))};
    el_buf_put(&memo->next.values, p->values.data, p->values.len);
}

static int put_metric(struct page *p, const struct el_metric *m)
{
    uint32_t rows = el_scope_rows(&p->c, m->scope), subs = el_metric_subs(m), there;
    size_t begin = p->out->len;
    bool as_before;
    int r = render_rows(p, m->scope);

    if (r < 0)
        return r;
    there = read_values(p, m, rows, subs);
    as_before = p->o->memo && put_as_before(p, m);
    if (there && !as_before) {
        r = render_subs(p, m);
        if (r == 0)
            put_samples(p, m, rows, subs);
    }
    p->c.series += there;
    if (p->o->memo)
        note_block(p, m, begin, as_before);
    return p->values.failed ? -ENOMEM : r;
}

/* The page at work becomes the last one. */
static void turn_page(struct page *p)
{
    struct el_view_memo *memo = p->o->memo;
    struct el_view_page last = memo->last;

    for (uint32_t i = 0; i < EL_SCOPE_COUNT; i++) {
        memo->next.labels[i] = p->rows[i].text;
        p->rows[i].text = last.labels[i]; /* goes with the rows */
        last.labels[i] = (struct el_buf){0};
    }
    memo->last = memo->next;
    memo->next = last;
    memo->edition++;
}

static void free_page(struct el_view_page *page)
{
    el_buf_free(&page->text);
    el_buf_free(&page->values);
    for (uint32_t i = 0; i < EL_SCOPE_COUNT; i++)
        el_buf_free(&page->labels[i]);
}

void el_view_memo_free(struct el_view_memo *m)
{
    free_page(&m->last);
    free_page(&m->next);
    *m = (struct el_view_memo){0};
}

int el_view_metrics(const struct el_snapshot *s, enum el_view_format format, const struct el_view_options *o,
                    struct el_buf *out)
{
    struct el_view_memo *memo = o->memo;
    struct page p = {.out = memo ? &memo->next.text : out, .o = o, .format = format};
    uint64_t groups = o->groups ? o->groups : el_metric_groups_default();
    int r = 0;

    p.c = (struct el_catalog_context){.s = s, .exporter = o->exporter, .now_us = o->now_us, .stale = o->stale};
    if (memo) {
        el_buf_clear(&memo->next.text);
        el_buf_clear(&memo->next.values);
        (void)el_buf_reserve(&memo->next.text, memo->last.text.len);
    }
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT && r == 0; i++)
        if (groups & 1ull << el_metric(i)->group)
            r = put_metric(&p, el_metric(i));
        else if (memo)
            memo->next.block[i] = (struct el_view_block){.end = p.out->len};
    if (format == EL_VIEW_OPENMETRICS)
        el_buf_puts(p.out, "# EOF\n");
    if (r == 0 && (p.out->failed || (memo && memo->next.values.failed)))
        r = -ENOMEM;
    if (r == 0 && memo)
        turn_page(&p);
    for (uint32_t i = 0; i < EL_SCOPE_COUNT; i++)
        pieces_free(&p.rows[i]);
    pieces_free(&p.subs);
    el_buf_free(&p.values);
    return r;
}
