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

static void drop(struct el_snmp_hold *h, struct el_snmp_held *held)
{
    held->view = el_snmp_view_free(held->view);
    if (held->snapshot)
        h->source.release(h->source.ctx, held->snapshot);
    held->snapshot = NULL;
}

void el_snmp_hold_free(struct el_snmp_hold *h)
{
    drop(h, &h->before);
    drop(h, &h->now);
    h->empty = el_snapshot_free(h->empty);
}

void el_snmp_hold_turn(struct el_snmp_hold *h)
{
    h->self.now_us = el_clock_boottime_us();
    h->fresh = false;
    h->current = NULL;
}

/* Whether somebody is in the midst of an answer from it. */
static bool needed(const struct el_snmp_hold *h, const struct el_snmp_held *held)
{
    for (size_t i = 0; held->view && i < EL_SNMP_REQUESTS; i++)
        if (h->request[i].id != 0 && h->request[i].snapshot == held->snapshot &&
            h->self.now_us - h->request[i].asked_us < PAUSE_US)
            return true;
    return false;
}

void el_snmp_hold_request(struct el_snmp_hold *h, long id)
{
    struct el_snmp_request *oldest = &h->request[0];

    for (struct el_snmp_request *r = h->request; r < h->request + EL_SNMP_REQUESTS; r++) {
        if (id != 0 && r->id == id && h->self.now_us - r->begun_us < REQUEST_US) {
            h->current = r;
            return;
        }
        if (r->begun_us < oldest->begun_us)
            oldest = r;
    }
    atomic_fetch_add(&h->requests, 1);
    *oldest = (struct el_snmp_request){.id = id, .begun_us = h->self.now_us};
    h->current = oldest;
    h->fresh = false;
}

void el_snmp_hold_rest(struct el_snmp_hold *h)
{
    if (!needed(h, &h->before))
        drop(h, &h->before);
    if (h->now.snapshot && h->self.now_us - h->asked_us > IDLE_US)
        drop(h, &h->now);
}

const struct el_snapshot *el_snmp_hold_snapshot(struct el_snmp_hold *h)
{
    const struct el_snapshot *s;

    if (h->fresh)
        return h->now.snapshot;
    h->fresh = true;
    s = h->source.acquire(h->source.ctx, h->self.now_us, &h->stale);
    if (s && s == h->now.snapshot && h->stale == h->options.stale) {
        h->source.release(h->source.ctx, s);
        return s;
    }
    if (needed(h, &h->now)) {
        drop(h, &h->before);
        h->before = h->now;
        h->now = (struct el_snmp_held){0};
    }
    drop(h, &h->now);
    h->now.snapshot = s;
    h->options.stale = h->stale;
    return s;
}

/* What the rest of a request is answered from; NULL = it is new, or what it began with is gone. */
static const struct el_snmp_view *begun_with(struct el_snmp_hold *h)
{
    struct el_snmp_request *r = h->current;

    if (!r || r->asked_us == 0)
        return NULL;
    r->asked_us = h->self.now_us;
    if (h->before.view && r->snapshot == h->before.snapshot)
        return h->before.view;
    return r->snapshot == h->now.snapshot ? h->now.view : NULL;
}

const struct el_snmp_view *el_snmp_hold_view(struct el_snmp_hold *h)
{
    const struct el_snmp_view *begun = begun_with(h);
    const struct el_snapshot *s;

    h->asked_us = h->self.now_us;
    if (begun)
        return begun;
    s = el_snmp_hold_snapshot(h);
    if (!h->now.view) {
        h->now.view = el_snmp_view_new(s ? s : h->empty, &h->options);
        if (h->now.view && el_snmp_view_entity_mark(h->now.view) != h->entity_mark) {
            h->entity_mark = el_snmp_view_entity_mark(h->now.view);
            h->self.entity_changed_us = h->self.now_us;
        }
    }
    if (h->current) {
        h->current->snapshot = s;
        h->current->asked_us = h->self.now_us;
    }
    return h->now.view;
}

void el_snmp_hold_entity(struct el_snmp_hold *h, enum el_snmp_entity state)
{
    h->self.entity = state;
    h->options.entity = state == EL_SNMP_ENTITY_SERVED;
    h->now.view = el_snmp_view_free(h->now.view);
    drop(h, &h->before);
}
