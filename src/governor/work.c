#include "governor/work.h"

#include <string.h>

#include "base/base.h"

#define MOST_TIMES 4  /* of full power: declared prices and powers err by far less, and a link carries no more */
#define LIED_S     30 /* counters that went back (a reset) or ran away have to run soundly for this long */

/* Watts at declared prices since the last step, negative where a counter went back. */
static double priced(const struct el_work *w, const struct el_governor_slot *card, const uint64_t count[4], double dt)
{
    const double price[4] = {card->read_j_per_byte, card->write_j_per_byte, card->read_j_per_op, card->write_j_per_op};
    double sum = 0;

    for (int k = 0; k < 4; k++) {
        if (count[k] < w->count[k])
            return -1;
        sum += (double)(count[k] - w->count[k]) * price[k];
    }
    return sum / dt;
}

bool el_work_step(struct el_work *w, const struct el_governor_slot *card, const struct el_governor_slot_input *in,
                  int64_t now_us)
{
    const uint64_t count[4] = {in->read_bytes, in->write_bytes, in->read_ops, in->write_ops};
    bool known = in->io_valid && w->count_us && now_us > w->count_us;
    double host_w = known ? priced(w, card, count, (double)(now_us - w->count_us) * 1e-6) : 0;

    if (known && (host_w < 0 || host_w > MOST_TIMES * card->full_w))
        w->lied_us = now_us;
    else if (known)
        w->host_w = host_w;
    w->count_us = in->io_valid ? now_us : 0;
    memcpy(w->count, count, sizeof(count));
    return in->io_valid && (!w->lied_us || now_us - w->lied_us > LIED_S * EL_USEC_PER_SEC);
}
