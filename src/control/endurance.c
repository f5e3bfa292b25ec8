#include "control/endurance.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"

#define HOUR_S    3600LL
#define DAY_S     (24 * HOUR_S)
#define HEADER    "elementd-endurance 1\n"
#define TELL_US   (60 * EL_USEC_PER_SEC) /* rates are over a day and a month: their drives are looked at this often */
#define GAP_MAX_S (366 * DAY_S) /* a longer gap between two runs is a wrong clock, not a long pause (assumed) */

enum tier_id { HOURS, DAYS, MONTHS, TIERS };
static const struct {
    int64_t step_s;
    uint32_t room;
} tiers[TIERS] = {{HOUR_S, 26}, {DAY_S, 32}, {30 * DAY_S, 25}};
#define ROOM_MAX 32

struct sample {
    int64_t at_s;     /* on the history's own axis */
    uint64_t written; /* data units of 512,000 bytes */
    uint8_t percent_used;
};

struct tier {
    uint32_t n;
    struct sample sample[ROOM_MAX]; /* oldest first */
};

struct history {
    char serial[61];
    int64_t seen_s; /* axis time it was last seen up */
    struct sample last;
    struct tier tier[TIERS];
};

struct el_endurance {
    struct history *drive;
    uint32_t n;
    uint32_t next;            /* where the search for a serial starts: rows come in the same order each tick */
    int64_t axis_s;           /* seconds of history */
    int64_t boot_us;          /* BOOTTIME of the last step; -1 before the first */
    int64_t told_us;          /* of the last step that looked at all drives */
    int64_t rest_us;          /* of the last second */
    int64_t saved_realtime_s; /* wall clock of the saved history; 0 = none */
    int64_t realtime_s;
    int64_t saved_us; /* BOOTTIME of the last save */
    bool changed;
};

struct el_endurance *el_endurance_new(void)
{
    struct el_endurance *e = calloc(1, sizeof *e);

    if (e)
        e->boot_us = -1;
    return e;
}

struct el_endurance *el_endurance_free(struct el_endurance *e)
{
    if (e)
        free(e->drive);
    free(e);
    return NULL;
}

static struct history *find(struct el_endurance *e, const char *serial)
{
    for (uint32_t k = 0; k < e->n; k++) {
        uint32_t i = (e->next + k) % e->n;

        if (strcmp(e->drive[i].serial, serial) == 0) {
            e->next = i + 1;
            return &e->drive[i];
        }
    }
    return NULL;
}

static struct history *oldest(struct el_endurance *e)
{
    struct history *found = &e->drive[0];

    for (uint32_t i = 1; i < e->n; i++)
        if (e->drive[i].seen_s < found->seen_s)
            found = &e->drive[i];
    return found;
}

/* A fresh history for `serial`; NULL: out of memory. */
static struct history *add(struct el_endurance *e, const char *serial)
{
    struct history *h;

    if (e->n < EL_ENDURANCE_DRIVES_MAX) {
        h = el_row_append(&e->drive, &e->n, sizeof *h);
    } else {
        h = oldest(e);
        memset(h, 0, sizeof *h);
    }
    if (h)
        el_text_copy(h->serial, sizeof h->serial, serial);
    return h;
}

static void tier_push(struct tier *t, enum tier_id id, const struct sample *s)
{
    if (t->n && s->at_s - t->sample[t->n - 1].at_s < tiers[id].step_s)
        return;
    if (t->n == tiers[id].room)
        memmove(t->sample, t->sample + 1, --t->n * sizeof t->sample[0]);
    t->sample[t->n++] = *s;
}

/* A counter that runs backwards belongs to a drive that was wiped or to another one that lies about its serial: start
 * afresh. */
static void history_push(struct history *h, const struct sample *s)
{
    if (s->written < h->last.written || s->percent_used < h->last.percent_used)
        memset(h->tier, 0, sizeof h->tier);
    h->last = *s;
    h->seen_s = s->at_s;
    for (int i = 0; i < TIERS; i++)
        tier_push(&h->tier[i], i, s);
}

/* The newest sample at least `age_s` old, else the oldest one; NULL when there is none before the last. */
static const struct sample *sample_before(const struct history *h, int64_t age_s)
{
    const struct sample *best = NULL, *first = NULL;

    for (int i = 0; i < TIERS; i++) {
        const struct tier *t = &h->tier[i];

        for (uint32_t k = 0; k < t->n; k++) {
            const struct sample *s = &t->sample[k];

            if (!first || s->at_s < first->at_s)
                first = s;
            if (h->last.at_s - s->at_s >= age_s && (!best || s->at_s > best->at_s))
                best = s;
        }
    }
    return best ? best : first;
}

static double write_rate(const struct history *h, int64_t window_s, int64_t least_s)
{
    const struct sample *from = sample_before(h, window_s);

    if (!from || h->last.at_s - from->at_s < least_s)
        return NAN;
    return (double)(h->last.written - from->written) * EL_NVME_DATA_UNIT_BYTES / (double)(h->last.at_s - from->at_s);
}

struct forecast {
    double days, low, high;
};

static void widen(struct forecast *f, double days)
{
    if (!isfinite(days))
        return;
    f->low = fmin(f->low, days);
    f->high = fmax(f->high, days);
}

/* By rated bytes: what is left over the month's rate (the day's while the month is young). The other rates, lifetime's
 * too, tell how far off that may be. */
static struct forecast by_bytes(const struct el_slot *slot)
{
    double written = el_nvme_written_bytes(&slot->smart);
    double hours = (double)slot->smart.power_on_hours;
    double left = fmax(0, slot->rated_endurance_bytes - written) / (double)DAY_S;
    double rate = isfinite(slot->write_rate_30d) ? slot->write_rate_30d : slot->write_rate_1d;
    struct forecast f = {NAN, NAN, NAN};

    if (slot->rated_endurance_bytes <= 0)
        return f;
    f.days = left == 0 ? 0 : rate > 0 ? left / rate : NAN;
    if (isfinite(f.days)) {
        f.low = f.high = f.days;
        widen(&f, left / slot->write_rate_1d);
        if (hours > 0)
            widen(&f, left / (written / hours / (double)HOUR_S));
    }
    return f;
}

/* By percentage used: needs two whole steps, because one step may have been about to come, and a day for them. */
static struct forecast by_percent(const struct history *h, const struct el_slot *slot)
{
    const struct sample *from = sample_before(h, INT64_MAX);
    double left = fmax(0, 100.0 - slot->smart.percentage_used);
    struct forecast f = {NAN, NAN, NAN};
    double steps, days;

    if (left == 0)
        return (struct forecast){0, 0, 0};
    if (!from || h->last.percent_used - from->percent_used < 2 || h->last.at_s - from->at_s < DAY_S)
        return f;
    steps = h->last.percent_used - from->percent_used;
    days = (double)(h->last.at_s - from->at_s) / (double)DAY_S;
    return (struct forecast){left * days / steps, left * days / (steps + 1), left * days / (steps - 1)};
}

static void slot_clear(struct el_slot *slot)
{
    slot->write_rate_1d = slot->write_rate_30d = NAN;
    slot->wear_days_remaining = slot->wear_days_low = slot->wear_days_high = NAN;
    slot->wear_basis = EL_WEAR_NONE;
}

/* The sooner of the two ends is the forecast. */
static void slot_fill(const struct history *h, struct el_slot *slot)
{
    struct forecast bytes, percent;

    slot->write_rate_1d = write_rate(h, DAY_S, HOUR_S);
    slot->write_rate_30d = write_rate(h, 30 * DAY_S, DAY_S);
    bytes = by_bytes(slot);
    percent = by_percent(h, slot);
    if (isfinite(percent.days) && !(bytes.days <= percent.days)) {
        bytes = percent;
        slot->wear_basis = EL_WEAR_PERCENTAGE_USED;
    } else if (isfinite(bytes.days)) {
        slot->wear_basis = EL_WEAR_RATED_BYTES;
    }
    slot->wear_days_remaining = bytes.days;
    slot->wear_days_low = bytes.low;
    slot->wear_days_high = bytes.high;
}

/* BOOTTIME carries the axis; only the gap between two runs needs the wall clock, and a gap that cannot be is none. */
static void axis_step(struct el_endurance *e, int64_t now_us, int64_t realtime_us)
{
    int64_t realtime_s = realtime_us / EL_USEC_PER_SEC, gap_s = realtime_s - e->saved_realtime_s;

    if (e->boot_us < 0) {
        e->saved_us = now_us;
        if (e->saved_realtime_s > 0 && gap_s > 0 && gap_s <= GAP_MAX_S)
            e->axis_s += gap_s;
    } else if (now_us > e->boot_us) {
        e->rest_us += now_us - e->boot_us;
        e->axis_s += e->rest_us / EL_USEC_PER_SEC;
        e->rest_us %= EL_USEC_PER_SEC;
    }
    e->boot_us = now_us;
    e->realtime_s = realtime_s;
}

void el_endurance_step(struct el_endurance *e, struct el_snapshot *s)
{
    bool all = e->boot_us < 0 || s->time_us - e->told_us >= TELL_US;
    struct el_slot *slots = el_snapshot_slots(s);

    if (all)
        e->told_us = s->time_us;
    axis_step(e, s->time_us, s->realtime_us);
    for (uint32_t i = 0; i < s->slots.count; i++) {
        struct el_slot *slot = &slots[i];
        struct history *h;
        struct sample now;

        if (slot->state != EL_SLOT_UP || slot->stamp[EL_READ_SMART].quality != EL_GOOD || !slot->identify.serial[0]) {
            slot_clear(slot);
            continue;
        }
        if (!all && slot->stamp[EL_READ_IDENTIFY].time_us <= e->told_us && slot->up_since_us <= e->told_us)
            continue; /* the drive that was here then, and it stands as it was told */
        slot_clear(slot);
        h = find(e, slot->identify.serial);
        if (!h && !(h = add(e, slot->identify.serial)))
            continue;
        now = (struct sample){.at_s = e->axis_s, .percent_used = slot->smart.percentage_used};
        now.written = (uint64_t)EL_MIN(slot->smart.data_units_written, (el_u128)UINT64_MAX);
        e->changed |=
            now.written != h->last.written || now.percent_used != h->last.percent_used || h->tier[HOURS].n == 0;
        history_push(h, &now);
        slot_fill(h, slot);
    }
}

bool el_endurance_due(const struct el_endurance *e, int64_t now_us)
{
    return e->changed && now_us - e->saved_us >= EL_ENDURANCE_SAVE_US;
}

bool el_endurance_save(struct el_endurance *e, struct el_buf *out)
{
    if (!e->changed)
        return false;
    el_buf_puts(out, HEADER);
    el_buf_printf(out, "clock %" PRId64 " %" PRId64 "\n", e->axis_s, e->realtime_s);
    for (uint32_t i = 0; i < e->n; i++) {
        const struct history *h = &e->drive[i];

        el_buf_printf(out, "drive %" PRId64 " %s\n", h->seen_s, h->serial);
        for (int t = 0; t < TIERS; t++)
            for (uint32_t k = 0; k < h->tier[t].n; k++) {
                const struct sample *s = &h->tier[t].sample[k];

                el_buf_printf(out, "%d %" PRId64 " %" PRIu64 " %u\n", t, s->at_s, s->written, s->percent_used);
            }
    }
    el_buf_puts(out, "end\n");
    if (out->failed)
        return false;
    e->saved_us = e->boot_us;
    e->changed = false;
    return true;
}

/* One saved line. 0, -ENOMEM, -EBADMSG; 1 at the end line. */
static int load_line(struct el_endurance *e, const char *line)
{
    struct history *h = e->n ? &e->drive[e->n - 1] : NULL;
    int64_t at_s, realtime_s;
    uint64_t written;
    unsigned tier, used;
    int text = 0;

    if (strcmp(line, "end") == 0)
        return 1;
    if (sscanf(line, "clock %" SCNd64 " %" SCNd64, &at_s, &realtime_s) == 2) {
        e->axis_s = at_s;
        e->saved_realtime_s = realtime_s;
        return at_s < 0 || at_s > INT64_MAX / 4 || realtime_s < 0 || realtime_s > INT64_MAX / 4 ? -EBADMSG : 0;
    }
    if (sscanf(line, "drive %" SCNd64 " %n", &at_s, &text) == 1 && text && line[text]) {
        if (find(e, line + text) || strlen(line + text) >= sizeof h->serial)
            return -EBADMSG;
        h = add(e, line + text);
        if (!h)
            return -ENOMEM;
        h->seen_s = at_s;
        return 0;
    }
    if (h && sscanf(line, "%u %" SCNd64 " %" SCNu64 " %u", &tier, &at_s, &written, &used) == 4 && tier < TIERS &&
        used <= 255 && at_s >= 0 && at_s <= e->axis_s) {
        struct sample s = {.at_s = at_s, .written = written, .percent_used = (uint8_t)used};

        tier_push(&h->tier[tier], tier, &s);
        if (at_s >= h->last.at_s)
            h->last = s;
        return 0;
    }
    return -EBADMSG;
}

int el_endurance_load(struct el_endurance *e, const char *text, size_t n)
{
    EL_AUTO_FREE char *copy = strndup(text, n);
    char *rest = NULL;
    int r = -EBADMSG;

    if (!copy)
        return -ENOMEM;
    if (strncmp(copy, HEADER, sizeof HEADER - 1) == 0) {
        r = 0;
        for (char *line = strtok_r(copy + sizeof HEADER - 1, "\n", &rest); r == 0 && line;
             line = strtok_r(NULL, "\n", &rest))
            r = load_line(e, line);
        r = r == 1 ? 0 : r < 0 ? r : -EBADMSG; /* without its end the file is cut */
    }
    if (r < 0) {
        e->n = 0;
        e->axis_s = e->saved_realtime_s = 0;
    }
    return r;
}

int el_endurance_warranty(struct el_card *card, const struct el_slot *slots, const char *start, double years,
                          int64_t realtime_us)
{
    double written = 0, used = NAN;
    int64_t start_s;

    card->warranty_seconds_remaining = card->warranty_endurance_remaining_ratio = NAN;
    for (uint32_t i = 0; i < card->slots; i++) {
        const struct el_slot *slot = &slots[i];

        if (slot->stamp[EL_READ_SMART].time_us == 0 || slot->state != EL_SLOT_UP)
            continue;
        written += el_nvme_written_bytes(&slot->smart);
        used = fmax(used, slot->smart.percentage_used / 100.0); /* fmax passes over NAN */
    }
    if (isfinite(used) && card->rated_endurance_bytes > 0)
        used = fmax(used, written / card->rated_endurance_bytes);
    if (isfinite(used))
        card->warranty_endurance_remaining_ratio = fmax(0, 1 - used);
    if (!start[0] || !(years > 0))
        return 0;
    if (el_text_parse_date(start, &start_s) < 0)
        return -EINVAL;
    card->warranty_seconds_remaining = (double)start_s + years * 365.2425 * (double)DAY_S - (double)realtime_us / 1e6;
    return 0;
}
