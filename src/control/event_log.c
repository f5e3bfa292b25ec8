#include "control/event_log.h"

#include <string.h>

#include "base/base.h"
#include "base/log.h"
#include "model/alarm.h"

#define MESSAGE_ID_SIZE 33

/* Journald's id of a kind of message: a random UUID whose last four digits count. Never changes: people match on it. */
static void message_id(char out[MESSAGE_ID_SIZE], uint32_t alarm, bool raised)
{
    snprintf(out, MESSAGE_ID_SIZE, "9e9256e6255740b48d108650b79c%04x", (alarm * 2 + !raised) & 0xffff);
}

static void log_one(const struct el_snapshot *s, const struct el_event *e)
{
    static const enum el_log_level level[] = {EL_LOG_INFO, EL_LOG_WARNING, EL_LOG_ERROR};
    const struct el_alarm_kind *kind = el_alarm_kind((enum el_alarm_id)e->kind);
    const struct el_card *card = e->card < 0 ? NULL : &el_snapshot_cards(s)[e->card];
    const struct el_slot *slot = e->slot < 0 ? NULL : &el_snapshot_slots(s)[e->slot];
    char id[MESSAGE_ID_SIZE] = "", number[12] = "", about[EL_NAME_MAX + 24] = "";

    if (kind)
        message_id(id, kind->id, e->raised);
    if (slot)
        snprintf(number, sizeof number, "%u", slot->number);
    if (card)
        snprintf(about, sizeof about, "%s%s%s: ", card->name, slot ? " slot " : "", number);

    const struct el_log_field fields[] = {
        {"MESSAGE_ID", id},
        {"ELEMENTD_ALARM", kind ? kind->name : NULL},
        {"ELEMENTD_STATE", !kind       ? NULL
                           : e->raised ? "raised"
                                       : "cleared"},
        {"ELEMENTD_CARD", card ? card->name : NULL},
        {"ELEMENTD_SLOT", number},
        {"ELEMENTD_SERIAL", !slot                      ? NULL
                            : slot->identify.serial[0] ? slot->identify.serial
                                                       : slot->last_serial},
        {"ELEMENTD_CONTROLLER", slot ? slot->controller : NULL},
    };

    el_log_with(level[EL_MIN(e->severity, EL_SEVERITY_CRITICAL)], fields, EL_ARRAY_SIZE(fields), "%s%s", about,
                e->text);
}

static bool was_told(const struct el_event *e)
{
    return e->kind == EL_ALARM_CONFIG_RELOAD_FAILED && e->raised;
}

void el_event_log_refused(const char *why)
{
    char id[MESSAGE_ID_SIZE], more[64] = "";
    size_t first = strcspn(why, "\n"), others = 0;
    const struct el_log_field fields[] = {
        {"MESSAGE_ID", id},
        {"ELEMENTD_ALARM", el_alarm_kind(EL_ALARM_CONFIG_RELOAD_FAILED)->name},
        {"ELEMENTD_STATE", "raised"},
    };

    message_id(id, EL_ALARM_CONFIG_RELOAD_FAILED, true);
    for (const char *p = why + first; *p && p[1]; p += strcspn(p + 1, "\n") + 1)
        others++;
    if (others)
        snprintf(more, sizeof more, " (and %zu more: `elementd check` tells all)", others);
    el_log_with(EL_LOG_ERROR, fields, EL_ARRAY_SIZE(fields),
                "settings not reloaded, the old ones stay: %.*s%s; mend the file and reload again", (int)first, why,
                more);
}

uint64_t el_event_log(struct el_snapshot *s, uint64_t next)
{
    uint64_t oldest = s->events.count ? el_snapshot_events(s)[0].seq : s->event_next;

    if (oldest > next) {
        s->daemon.events_lost += oldest - next;
        el_log_warning("%llu events came faster than the log takes them and are lost",
                       (unsigned long long)(oldest - next));
    }
    for (uint32_t i = 0; i < s->events.count; i++)
        if (el_snapshot_events(s)[i].seq >= next && !was_told(&el_snapshot_events(s)[i]))
            log_one(s, &el_snapshot_events(s)[i]);
    return s->event_next;
}
