/* Labels of rows: what tells them apart, and what info metrics say about them. */
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "model/alarm.h"
#include "model/catalog_private.h"

static void add(struct el_labels *l, const char *name, const char *value)
{
    if (l->n == EL_LABELS_MAX)
        return;
    l->label[l->n].name = name;
    l->label[l->n++].value = value;
}

static void add_number(struct el_labels *l, const char *name, int64_t v)
{
    char *text = l->scratch[l->scratch_used++ % EL_ARRAY_SIZE(l->scratch)];

    snprintf(text, sizeof l->scratch[0], "%lld", (long long)v);
    add(l, name, text);
}

static void add_known(struct el_labels *l, const char *name, const char *value)
{
    if (value[0])
        add(l, name, value);
}

static void add_card(const struct el_snapshot *s, int32_t card, struct el_labels *l)
{
    if (card >= 0)
        add(l, "card", el_snapshot_cards(s)[card].name);
}

static void add_slot(const struct el_snapshot *s, uint32_t row, struct el_labels *l)
{
    const struct el_slot *t = &el_snapshot_slots(s)[row];

    add_card(s, (int32_t)t->card, l);
    add_number(l, "slot", t->number);
}

static void alarm_labels(const struct el_snapshot *s, const struct el_alarm *a, struct el_labels *l)
{
    const struct el_alarm_kind *kind = el_alarm_kind((enum el_alarm_id)a->id);

    if (a->slot >= 0)
        add_slot(s, (uint32_t)a->slot, l);
    else
        add_card(s, a->card, l);
    add(l, "alarm", kind ? kind->name : "unknown");
    add(l, "severity", el_severity_name(a->severity));
    if (a->index >= 0)
        add_number(l, "index", a->index);
}

void el_scope_labels(const struct el_catalog_context *c, enum el_metric_scope scope, uint32_t row, struct el_labels *l)
{
    const struct el_snapshot *s = c->s;

    l->n = l->scratch_used = 0;
    switch (scope) {
    case EL_SCOPE_CARD:
        add_card(s, (int32_t)row, l);
        break;
    case EL_SCOPE_SLOT:
        add_slot(s, row, l);
        break;
    case EL_SCOPE_NAMESPACE:
        add_slot(s, el_snapshot_namespaces(s)[row].slot, l);
        add_number(l, "nsid", el_snapshot_namespaces(s)[row].nsid);
        break;
    case EL_SCOPE_LINK:
        add_card(s, (int32_t)el_snapshot_links(s)[row].card, l);
        add(l, "address", el_snapshot_links(s)[row].address);
        break;
    case EL_SCOPE_SENSOR:
        add_card(s, el_snapshot_sensors(s)[row].card, l);
        add(l, "sensor", el_snapshot_sensors(s)[row].name);
        add_known(l, "label", el_snapshot_sensors(s)[row].label);
        break;
    case EL_SCOPE_ALARM:
        alarm_labels(s, &el_snapshot_alarms(s)[row], l);
        break;
    default:
        break;
    }
}

static void drive_labels(const struct el_slot *t, struct el_labels *l)
{
    bool known = t->stamp[EL_READ_IDENTIFY].quality != EL_ABSENT && t->identify.serial[0];

    add(l, "serial", known ? t->identify.serial : t->last_serial);
    add(l, "model", t->identify.model);
    add(l, "firmware", t->identify.firmware);
    add(l, "controller", t->controller);
    add(l, "address", t->address);
    add_known(l, "physical_slot", t->label);
    add_known(l, "transport", t->transport);
    add_known(l, "driver", t->driver);
    add_known(l, "profile", t->profile);
}

static void card_labels(const struct el_card *card, struct el_labels *l)
{
    add(l, "title", card->title);
    add(l, "profile", card->profile);
    add(l, "address", card->address);
    add_known(l, "serial", card->serial);
}

static void link_labels(const struct el_snapshot *s, const struct el_link *link, struct el_labels *l)
{
    add(l, "role", el_link_role_name(link->role));
    add(l, "parent", link->parent);
    add_known(l, "physical_slot", link->physical_slot);
    if (link->slot >= 0)
        add_number(l, "slot", el_snapshot_slots(s)[link->slot].number);
    if (link->numa_node >= 0)
        add_number(l, "numa_node", link->numa_node);
}

void el_info_labels(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row, uint32_t sub,
                    struct el_labels *l)
{
    const struct el_snapshot *s = c->s;

    if (m == el_metric(EL_METRIC_BUILD)) {
        add(l, "version", s->daemon.version);
        add(l, "backend", s->daemon.backend);
    } else if (m == el_metric(EL_METRIC_DRIVE_INFO)) {
        drive_labels(&el_snapshot_slots(s)[row], l);
    } else if (m == el_metric(EL_METRIC_CARD_INFO)) {
        card_labels(&el_snapshot_cards(s)[row], l);
    } else if (m == el_metric(EL_METRIC_LINK_INFO)) {
        link_labels(s, &el_snapshot_links(s)[row], l);
    } else if (m == el_metric(EL_METRIC_GOVERNOR_INFO)) {
        add(l, "law", el_snapshot_cards(s)[row].law);
    } else if (m == el_metric(EL_METRIC_DRIVE_FIRMWARE_SLOT)) {
        add(l, "revision", el_snapshot_slots(s)[row].logs.firmware.revision[sub]);
    }
}

const char *el_scope_label_names(enum el_metric_scope scope)
{
    static const char *const names[] = {"",
                                        "",
                                        "card",
                                        "card, slot",
                                        "card, slot, nsid",
                                        "card, address",
                                        "card, sensor, label",
                                        "card, slot, alarm, severity, index"};

    return names[scope];
}
