#include "exporter/snmp_notify.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "exporter/snmp_text.h"
#include "model/alarm.h"

#define CLEAR_OFFSET   100 /* what is added to the number of a notification that clears: see the MIB */
#define NOTIFY_OBJECTS 16  /* elNotify below elObjects */

void el_snmp_notifier_init(struct el_snmp_notifier *n, int64_t now_us)
{
    *n = (struct el_snmp_notifier){.tokens = EL_SNMP_BURST, .filled_us = now_us};
}

static void refill(struct el_snmp_notifier *n, int64_t now_us)
{
    double gained = (double)(now_us - n->filled_us) / EL_USEC_PER_SEC * EL_SNMP_RATE_HZ;

    if (gained > 0) {
        n->tokens = EL_MIN(n->tokens + gained, EL_SNMP_BURST);
        n->filled_us = now_us;
    }
}

static const struct el_event *first_after(const struct el_snapshot *s, uint64_t seq)
{
    const struct el_event *events = el_snapshot_events(s), *first = NULL;

    for (uint32_t i = 0; i < s->events.count; i++)
        if (events[i].seq > seq && (!first || events[i].seq < first->seq))
            first = &events[i];
    return first;
}

const struct el_event *el_snmp_notifier_next(struct el_snmp_notifier *n, const struct el_snapshot *s, int64_t now_us,
                                             bool *waiting)
{
    const struct el_event *e;

    *waiting = false;
    if (s->seq == 0)
        return NULL;
    if (s->daemon.start_realtime_us != n->daemon_realtime_us) {
        bool first_ever = n->daemon_realtime_us == 0;

        n->daemon_realtime_us = s->daemon.start_realtime_us;
        n->last_seq = 0;
        e = first_after(s, 0);
        if (first_ever && e)
            n->last_seq = e->seq - 1; /* what was over before anybody listened was not missed */
    }
    refill(n, now_us);
    while ((e = first_after(s, n->last_seq)) != NULL) {
        bool told = e->kind > EL_ALARM_NONE && e->kind < EL_ALARM_COUNT;

        if (told && n->tokens < 1) {
            *waiting = true;
            return NULL;
        }
        n->suppressed += e->seq - n->last_seq - 1;
        n->number += e->seq - n->last_seq - 1; /* a gap that is seen */
        n->last_seq = e->seq;
        if (told) {
            n->tokens -= 1;
            n->number++;
            n->sent++;
            return e;
        }
    }
    return NULL;
}

void el_snmp_notifier_save(const struct el_snmp_notifier *n, char *out, size_t size)
{
    snprintf(out, size, "%" PRIu64 " %" PRId64 " %" PRIu64 "\n", n->last_seq, n->daemon_realtime_us, n->number);
}

int el_snmp_notifier_load(struct el_snmp_notifier *n, const char *text)
{
    char *word[3], *rest, copy[96];
    uint64_t seq, number;
    int64_t start;

    if (!el_text_copy(copy, sizeof copy, text))
        return -EINVAL;
    for (size_t i = 0; i < EL_ARRAY_SIZE(word); i++)
        if (!(word[i] = strtok_r(i ? NULL : copy, " ", &rest)))
            return -EINVAL;
    if (el_num_parse_u64(word[0], &seq) < 0 || el_num_parse_i64(word[1], &start) < 0 ||
        el_num_parse_u64(word[2], &number) < 0)
        return -EINVAL;
    n->last_seq = seq;
    n->daemon_realtime_us = start;
    n->number = number;
    return 0;
}

static void bind(struct el_snmp_binding *b, const struct el_snmp_view_options *o, el_oid column, struct el_snmp_value v)
{
    const el_oid rest[] = {1, NOTIFY_OBJECTS, column, 0};

    memcpy(b->name, o->base, o->base_len * sizeof *b->name);
    memcpy(b->name + o->base_len, rest, sizeof rest);
    b->len = o->base_len + EL_ARRAY_SIZE(rest);
    b->value = v;
}

static struct el_snmp_value integer(int32_t v)
{
    return (struct el_snmp_value){.type = EL_SNMP_INTEGER, .integer = v};
}

static struct el_snmp_value text(const char *s, size_t max)
{
    struct el_snmp_value v = {.type = EL_SNMP_TEXT};

    el_snmp_set_text(&v, s, max);
    return v;
}

void el_snmp_notification(const struct el_snmp_view_options *o, const struct el_snapshot *s, const struct el_event *e,
                          uint64_t number, struct el_snmp_binding out[EL_SNMP_BINDINGS])
{
    static const el_oid trap_oid[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    bool clear = !e->raised && e->kind != EL_ALARM_DRIVE_REPLACED && e->kind != EL_ALARM_EXPORTER_RESTARTED;
    const struct el_card *card = s && e->card >= 0 ? &el_snapshot_cards(s)[e->card] : NULL;
    const struct el_slot *slot = s && e->slot >= 0 ? &el_snapshot_slots(s)[e->slot] : NULL;
    struct el_snmp_value which = {.type = EL_SNMP_OID, .len = o->base_len + 2}, time = {.type = EL_SNMP_TEXT};

    memcpy(which.oid, o->base, o->base_len * sizeof *which.oid);
    which.oid[o->base_len] = 0;
    which.oid[o->base_len + 1] = e->kind + (clear ? CLEAR_OFFSET : 0);
    memcpy(out[0].name, trap_oid, sizeof trap_oid);
    out[0].len = EL_ARRAY_SIZE(trap_oid);
    out[0].value = which;
    el_snmp_set_date(&time, e->realtime_us);
    bind(&out[1], o, 1, (struct el_snmp_value){.type = EL_SNMP_GAUGE, .gauge = (uint32_t)number});
    bind(&out[2], o, 2, integer((int32_t)e->kind));
    bind(&out[3], o, 3, integer((int32_t)e->severity + 1));
    bind(&out[4], o, 4, integer(clear ? 2 : 1));
    bind(&out[5], o, 5, time);
    bind(&out[6], o, 6, text(card ? card->name : "", sizeof card->name));
    bind(&out[7], o, 7, integer(slot ? (int32_t)slot->number : -1));
    bind(&out[8], o, 8, text(e->text, sizeof e->text));
    bind(&out[9], o, 9, (struct el_snmp_value){.type = EL_SNMP_GAUGE, .gauge = (uint32_t)e->seq});
}

unsigned el_snmp_notifier_turn(struct el_snmp_notifier *n, const struct el_snmp_view_options *o,
                               const struct el_snapshot *s, int64_t now_us, int64_t realtime_us, el_snmp_tell *tell,
                               void *ctx)
{
    struct el_snmp_binding binding[EL_SNMP_BINDINGS];
    const struct el_event start = {.realtime_us = realtime_us,
                                   .kind = EL_ALARM_EXPORTER_RESTARTED,
                                   .card = -1,
                                   .slot = -1,
                                   .raised = true,
                                   .text = "the exporter started"};
    const struct el_event *e = n->announced ? NULL : &start;
    unsigned told = 0;
    bool waiting;

    n->number += !n->announced;
    n->announced = true;
    if (!e && s)
        e = el_snmp_notifier_next(n, s, now_us, &waiting);
    for (; e; told++) {
        el_snmp_notification(o, s, e, n->number, binding);
        tell(ctx, binding);
        e = s ? el_snmp_notifier_next(n, s, now_us, &waiting) : NULL;
    }
    return told;
}
