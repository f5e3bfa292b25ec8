/* Small charts as SVG: lines over a common x in stacked panels, and a grid of shares. Pure; numbers in every locale
 * alike. */
#pragma once

#include "base/buf.h"

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
void el_plot_panels(struct el_buf *b, const char *title, const char *x_title, const double *x, size_t n,
                    const struct el_plot_panel *panels, size_t count);

/* A table of shares 0..1 as a coloured grid: value[row * columns + column]; NAN = nothing known. */
void el_plot_grid(struct el_buf *b, const char *title, const char *x_title, const double *x, size_t columns,
                  const char *y_title, const double *y, size_t rows, const double *value);
