#include "governor/burst.h"

#include <math.h>

#include "base/base.h"

#define LEAST_W     0.25 /* smaller steps are not worth a write */
#define PRICE_ERROR 0.25 /* declared prices are trusted within this */
#define SETTLE_S    40.0

double el_burst_step(struct el_burst *b, double overhead_w, double host_w, double dt_s)
{
    double k = 1 - exp(-dt_s / SETTLE_S), error, threshold, jump;

    if (!b->started) {
        *b = (struct el_burst){
            .level_w = overhead_w, .host_level_w = host_w, .noise_w = 0.1, .last_w = overhead_w, .started = 1};
        return 0;
    }
    b->noise_w += 0.03 * (EL_MIN(fabs(overhead_w - b->last_w), 1.0) - b->noise_w);
    b->last_w = overhead_w;
    error = overhead_w - b->level_w;
    threshold = LEAST_W + 2 * b->noise_w + PRICE_ERROR * fabs(host_w - b->host_level_w);
    b->host_level_w += k * (host_w - b->host_level_w);
    if (fabs(error) < threshold) {
        b->votes = 0;
        b->level_w += k * error;
        return 0;
    }
    b->pending_w = b->votes && (error > 0) == (b->pending_w > 0) ? b->pending_w : 0;
    b->votes = b->pending_w != 0 ? b->votes + 1 : 1;
    jump = b->votes >= 2 ? (error + b->pending_w) / 2 : 0;
    b->pending_w = error;
    if (b->votes < 2)
        return 0;
    b->votes = 0;
    b->pending_w = 0;
    b->level_w = overhead_w;
    b->host_level_w = host_w;
    return jump;
}
