#include "cli/table.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/text.h"

#define RED    "1;31"
#define YELLOW "33"

/* What a narrower terminal leaves out, so that caps and their reasons stay. */
#define COLUMNS_FOR_SERIAL 146
#define COLUMNS_FOR_RATES  124

struct el_table_look el_table_look_of(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    struct winsize size = {0};

    if (!isatty(fd))
        return (struct el_table_look){0};
    (void)ioctl(fd, TIOCGWINSZ, &size);
    return (struct el_table_look){.columns = size.ws_col,
                                  .colour = !(no_color && no_color[0]) && term && strcmp(term, "dumb") != 0};
}

static bool fits(struct el_table_look look, uint32_t columns)
{
    return !look.columns || look.columns >= columns;
}

/* Ends the line that begins at `start`: cut to the terminal, in a colour unless that is NULL. */
static void end_line(struct el_buf *b, size_t start, struct el_table_look look, const char *colour)
{
    char line[512];

    if (b->failed || b->len < start)
        return;
    if (look.columns && b->len - start > look.columns)
        b->len = start + look.columns;
    if (look.colour && colour) {
        snprintf(line, sizeof line, "%.*s", (int)(b->len - start), b->data + start);
        b->len = start;
        el_buf_printf(b, "\033[%sm%s\033[0m", colour, line);
    }
    el_buf_putc(b, '\n');
}

/* One cell: text in a fixed width, cut when longer. */
static void cell(struct el_buf *b, int width, const char *text)
{
    el_buf_printf(b, width < 0 ? " %-*.*s" : " %*.*s", abs(width), abs(width), text);
}

static void tenths(char out[24], double v, const char *unit)
{
    char number[24];

    if (!isfinite(v)) {
        strcpy(out, "-");
        return;
    }
    long long t = llround(v * 10);

    snprintf(number, sizeof number, "%s%lld.%lld", t < 0 ? "-" : "", llabs(t) / 10, llabs(t) % 10);
    snprintf(out, 24, "%.16s %s", number, unit);
}

static void number_cell(struct el_buf *b, int width, double v, const char *unit)
{
    char text[24];

    tenths(text, v, unit);
    cell(b, width, text);
}

/* "74.0 C" measured, "~74.3 C" estimated, "-" unknown. */
static void estimate_cell(struct el_buf *b, int width, double measured, double estimate, const char *unit)
{
    char text[25] = "~";

    if (isfinite(measured) || !isfinite(estimate)) {
        number_cell(b, width, measured, unit);
        return;
    }
    tenths(text + 1, estimate, unit);
    cell(b, width, text);
}

static double measured(const struct el_reading *r)
{
    return r->quality == EL_GOOD && r->origin == EL_MEASURED ? (double)r->value / 1000 : NAN;
}

static double reading_value(const struct el_reading *r)
{
    return r->quality == EL_GOOD || r->quality == EL_STALE ? (double)r->value / 1000 : NAN;
}

static void labelled(struct el_buf *b, const char *label, const struct el_reading *r, const char *unit)
{
    char text[24];

    if (!isfinite(reading_value(r)))
        return;
    tenths(text, reading_value(r), unit);
    el_buf_printf(b, "   %s %s", label, text);
    if (r->quality == EL_STALE)
        el_buf_puts(b, " (stale)");
    else if (r->origin != EL_MEASURED)
        el_buf_printf(b, " (%s)", el_origin_name(r->origin));
}

static void card_line(struct el_buf *b, const struct el_card *c, struct el_table_look look)
{
    const char *loud = look.colour ? "\033[" RED "m" : "", *quiet = look.colour ? "\033[0m" : "";
    char text[24];

    el_buf_printf(b, "%s", c->name);
    if (c->title[0])
        el_buf_printf(b, "  %s", c->title);
    if (c->address[0])
        el_buf_printf(b, "  [%s]", c->address);
    el_buf_printf(b, "\n  %s%s", el_mode_name(c->mode), c->paused ? ", paused" : "");
    if (c->law[0])
        el_buf_printf(b, ", law %s", c->law);
    if (c->power_mw.quality == EL_GOOD) {
        labelled(b, "power", &c->power_mw, "W");
    } else if (isfinite(c->power_estimate_w)) {
        tenths(text, c->power_estimate_w, "W");
        el_buf_printf(b, "   power %s (estimated)", text);
    }
    if (isfinite(c->card_limit_w)) {
        tenths(text, c->card_limit_w, "W");
        el_buf_printf(b, " of %s", text);
    }
    labelled(b, "inlet", &c->inlet_mc, "C");
    labelled(b, "air", &c->airflow_mlfm, "LFM");
    labelled(b, "switch", &c->switch_mc, "C");
    if (c->failsafe != EL_FAILSAFE_NONE)
        el_buf_printf(b, "   %sFAILSAFE %s: %s%s", loud, el_failsafe_name(c->failsafe),
                      el_constraint_name(c->failsafe_reason), quiet);
    if (c->air_failing)
        el_buf_printf(b, "   %sAIR FAILING%s", loud, quiet);
    el_buf_putc(b, '\n');
}

/* Bytes per second since `before`, which must be of the same machine. */
static double rate(const struct el_snapshot *s, const struct el_snapshot *before, uint32_t row, bool writes)
{
    const struct el_slot_io *now = &el_snapshot_slots(s)[row].io, *then;

    if (!before || before->slots.count != s->slots.count)
        return NAN;
    then = &el_snapshot_slots(before)[row].io;
    uint64_t a = writes ? then->write_bytes : then->read_bytes, z = writes ? now->write_bytes : now->read_bytes;
    if (!now->valid || !then->valid || now->time_us <= then->time_us || z < a)
        return NAN;
    return (double)(z - a) * 1e6 / (double)(now->time_us - then->time_us);
}

/* "x4 8" (lanes, GT/s), with "!" when that is less than it should be. */
static void link_cell(struct el_buf *b, const struct el_snapshot *s, uint32_t row)
{
    const struct el_link *l = el_snapshot_link(s, row, EL_LINK_DRIVE);
    char text[24];

    if (l && l->known && l->up)
        snprintf(text, sizeof text, "x%u %u%s%s", l->current_width, l->current_mts / 1000,
                 l->current_mts % 1000 ? ".5" : "", l->degraded ? " !" : "");
    cell(b, 8, !l || !l->known ? "-" : l->up ? text : "down");
}

static void because(struct el_buf *b, const struct el_slot_decision *d, int64_t now_us)
{
    char text[64];

    if (d->constraint == EL_CONSTRAINT_NONE)
        return;
    el_buf_printf(b, "  %s", el_constraint_name(d->constraint));
    if (d->since_us) {
        el_text_duration(now_us - d->since_us, text);
        el_buf_printf(b, ", for %s", text);
    }
    if (d->lift_us > now_us) {
        el_text_duration(d->lift_us - now_us, text);
        el_buf_printf(b, ", lifts in about %s", text);
    }
}

static void slot_line(struct el_buf *b, const struct el_snapshot *s, const struct el_snapshot *before, uint32_t row,
                      int64_t now_us, struct el_table_look look)
{
    const struct el_slot *t = &el_snapshot_slots(s)[row];
    const struct el_slot_decision *d = &t->decision;
    double temp_c = t->state == EL_SLOT_UP ? measured(&t->temp_mc[0]) : NAN;
    bool capped = d->cap_ratio > 0 && d->cap_ratio < 1;
    size_t start = b->len;
    char text[64];

    el_buf_printf(b, "  %4u", t->number);
    cell(b, -8, t->controller[0] ? t->controller : "-");
    if (fits(look, COLUMNS_FOR_SERIAL))
        cell(b, -20, t->identify.serial[0] ? t->identify.serial : t->last_serial[0] ? t->last_serial : "-");
    cell(b, -7, el_slot_state_name(t->state));
    if (t->state == EL_SLOT_EMPTY || t->state == EL_SLOT_GONE || t->state == EL_SLOT_UNBOUND) {
        el_buf_printf(b, " %s", t->reason);
        end_line(b, start, look, t->state == EL_SLOT_EMPTY ? NULL : RED);
        return;
    }
    estimate_cell(b, 8, temp_c, d->temp_estimate_c, "C");
    number_cell(b, 8, d->limit_c, "C");
    estimate_cell(b, 8, isfinite(temp_c) ? d->headroom_c : NAN, d->headroom_c, "C");
    estimate_cell(b, 7, measured(&t->power_mw), d->power_estimate_w, "W");
    if (before) {
        number_cell(b, 11, rate(s, before, row, false) / 1e6, "MB/s");
        number_cell(b, 11, rate(s, before, row, true) / 1e6, "MB/s");
    }
    link_cell(b, s, row);
    snprintf(text, sizeof text, "%u %%", t->smart.percentage_used);
    cell(b, 5, t->stamp[EL_READ_SMART].quality == EL_GOOD ? text : "-");
    snprintf(text, sizeof text, "%d %%", (int)lround(d->cap_ratio * 100));
    cell(b, 5, capped ? text : "-");
    because(b, d, now_us);
    if (t->reason[0])
        el_buf_printf(b, "  (%s)", t->reason);
    if (t->stamp[EL_READ_SECURITY].quality == EL_GOOD && t->logs.security.locked)
        el_buf_puts(b, "  (locked)");
    end_line(b, start, look, t->state != EL_SLOT_UP ? RED : capped ? YELLOW : NULL);
}

static void alarm_lines(struct el_buf *b, const struct el_snapshot *s, int64_t now_us, struct el_table_look look)
{
    static const char *const colour[] = {NULL, YELLOW, RED};
    const struct el_alarm *a = el_snapshot_alarms(s);
    const struct el_card *cards = el_snapshot_cards(s);
    const struct el_slot *slots = el_snapshot_slots(s);
    char age[32];

    for (uint32_t i = 0; i < s->alarms.count; i++) {
        size_t start = b->len;

        el_text_duration(now_us - a[i].since_us, age);
        el_buf_printf(b, "%s: ", el_severity_name(a[i].severity));
        if (a[i].slot >= 0)
            el_buf_printf(b, "%s slot %u: ", cards[slots[a[i].slot].card].name, slots[a[i].slot].number);
        else if (a[i].card >= 0)
            el_buf_printf(b, "%s: ", cards[a[i].card].name);
        el_buf_printf(b, "%s (for %s)", a[i].text, age);
        end_line(b, start, (struct el_table_look){.colour = look.colour},
                 colour[EL_MIN(a[i].severity, EL_SEVERITY_CRITICAL)]);
    }
}

static void heading(struct el_buf *b, bool rates, struct el_table_look look)
{
    size_t start = b->len;

    el_buf_printf(b, "  slot drive    %sstate       temp    limit headroom   power%s     link  worn   cap  because",
                  fits(look, COLUMNS_FOR_SERIAL) ? "serial               " : "",
                  rates ? "        read       write" : "");
    end_line(b, start, look, NULL);
}

void el_table_status(struct el_buf *b, const struct el_snapshot *s, const struct el_snapshot *before, int64_t now_us,
                     struct el_table_look look)
{
    const struct el_card *cards = el_snapshot_cards(s);

    if (!fits(look, COLUMNS_FOR_RATES))
        before = NULL;
    for (uint32_t c = 0; c < s->cards.count; c++) {
        card_line(b, &cards[c], look);
        heading(b, before != NULL, look);
        for (uint32_t i = 0; i < cards[c].slots; i++)
            slot_line(b, s, before, cards[c].first_slot + i, now_us, look);
    }
    if (!s->cards.count)
        el_buf_puts(b, "no NVMe drives found\n");
    alarm_lines(b, s, now_us, look);
}

void el_table_line(struct el_buf *b, const struct el_snapshot *s, const struct el_snapshot *before)
{
    double hottest = NAN, watts = 0, bytes = 0, deepest = 1;
    enum el_constraint why = EL_CONSTRAINT_NONE;
    uint32_t up = 0, capped = 0;
    bool enforced = true;
    char when[32], text[24];

    for (uint32_t i = 0; i < s->slots.count; i++) {
        const struct el_slot *t = &el_snapshot_slots(s)[i];
        double moved = rate(s, before, i, false) + rate(s, before, i, true);

        up += t->state == EL_SLOT_UP;
        hottest = fmax(hottest, t->state == EL_SLOT_UP ? measured(&t->temp_mc[0]) : NAN);
        bytes += isfinite(moved) ? moved : 0;
        if (t->decision.cap_ratio > 0 && t->decision.cap_ratio < 1) {
            capped++;
            enforced = enforced && el_card_enforced(&el_snapshot_cards(s)[t->card]);
            if (t->decision.cap_ratio < deepest) {
                deepest = t->decision.cap_ratio;
                why = t->decision.constraint;
            }
        }
    }
    for (uint32_t i = 0; i < s->cards.count; i++) {
        const struct el_card *c = &el_snapshot_cards(s)[i];
        double w = el_reading_usable(&c->power_mw) ? el_reading_kilo(&c->power_mw) : c->power_estimate_w;

        watts += isfinite(w) ? w : 0;
    }
    el_text_rfc3339(s->realtime_us, when);
    tenths(text, hottest, "C");
    el_buf_printf(b, "%.8s  %u of %u drives up, hottest %s", when + 11, up, s->slots.count, text);
    tenths(text, watts, "W");
    el_buf_printf(b, ", %s", text);
    tenths(text, bytes / 1e9, "GB/s");
    el_buf_printf(b, ", %s", text);
    if (capped)
        el_buf_printf(b, ", %u %s (down to %d %%: %s)", capped, enforced ? "capped" : "would be capped",
                      (int)lround(deepest * 100), el_constraint_name(why));
    el_buf_printf(b, ", %u alarms\n", s->alarms.count);
}
