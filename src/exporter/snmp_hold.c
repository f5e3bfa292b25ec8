#include "exporter/snmp_hold.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"

#define IDLE_US    (2 * EL_USEC_PER_SEC) /* longer than any pause inside a walk; a snapshot of 1,024 drives is 9 MB */
#define PAUSE_US   100000 /* longer than between two questions of a request: who tells of events waits as well */
#define REQUEST_US (2 * EL_USEC_PER_SEC) /* managers wait less; the number of a request may come again */

int el_snmp_hold_init(struct el_snmp_hold *h, const struct el_snmp_source *source, const el_oid *base, size_t base_len)
{
    *h = (struct el_snmp_hold){.source = *source, .empty = el_snapshot_new(&(struct el_snapshot_counts){0})};
    if (!h->empty)
        return -ENOMEM;
    tzset(); /* reads a file, which the first date in an answer would else do */
    el_text_copy(h->self.version, sizeof h->self.version, EL_VERSION);
    gethostname(h->self.host, sizeof h->self.host - 1);
    h->self.start_us = h->self.now_us = el_clock_boottime_us();
    h->options.self = &h->self;
    memcpy(h->options.base, base, base_len * sizeof *base);
    h->options.base_len = base_len;
    return 0;
}

static void drop(struct el_snmp_hold *h)
{
    h->view = el_snmp_view_free(h->view);
    if (h->snapshot)
        h->source.release(h->source.ctx, h->snapshot);
    h->snapshot = NULL;
}

void el_snmp_hold_free(struct el_snmp_hold *h)
{
    drop(h);
    h->empty = el_snapshot_free(h->empty);
}

void el_snmp_hold_turn(struct el_snmp_hold *h)
{
    h->self.now_us = el_clock_boottime_us();
    h->fresh = h->request != 0 && h->view && h->self.now_us - h->asked_us < PAUSE_US;
}

void el_snmp_hold_request(struct el_snmp_hold *h, long id)
{
    h->fresh = id != 0 && id == h->request && h->view && h->self.now_us - h->begun_us < REQUEST_US;
    if (h->fresh)
        return;
    atomic_fetch_add(&h->requests, 1);
    h->request = id;
    h->begun_us = h->self.now_us;
}

void el_snmp_hold_rest(struct el_snmp_hold *h)
{
    if (h->snapshot && h->self.now_us - h->asked_us > IDLE_US)
        drop(h);
}

const struct el_snapshot *el_snmp_hold_snapshot(struct el_snmp_hold *h)
{
    const struct el_snapshot *s;

    if (h->fresh)
        return h->snapshot;
    h->fresh = true;
    s = h->source.acquire(h->source.ctx, h->self.now_us, &h->stale);
    if (s && s == h->snapshot && h->stale == h->options.stale) {
        h->source.release(h->source.ctx, s);
        return s;
    }
    drop(h);
    h->snapshot = s;
    h->options.stale = h->stale;
    return s;
}

const struct el_snmp_view *el_snmp_hold_view(struct el_snmp_hold *h)
{
    const struct el_snapshot *s = el_snmp_hold_snapshot(h);

    h->asked_us = h->self.now_us;
    if (h->view)
        return h->view;
    h->view = el_snmp_view_new(s ? s : h->empty, &h->options);
    if (h->view && el_snmp_view_entity_mark(h->view) != h->entity_mark) {
        h->entity_mark = el_snmp_view_entity_mark(h->view);
        h->self.entity_changed_us = h->self.now_us;
    }
    return h->view;
}

void el_snmp_hold_entity(struct el_snmp_hold *h, enum el_snmp_entity state)
{
    h->self.entity = state;
    h->options.entity = state == EL_SNMP_ENTITY_SERVED;
    h->view = el_snmp_view_free(h->view);
}
