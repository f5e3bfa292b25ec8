/* Drawings of the status page. All sizes in units of the view box; text is real text, so it scales, selects and is read
 * aloud. */
#include <math.h>

#include "exporter/page_parts.h"

#define SLOT_W   112
#define SLOT_H   92
#define GAP      12
#define MARGIN   14
#define SWITCH_H 40
#define EDGE_H   34 /* connector below the board */
#define PLOT_W   120
#define PLOT_H   32

struct layout {
    uint32_t columns, above, rows_above, rows_below;
    int width, height, switch_y, board_h;
};

/* Slots in rows above and below the switch; up to 4 in one row above it. */
static struct layout lay_out(const struct el_card *c)
{
    struct layout l = {.columns = EL_CLAMP(c->slots <= 4 ? c->slots : (c->slots + 1) / 2, 1u, 4u)};
    uint32_t rows = (c->slots + l.columns - 1) / l.columns;

    l.rows_above = (rows + 1) / 2;
    l.rows_below = rows - l.rows_above;
    l.above = l.rows_above * l.columns;
    l.width = 2 * MARGIN + (int)l.columns * SLOT_W + ((int)l.columns - 1) * GAP;
    l.switch_y = MARGIN + (int)l.rows_above * (SLOT_H + GAP) + GAP;
    l.board_h = l.switch_y + (c->has_switch ? SWITCH_H + GAP : 0) + (int)l.rows_below * (SLOT_H + GAP) +
                (l.rows_below ? GAP : 0);
    l.height = l.board_h + EDGE_H;
    return l;
}

static void slot_place(const struct el_card *c, const struct layout *l, uint32_t i, int *x, int *y)
{
    uint32_t row = i / l->columns, column = i % l->columns;

    *x = MARGIN + (int)column * (SLOT_W + GAP);
    *y = row < l->rows_above
             ? MARGIN + (int)row * (SLOT_H + GAP)
             : l->switch_y + (c->has_switch ? SWITCH_H : 0) + 2 * GAP + (int)(row - l->rows_above) * (SLOT_H + GAP);
}

static const char *link_class(const struct el_page *p, const struct el_link *k)
{
    if (!k || !k->known || p->state != EL_SOURCE_FRESH)
        return "unknown";
    return !k->up ? "down" : k->degraded ? "degraded" : "up";
}

static void link_text(const struct el_link *k, struct el_buf *b)
{
    el_buf_printf(b, "x%u ", k->current_width);
    el_page_fixed(b, k->current_mts / 1000.0, k->current_mts % 1000 ? 1 : 0, " GT/s");
}

static void draw_link(const struct el_page *p, const struct el_card *c, const struct layout *l, uint32_t i,
                      struct el_buf *b)
{
    const struct el_link *k = el_snapshot_link(p->s, c->first_slot + i, EL_LINK_DRIVE);
    uint32_t row = i / l->columns;
    int x, y, up;

    slot_place(c, l, i, &x, &y);
    up = y < l->switch_y;
    if (!c->has_switch) {
        el_buf_printf(b, "<path class=\"link %s\" d=\"M%d %dV%d\"/>", link_class(p, k), x + SLOT_W / 2, y + SLOT_H,
                      l->board_h);
        return;
    }
    if (row + 1 == l->rows_above || row == l->rows_above) {
        el_buf_printf(b, "<path class=\"link %s\" d=\"M%d %dV%d\"/>", link_class(p, k), x + SLOT_W / 2,
                      up ? y + SLOT_H : y, up ? l->switch_y : l->switch_y + SWITCH_H);
        if (k && k->known && k->up && k->degraded && p->state == EL_SOURCE_FRESH) {
            el_buf_printf(b, "<text class=\"slow\" x=\"%d\" y=\"%d\">⚠ ", x + SLOT_W / 2 + 7,
                          up ? l->switch_y - 7 : l->switch_y + SWITCH_H + 16);
            link_text(k, b);
            el_buf_puts(b, "</text>");
        }
        return;
    }
    /* From rows further away, lanes run in the gaps beside the slots between. */
    el_buf_printf(b, "<path class=\"link %s\" d=\"M%d %dH%dV%d\"/>", link_class(p, k), x + SLOT_W, y + SLOT_H / 2,
                  x + SLOT_W + 2 + (int)(row % 3) * 4, up ? l->switch_y + 6 : l->switch_y + SWITCH_H - 6);
}

static void draw_slot(const struct el_page *p, const struct el_card *c, const struct layout *l, uint32_t i,
                      struct el_buf *b)
{
    const struct el_slot *t = &el_snapshot_slots(p->s)[c->first_slot + i];
    enum el_page_mood mood = el_page_mood(p, t);
    bool live = el_page_live(p, t), in_force;
    double cap = el_page_cap(p, t, &in_force);
    int x, y, middle, full = SLOT_W - 18;

    slot_place(c, l, i, &x, &y);
    middle = x + SLOT_W / 2;
    el_buf_printf(b, "<g class=\"slot %s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
                  el_page_mood_class(mood), x, y, SLOT_W, SLOT_H);
    el_buf_printf(b, "<text class=\"name\" x=\"%d\" y=\"%d\">slot %u</text>", x + 9, y + 19, t->number);
    if (live && el_reading_usable(&t->temp_mc[0])) {
        el_buf_printf(b, "<text class=\"temp\" x=\"%d\" y=\"%d\">", middle, y + 51);
        el_page_fixed(b, (double)t->temp_mc[0].value / 1000, 0, " °C</text>");
    } else {
        el_buf_printf(b, "<text class=\"temp\" x=\"%d\" y=\"%d\">–</text>", middle, y + 51);
    }
    el_buf_printf(b, "<text class=\"word\" x=\"%d\" y=\"%d\">%s", middle, y + 70, el_page_word(p, t));
    if (cap < 1 && in_force) {
        el_buf_puts(b, " ");
        el_page_fixed(b, cap * 100, 0, " %");
    }
    el_buf_puts(b, "</text>");
    if (live) {
        el_buf_printf(b, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"5\" rx=\"2\"/>", x + 9, y + 79,
                      full);
        el_buf_printf(b, "<rect class=\"level\" x=\"%d\" y=\"%d\" width=\"%ld\" height=\"5\" rx=\"2\"/>", x + 9, y + 79,
                      lround((in_force ? cap : 1) * full));
    }
    el_buf_puts(b, "</g>");
}

static void draw_switch(const struct el_page *p, const struct el_card *c, const struct layout *l, struct el_buf *b)
{
    bool live = p->state == EL_SOURCE_FRESH && el_reading_usable(&c->switch_mc);

    el_buf_printf(b, "<g class=\"switch%s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>",
                  live && isfinite(c->switch_limit_c) && (double)c->switch_mc.value / 1000 > c->switch_limit_c ? " hot"
                                                                                                               : "",
                  MARGIN, l->switch_y, l->width - 2 * MARGIN, SWITCH_H);
    el_buf_printf(b, "<text x=\"%d\" y=\"%d\">PCIe switch", l->width / 2, l->switch_y + SWITCH_H / 2 + 5);
    if (live) {
        el_buf_puts(b, ", ");
        el_page_fixed(b, (double)c->switch_mc.value / 1000, 0, " °C");
    }
    el_buf_puts(b, "</text></g>");
}

/* The edge connector with the link to the host. */
static void draw_edge(const struct el_page *p, const struct el_card *c, const struct layout *l, struct el_buf *b)
{
    const struct el_link *k = el_snapshot_link(p->s, c->first_slot, c->has_switch ? EL_LINK_UPSTREAM : EL_LINK_DRIVE);
    int x = MARGIN + 20, w = EL_MIN(l->width - 2 * x, 260);

    el_buf_printf(b, "<path class=\"edge\" d=\"M%d %dh%dv%dh-%dz\"/>", x, l->board_h, w, EDGE_H - 12, w);
    el_buf_printf(b, "<text class=\"host %s\" x=\"%d\" y=\"%d\">", link_class(p, k), x + w / 2, l->board_h + 16);
    if (k && k->known && k->up && p->state == EL_SOURCE_FRESH)
        link_text(k, b);
    else
        el_buf_puts(b, "host");
    el_buf_puts(b, k && k->known && k->degraded ? " ⚠</text>" : "</text>");
}

void el_page_draw_card(const struct el_page *p, const struct el_card *c, struct el_buf *b)
{
    struct layout l = lay_out(c);

    /* The table beside it says the same to a screen reader, better. */
    el_buf_printf(b, "<svg class=\"card\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\" focusable=\"false\">", l.width,
                  l.height);
    el_buf_printf(b, "<rect class=\"board\" x=\"2\" y=\"2\" width=\"%d\" height=\"%d\" rx=\"8\"/>", l.width - 4,
                  l.board_h - 2);
    for (uint32_t i = 0; i < c->slots; i++)
        draw_link(p, c, &l, i, b);
    if (c->has_switch)
        draw_switch(p, c, &l, b);
    for (uint32_t i = 0; i < c->slots; i++)
        draw_slot(p, c, &l, i, b);
    draw_edge(p, c, &l, b);
    el_buf_puts(b, "</svg>");
}

/* --- plots --- */

#define POINTS 60 /* each the highest of 4 samples */

struct series {
    double v[POINTS]; /* NAN = absent */
    double min, max;
    int n;
};

static struct series thin(const struct el_history_sample *in, bool cap)
{
    struct series s = {.min = INFINITY, .max = -INFINITY};

    for (int i = 0; i < POINTS; i++) {
        s.v[i] = NAN;
        for (int k = 0; k < EL_HISTORY_SAMPLES / POINTS; k++) {
            const struct el_history_sample *one = &in[i * (EL_HISTORY_SAMPLES / POINTS) + k];
            int16_t raw = cap ? one->cap_permille : one->temp_dc;

            if (raw != EL_HISTORY_ABSENT)
                s.v[i] = fmax(s.v[i], raw / 10.0); /* fmax(NAN, x) is x */
        }
        if (isnan(s.v[i]))
            continue;
        s.n++;
        s.min = fmin(s.min, s.v[i]);
        s.max = fmax(s.max, s.v[i]);
    }
    return s;
}

static double plot_y(double v, double low, double high)
{
    return PLOT_H - 2 - (v - low) / (high - low) * (PLOT_H - 4);
}

/* The line, broken where nothing is known. */
static void put_line(const struct series *s, double low, double high, const char *class, struct el_buf *b)
{
    bool down = false;

    el_buf_printf(b, "<path class=\"%s\" d=\"", class);
    for (int i = 0; i < POINTS; i++) {
        double x = 1 + i * (PLOT_W - 2.0) / (POINTS - 1), y = plot_y(s->v[i], low, high);

        if (isnan(s->v[i])) {
            down = false;
            continue;
        }
        el_buf_putc(b, down ? 'L' : 'M');
        el_page_fixed(b, x, 0, " ");
        el_page_fixed(b, y, 1, "");
        if (!down)
            el_buf_puts(b, "h.1"); /* a single point still shows */
        down = true;
    }
    el_buf_puts(b, "\"/>");
}

/* What the line may not cross, when it is near enough to be seen. */
static double limit_of(const struct el_page *p, const struct el_card *c, int slot)
{
    if (p->state != EL_SOURCE_FRESH)
        return NAN;
    return slot < 0 ? c->card_limit_w : el_snapshot_slots(p->s)[c->first_slot + (uint32_t)slot].decision.limit_c;
}

void el_page_plot(const struct el_page *p, const struct el_card *c, int slot, const char *what, const char *unit,
                  struct el_buf *b)
{
    struct el_history_sample samples[EL_HISTORY_SAMPLES];
    struct series value, cap;
    double limit, low, high;

    if (!p->history || !el_history_get(p->history, c->name, slot, samples))
        return;
    value = thin(samples, false);
    cap = thin(samples, true);
    if (!value.n)
        return;
    limit = limit_of(p, c, slot);
    low = value.min - 2;
    high = fmax(value.max + 2, value.min + 8);
    if (limit > value.min && limit < value.max + 30)
        high = fmax(high, limit + 2);
    el_buf_printf(b,
                  "<svg class=\"plot%s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
                  "aria-label=\"%s in the last hour: ",
                  slot < 0 ? " big" : "", PLOT_W, PLOT_H, what);
    el_page_fixed(b, value.min, 0, " to ");
    el_page_fixed(b, value.max, 0, "");
    el_buf_printf(b, " %s\">", unit);
    if (cap.n && cap.min < 100)
        put_line(&cap, 0, 100, "cap", b);
    if (limit > low && limit < high) {
        el_buf_puts(b, "<path class=\"limit\" d=\"M0 ");
        el_page_fixed(b, plot_y(limit, low, high), 1, "");
        el_buf_printf(b, "h%d\"/>", PLOT_W);
    }
    put_line(&value, low, high, "value", b);
    el_buf_puts(b, "</svg><span class=\"range\">");
    el_page_fixed(b, value.min, 0, "…");
    el_page_fixed(b, value.max, 0, "");
    el_buf_printf(b, " %s</span>", unit);
}
