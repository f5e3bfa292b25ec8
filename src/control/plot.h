/* Small charts as SVG: lines over a common x in stacked panels, and a grid of shares. Pure; numbers in every locale
 * alike. */
#pragma once

#include "base/buf.h"

struct el_plot_axis {
    const char *title; /* with the unit: "airflow, LFM" */
    const double *at;
    size_t n;
};

struct el_plot_line {
    const char *name; /* for the legend; NULL = not in it */
    const double *y;  /* one per x; NAN = a gap */
    unsigned color;   /* index into the palette; EL_PLOT_GREY, EL_PLOT_RED for limits */
    bool dashed;
};
#define EL_PLOT_GREY 100u
#define EL_PLOT_RED  101u

struct el_plot_panel {
    const char *title; /* with the unit: "temperature, C" */
    double low, high;  /* of y; NAN = from the lines */
    size_t lines;
    const struct el_plot_line *line;
};

/* Appends a whole SVG document. */
void el_plot_panels(struct el_buf *b, const char *title, const struct el_plot_axis *x,
                    const struct el_plot_panel *panels, size_t count);

/* Appends a whole SVG document: shares 0..1 as a coloured grid, value[row * columns + column], a column for each `x`
 * and a row for each `y`. NAN = not known. */
void el_plot_grid(struct el_buf *b, const char *title, const struct el_plot_axis *x, const struct el_plot_axis *y,
                  const double *value);
