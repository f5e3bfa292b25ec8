#include "control/plot.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

#define WIDTH  960
#define LEFT   70
#define RIGHT  170 /* room for the legend */
#define TOP    56
#define PANEL  150
#define GAP    46
#define CELL_W 62
#define CELL_H 30

/* Okabe and Ito's palette, told apart by colour-blind eyes too. */
static const char *color_of(unsigned i)
{
    static const char *const palette[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                          "#56b4e9", "#d55e00", "#8a7f00", "#5c4a9c"};

    return i == EL_PLOT_GREY ? "#9aa0a6" : i == EL_PLOT_RED ? "#c5221f" : palette[i % EL_ARRAY_SIZE(palette)];
}

/* One decimal is a tenth of a pixel. */
static void px(struct el_buf *b, double v)
{
    char text[EL_NUM_MAX];

    el_num_fixed(text, llround(v * 10), 1);
    el_buf_puts(b, text);
}

static void label(struct el_buf *b, double x, double y, const char *anchor, const char *style, const char *text)
{
    el_buf_puts(b, "<text x=\"");
    px(b, x);
    el_buf_puts(b, "\" y=\"");
    px(b, y);
    el_buf_printf(b, "\" text-anchor=\"%s\" class=\"%s\">", anchor, style);
    el_text_xml_escape(b, text);
    el_buf_puts(b, "</text>\n");
}

static void number_label(struct el_buf *b, double x, double y, const char *anchor, double v)
{
    char text[EL_NUM_MAX];
    double a = fabs(v);

    if (a >= 1e6) {
        el_num_fixed(text, llround(v / 1e5), 1);
        strcat(text, " M");
    } else if (a >= 1e4) {
        el_num_fixed(text, llround(v / 1e3), 0);
        strcat(text, " k");
    } else {
        el_num_fixed(text, llround(v * 1000), 3);
    }
    label(b, x, y, anchor, "tick", text);
}

static void line(struct el_buf *b, double x1, double y1, double x2, double y2, const char *stroke)
{
    el_buf_puts(b, "<path d=\"M");
    px(b, x1);
    el_buf_putc(b, ' ');
    px(b, y1);
    el_buf_putc(b, 'L');
    px(b, x2);
    el_buf_putc(b, ' ');
    px(b, y2);
    el_buf_printf(b, "\" stroke=\"%s\" fill=\"none\"/>\n", stroke);
}

static void begin(struct el_buf *b, double width, double height, const char *title)
{
    el_buf_puts(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    px(b, width);
    el_buf_putc(b, ' ');
    px(b, height);
    el_buf_puts(b, "\" width=\"");
    px(b, width);
    el_buf_puts(b, "\" height=\"");
    px(b, height);
    el_buf_puts(
        b, "\">\n<style>text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#3c4043}"
           ".title{font-size:17px;font-weight:600;fill:#202124}.panel{font-size:13px;font-weight:600}.tick{font-size:"
           "11px;fill:#5f6368}"
           ".cell{font-size:12px}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    label(b, LEFT - 40, 28, "start", "title", title);
}

/* A step of 1, 2 or 5 times a power of ten that gives four to nine ticks. */
static double tick_step(double span)
{
    double unit = pow(10, floor(log10(span / 4)));

    return span / unit >= 20 ? 5 * unit : span / unit >= 8 ? 2 * unit : unit;
}

static void range_of(const struct el_plot_panel *p, size_t n, double *low, double *high)
{
    *low = p->low;
    *high = p->high;
    for (size_t k = 0; k < p->lines; k++)
        for (size_t i = 0; i < n; i++) {
            if (isnan(p->low))
                *low = fmin(*low, p->line[k].y[i]);
            if (isnan(p->high))
                *high = fmax(*high, p->line[k].y[i]);
        }
    if (!isfinite(*low) || !isfinite(*high)) {
        *low = 0;
        *high = 1;
    }
    if (!(*high > *low))
        *high = *low + 1;
    *high += isnan(p->high) ? 0.05 * (*high - *low) : 0;
}

/* Where the values of a panel stand, in pixels. */
struct frame {
    double x0, x_scale, bottom, low, y_scale;
};

static double at_x(const struct frame *f, double x)
{
    return LEFT + (x - f->x0) * f->x_scale;
}

static double at_y(const struct frame *f, double y)
{
    return f->bottom - (y - f->low) * f->y_scale;
}

static void draw_line(struct el_buf *b, const struct el_plot_line *l, const struct el_plot_axis *x,
                      const struct frame *f)
{
    bool pen = false;

    el_buf_puts(b, "<path d=\"");
    for (size_t i = 0; i < x->n; i++) {
        if (!isfinite(l->y[i])) {
            pen = false;
            continue;
        }
        el_buf_putc(b, pen ? 'L' : 'M');
        px(b, at_x(f, x->at[i]));
        el_buf_putc(b, ' ');
        px(b, at_y(f, l->y[i]));
        pen = true;
    }
    el_buf_printf(b, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" stroke-linejoin=\"round\"%s/>\n",
                  color_of(l->color), l->dashed ? " stroke-dasharray=\"5 4\"" : "");
}

static void legend(struct el_buf *b, const struct el_plot_panel *p, double top)
{
    double y = top + 8;

    for (size_t k = 0; k < p->lines; k++) {
        if (!p->line[k].name)
            continue;
        line(b, WIDTH - RIGHT + 14, y, WIDTH - RIGHT + 34, y, color_of(p->line[k].color));
        label(b, WIDTH - RIGHT + 40, y + 4, "start", "tick", p->line[k].name);
        y += 16;
    }
}

static void draw_panel(struct el_buf *b, const struct el_plot_panel *p, const struct el_plot_axis *x, double top,
                       bool x_labels)
{
    double first = x->at[0], last = x->at[x->n - 1], x_span = last > first ? last - first : 1, high, step;
    struct frame f = {.x0 = first, .x_scale = (WIDTH - LEFT - RIGHT) / x_span, .bottom = top + PANEL};

    range_of(p, x->n, &f.low, &high);
    f.y_scale = PANEL / (high - f.low);
    label(b, LEFT, top - 8, "start", "panel", p->title);
    step = tick_step(high - f.low);
    for (double v = ceil(f.low / step) * step; v <= high + step / 1e6; v += step) {
        line(b, LEFT, at_y(&f, v), WIDTH - RIGHT, at_y(&f, v), "#e8eaed");
        number_label(b, LEFT - 8, at_y(&f, v) + 4, "end", fabs(v) < step / 1e6 ? 0 : v);
    }
    step = tick_step(x_span);
    for (double v = ceil(first / step) * step; v <= first + x_span + step / 1e6; v += step) {
        line(b, at_x(&f, v), f.bottom, at_x(&f, v), f.bottom + 4, "#9aa0a6");
        if (x_labels)
            number_label(b, at_x(&f, v), f.bottom + 18, "middle", v);
    }
    line(b, LEFT, f.bottom, WIDTH - RIGHT, f.bottom, "#9aa0a6");
    for (size_t k = 0; k < p->lines; k++)
        draw_line(b, &p->line[k], x, &f);
    legend(b, p, top);
}

void el_plot_panels(struct el_buf *b, const char *title, const struct el_plot_axis *x,
                    const struct el_plot_panel *panels, size_t count)
{
    double height = TOP + 14 + (PANEL + GAP) * (double)count + 14;

    begin(b, WIDTH, height, title);
    for (size_t i = 0; x->n > 0 && i < count; i++)
        draw_panel(b, &panels[i], x, TOP + 14 + (PANEL + GAP) * (double)i, i + 1 == count);
    label(b, LEFT + (WIDTH - LEFT - RIGHT) / 2.0, height - 8, "middle", "tick", x->title);
    el_buf_puts(b, "</svg>\n");
}

/* From red over yellow to green, light enough for black text. */
static void share_color(char out[8], double share)
{
    static const double stops[3][3] = {{233, 120, 105}, {250, 219, 125}, {124, 196, 138}};
    double at = fmin(fmax(share, 0), 1) * 2, f;
    int i = at >= 1 ? 1 : 0, rgb[3];

    f = at - i;
    for (int k = 0; k < 3; k++)
        rgb[k] = (int)lround(stops[i][k] + f * (stops[i + 1][k] - stops[i][k]));
    snprintf(out, 8, "#%02x%02x%02x", rgb[0] & 0xff, rgb[1] & 0xff, rgb[2] & 0xff);
}

static void draw_cell(struct el_buf *b, double x, double y, double share)
{
    char color[8], text[24];

    share_color(color, share);
    el_buf_puts(b, "<rect x=\"");
    px(b, x);
    el_buf_puts(b, "\" y=\"");
    px(b, y);
    el_buf_printf(b, "\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", CELL_W - 2, CELL_H - 2,
                  isnan(share) ? "#f1f3f4" : color);
    if (isnan(share))
        return;
    snprintf(text, sizeof text, "%d %%", (int)floor(share * 100 + 0.5));
    label(b, x + (CELL_W - 2) / 2.0, y + CELL_H / 2.0 + 3, "middle", "cell", text);
}

void el_plot_grid(struct el_buf *b, const char *title, const struct el_plot_axis *x, const struct el_plot_axis *y,
                  const double *value)
{
    double right = LEFT + CELL_W * (double)x->n, bottom = TOP + CELL_H * (double)y->n;

    begin(b, EL_MAX(right + 30, 560), bottom + 56, title);
    label(b, LEFT - 40, TOP - 8, "start", "tick", y->title);
    for (size_t r = 0; r < y->n; r++) {
        double top = TOP + CELL_H * (double)r;

        number_label(b, LEFT - 8, top + CELL_H / 2.0 + 3, "end", y->at[r]);
        for (size_t c = 0; c < x->n; c++)
            draw_cell(b, LEFT + CELL_W * (double)c, top, value[r * x->n + c]);
    }
    for (size_t c = 0; c < x->n; c++)
        number_label(b, LEFT + CELL_W * (c + 0.5), bottom + 16, "middle", x->at[c]);
    label(b, (LEFT + right) / 2, bottom + 38, "middle", "tick", x->title);
    el_buf_puts(b, "</svg>\n");
}
