/* What the exporter knows about itself. */
#pragma once

#include "exporter/counters.h"
#include "model/catalog.h"

/* This process, from /proc/self. What cannot be read stays 0. */
void el_self_process(struct el_process_stats *out);

/* The server's counters by the reasons of the catalog. */
void el_self_rejects(const struct el_http_counters *c, uint64_t rejects[EL_REJECT_COUNT]);
