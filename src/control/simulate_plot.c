#include "control/simulate_plot.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "control/plot.h"

#define POINTS 1200 /* more than a pixel each */

enum {
    SERIES_LIMIT = 2 * EL_CARD_SLOTS_MAX,
    SERIES_WARNING,
    SERIES_WATTS,
    SERIES_WATTS_LIMIT,
    SERIES_IOPS,
    SERIES_DEMAND,
    SERIES_COUNT
};

struct el_sim_plot {
    char title[160];
    double every_s, next_s;
    uint32_t slots;
    size_t n;
    double minutes[POINTS + 2],
        y[SERIES_COUNT][POINTS + 2]; /* temperatures by slot, caps by slot, then the named ones */
};

struct el_sim_plot *el_sim_plot_new(double duration_s, const char *title)
{
    struct el_sim_plot *p = calloc(1, sizeof *p);

    if (p) {
        p->every_s = duration_s / POINTS;
        el_text_copy(p->title, sizeof p->title, title);
    }
    return p;
}

struct el_sim_plot *el_sim_plot_free(struct el_sim_plot *p)
{
    free(p);
    return NULL;
}

void el_sim_plot_tick(struct el_sim_plot *p, const struct el_simulate_tick *tick)
{
    const struct el_twin_truth *t = tick->truth;
    size_t n = p->n;

    if (tick->t_s < p->next_s || n >= EL_ARRAY_SIZE(p->minutes))
        return;
    p->next_s += p->every_s;
    p->slots = tick->facts->slots;
    p->minutes[n] = tick->t_s / 60;
    for (uint32_t i = 0; i < p->slots; i++) {
        p->y[i][n] = !t ? el_reading_kilo(&tick->in->slot[i].temp_mc) : t->slot[i].present ? t->slot[i].temp_c : NAN;
        p->y[EL_CARD_SLOTS_MAX + i][n] = 100 * tick->decision->slot[i].cap_ratio;
    }
    p->y[SERIES_LIMIT][n] = tick->facts->slot[0].limit_c;
    p->y[SERIES_WARNING][n] = tick->facts->slot[0].warning_c;
    p->y[SERIES_WATTS][n] = t ? t->card_w : el_reading_kilo(&tick->in->card_power_mw);
    p->y[SERIES_WATTS_LIMIT][n] = tick->facts->card_limit_w;
    p->y[SERIES_IOPS][n] = t ? t->iops : NAN;
    p->y[SERIES_DEMAND][n] = t ? t->demand_iops : NAN;
    p->n++;
}

static bool known(const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(y[i]))
            return true;
    return false;
}

static void add(struct el_plot_line *lines, size_t *n, const struct el_sim_plot *p, unsigned series, const char *name,
                unsigned color, bool dashed)
{
    if (known(p->y[series], p->n))
        lines[(*n)++] = (struct el_plot_line){.name = name, .y = p->y[series], .color = color, .dashed = dashed};
}

void el_sim_plot_draw(const struct el_sim_plot *p, struct el_buf *svg)
{
    struct el_plot_line temps[EL_CARD_SLOTS_MAX + 3], caps[EL_CARD_SLOTS_MAX], watts[2], rate[2];
    char names[EL_CARD_SLOTS_MAX][24];
    size_t n_temps = 0, n_caps = 0, n_watts = 0, n_rate = 0;

    add(temps, &n_temps, p, SERIES_WARNING, "warning", EL_PLOT_GREY, true);
    add(temps, &n_temps, p, SERIES_LIMIT, "limit", EL_PLOT_RED, true);
    for (uint32_t i = 0; i < p->slots; i++) {
        snprintf(names[i], sizeof names[i], "drive %u", i);
        add(temps, &n_temps, p, i, p->slots <= 7 ? names[i] : i % 2 ? NULL : names[i], i, false);
        add(caps, &n_caps, p, EL_CARD_SLOTS_MAX + i, NULL, i, false);
    }
    add(watts, &n_watts, p, SERIES_WATTS_LIMIT, "limit", EL_PLOT_RED, true);
    add(watts, &n_watts, p, SERIES_WATTS, "card", 0, false);
    add(rate, &n_rate, p, SERIES_DEMAND, "asked for", EL_PLOT_GREY, false);
    add(rate, &n_rate, p, SERIES_IOPS, "served", 2, false);
    el_plot_panels(svg, p->title, &(struct el_plot_axis){"minutes", p->minutes, p->n},
                   (struct el_plot_panel[]){{"drive temperature, C", NAN, NAN, n_temps, temps},
                                            {"cap, % of full I/O power", 0, 105, n_caps, caps},
                                            {"card power, W", 0, NAN, n_watts, watts},
                                            {"I/Os per second", 0, NAN, n_rate, rate}},
                   4);
}
