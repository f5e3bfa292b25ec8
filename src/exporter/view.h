/* Pure views: snapshot in, bytes out. No network, no clock, no state. All of it comes from rows of the metric catalog.
 */
#pragma once

#include "base/buf.h"
#include "model/catalog.h"
#include "model/snapshot.h"

enum el_view_format { EL_VIEW_PROMETHEUS /* text 0.0.4 */, EL_VIEW_OPENMETRICS /* 1.0.0 */ };

/* An exposition has two halves: metrics that seldom change from one round to the next, then those that move. This is
 * the first half of the rendering before, for the next one to take as it is if it can. All zero: none. One for each
 * format and set of groups. */
struct el_view_memo {
    struct el_buf text;
    struct el_buf facts; /* what it was made from: values, and labels as they are written */
    uint32_t edition;    /* another one for another text */
};
void el_view_memo_free(struct el_view_memo *m); /* leaves none */

struct el_view_options {
    uint64_t groups; /* bit per metric group of the catalog; 0 = those that are on by default */
    int64_t now_us;  /* BOOTTIME of rendering: ages; 0 = the snapshot's own time */
    bool stale;      /* the snapshot is too old: only what is still true is shown */
    const struct el_exporter_stats *exporter; /* what the exporter knows about itself; NULL = leave it out */
    /* Of an exposition: takes what stands in `out` so far and clears it, whenever that is more than a little. The rest
     * is left in `out`. NULL = all of it stays. */
    void (*flush)(void *ctx, struct el_buf *out);
    void *ctx;
    /* Of an exposition, without `flush`: the first half is left here, made anew only if it changed, and `out` gets the
     * second. NULL = `out` gets both. */
    struct el_view_memo *memo;
};

/* Appends the exposition. 0 or -ENOMEM. */
int el_view_metrics(const struct el_snapshot *s, enum el_view_format format, const struct el_view_options *o,
                    struct el_buf *out);

/* Appends the whole snapshot as one JSON object. 0 or -ENOMEM. */
int el_view_json(const struct el_snapshot *s, const struct el_view_options *o, struct el_buf *out);

/* Appends the object of one slot alone, as it stands in the whole. 0 or -ENOMEM. */
int el_view_slot_json(const struct el_snapshot *s, uint32_t slot, const struct el_view_options *o, struct el_buf *out);
