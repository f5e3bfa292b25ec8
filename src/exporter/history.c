#include "exporter/history.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"

static const struct el_history_sample absent = {EL_HISTORY_ABSENT, EL_HISTORY_ABSENT};

struct track {
    char card[EL_NAME_MAX];
    int32_t slot;
    uint64_t touched; /* step of the last real sample: the track that rested longest is given away */
    struct el_history_sample sample[EL_HISTORY_SAMPLES];
};

struct el_history {
    struct track *track;
    uint32_t tracks;
    uint64_t step;    /* of the newest sample, counted from the start */
    int64_t begin_us; /* BOOTTIME of step 0; 0 = nothing taken yet */
};

struct el_history *el_history_new(void)
{
    return calloc(1, sizeof(struct el_history));
}

struct el_history *el_history_free(struct el_history *h)
{
    if (h)
        free(h->track);
    free(h);
    return NULL;
}

bool el_history_due(const struct el_history *h, int64_t now_us)
{
    return !h->begin_us || now_us - h->begin_us >= (int64_t)(h->step + 1) * EL_HISTORY_STEP_US;
}

static struct track *find(const struct el_history *h, const char *card, int32_t slot)
{
    for (uint32_t i = 0; i < h->tracks; i++)
        if (h->track[i].slot == slot && strcmp(h->track[i].card, card) == 0)
            return &h->track[i];
    return NULL;
}

static struct track *make(struct el_history *h, const char *card, int32_t slot)
{
    struct track *t = NULL;

    if (h->tracks < EL_HISTORY_TRACKS) {
        t = el_row_append(&h->track, &h->tracks, sizeof *t);
        if (!t)
            return NULL;
    } else {
        for (uint32_t i = 0; i < h->tracks; i++)
            if (!t || h->track[i].touched < t->touched)
                t = &h->track[i];
    }
    el_text_copy(t->card, sizeof t->card, card);
    t->slot = slot;
    t->touched = 0;
    for (int i = 0; i < EL_HISTORY_SAMPLES; i++)
        t->sample[i] = absent;
    return t;
}

static void put(struct el_history *h, const char *card, int32_t slot, struct el_history_sample s)
{
    struct track *t = find(h, card, slot);

    if (!t)
        t = make(h, card, slot);
    if (!t)
        return;
    t->sample[h->step % EL_HISTORY_SAMPLES] = s;
    t->touched = h->step;
}

static int16_t tenths(double v)
{
    return isfinite(v) ? (int16_t)lround(EL_CLAMP(v * 10, -3000.0, 30000.0)) : EL_HISTORY_ABSENT;
}

/* To the step of `now_us`; what was missed on the way is absent. */
static void advance(struct el_history *h, int64_t now_us)
{
    uint64_t to = (uint64_t)((now_us - h->begin_us) / EL_HISTORY_STEP_US);
    uint64_t from = to - h->step > EL_HISTORY_SAMPLES ? to - EL_HISTORY_SAMPLES : h->step;

    for (uint64_t step = from + 1; step <= to; step++)
        for (uint32_t i = 0; i < h->tracks; i++)
            h->track[i].sample[step % EL_HISTORY_SAMPLES] = absent;
    h->step = to;
}

void el_history_take(struct el_history *h, const struct el_snapshot *s, enum el_source_state state, int64_t now_us)
{
    if (!h->begin_us)
        h->begin_us = now_us;
    advance(h, now_us);
    if (state != EL_SOURCE_FRESH)
        return;
    for (uint32_t i = 0; i < s->cards.count; i++) {
        const struct el_card *c = &el_snapshot_cards(s)[i];
        double w = el_reading_usable(&c->power_mw) ? (double)c->power_mw.value / 1000 : c->power_estimate_w;

        put(h, c->name, -1, (struct el_history_sample){tenths(w), EL_HISTORY_ABSENT});
    }
    for (uint32_t i = 0; i < s->slots.count; i++) {
        const struct el_slot *t = &el_snapshot_slots(s)[i];
        struct el_history_sample sample = absent;

        if (t->state == EL_SLOT_EMPTY)
            continue;
        if (t->state == EL_SLOT_UP && el_reading_usable(&t->temp_mc[0]))
            sample.temp_dc = tenths((double)t->temp_mc[0].value / 1000);
        if (t->state == EL_SLOT_UP && isfinite(t->decision.cap_ratio) && t->decision.cap_ratio > 0)
            sample.cap_permille = (int16_t)lround(EL_MIN(t->decision.cap_ratio, 1) * 1000);
        put(h, el_snapshot_cards(s)[t->card].name, (int32_t)t->number, sample);
    }
}

bool el_history_get(const struct el_history *h, const char *card, int slot,
                    struct el_history_sample out[EL_HISTORY_SAMPLES])
{
    const struct track *t = find(h, card, slot);

    for (int i = 0; t && i < EL_HISTORY_SAMPLES; i++)
        out[i] = t->sample[(h->step + 1 + (uint64_t)i) % EL_HISTORY_SAMPLES];
    return t;
}
