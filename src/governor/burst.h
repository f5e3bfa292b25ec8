/* Background work seen in the card's measured power: a drive that begins to collect garbage draws watts that no host
 * I/O explains, seconds before any temperature tells. Pure. */
#pragma once

#include <stdint.h>

struct el_burst {
    double level_w;      /* what the card drew beside host I/O, before the present step of it */
    double host_level_w; /* host I/O that went with it */
    double noise_w;      /* mean change from reading to reading */
    double last_w, pending_w;
    uint32_t votes;
    int started;
};

/* One reading of `overhead_w` (card power less host I/O) while the host draws `host_w` at declared prices. Returns a
 * step that two readings agree on and that wrong prices cannot explain, else 0. */
double el_burst_step(struct el_burst *b, double overhead_w, double host_w, double dt_s);
