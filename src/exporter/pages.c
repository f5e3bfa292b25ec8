#include "exporter/pages.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "exporter/negotiate.h"
#include "exporter/packer.h"
#include "exporter/page.h"
#include "exporter/view.h"

/* Variants: each has its slot for itself and, one further, for its compressed form. */
enum {
    SLOT_METRICS = 0, /* + 2 x enum el_media */
    SLOT_JSON = 2 * EL_MEDIA_COUNT,
    SLOT_PAGE = SLOT_JSON + 2,
    SLOT_READY = SLOT_PAGE + 2,
    SLOT_HEALTHY,
    SLOT_COUNT
};

#define FORMATS    2
#define MEMO_SLOTS 64 /* up to here a page is kept for the next one: half a megabyte */
#define LARGE      (1u << 20)

struct el_pages {
    struct el_pages_options o;
    char telemetry_path[64];
    int64_t render_us;                  /* the last exposition */
    const struct el_snapshot *snapshot; /* while a request is answered; held for longer it would be one too many */
    /* What the bodies were made from; any change makes all of them old. */
    uint64_t seq, checksum;
    enum el_source_state state;
    int64_t second; /* 0 while the snapshot is in time; then ages must move with the clock */
    struct el_body *made[SLOT_COUNT];
    /* By format; made when first asked for. */
    struct el_view_memo memo[FORMATS];
    struct el_packer *packer[FORMATS];
};

struct el_pages *el_pages_new(const struct el_pages_options *o)
{
    struct el_pages *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->o = *o;
    el_pages_configure(p, o->telemetry_path, o->groups);
    return p;
}

static void forget(struct el_pages *p)
{
    for (int i = 0; i < SLOT_COUNT; i++)
        p->made[i] = el_body_retire(p->made[i]);
}

/* With what the packers keep of them. */
static void forget_last_pages(struct el_pages *p)
{
    for (int i = 0; i < FORMATS; i++) {
        el_view_memo_free(&p->memo[i]);
        p->packer[i] = el_packer_free(p->packer[i]);
    }
}

struct el_pages *el_pages_free(struct el_pages *p)
{
    if (!p)
        return NULL;
    forget(p);
    forget_last_pages(p);
    free(p);
    return NULL;
}

void el_pages_configure(struct el_pages *p, const char *telemetry_path, uint64_t groups)
{
    el_text_copy(p->telemetry_path, sizeof p->telemetry_path, telemetry_path);
    p->o.groups = groups;
    forget(p);
    forget_last_pages(p);
}

static size_t size(const struct el_body *b)
{
    return !b ? 0 : b->packed ? b->packed->bytes.len : b->bytes.len;
}

void el_pages_make_room(struct el_pages *p)
{
    for (int i = 0; i < SLOT_COUNT; i++)
        if (size(p->made[i]) > LARGE && el_source_changed(p->o.source))
            p->made[i] = el_body_retire(p->made[i]);
}

/* The snapshot to serve now, to be released; bodies made from another one are forgotten. */
static void look(struct el_pages *p, int64_t now_us)
{
    const struct el_snapshot *s;
    enum el_source_state state;
    int64_t overdue_us, second;

    el_pages_make_room(p);
    p->snapshot = s = el_source_acquire(p->o.source, now_us, &state);
    overdue_us = s->period_ms * EL_USEC_PER_MSEC * 3 / 2;
    second = now_us - s->time_us > overdue_us ? now_us / EL_USEC_PER_SEC : 0;
    if (s->seq == p->seq && s->checksum == p->checksum && state == p->state && second == p->second)
        return;
    forget(p);
    p->seq = s->seq;
    p->checksum = s->checksum;
    p->state = state;
    p->second = second;
}

static struct el_view_options options(const struct el_pages *p, struct el_exporter_stats *stats, int64_t now_us)
{
    if (p->o.stats)
        p->o.stats(p->o.ctx, stats);
    stats->snapshots_refused = el_source_refused(p->o.source);
    stats->render_us = p->render_us;
    return (struct el_view_options){
        .groups = p->o.groups, .now_us = now_us, .stale = p->state != EL_SOURCE_FRESH, .exporter = stats};
}

static struct el_packer *packer(struct el_pages *p, enum el_view_format format)
{
    if (!p->packer[format])
        p->packer[format] = el_packer_new();
    return p->packer[format];
}

static void pack(void *packer, struct el_buf *text)
{
    if (text->failed) /* stays so, for the view to tell */
        return;
    el_packer_put(packer, text->data, text->len);
    el_buf_clear(text);
}

/* Of few drives: what seldom changes is kept, as it is and packed. */
static int render_changes(struct el_pages *p, enum el_view_format format, bool packed, struct el_view_options *o,
                          struct el_buf *bytes)
{
    struct el_view_memo *memo = &p->memo[format];
    struct el_buf moving = {0};
    int r;

    o->memo = memo;
    r = el_view_metrics(p->snapshot, format, o, &moving);
    if (r == 0 && packed) {
        el_packer_put_first(p->packer[format], &memo->text, memo->edition);
        el_packer_put(p->packer[format], moving.data, moving.len);
    } else if (r == 0 && el_buf_reserve(bytes, memo->text.len + moving.len) == 0) {
        el_buf_put(bytes, memo->text.data, memo->text.len);
        el_buf_put(bytes, moving.data, moving.len);
    }
    el_buf_free(&moving);
    return r;
}

/* Of many, always packed as it is made: of 1,024 drives a page has 7 MB in plain, and as many again for each that a
 * slow client holds. Who wants it plain gets it unpacked as it is sent. */
static int render_all(struct el_pages *p, enum el_view_format format, struct el_view_options *o, struct el_buf *bytes)
{
    int r;

    o->ctx = p->packer[format];
    o->flush = pack;
    r = el_view_metrics(p->snapshot, format, o, bytes);
    pack(o->ctx, bytes);
    return r;
}

static bool few(const struct el_pages *p)
{
    return p->snapshot->slots.count <= MEMO_SLOTS;
}

static struct el_body *render_metrics(struct el_pages *p, enum el_media media, bool packed, int64_t now_us)
{
    static const char *const type[] = {
        [EL_MEDIA_TEXT_004] = "text/plain; version=0.0.4; charset=utf-8",
        [EL_MEDIA_OPENMETRICS_001] = "application/openmetrics-text; version=0.0.1; charset=utf-8",
        [EL_MEDIA_OPENMETRICS_100] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
    };
    enum el_view_format format = media == EL_MEDIA_TEXT_004 ? EL_VIEW_PROMETHEUS : EL_VIEW_OPENMETRICS;
    struct el_exporter_stats stats = {0};
    struct el_view_options o = options(p, &stats, now_us);
    int64_t begin_us = el_clock_thread_cpu_us();
    struct el_buf bytes = {0};
    struct el_body *b = NULL;
    int r = -ENOMEM;

    if (!few(p) && p->memo[format].text.len)
        forget_last_pages(p);
    if (few(p) && (!packed || packer(p, format)))
        r = render_changes(p, format, packed, &o, &bytes);
    else if (packer(p, format))
        r = render_all(p, format, &o, &bytes);
    if (packed && p->packer[format])
        b = el_packer_end(p->packer[format], type[media]);
    else if (!packed)
        b = el_body_new(200, type[media], &bytes);
    el_buf_free(&bytes);
    if (r < 0)
        b = el_body_retire(b);
    p->render_us = el_clock_thread_cpu_us() - begin_us;
    return b;
}

static struct el_body *render_json(struct el_pages *p, int64_t now_us)
{
    struct el_exporter_stats stats = {0};
    struct el_view_options o = options(p, &stats, now_us);
    struct el_buf bytes = {0};
    struct el_body *b = NULL;

    if (el_view_json(p->snapshot, &o, &bytes) == 0)
        b = el_body_new(200, "application/json; charset=utf-8", &bytes);
    el_buf_free(&bytes);
    return b ? el_body_keep(b) : NULL;
}

static struct el_body *render_page(struct el_pages *p, int64_t now_us)
{
    char problem[160];
    struct el_page page = {
        .s = p->snapshot,
        .state = p->state,
        .problem = problem,
        .history = p->o.history,
        .telemetry_path = p->telemetry_path,
        .now_us = now_us,
    };
    struct el_buf bytes = {0};
    struct el_body *b = NULL;

    el_source_problem(p->o.source, problem, sizeof problem);
    if (el_page_render(&page, &bytes) == 0)
        b = el_body_new(200, "text/html; charset=utf-8", &bytes);
    el_buf_free(&bytes);
    if (b) {
        el_body_keep(b);
        b->header = "Content-Security-Policy";
        b->value = el_page_policy();
    }
    return b;
}

static struct el_body *render_ready(struct el_pages *p)
{
    char problem[160];

    if (p->state == EL_SOURCE_FRESH && p->snapshot->daemon.ready)
        return el_body_text(200, "ready");
    if (p->state == EL_SOURCE_FRESH)
        return el_body_text(503, "not ready: not every drive was polled yet");
    el_source_problem(p->o.source, problem, sizeof problem);
    if (!problem[0])
        el_text_copy(problem, sizeof problem, "the snapshot is stale: elementd does not write it any more");
    return el_body_text(503, problem);
}

/* Of many drives, in plain: what is kept is packed. */
static struct el_body *unpack(struct el_pages *p, unsigned slot, int64_t now_us)
{
    struct el_body **packed = &p->made[slot + 1];

    if (!*packed)
        *packed = render_metrics(p, (enum el_media)(slot / 2), true, now_us);
    return *packed ? el_body_unpacked(*packed) : NULL;
}

static struct el_body *render(struct el_pages *p, unsigned slot, int64_t now_us)
{
    if (slot < SLOT_JSON && !few(p))
        return unpack(p, slot, now_us);
    if (slot < SLOT_JSON)
        return render_metrics(p, (enum el_media)(slot / 2), false, now_us);
    if (slot == SLOT_JSON)
        return render_json(p, now_us);
    if (slot == SLOT_PAGE)
        return render_page(p, now_us);
    if (slot == SLOT_READY)
        return render_ready(p);
    return el_body_text(200, "healthy");
}

static struct el_body *render_packed(struct el_pages *p, unsigned slot, int64_t now_us)
{
    struct el_packer *any = packer(p, EL_VIEW_PROMETHEUS);
    struct el_body *plain = p->made[slot] ? el_body_ref(p->made[slot]) : NULL, *b = NULL;

    assert(!plain || !plain->packed); /* what it is unpacked from is there as long as it is */

    if (!plain && slot < SLOT_JSON)
        return render_metrics(p, (enum el_media)(slot / 2), true, now_us);
    if (!plain)
        plain = render(p, slot, now_us);
    if (plain && any) {
        el_packer_put(any, plain->bytes.data, plain->bytes.len);
        b = el_packer_end(any, plain->type);
    }
    if (b) {
        if (plain->etag[0])
            el_body_keep(b);
        b->header = plain->header;
        b->value = plain->value;
    }
    el_body_unref(plain);
    return b;
}

/* The slot of the plain form, or -ENOENT. */
static int route(const struct el_pages *p, const struct el_request *r, bool *pack)
{
    *pack = el_negotiate_gzip(r->accept_encoding);
    if (strcmp(r->path, p->telemetry_path) == 0)
        return SLOT_METRICS + 2 * (int)el_negotiate_media(r->accept);
    if (strcmp(r->path, "/api/v1/snapshot") == 0)
        return SLOT_JSON;
    if (strcmp(r->path, "/") == 0)
        return SLOT_PAGE;
    *pack = false;
    if (strcmp(r->path, "/-/ready") == 0)
        return SLOT_READY;
    if (strcmp(r->path, "/-/healthy") == 0)
        return SLOT_HEALTHY;
    return -ENOENT;
}

static int get(void *ctx, const struct el_request *r, int64_t now_us, struct el_body **out)
{
    struct el_pages *p = ctx;
    struct el_body **made;
    bool pack;
    int slot = route(p, r, &pack);

    if (slot < 0)
        return slot;
    look(p, now_us);
    made = &p->made[pack ? slot + 1 : slot];
    if (!*made)
        *made = pack ? render_packed(p, (unsigned)slot, now_us) : render(p, (unsigned)slot, now_us);
    el_source_release(p->o.source, p->snapshot);
    if (!*made)
        return -ENOMEM;
    *out = el_body_ref(*made);
    return 0;
}

struct el_content el_pages_content(struct el_pages *p)
{
    return (struct el_content){.ctx = p, .get = get};
}
