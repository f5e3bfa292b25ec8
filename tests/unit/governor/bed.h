/* A card on the table for governor tests: readings and counters by hand, one step at a time. */
#pragma once

#include "governor/observer.h"
#include "support/governor_card.h"
#include "support/unit.h"

struct bed {
    struct el_governor_card card;
    struct el_governor_input in;
    struct el_decision d;
    struct el_governor *g;
    double temp_c[EL_CARD_SLOTS_MAX], host_w[EL_CARD_SLOTS_MAX]; /* NAN temperature: no reading */
    bool frozen[EL_CARD_SLOTS_MAX];                              /* keeps the old time stamp */
};

static inline void bed_open(struct bed *b, const struct el_governor_law *law, uint32_t slots)
{
    memset(b, 0, sizeof(*b));
    b->card = test_governor_card(slots);
    for (uint32_t i = 0; i < slots; i++) {
        b->in.slot[i].present = b->in.slot[i].io_valid = true;
        b->in.slot[i].cap_ratio_in_force = NAN;
        b->temp_c[i] = 60;
        b->host_w[i] = 2;
    }
    b->in.now_us = 1000000;
    b->g = el_governor_new(law, &b->card);
    assert_non_null(b->g);
}

static inline void bed_close(struct bed *b)
{
    b->g = el_governor_free(b->g);
}

/* One second. The drives do host_w of reads, within the cap that is in force. */
static inline void bed_step(struct bed *b)
{
    b->in.now_us += 1000000;
    for (uint32_t i = 0; i < b->card.slots; i++) {
        struct el_governor_slot_input *s = &b->in.slot[i];
        double w = b->d.slots && b->d.slot[i].cap_ratio < 1 && !s->actuator_failed
                       ? EL_MIN(b->host_w[i], b->d.slot[i].budget_w)
                       : b->host_w[i];

        s->read_bytes += (uint64_t)(w / 9e-10);
        if (isnan(b->temp_c[i]))
            s->temp_mc.quality = EL_FAILED;
        else if (!b->frozen[i])
            s->temp_mc = el_reading_good((int64_t)llround(b->temp_c[i] * 1000), b->in.now_us);
    }
    el_governor_step(b->g, &b->in, &b->d);
}

static inline void bed_run(struct bed *b, int seconds)
{
    while (seconds-- > 0)
        bed_step(b);
}

static inline void bed_observer_step(struct el_observer *o, const struct bed *b)
{
    el_observer_begin(o, &b->card, &b->in);
    for (uint32_t i = 0; i < b->card.slots; i++)
        el_observer_see(o, &b->card, &b->in, i);
    el_observer_end(o, &b->card, &b->in);
}
