#include "exporter/page.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "exporter/page_parts.h"

static void put_hash(char *out, size_t size, const char *kind, const char *text)
{
    gnutls_datum_t raw, b64 = {0};
    unsigned char sum[32];

    raw = (gnutls_datum_t){.data = sum, .size = sizeof sum};
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, text, strlen(text), sum) == 0 && gnutls_base64_encode2(&raw, &b64) == 0)
        snprintf(out, size, "%s 'sha256-%.*s'", kind, (int)b64.size, (const char *)b64.data);
    else
        snprintf(out, size, "%s 'none'", kind);
    gnutls_free(b64.data);
}

const char *el_page_policy(void)
{
    static char policy[512];
    char style[128], script[128];

    if (!policy[0]) {
        put_hash(style, sizeof style, "style-src", el_page_css);
        put_hash(script, sizeof script, "script-src", el_page_js);
        snprintf(policy, sizeof policy,
                 "default-src 'none'; %s; %s; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                 "frame-ancestors 'none'",
                 style, script);
    }
    return policy;
}

/* Text from outside between two pieces of ours. */
static void framed(struct el_buf *b, const char *before, const char *text, const char *after)
{
    el_buf_puts(b, before);
    el_text_xml_escape(b, text);
    el_buf_puts(b, after);
}

static void put_age(struct el_buf *b, int64_t us)
{
    char text[32];

    el_text_duration(us < 0 ? 0 : us, text);
    el_buf_puts(b, text);
}

static void put_time(struct el_buf *b, int64_t realtime_us)
{
    char text[32];

    el_text_rfc3339(realtime_us, text);
    el_buf_printf(b, "<time datetime=\"%s\">%.10s %.8s UTC</time>", text, text, text + 11);
}

/* --- the state of things, first and loud --- */

static void put_banner(const struct el_page *p, struct el_buf *b)
{
    el_buf_puts(b, "<div id=\"banner\" role=\"status\">");
    switch (p->state) {
    case EL_SOURCE_NONE:
        framed(b, "<p class=\"stale\"><strong>✖ No data.</strong> ",
               p->problem[0] ? p->problem : "elementd has not written a snapshot yet", ".</p>");
        break;
    case EL_SOURCE_STALE:
        el_buf_puts(b, "<p class=\"stale\"><strong>✖ Stale.</strong> elementd has not reported for ");
        put_age(b, p->now_us - p->s->time_us);
        el_buf_puts(b, ", since ");
        put_time(b, p->s->realtime_us);
        framed(b, ". What changes from second to second is left out below; nobody may be governing these drives. ",
               p->problem, "</p>");
        break;
    case EL_SOURCE_FRESH:
        if (!p->s->daemon.ready)
            el_buf_puts(b, "<p class=\"starting\">Starting: not every drive was polled yet.</p>");
        if (!p->s->daemon.config_ok)
            el_buf_puts(b, "<p class=\"warn\"><strong>⚠ Settings.</strong> The last settings file was bad; the ones "
                           "before it are in force.</p>");
        break;
    }
    el_buf_puts(b, "</div>");
}

static void put_place(const struct el_page *p, int32_t card, int32_t slot, struct el_buf *b)
{
    if (slot >= 0) {
        const struct el_slot *t = &el_snapshot_slots(p->s)[slot];

        el_text_xml_escape(b, el_snapshot_cards(p->s)[t->card].name);
        el_buf_printf(b, " slot %u: ", t->number);
    } else if (card >= 0) {
        el_text_xml_escape(b, el_snapshot_cards(p->s)[card].name);
        el_buf_puts(b, ": ");
    }
}

/* The answer to the first question of whoever opens the page. */
static void put_verdict(const struct el_page *p, struct el_buf *b)
{
    uint32_t count[EL_SEVERITY_CRITICAL + 1] = {0}, up = 0, occupied = 0, capped = 0;
    double hottest = NAN;

    if (p->state != EL_SOURCE_FRESH)
        return;
    for (uint32_t i = 0; i < p->s->alarms.count; i++)
        count[EL_MIN(el_snapshot_alarms(p->s)[i].severity, EL_SEVERITY_CRITICAL)]++;
    for (uint32_t i = 0; i < p->s->slots.count; i++) {
        const struct el_slot *t = &el_snapshot_slots(p->s)[i];

        occupied += t->state != EL_SLOT_EMPTY;
        up += t->state == EL_SLOT_UP;
        capped += el_page_mood(p, t) == EL_MOOD_CAPPED;
        if (el_page_live(p, t) && el_reading_usable(&t->temp_mc[0]))
            hottest = fmax(hottest, (double)t->temp_mc[0].value / 1000);
    }
    if (count[EL_SEVERITY_CRITICAL])
        el_buf_printf(b, "<p class=\"verdict bad\"><strong>✖ %u critical</strong>", count[EL_SEVERITY_CRITICAL]);
    else if (count[EL_SEVERITY_WARNING])
        el_buf_printf(b, "<p class=\"verdict warn\"><strong>⚠ %u to look at</strong>", count[EL_SEVERITY_WARNING]);
    else if (up < occupied || !p->s->daemon.ready)
        el_buf_puts(b, "<p class=\"verdict warn\"><strong>⚠ Not every drive answers</strong>");
    else
        el_buf_puts(b, "<p class=\"verdict ok\"><strong>✔ All is well</strong>");
    el_buf_printf(b, "<span>%u of %u drives up</span>", up, occupied);
    if (capped)
        el_buf_printf(b, "<span>%u throttled</span>", capped);
    if (isfinite(hottest)) {
        el_buf_puts(b, "<span>hottest ");
        el_page_fixed(b, hottest, 0, " °C</span>");
    }
    el_buf_puts(b, "</p>");
}

static void put_alarms(const struct el_page *p, struct el_buf *b)
{
    if (p->state != EL_SOURCE_FRESH || !p->s->alarms.count)
        return;
    el_buf_puts(b, "<section aria-label=\"Alarms\"><ul class=\"alarms\">");
    for (int severity = EL_SEVERITY_CRITICAL; severity >= EL_SEVERITY_INFO; severity--)
        for (uint32_t i = 0; i < p->s->alarms.count; i++) {
            const struct el_alarm *a = &el_snapshot_alarms(p->s)[i];

            if ((int)a->severity != severity)
                continue;
            el_buf_printf(b, "<li class=\"%s\" data-key=\"%u %d %d %d\"><strong>%s %s</strong> ",
                          el_severity_name(a->severity), a->id, a->card, a->slot, a->index,
                          severity == EL_SEVERITY_CRITICAL  ? "✖"
                          : severity == EL_SEVERITY_WARNING ? "⚠"
                                                            : "ℹ",
                          el_severity_name(a->severity));
            put_place(p, a->card, a->slot, b);
            el_text_xml_escape(b, a->text);
            el_buf_puts(b, ", for ");
            put_age(b, p->now_us - a->since_us);
            el_buf_puts(b, "</li>");
        }
    el_buf_puts(b, "</ul></section>");
}

/* --- a card --- */

static void put_fact(struct el_buf *b, const char *name, double v, int decimals, const char *unit, const char *note)
{
    if (!isfinite(v))
        return;
    el_buf_printf(b, "<div><dt>%s</dt><dd>", name);
    el_page_fixed(b, v, decimals, "");
    el_buf_printf(b, " %s<small>%s</small></dd></div>", unit, note);
}

static void put_reading(const struct el_page *p, struct el_buf *b, const char *name, const struct el_reading *r,
                        double scale, int decimals, const char *unit)
{
    static const char *const notes[] = {"", " estimated", " assumed"};

    if (p->state == EL_SOURCE_FRESH && el_reading_usable(r))
        put_fact(b, name, (double)r->value * scale, decimals, unit, notes[EL_MIN(r->origin, 2u)]);
}

static void put_card_facts(const struct el_page *p, const struct el_card *c, struct el_buf *b)
{
    double w = el_reading_usable(&c->power_mw) ? NAN : c->power_estimate_w;

    el_buf_puts(b, "<dl class=\"facts\">");
    put_reading(p, b, "Power", &c->power_mw, 0.001, 1, "W");
    if (p->state == EL_SOURCE_FRESH)
        put_fact(b, "Power", w, 1, "W", " estimated");
    put_fact(b, "Power limit", c->card_limit_w, 1, "W", "");
    put_reading(p, b, "Inlet", &c->inlet_mc, 0.001, 1, "°C");
    put_reading(p, b, "Air", &c->airflow_mlfm, 0.001, 0, "LFM");
    put_reading(p, b, "Humidity", &c->humidity_ppm, 0.0001, 0, "%");
    put_reading(p, b, "Switch", &c->switch_mc, 0.001, 1, "°C");
    if (p->state == EL_SOURCE_FRESH && c->governed)
        el_buf_printf(b, "<div><dt>Governor</dt><dd>%s%s<small> %s</small></dd></div>", el_mode_name(c->mode),
                      c->paused ? ", paused" : "", c->law);
    if (p->state == EL_SOURCE_FRESH && c->failsafe != EL_FAILSAFE_NONE)
        el_buf_printf(b, "<div class=\"bad\"><dt>Failsafe</dt><dd>✖&nbsp;%s<small> %s</small></dd></div>",
                      el_failsafe_name(c->failsafe), el_constraint_name(c->failsafe_reason));
    el_buf_puts(b, "<div class=\"wide\"><dt>Power, last hour</dt><dd>");
    el_page_plot(p, c, -1, "Card power", "W", b);
    el_buf_puts(b, "</dd></div></dl>");
}

static void cell(struct el_buf *b, const char *label)
{
    el_buf_printf(b, "<td role=\"cell\" data-label=\"%s\">", label);
}

static void put_drive(const struct el_slot *t, struct el_buf *b)
{
    cell(b, "Drive");
    if (t->stamp[EL_READ_IDENTIFY].time_us) {
        el_text_xml_escape(b, t->identify.model);
        framed(b, "<small>", t->identify.serial, "</small>");
    } else if (t->last_serial[0]) {
        framed(b, "<small>last: ", t->last_serial, "</small>");
    } else {
        el_buf_puts(b, "–");
    }
    el_buf_puts(b, "</td>");
}

static void put_state(const struct el_page *p, const struct el_slot *t, struct el_buf *b)
{
    static const char *const marks[] = {"✔", "▼", "▲", "✖", "∅", "·", "?"};
    enum el_page_mood mood = el_page_mood(p, t);

    cell(b, "State");
    el_buf_printf(b, "<span class=\"state %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
                  el_page_mood_class(mood), marks[mood], el_page_word(p, t));
    if (t->reason[0]) {
        framed(b, "<small>", t->reason, "</small>");
    }
    el_buf_puts(b, "</td>");
}

static void put_temperature(const struct el_page *p, const struct el_slot *t, struct el_buf *b)
{
    const struct el_slot_decision *d = &t->decision;

    cell(b, "Temperature");
    if (!el_page_live(p, t) || !el_reading_usable(&t->temp_mc[0])) {
        el_buf_puts(b, "–</td>");
        return;
    }
    el_page_fixed(b, (double)t->temp_mc[0].value / 1000, 0, " °C");
    if (isfinite(d->limit_c) && isfinite(d->headroom_c)) {
        el_buf_puts(b, "<small>");
        el_page_fixed(b, fabs(d->headroom_c), 1, "");
        el_buf_printf(b, " %s the limit of ", d->headroom_c < 0 ? "above" : "below");
        el_page_fixed(b, d->limit_c, 0, "</small>");
    }
    el_buf_puts(b, "</td>");
}

static void put_cap(const struct el_page *p, const struct el_slot *t, struct el_buf *b)
{
    const struct el_slot_decision *d = &t->decision;
    bool in_force;
    double cap = el_page_cap(p, t, &in_force);

    cell(b, "I/O cap and why");
    if (cap >= 1) {
        el_buf_puts(b, el_page_live(p, t) ? "none</td>" : "–</td>");
        return;
    }
    el_buf_puts(b, in_force ? "" : "advised only: ");
    el_page_fixed(b, cap * 100, 0, " %");
    if (isfinite(d->budget_w)) {
        el_buf_puts(b, ", ");
        el_page_fixed(b, d->budget_w, 1, " W");
    }
    el_buf_printf(b, "<small>%s", el_constraint_name(d->constraint));
    if (d->since_us) {
        el_buf_puts(b, ", for ");
        put_age(b, p->now_us - d->since_us);
    }
    if (d->lift_us > p->now_us) {
        el_buf_puts(b, ", lifts in about ");
        put_age(b, d->lift_us - p->now_us);
    }
    el_buf_puts(b, "</small></td>");
}

static void put_link(const struct el_page *p, uint32_t row, struct el_buf *b)
{
    const struct el_link *k = el_snapshot_link(p->s, row, EL_LINK_DRIVE);

    cell(b, "Link");
    if (!k || !k->known || p->state != EL_SOURCE_FRESH) {
        el_buf_puts(b, "–</td>");
        return;
    }
    if (!k->up) {
        el_buf_puts(b, "<span class=\"state bad\">✖ down</span></td>");
        return;
    }
    el_buf_printf(b, "x%u, ", k->current_width);
    el_page_fixed(b, k->current_mts / 1000.0, k->current_mts % 1000 ? 1 : 0, " GT/s");
    if (k->degraded) {
        el_buf_printf(b, "<small class=\"warn\">⚠ below x%u, ", el_link_wanted_width(k));
        el_page_fixed(b, el_link_wanted_mts(k) / 1000.0, el_link_wanted_mts(k) % 1000 ? 1 : 0, " GT/s</small>");
    }
    el_buf_puts(b, "</td>");
}

/* The forecast, in years where there are some. */
static void put_wear(const struct el_slot *t, struct el_buf *b)
{
    bool years = t->wear_days_remaining >= 730;
    double unit = years ? 365.25 : 1;

    if (!isfinite(t->wear_days_remaining))
        return;
    el_buf_puts(b, "<small>");
    el_page_fixed(b, t->wear_days_remaining / unit, 0, "");
    if (isfinite(t->wear_days_low) && isfinite(t->wear_days_high)) {
        el_buf_puts(b, " (");
        el_page_fixed(b, t->wear_days_low / unit, 0, " to ");
        el_page_fixed(b, t->wear_days_high / unit, 0, ")");
    }
    el_buf_printf(b, " %s left at this rate</small>", years ? "years" : "days");
}

static void put_security(const struct el_slot *t, struct el_buf *b)
{
    const struct el_nvme_security *s = &t->logs.security;

    if (t->stamp[EL_READ_SECURITY].quality != EL_GOOD || !s->locking_supported)
        return;
    if (s->locked)
        el_buf_puts(b, "<small class=\"warn\">⚠ locked</small>");
    else
        el_buf_puts(b, s->locking_enabled ? "<small>locks open</small>" : "<small>locks not in use</small>");
}

static void put_health(const struct el_page *p, const struct el_slot *t, struct el_buf *b)
{
    size_t before;

    cell(b, "Health");
    if (t->state == EL_SLOT_EMPTY || t->state == EL_SLOT_GONE || t->stamp[EL_READ_SMART].quality != EL_GOOD) {
        el_buf_puts(b, "–</td>");
        return;
    }
    before = b->len;
    el_page_ailments(b, t);
    if (b->len == before)
        el_buf_puts(b, p->state == EL_SOURCE_FRESH ? "healthy" : "last known: healthy");
    el_buf_printf(b, "<small>%u %% worn", t->smart.percentage_used);
    if (t->smart.available_spare <= 100)
        el_buf_printf(b, ", %u %% spare", t->smart.available_spare);
    el_buf_puts(b, "</small>");
    put_wear(t, b);
    put_security(t, b);
    el_buf_puts(b, "</td>");
}

static void put_slot_row(const struct el_page *p, const struct el_card *c, uint32_t row, struct el_buf *b)
{
    const struct el_slot *t = &el_snapshot_slots(p->s)[row];

    el_buf_printf(b, "<tr role=\"row\" class=\"%s\"><th role=\"rowheader\" scope=\"row\">slot %u<small>",
                  el_page_mood_class(el_page_mood(p, t)), t->number);
    if (p->state == EL_SOURCE_FRESH)
        el_text_xml_escape(b, t->controller);
    el_buf_puts(b, "</small></th>");
    put_drive(t, b);
    put_state(p, t, b);
    put_temperature(p, t, b);
    put_cap(p, t, b);
    put_link(p, row, b);
    put_health(p, t, b);
    cell(b, "Last hour");
    if (t->state != EL_SLOT_EMPTY)
        el_page_plot(p, c, (int)t->number, "Temperature", "°C", b);
    el_buf_puts(b, "</td></tr>");
}

static void put_card(const struct el_page *p, uint32_t i, struct el_buf *b)
{
    static const char *const columns[] = {"Slot", "Drive",  "State",    "Temperature", "I/O cap and why",
                                          "Link", "Health", "Last hour"};
    const struct el_card *c = &el_snapshot_cards(p->s)[i];

    el_buf_printf(b, "<section class=\"cardbox\" aria-labelledby=\"card%u\"><h2 id=\"card%u\">", i, i);
    el_text_xml_escape(b, c->title[0] ? c->title : c->name);
    framed(b, " <small>", c->name, "</small></h2><div class=\"side\">");
    el_page_draw_card(p, c, b);
    put_card_facts(p, c, b);
    el_buf_printf(
        b, "</div><table role=\"table\" aria-labelledby=\"card%u\"><thead role=\"rowgroup\"><tr role=\"row\">", i);
    for (size_t k = 0; k < EL_ARRAY_SIZE(columns); k++)
        el_buf_printf(b, "<th role=\"columnheader\" scope=\"col\">%s</th>", columns[k]);
    el_buf_puts(b, "</tr></thead><tbody role=\"rowgroup\">");
    for (uint32_t row = c->first_slot; row < c->first_slot + c->slots; row++)
        put_slot_row(p, c, row, b);
    el_buf_puts(b, "</tbody></table></section>");
}

/* --- the document --- */

static void put_head(const struct el_page *p, struct el_buf *b)
{
    char host[65] = "";

    gethostname(host, sizeof host - 1);
    el_buf_puts(
        b,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\"><title>");
    el_buf_puts(b, p->state == EL_SOURCE_FRESH ? "" : "✖ ");
    el_text_xml_escape(b, host);
    el_buf_puts(b, ": elementd</title><link rel=\"icon\" href=\"data:,\"><style>");
    el_buf_puts(b, el_page_css);
    framed(b, "</style></head><body><header><h1>elementd <small>", host, "</small></h1></header>");
}

static void put_foot(const struct el_page *p, struct el_buf *b)
{
    framed(b, "<footer><nav aria-label=\"Other forms\"><a href=\"", p->telemetry_path,
           "\">metrics</a> <a href=\"/api/v1/snapshot\">JSON</a> <a href=\"/-/ready\">ready</a> <a "
           "href=\"/-/healthy\">healthy</a></nav>"
           "<p id=\"live\" class=\"quiet\"></p><p id=\"news\" role=\"alert\"></p></footer><script>");
    el_buf_puts(b, el_page_js);
    el_buf_puts(b, "</script></body></html>\n");
}

int el_page_render(const struct el_page *p, struct el_buf *b)
{
    put_head(p, b);
    el_buf_printf(b, "<main id=\"main\" data-period=\"%u\"%s>", p->s->period_ms ? p->s->period_ms : 2000,
                  p->state == EL_SOURCE_FRESH ? "" : " class=\"old\"");
    put_banner(p, b);
    put_verdict(p, b);
    put_alarms(p, b);
    for (uint32_t i = 0; i < p->s->cards.count; i++)
        put_card(p, i, b);
    if (p->state == EL_SOURCE_FRESH && !p->s->cards.count)
        el_buf_puts(b, "<p>No NVMe drive was found on this machine.</p>");
    if (p->state == EL_SOURCE_FRESH) {
        el_buf_puts(b, "<p class=\"quiet\">As of ");
        put_time(b, p->s->realtime_us);
        el_buf_printf(b, ", %s, elementd %s.</p>", p->s->daemon.backend, p->s->daemon.version);
    }
    el_buf_puts(b, "</main>");
    put_foot(p, b);
    return b->failed ? -ENOMEM : 0;
}
