/* Which event is notified next: each event of the snapshots' ring once, in order, no faster than a token bucket allows.
 * Pure: time and snapshots come in, nothing is sent here. */
#pragma once

#include "exporter/snmp_view.h"

/* Assumed: a manager's log stands this; at the rate, the whole ring of 256 events is told in a minute. */
#define EL_SNMP_BURST   25.0
#define EL_SNMP_RATE_HZ 4.0

struct el_snmp_notifier {
    uint64_t last_seq;          /* the last event looked at */
    uint64_t number;            /* elNotifySequence of the last notification: events that are none have no number */
    int64_t daemon_realtime_us; /* start of the daemon whose numbers these are: another start, numbers begin again */
    double tokens;
    int64_t filled_us;
    bool announced;            /* exporterRestarted was told */
    uint64_t sent, suppressed; /* suppressed: left the ring before the bucket let them out */
};

void el_snmp_notifier_init(struct el_snmp_notifier *n, int64_t now_us);

/* The next event to tell, or NULL when there is none yet or the bucket is empty (`*waiting`: the latter). Never the
 * same twice. */
const struct el_event *el_snmp_notifier_next(struct el_snmp_notifier *n, const struct el_snapshot *s, int64_t now_us,
                                             bool *waiting);

/* What must survive a restart, as one line of text. load: 0 or -EINVAL. */
void el_snmp_notifier_save(const struct el_snmp_notifier *n, char *out, size_t size);
int el_snmp_notifier_load(struct el_snmp_notifier *n, const char *text);

/* One variable of a notification. */
struct el_snmp_binding {
    el_oid name[EL_OID_MAX];
    size_t len;
    struct el_snmp_value value;
};
#define EL_SNMP_BINDINGS 10

/* The notification `number` of `e`, an event of `s` (NULL: an event that concerns no card): snmpTrapOID.0, then the
 * objects of elNotify. */
void el_snmp_notification(const struct el_snmp_view_options *o, const struct el_snapshot *s, const struct el_event *e,
                          uint64_t number, struct el_snmp_binding out[EL_SNMP_BINDINGS]);

/* Everything that may be told now, the exporter's own start first. Returns how many were told. */
typedef void el_snmp_tell(void *ctx, const struct el_snmp_binding binding[EL_SNMP_BINDINGS]);
unsigned el_snmp_notifier_turn(struct el_snmp_notifier *n, const struct el_snmp_view_options *o,
                               const struct el_snapshot *s, int64_t now_us, int64_t realtime_us, el_snmp_tell *tell,
                               void *ctx);
