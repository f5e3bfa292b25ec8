/* The Prometheus exposition: text 0.0.4 and OpenMetrics 1.0.0, both from the same rows of the catalog.
 *
 * What is constant over a page is rendered once: the labels of each row once per scope, those of each sub index once
 * per metric. A sample is then a few memory copies and one number. With a memo, the half that seldom changes is not
 * written again, and its text not even looked at, while labels and values are those of the rendering before. */
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
    struct el_buf name;                 /* of the samples of the metric at work */
    struct el_buf values;               /* of the metric at work: struct el_value by row and sub index */
    /* Of the first half, with a memo: it is looked through for changes, then, if there are any, made. */
    enum { PLAIN, LOOK, MAKE } pass;
    size_t facts; /* that were looked at, in bytes */
    bool changed;
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

/* Of the labels, nothing but those of its row is not known beforehand. */
static bool values_tell(const struct el_metric *m)
{
    return m->type != EL_METRIC_INFO && subs_are_fixed(m);
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
    char *end;

    if (el_buf_reserve(b, strlen(what) + strlen(m->name) + strlen(suffix) + strlen(text) + 2) < 0)
        return;
    end = stpcpy(stpcpy(stpcpy(b->data + b->len, what), m->name), suffix);
    end = stpcpy(stpcpy(stpcpy(end, " "), text), "\n");
    b->len = (size_t)(end - b->data);
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

/* Between the braces: the row's labels, then the sub index's or an info metric's own. */
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

    el_buf_put(b, p->name.data, p->name.len);
    el_buf_putc(b, '{');
    put_sample_labels(p, m, row, sub);
    el_buf_puts(b, "} ");
    el_buf_put(b, number, el_value_text(number, v));
    el_buf_putc(b, '\n');
}

/* The same of a metric whose labels are all at hand, which is most: room is made once. */
static void put_plain_sample(struct page *p, const struct el_metric *m, uint32_t row, uint32_t sub, struct el_value v)
{
    const struct pieces *rows = &p->rows[m->scope];
    size_t row_n = piece_size(rows, row), sub_n = m->sub[0] ? piece_size(&p->subs, sub) : 0;
    struct el_buf *b = p->out;
    char *end;

    if (el_buf_reserve(b, p->name.len + row_n + sub_n + EL_NUM_MAX + 5) < 0)
        return;
    end = mempcpy(b->data + b->len, p->name.data, p->name.len);
    if (row_n || sub_n) {
        *end++ = '{';
        if (row_n)
            end = mempcpy(end, rows->text.data + piece_start(rows, row), row_n);
        if (row_n && sub_n)
            *end++ = ',';
        if (sub_n)
            end = mempcpy(end, p->subs.text.data + piece_start(&p->subs, sub), sub_n);
        *end++ = '}';
    }
    *end++ = ' ';
    end += el_value_text(end, v);
    *end++ = '\n';
    *end = '\0';
    b->len = (size_t)(end - b->data);
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
    bool plain = values_tell(m);

    put_header(p, m);
    el_buf_clear(&p->name);
    el_buf_puts(&p->name, m->name);
    el_buf_puts(&p->name, el_metric_suffix(m));
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t sub = 0; sub < subs; sub++, v++) {
            if (v->kind == EL_VALUE_ABSENT)
                continue;
            if (plain)
                put_plain_sample(p, m, row, sub, *v);
            else
                put_sample(p, m, row, sub, *v);
            if (p->o->flush && p->out->len > FLUSH_BYTES)
                p->o->flush(p->o->ctx, p->out);
        }
}

/* What the text depends on. */
static void note_fact(struct page *p, const void *bytes, size_t n)
{
    struct el_buf *facts = &p->o->memo->facts;

    if (p->pass == MAKE) {
        el_buf_put(facts, bytes, n);
        return;
    }
    p->changed = p->changed || n > facts->len - p->facts || (n && memcmp(facts->data + p->facts, bytes, n) != 0);
    p->facts += p->changed ? 0 : n;
}

static void note_labels(struct page *p)
{
    for (uint32_t i = 0; i < EL_SCOPE_COUNT; i++)
        note_fact(p, p->rows[i].text.data, p->rows[i].text.len);
}

static int put_metric(struct page *p, const struct el_metric *m)
{
    uint32_t rows = el_scope_rows(&p->c, m->scope), subs = el_metric_subs(m), there;
    bool told = values_tell(m);
    size_t begin = p->out->len;
    int r = render_rows(p, m->scope);

    if (r < 0)
        return r;
    there = read_values(p, m, rows, subs);
    p->c.series += there;
    if (there && !(p->pass == LOOK && told)) {
        r = render_subs(p, m);
        if (r == 0)
            put_samples(p, m, rows, subs);
    }
    if (p->pass != PLAIN && told)
        note_fact(p, p->values.data, p->values.len);
    else if (p->pass != PLAIN)
        note_fact(p, p->out->data + begin, p->out->len - begin);
    return p->values.failed ? -ENOMEM : r;
}

static int put_half(struct page *p, bool moves)
{
    uint64_t groups = p->o->groups ? p->o->groups : el_metric_groups_default();
    int r = 0;

    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT && r == 0 && !(p->pass == LOOK && p->changed); i++)
        if (groups & 1ull << el_metric(i)->group && el_metric(i)->moves == moves)
            r = put_metric(p, el_metric(i));
    return r;
}

/* The first half, left as it is or made anew. */
static int renew(struct page *p, struct el_view_memo *memo)
{
    struct el_buf looked = {0};
    int r;

    p->out = &looked;
    p->pass = LOOK;
    r = put_half(p, false);
    note_labels(p);
    if (r == 0 && (p->changed || p->facts < memo->facts.len || looked.failed)) {
        el_buf_clear(&memo->text);
        el_buf_clear(&memo->facts);
        memo->edition++;
        p->out = &memo->text;
        p->pass = MAKE;
        p->c.series = 0;
        r = put_half(p, false);
        note_labels(p);
    }
    if (memo->text.failed || memo->facts.failed)
        r = -ENOMEM;
    if (r < 0)
        el_view_memo_free(memo);
    el_buf_free(&looked);
    p->pass = PLAIN;
    return r;
}

void el_view_memo_free(struct el_view_memo *m)
{
    el_buf_free(&m->text);
    el_buf_free(&m->facts);
    m->edition++;
}

int el_view_metrics(const struct el_snapshot *s, enum el_view_format format, const struct el_view_options *o,
                    struct el_buf *out)
{
    struct page p = {.out = out, .o = o, .format = format};
    int r;

    p.c = (struct el_catalog_context){.s = s, .exporter = o->exporter, .now_us = o->now_us, .stale = o->stale};
    r = o->memo ? renew(&p, o->memo) : put_half(&p, false);
    p.out = out;
    if (r == 0)
        r = put_half(&p, true);
    if (format == EL_VIEW_OPENMETRICS)
        el_buf_puts(out, "# EOF\n");
    if (r == 0 && out->failed)
        r = -ENOMEM;
    for (uint32_t i = 0; i < EL_SCOPE_COUNT; i++)
        pieces_free(&p.rows[i]);
    pieces_free(&p.subs);
    el_buf_free(&p.name);
    el_buf_free(&p.values);
    return r;
}
