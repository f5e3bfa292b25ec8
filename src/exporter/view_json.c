/* The snapshot as one JSON object, from the same rows of the catalog as the metrics page:
 *
 *   {"version", "seq", "time", "stale",
 *    "daemon": {metrics}, "exporter": {metrics},
 *    "cards": [{"name", "number", "metrics": {},
 *               "slots": [{"slot", "state", ..., "metrics": {}, "namespaces": []}],
 *               "links": []}],
 *    "sensors": [], "alarms": [], "events": []}
 *
 * A metric is named as on the metrics page without the prefix of its family. Its value is a number; an object by sub
 * label where it has one ("temperature_celsius": {"composite": 41, "1": 43}); the name of the state that holds; or, of
 * an info metric, an object of its labels. What is absent is not there. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "exporter/view.h"
#include "model/alarm.h"

struct json {
    struct el_buf *out;
    struct el_catalog_context c;
    uint64_t groups;
    bool comma; /* the next thing at this depth needs one before it */
};

static void comma(struct json *j)
{
    if (j->comma)
        el_buf_putc(j->out, ',');
    j->comma = true;
}

static void quoted(struct json *j, const char *text)
{
    el_buf_putc(j->out, '"');
    el_text_json_escape(j->out, text);
    el_buf_putc(j->out, '"');
}

static void key(struct json *j, const char *name)
{
    comma(j);
    quoted(j, name);
    el_buf_putc(j->out, ':');
}

/* `name` NULL: an element of an array. */
static void open_with(struct json *j, const char *name, char bracket)
{
    if (name)
        key(j, name);
    else
        comma(j);
    el_buf_putc(j->out, bracket);
    j->comma = false;
}

static void close_with(struct json *j, char bracket)
{
    el_buf_putc(j->out, bracket);
    j->comma = true;
}

static void text_member(struct json *j, const char *name, const char *value)
{
    key(j, name);
    quoted(j, value);
}

static void unsigned_member(struct json *j, const char *name, uint64_t v)
{
    key(j, name);
    el_buf_u64(j->out, v);
}

static void double_member(struct json *j, const char *name, double v)
{
    if (!isfinite(v))
        return;
    key(j, name);
    el_buf_double(j->out, v);
}

static void time_member(struct json *j, const char *name, int64_t realtime_us)
{
    char text[32];

    el_text_rfc3339(realtime_us, text);
    text_member(j, name, text);
}

static void value(struct json *j, struct el_value v)
{
    char text[EL_NUM_MAX];

    el_buf_put(j->out, text, el_value_text(text, v));
}

/* "element_drive_cap_ratio" is "cap_ratio" in the object of a drive, "element_drive" itself its "info". */
static const char *short_name(const struct el_metric *m)
{
    static const char *const families[] = {
        [EL_SCOPE_DAEMON] = "element_",
        [EL_SCOPE_EXPORTER] = "element_",
        [EL_SCOPE_CARD] = "element_card_",
        [EL_SCOPE_SLOT] = "element_drive_",
        [EL_SCOPE_NAMESPACE] = "element_drive_namespace_",
        [EL_SCOPE_LINK] = "element_link_",
        [EL_SCOPE_SENSOR] = "element_board_",
        [EL_SCOPE_ALARM] = "element_alarm_",
    };
    size_t n = strlen(families[m->scope]);

    if (strncmp(m->name, families[m->scope], n - 1) == 0 && m->name[n - 1] == '\0')
        return "info";
    if (strncmp(m->name, families[m->scope], n) == 0)
        return m->name + n;
    return strncmp(m->name, "element_", 8) == 0 ? m->name + 8 : m->name;
}

static void info_metric(struct json *j, const struct el_metric *m, uint32_t row, uint32_t sub)
{
    struct el_labels l = {0};

    el_info_labels(&j->c, m, row, sub, &l);
    el_buf_putc(j->out, '{');
    for (uint32_t i = 0; i < l.n; i++) {
        if (i)
            el_buf_putc(j->out, ',');
        quoted(j, l.label[i].name);
        el_buf_putc(j->out, ':');
        quoted(j, l.label[i].value);
    }
    el_buf_putc(j->out, '}');
}

static void plain_metric(struct json *j, const struct el_metric *m, uint32_t row)
{
    struct el_value v = el_metric_value(&j->c, m, row, 0);

    if (v.kind == EL_VALUE_ABSENT)
        return;
    key(j, short_name(m));
    if (m->type == EL_METRIC_INFO)
        info_metric(j, m, row, 0);
    else
        value(j, v);
}

static void state_metric(struct json *j, const struct el_metric *m, uint32_t row)
{
    for (uint32_t sub = 0; sub < el_metric_subs(m); sub++) {
        struct el_value v = el_metric_value(&j->c, m, row, sub);

        if (v.kind == EL_VALUE_UNSIGNED && v.u64) {
            text_member(j, short_name(m), el_metric_sub_value(&j->c, m, row, sub, 0));
            return;
        }
    }
}

/* One object per first sub label; with two, an object in it per second. */
static void sub_metric(struct json *j, const struct el_metric *m, uint32_t row)
{
    uint32_t inner = m->sub[1] ? m->sub[1]->n : 1, n = el_metric_subs(m);
    uint32_t outer = UINT32_MAX; /* the first label's index whose object is open */
    bool begun = false;

    for (uint32_t sub = 0; sub < n; sub++) {
        struct el_value v = el_metric_value(&j->c, m, row, sub);

        if (v.kind == EL_VALUE_ABSENT)
            continue;
        if (!begun)
            open_with(j, short_name(m), '{');
        begun = true;
        if (m->sub[1] && sub / inner != outer) {
            if (outer != UINT32_MAX)
                close_with(j, '}');
            outer = sub / inner;
            open_with(j, el_metric_sub_value(&j->c, m, row, sub, 0), '{');
        }
        key(j, el_metric_sub_value(&j->c, m, row, sub, m->sub[1] ? 1 : 0));
        if (m->type == EL_METRIC_INFO)
            info_metric(j, m, row, sub);
        else
            value(j, v);
    }
    if (outer != UINT32_MAX)
        close_with(j, '}');
    if (begun)
        close_with(j, '}');
}

static void metrics(struct json *j, const char *name, enum el_metric_scope scope, uint32_t row)
{
    open_with(j, name, '{');
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT; i++) {
        const struct el_metric *m = el_metric(i);

        if (m->scope != scope || !(j->groups & 1ull << m->group) || i == EL_METRIC_SERIES)
            continue;
        if (m->type == EL_METRIC_STATES)
            state_metric(j, m, row);
        else if (m->sub[0])
            sub_metric(j, m, row);
        else
            plain_metric(j, m, row);
    }
    close_with(j, '}');
}

static void namespaces_of(struct json *j, uint32_t slot)
{
    const struct el_snapshot *s = j->c.s;

    open_with(j, "namespaces", '[');
    for (uint32_t i = 0; i < s->namespaces.count; i++) {
        const struct el_namespace *ns = &el_snapshot_namespaces(s)[i];

        if (ns->slot != slot)
            continue;
        open_with(j, NULL, '{');
        unsigned_member(j, "nsid", ns->nsid);
        text_member(j, "block", ns->block);
        metrics(j, "metrics", EL_SCOPE_NAMESPACE, i);
        close_with(j, '}');
    }
    close_with(j, ']');
}

static void slot(struct json *j, uint32_t row)
{
    const struct el_slot *t = &el_snapshot_slots(j->c.s)[row];

    open_with(j, NULL, '{');
    unsigned_member(j, "slot", t->number);
    text_member(j, "state", j->c.stale ? "unknown" : el_slot_state_name(t->state));
    if (t->reason[0])
        text_member(j, "reason", t->reason);
    if (t->last_serial[0])
        text_member(j, "last_serial", t->last_serial);
    metrics(j, "metrics", EL_SCOPE_SLOT, row);
    namespaces_of(j, row);
    close_with(j, '}');
}

static void links_of(struct json *j, const struct el_card *card)
{
    open_with(j, "links", '[');
    for (uint32_t i = card->first_link; i < card->first_link + card->links; i++) {
        open_with(j, NULL, '{');
        text_member(j, "address", el_snapshot_links(j->c.s)[i].address);
        metrics(j, "metrics", EL_SCOPE_LINK, i);
        close_with(j, '}');
    }
    close_with(j, ']');
}

static void cards(struct json *j)
{
    const struct el_card *all = el_snapshot_cards(j->c.s);

    open_with(j, "cards", '[');
    for (uint32_t i = 0; i < j->c.s->cards.count; i++) {
        open_with(j, NULL, '{');
        text_member(j, "name", all[i].name);
        unsigned_member(j, "number", all[i].number);
        metrics(j, "metrics", EL_SCOPE_CARD, i);
        open_with(j, "slots", '[');
        for (uint32_t k = 0; k < all[i].slots; k++)
            slot(j, all[i].first_slot + k);
        close_with(j, ']');
        links_of(j, &all[i]);
        close_with(j, '}');
    }
    close_with(j, ']');
}

static void sensors(struct json *j)
{
    open_with(j, "sensors", '[');
    for (uint32_t i = 0; i < j->c.s->sensors.count; i++) {
        const struct el_sensor *s = &el_snapshot_sensors(j->c.s)[i];

        open_with(j, NULL, '{');
        text_member(j, "sensor", s->name);
        text_member(j, "label", s->label);
        text_member(j, "kind", el_sensor_kind_name(s->kind));
        text_member(j, "role", el_sensor_role_name(s->role));
        if (s->card >= 0)
            text_member(j, "card", el_snapshot_cards(j->c.s)[s->card].name);
        metrics(j, "metrics", EL_SCOPE_SENSOR, i);
        close_with(j, '}');
    }
    close_with(j, ']');
}

static void place(struct json *j, int32_t card, int32_t slot_row)
{
    if (slot_row >= 0)
        card = (int32_t)el_snapshot_slots(j->c.s)[slot_row].card;
    if (card >= 0)
        text_member(j, "card", el_snapshot_cards(j->c.s)[card].name);
    if (slot_row >= 0)
        unsigned_member(j, "slot", el_snapshot_slots(j->c.s)[slot_row].number);
}

static const char *alarm_name(uint32_t id)
{
    const struct el_alarm_kind *kind = el_alarm_kind((enum el_alarm_id)id);

    return kind ? kind->name : "";
}

static void alarms(struct json *j)
{
    open_with(j, "alarms", '[');
    for (uint32_t i = 0; i < j->c.s->alarms.count && !j->c.stale; i++) {
        const struct el_alarm *a = &el_snapshot_alarms(j->c.s)[i];

        open_with(j, NULL, '{');
        unsigned_member(j, "id", a->id);
        text_member(j, "alarm", alarm_name(a->id));
        text_member(j, "severity", el_severity_name(a->severity));
        place(j, a->card, a->slot);
        time_member(j, "since", a->since_realtime_us);
        double_member(j, "value", a->value);
        double_member(j, "limit", a->limit);
        text_member(j, "text", a->text);
        close_with(j, '}');
    }
    close_with(j, ']');
}

static void events(struct json *j)
{
    open_with(j, "events", '[');
    for (uint32_t i = 0; i < j->c.s->events.count; i++) {
        const struct el_event *e = &el_snapshot_events(j->c.s)[i];

        open_with(j, NULL, '{');
        unsigned_member(j, "seq", e->seq);
        time_member(j, "time", e->realtime_us);
        text_member(j, "severity", el_severity_name(e->severity));
        if (e->kind) {
            text_member(j, "alarm", alarm_name(e->kind));
            text_member(j, "change", e->raised ? "raised" : "cleared");
        }
        place(j, e->card, e->slot);
        text_member(j, "text", e->text);
        close_with(j, '}');
    }
    close_with(j, ']');
}

static struct json begin(const struct el_snapshot *s, const struct el_view_options *o, struct el_buf *out)
{
    return (struct json){
        .out = out,
        .groups = o->groups ? o->groups : EL_GROUPS_ALL,
        .c = {.s = s, .exporter = o->exporter, .now_us = o->now_us, .stale = o->stale},
    };
}

int el_view_slot_json(const struct el_snapshot *s, uint32_t row, const struct el_view_options *o, struct el_buf *out)
{
    struct json j = begin(s, o, out);

    slot(&j, row);
    return out->failed ? -ENOMEM : 0;
}

int el_view_json(const struct el_snapshot *s, const struct el_view_options *o, struct el_buf *out)
{
    struct json j = begin(s, o, out);

    open_with(&j, NULL, '{');
    text_member(&j, "version", s->daemon.version);
    unsigned_member(&j, "seq", s->seq);
    time_member(&j, "time", s->realtime_us);
    key(&j, "stale");
    el_buf_puts(out, o->stale ? "true" : "false");
    metrics(&j, "daemon", EL_SCOPE_DAEMON, 0);
    if (o->exporter)
        metrics(&j, "exporter", EL_SCOPE_EXPORTER, 0);
    cards(&j);
    sensors(&j);
    alarms(&j);
    events(&j);
    close_with(&j, '}');
    el_buf_putc(out, '\n');
    return out->failed ? -ENOMEM : 0;
}
