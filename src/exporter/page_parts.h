/* Inside of the status page: what its parts share. */
#pragma once

#include "exporter/page.h"

/* Style and script, embedded at build time from page/. */
extern const char el_page_css[], el_page_js[];

/* How a slot is to be shown: the worst thing that is true of it. Also the class in the style sheet. */
enum el_page_mood {
    EL_MOOD_OK = 0,
    EL_MOOD_CAPPED,
    EL_MOOD_HOT,
    EL_MOOD_BAD,
    EL_MOOD_GONE,
    EL_MOOD_EMPTY,
    EL_MOOD_STALE
};
enum el_page_mood el_page_mood(const struct el_page *p, const struct el_slot *t);
const char *el_page_mood_class(enum el_page_mood m); /* "ok", "capped", ... */
const char *el_page_word(const struct el_page *p,
                         const struct el_slot *t); /* the same for people: "fine", "throttled", ... */

/* The cap that holds back this slot: 1 = none. `in_force`: false when the mode only advises. */
double el_page_cap(const struct el_page *p, const struct el_slot *t, bool *in_force);

/* True when readings of this slot are true now. */
bool el_page_live(const struct el_page *p, const struct el_slot *t);

/* A number, a dash when it is not finite; then `after`. */
void el_page_fixed(struct el_buf *b, double v, int decimals, const char *after);

/* What ails a drive, for people, each in a span of its own; nothing appended when it is healthy. */
void el_page_ailments(struct el_buf *b, const struct el_slot *t);

/* The card as a drawing (SVG), and the plots of an hour. */
void el_page_draw_card(const struct el_page *p, const struct el_card *c, struct el_buf *b);
void el_page_plot(const struct el_page *p, const struct el_card *c, int slot, const char *what, const char *unit,
                  struct el_buf *b);
