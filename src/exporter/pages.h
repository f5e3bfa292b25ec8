/* The content of the exporter: the pure views over the shared snapshot, rendered at most once per snapshot and variant,
 * on first request. One HTTP thread. */
#pragma once

#include "exporter/content.h"
#include "exporter/history.h"
#include "exporter/source.h"
#include "model/catalog.h"

struct el_pages_options {
    struct el_source *source;
    const char *telemetry_path; /* "/metrics" */
    uint64_t groups;            /* metric groups of the catalog */
    struct el_history *history; /* for the page; NULL = none */
    void (*stats)(void *ctx,
                  struct el_exporter_stats *out); /* what the exporter knows about itself, asked at each rendering */
    void *ctx;
};

struct el_pages;

/* Text in `o` is copied. NULL: out of memory. */
struct el_pages *el_pages_new(const struct el_pages_options *o);
struct el_pages *el_pages_free(struct el_pages *p); /* takes NULL, returns NULL */

/* Other groups or another path, from now on. */
void el_pages_configure(struct el_pages *p, const char *telemetry_path, uint64_t groups);

/* To be called before anything else acquires the source: pages as large as a snapshot must not be there while two of
 * those are. */
void el_pages_make_room(struct el_pages *p);

/* What the server calls for each request. */
struct el_content el_pages_content(struct el_pages *p);
