/* The status page: one self-contained HTML document, drawn by the server, so that it is whole without a script. Pure.
 */
#pragma once

#include "base/buf.h"
#include "exporter/history.h"

struct el_page {
    const struct el_snapshot *s;
    enum el_source_state state;
    const char *problem;              /* why there is no newer snapshot; "" = none */
    const struct el_history *history; /* NULL = none */
    const char *telemetry_path;
    int64_t now_us; /* BOOTTIME */
};

/* Appends the document. 0 or -ENOMEM. */
int el_page_render(const struct el_page *p, struct el_buf *out);

/* Its Content-Security-Policy: nothing from anywhere but this page's own style and script, by their hashes. Static
 * text. */
const char *el_page_policy(void);
