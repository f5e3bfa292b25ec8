#include "exporter/source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#define AHEAD_MAX_US (5 * EL_USEC_PER_SEC) /* a snapshot from further in the future is of another boot or machine */

/* One snapshot and how many hold it; the newest is also held by the source. */
struct held {
    struct held *next;
    struct el_snapshot *snapshot;
    unsigned refs;
};

struct el_source {
    pthread_mutex_t lock;
    char *path;
    char boot_id[33];
    struct held *all, *newest;
    int fd;           /* of the file last looked into; -1 = none */
    struct stat seen; /* it as it was then */
    char problem[160];
    uint64_t refused;
};

/* With the lock held. */
static void drop(struct el_source *src, const struct el_snapshot *s)
{
    for (struct held **p = &src->all; *p; p = &(*p)->next) {
        struct held *h = *p;

        if (h->snapshot != s)
            continue;
        if (--h->refs == 0) {
            *p = h->next;
            el_snapshot_free(h->snapshot);
            free(h);
        }
        return;
    }
}

/* Makes `s` the newest: the source's own reference moves to it. */
static int hold(struct el_source *src, struct el_snapshot *s)
{
    struct held *h = calloc(1, sizeof *h), *old = src->newest;

    if (!h)
        return -ENOMEM;
    *h = (struct held){.next = src->all, .snapshot = s, .refs = 1};
    src->all = src->newest = h;
    if (old)
        drop(src, old->snapshot);
    return 0;
}

struct el_source *el_source_new(const char *path)
{
    struct el_source *src = calloc(1, sizeof *src);
    struct el_snapshot_counts none = {0};
    struct el_snapshot *empty = el_snapshot_new(&none);

    if (!src || !empty || !(src->path = strdup(path)))
        goto fail;
    src->fd = -1;
    el_snapshot_seal(empty);
    pthread_mutex_init(&src->lock, NULL);
    (void)el_clock_boot_id(src->boot_id);
    if (hold(src, empty) == 0)
        return src;
    pthread_mutex_destroy(&src->lock);
    free(src->path);
fail:
    el_snapshot_free(empty);
    free(src);
    return NULL;
}

struct el_source *el_source_free(struct el_source *src)
{
    if (!src)
        return NULL;
    while (src->all) {
        struct held *h = src->all;

        src->all = h->next;
        el_snapshot_free(h->snapshot);
        free(h);
    }
    if (src->fd >= 0)
        close(src->fd);
    pthread_mutex_destroy(&src->lock);
    free(src->path);
    free(src);
    return NULL;
}

/* A new reason is logged once, not at every scrape. */
static void set_problem(struct el_source *src, const char *reason)
{
    char text[sizeof src->problem] = "";

    if (reason)
        snprintf(text, sizeof text, "%.100s: %s", src->path, reason);
    if (strcmp(text, src->problem) == 0)
        return;
    if (reason)
        el_log_warning("snapshot %s; serving what was known before", text);
    else
        el_log_info("snapshot %s: sound again", src->path);
    el_text_copy(src->problem, sizeof src->problem, text);
}

static const char *foreign(const struct el_source *src, const struct el_snapshot *s, int64_t now_us)
{
    static const char unknown[32 + 1] = "00000000000000000000000000000000";

    if (s->seq == 0)
        return "was never published";
    if (s->boot_id[0] && memcmp(s->boot_id, unknown, 32) != 0 && memcmp(src->boot_id, unknown, 32) != 0 &&
        memcmp(s->boot_id, src->boot_id, 32) != 0)
        return "is of another boot or machine";
    if (s->time_us - now_us > AHEAD_MAX_US)
        return "is dated in the future";
    return NULL;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Why it cannot be read, with what to do where that is known. */
static const char *reason(int error)
{
    switch (error) {
    case ENOENT:
        return "is not there: is elementd running?";
    case EACCES: /* the sandbox knows directories, not names */
        return "may not be read: was its directory made anew? Then restart elementd-exporter";
    default:
        return strerror(error);
    }
}

/* The file to read: the one held, which the daemon writes again and again, while it is not removed and its news are in
 * time, else what has the name. 0 or -errno. */
static int find(struct el_source *src, int64_t now_us, struct stat *st)
{
    int fd;

    if (src->fd >= 0 && el_snapshot_fresh(src->newest->snapshot, now_us) && fstat(src->fd, st) == 0 && st->st_nlink)
        return 0;
    fd = open(src->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, st) < 0) {
        int r = -errno;

        if (fd >= 0)
            close(fd);
        return r;
    }
    if (src->fd >= 0)
        close(src->fd);
    src->fd = fd;
    return 0;
}

static void refresh(struct el_source *src, int64_t now_us)
{
    struct el_snapshot *s = NULL;
    const char *why = NULL;
    struct stat st;
    int r = find(src, now_us, &st);

    if (r < 0) {
        set_problem(src, reason(-r));
        return;
    }
    if (same_file(&st, &src->seen))
        return;
    r = el_snapshot_read_open(src->fd, &s, &why);
    if (r == 0)
        why = foreign(src, s, now_us);
    if (r == 0 && !why)
        r = hold(src, s);
    if (r < 0 || why) {
        src->refused += why != NULL;
        set_problem(src, why ? why : reason(-r));
        el_snapshot_free(s);
    } else {
        set_problem(src, NULL);
    }
    if (r == 0 || r == -EBADMSG)
        src->seen = st;
}

bool el_source_changed(struct el_source *src)
{
    struct stat st;
    bool changed;

    if (stat(src->path, &st) < 0)
        return false;
    pthread_mutex_lock(&src->lock);
    changed = !same_file(&st, &src->seen);
    pthread_mutex_unlock(&src->lock);
    return changed;
}

const struct el_snapshot *el_source_acquire(struct el_source *src, int64_t now_us, enum el_source_state *state)
{
    const struct el_snapshot *s;

    pthread_mutex_lock(&src->lock);
    refresh(src, now_us);
    src->newest->refs++;
    s = src->newest->snapshot;
    pthread_mutex_unlock(&src->lock);
    *state = s->seq == 0 ? EL_SOURCE_NONE : el_snapshot_fresh(s, now_us) ? EL_SOURCE_FRESH : EL_SOURCE_STALE;
    return s;
}

void el_source_release(struct el_source *src, const struct el_snapshot *s)
{
    pthread_mutex_lock(&src->lock);
    drop(src, s);
    pthread_mutex_unlock(&src->lock);
}

void el_source_problem(struct el_source *src, char *text, size_t size)
{
    pthread_mutex_lock(&src->lock);
    el_text_copy(text, size, src->problem);
    pthread_mutex_unlock(&src->lock);
}

uint64_t el_source_refused(struct el_source *src)
{
    uint64_t n;

    pthread_mutex_lock(&src->lock);
    n = src->refused;
    pthread_mutex_unlock(&src->lock);
    return n;
}
