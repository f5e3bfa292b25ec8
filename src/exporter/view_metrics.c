/* The Prometheus exposition: text 0.0.4 and OpenMetrics 1.0.0, both from the same rows of the catalog.
 *
 * What is constant over a page is rendered once: the labels of each row once per scope, those of each sub index once
 * per metric. A sample is then a few memory copies and one number. */
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
    p->c.series++;
}

static int put_metric(struct page *p, const struct el_metric *m)
{
    uint32_t rows = el_scope_rows(&p->c, m->scope), subs = el_metric_subs(m);
    bool begun = false;
    int r = render_rows(p, m->scope);

    if (r == 0 && rows)
        r = render_subs(p, m);
    if (r < 0)
        return r;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t sub = 0; sub < subs; sub++) {
            struct el_value v = el_metric_value(&p->c, m, row, sub);

            if (v.kind == EL_VALUE_ABSENT)
                continue;
            if (!begun)
                put_header(p, m);
            begun = true;
            put_sample(p, m, row, sub, v);
            if (p->o->flush && p->out->len > FLUSH_BYTES)
                p->o->flush(p->o->ctx, p->out);
        }
    return 0;
}

int el_view_metrics(const struct el_snapshot *s, enum el_view_format format, const struct el_view_options *o,
                    struct el_buf *out)
{
    struct page p = {.out = out, .o = o, .format = format};
    uint64_t groups = o->groups ? o->groups : el_metric_groups_default();
    int r = 0;

    p.c = (struct el_catalog_context){.s = s, .exporter = o->exporter, .now_us = o->now_us, .stale = o->stale};
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT && r == 0; i++)
        if (groups & 1ull << el_metric(i)->group)
            r = put_metric(&p, el_metric(i));
    if (format == EL_VIEW_OPENMETRICS)
        el_buf_puts(out, "# EOF\n");
    for (uint32_t i = 0; i < EL_SCOPE_COUNT; i++)
        pieces_free(&p.rows[i]);
    pieces_free(&p.subs);
    return r < 0 ? r : out->failed ? -ENOMEM : 0;
}
