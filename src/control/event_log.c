#include "control/event_log.h"

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

uint64_t el_event_log(struct el_snapshot *s, uint64_t next)
{
    uint64_t oldest = s->events.count ? el_snapshot_events(s)[0].seq : s->event_next;

    if (oldest > next) {
        s->daemon.events_lost += oldest - next;
        el_log_warning("%llu events came faster than the log takes them and are lost",
                       (unsigned long long)(oldest - next));
    }
    for (uint32_t i = 0; i < s->events.count; i++)
        if (el_snapshot_events(s)[i].seq >= next)
            log_one(s, &el_snapshot_events(s)[i]);
    return s->event_next;
}
