#include "exporter/page_parts.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

/* A loop that holds a drive at its limit swings around it by less than this; beyond, it does not hold. */
#define OVERSHOOT_C 1.0

bool el_page_live(const struct el_page *p, const struct el_slot *t)
{
    return p->state == EL_SOURCE_FRESH && t->state == EL_SLOT_UP;
}

static bool ails(const struct el_slot *t)
{
    EL_AUTO_BUF struct el_buf b = {0};

    el_page_ailments(&b, t);
    return b.len;
}

double el_page_cap(const struct el_page *p, const struct el_slot *t, bool *in_force)
{
    const struct el_card *c = &el_snapshot_cards(p->s)[t->card];
    double cap = t->decision.cap_ratio;

    *in_force = el_card_enforced(c);
    return el_page_live(p, t) && cap > 0 && cap < 1 ? cap : 1;
}

enum el_page_mood el_page_mood(const struct el_page *p, const struct el_slot *t)
{
    bool in_force;

    if (t->state == EL_SLOT_EMPTY)
        return EL_MOOD_EMPTY;
    if (t->state == EL_SLOT_GONE)
        return EL_MOOD_GONE;
    if (p->state != EL_SOURCE_FRESH || t->state == EL_SLOT_STALE || t->state == EL_SLOT_UNBOUND)
        return EL_MOOD_STALE;
    if (t->state == EL_SLOT_FAILED || ails(t))
        return EL_MOOD_BAD;
    if (t->decision.headroom_c < -OVERSHOOT_C ||
        (t->stamp[EL_READ_SMART].quality == EL_GOOD && t->smart.critical_warning & 2))
        return EL_MOOD_HOT;
    return el_page_cap(p, t, &in_force) < 1 && in_force ? EL_MOOD_CAPPED : EL_MOOD_OK;
}

const char *el_page_mood_class(enum el_page_mood m)
{
    static const char *const names[] = {"ok", "capped", "hot", "bad", "gone", "empty", "stale"};

    return names[m];
}

const char *el_page_word(const struct el_page *p, const struct el_slot *t)
{
    static const char *const words[] = {"fine", "throttled", "too hot", "failing", "gone", "empty", "no answer"};
    enum el_page_mood m = el_page_mood(p, t);

    if (m == EL_MOOD_STALE && p->state != EL_SOURCE_FRESH)
        return "not known";
    if (m == EL_MOOD_STALE && t->state == EL_SLOT_UNBOUND)
        return "not ours";
    return m == EL_MOOD_BAD && t->state == EL_SLOT_FAILED ? "failed" : words[m];
}

static void put_fixed(struct el_buf *b, double v, int decimals)
{
    static const double scale[] = {1, 10, 100, 1000};
    char text[EL_NUM_MAX];
    size_t n;

    if (!isfinite(v) || fabs(v) > 1e12) {
        el_buf_puts(b, "–");
        return;
    }
    n = el_num_fixed(text, llround(v * scale[decimals]), (unsigned)decimals);
    el_buf_put(b, text, n);
    /* el_num_fixed drops trailing zeros; a column of numbers reads better with them. */
    if (decimals == 1 && !memchr(text, '.', n))
        el_buf_puts(b, ".0");
}

void el_page_fixed(struct el_buf *b, double v, int decimals, const char *after)
{
    put_fixed(b, v, decimals);
    el_buf_puts(b, after);
}

static void ailment(struct el_buf *b, const char *text)
{
    el_buf_printf(b, "<span class=\"state bad\">✖ %s</span> ", text);
}

void el_page_ailments(struct el_buf *b, const struct el_slot *t)
{
    static const char *const warnings[] = {"spare blocks low",         NULL /* temperature: shown as such */,
                                           "reliability degraded",     "read only",
                                           "power-loss backup failed", "persistent memory unreliable"};
    if (t->stamp[EL_READ_SMART].quality != EL_GOOD)
        return;
    for (unsigned i = 0; i < EL_ARRAY_SIZE(warnings); i++)
        if (warnings[i] && t->smart.critical_warning & 1u << i)
            ailment(b, warnings[i]);
    if (t->smart.percentage_used >= 100)
        ailment(b, "rated endurance used up");
}
