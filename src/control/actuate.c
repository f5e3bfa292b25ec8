#include "control/actuate.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#define HUNG_US     (3 * EL_USEC_PER_SEC) /* a write that takes longer counts as hung: its neighbours go on without it */
#define AGAIN_US    (5 * EL_USEC_PER_SEC) /* from the first to the second time a failed wish is asked for again, */
#define AGAIN_MAX   4                     /* 80 s at most later on */
#define STACK_BYTES (128 * 1024)

/* How things are moved. The null hand moves nothing and knows nothing. */
struct hand {
    int (*write)(const struct el_device *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v);
    int (*read)(const struct el_device *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out);
    bool leaves_traces; /* needs the journal */
};

static int device_write(const struct el_device *d, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    return d->ops->actuator_write ? d->ops->actuator_write(d->dev, a, key, v) : -ENOTSUP;
}

static int device_read(const struct el_device *d, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    return d->ops->actuator_read ? d->ops->actuator_read(d->dev, a, key, out) : -ENOTSUP;
}

static int null_write(const struct el_device *d, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    return 0;
}

static int null_read(const struct el_device *d, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    return -ENODATA;
}

static const struct hand device_hand = {device_write, device_read, true};
static const struct hand null_hand = {null_write, null_read, false};

enum order { NOTHING = 0, READ, VERIFY, RESTORE, WRITE }; /* the later, the more urgent */

struct el_actuate_item {
    enum el_actuator kind;
    struct el_actuate_target target;
    struct el_actuator_value want;
    enum order order;            /* what is to be done next */
    bool busy, hung, hot, moved; /* moved: its original is in the journal */
    bool writing;                /* what it is busy with, or was last, is a write */
    bool adopting;               /* left by an earlier run, and not read yet: what is there is what is wanted */
    bool wished, dropped;        /* `want` is a wish of now; it was taken back before it was carried out */
    enum el_doubt doubt;
    uint8_t tries; /* times it was asked for again */
    int64_t busy_since_us, again_us;
    struct el_actuate_status status;
};

struct el_actuate {
    struct el_device dev;
    struct el_journal *journal; /* under journal_lock */
    pthread_mutex_t journal_lock, lock;
    pthread_cond_t wake, done;
    /* under lock */
    const struct hand *hand;
    uint32_t acting; /* kinds that may be moved */
    struct el_actuate_item **item;
    size_t n, next;
    unsigned generation, threads; /* a hung thread belongs to an old generation */
    bool threaded, ending, waited_for;
    bool stirred; /* the thread has work that it was not woken for yet */
    enum order last;
};

static struct el_actuate_item *find(struct el_actuate *a, enum el_actuator kind, const char *serial)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i]->kind == kind && strcmp(a->item[i]->target.serial, serial) == 0)
            return a->item[i];
    return NULL;
}

static struct el_actuate_item *find_or_add(struct el_actuate *a, enum el_actuator kind,
                                           const struct el_actuate_target *t)
{
    struct el_actuate_item *it = find(a, kind, t->serial), **grown;

    if (it) {
        it->target.key = t->key;
        it->doubt = EL_DOUBT_NONE;
        return it;
    }
    grown = realloc(a->item, (a->n + 1) * sizeof(struct el_actuate_item *));
    if (!grown)
        return NULL;
    a->item = grown;
    it = calloc(1, sizeof *it);
    if (it) {
        it->kind = kind;
        it->target = *t;
        a->item[a->n++] = it;
    }
    return it;
}

static bool recorded(struct el_actuate *a, const struct el_actuate_item *it, struct el_journal_entry *out)
{
    const struct el_journal_entry *e;

    pthread_mutex_lock(&a->journal_lock);
    e = el_journal_find(a->journal, it->kind, it->target.serial);
    if (e)
        *out = *e;
    pthread_mutex_unlock(&a->journal_lock);
    return e;
}

/* Its original into the journal, once. The device is asked without any lock: it may hang. */
static int remember(struct el_actuate *a, const struct el_actuate_item *it)
{
    struct el_journal_entry e = {.actuator = it->kind};
    int r = -ENOTSUP;

    if (it->moved || recorded(a, it, &e))
        return 0;
    el_text_copy(e.serial, sizeof e.serial, it->target.serial);
    el_text_copy(e.place, sizeof e.place, it->target.place);
    if (a->dev.ops->actuator_save)
        r = a->dev.ops->actuator_save(a->dev.dev, it->kind, it->target.key, e.original, sizeof e.original);
    if (r < 0)
        return r;
    pthread_mutex_lock(&a->journal_lock);
    r = el_journal_add(a->journal, &e);
    pthread_mutex_unlock(&a->journal_lock);
    return r;
}

/* The work of one order on a copy of the item, without the lock. */
static void do_write(struct el_actuate *a, const struct hand *hand, struct el_actuate_item *it)
{
    struct el_actuate_status *s = &it->status;
    int r = hand->leaves_traces ? remember(a, it) : 0;

    if (r == 0 && hand->leaves_traces) {
        it->moved = true;
        s->last_us = el_clock_boottime_us();
    }
    if (r == 0)
        r = hand->write(&a->dev, it->kind, it->target.key, &it->want);
    if (r < 0) {
        s->failures++;
        if (!s->failed)
            el_log_warning("%s: setting %s failed: %s", it->target.place, el_actuator_name(it->kind), strerror(-r));
    }
    s->failed = r < 0;
}

/* What a write came to: read when the other drives have been written, so that none waits for the reading of another. */
static void do_verify(struct el_actuate *a, const struct hand *hand, struct el_actuate_item *it)
{
    struct el_actuate_status *s = &it->status, before = *s;
    struct el_actuator_value now;

    s->known = hand->read(&a->dev, it->kind, it->target.key, &now) == 0;
    if (!s->known)
        return;
    if (!s->failed && !el_actuator_same(it->kind, &now, &it->want)) {
        s->mismatches++;
        s->failed = true;
    }
    if (!before.known)
        before.in_force = (struct el_actuator_value){.cap.ratio = 1, .pwm_ratio = now.pwm_ratio};
    if (!el_actuator_same(it->kind, &before.in_force, &now))
        *(el_actuator_lowers(it->kind, &before.in_force, &now) ? &s->lowered : &s->raised) += 1;
    s->in_force = now;
}

static void do_read(struct el_actuate *a, const struct hand *hand, struct el_actuate_item *it)
{
    struct el_actuator_value now;

    it->status.known = hand->read(&a->dev, it->kind, it->target.key, &now) == 0;
    if (!it->status.known)
        return;
    if (it->adopting)
        it->want = now;
    if (!el_actuator_same(it->kind, &now, &it->want) && !it->status.failed) {
        it->status.mismatches++;
        it->status.failed = true;
        el_log_warning("%s: %s is not what was set: something else changed it", it->target.place,
                       el_actuator_name(it->kind));
    } else if (el_actuator_same(it->kind, &now, &it->want)) {
        it->status.failed = false;
    }
    it->status.in_force = now;
}

static void do_restore(struct el_actuate *a, struct el_actuate_item *it)
{
    struct el_journal_entry e;
    int r = 0;

    if (recorded(a, it, &e))
        r = a->dev.ops->actuator_restore
                ? a->dev.ops->actuator_restore(a->dev.dev, it->kind, it->target.key, e.original)
                : -ENOTSUP;
    if (r == 0 || r == -ENODEV) {
        pthread_mutex_lock(&a->journal_lock);
        r = el_journal_remove(a->journal, it->kind, it->target.serial);
        pthread_mutex_unlock(&a->journal_lock);
    }
    if (r < 0) {
        it->status.failures++;
        if (!it->status.failed)
            el_log_warning("%s: restoring %s failed: %s", it->target.place, el_actuator_name(it->kind), strerror(-r));
        it->status.failed = true;
        return;
    }
    it->moved = it->status.failed = it->status.known = false;
}

static void carry_out(struct el_actuate *a, const struct hand *hand, enum order order, struct el_actuate_item *it)
{
    if (order == WRITE)
        do_write(a, hand, it);
    else if (order == VERIFY)
        do_verify(a, hand, it);
    else if (order == READ)
        do_read(a, hand, it);
    else
        do_restore(a, it);
}

/* The most urgent item with something to do, in turn among equals; NULL when there is none. */
static struct el_actuate_item *next_item(struct el_actuate *a)
{
    struct el_actuate_item *found = NULL;
    size_t next = a->next;

    for (size_t k = 0; k < a->n; k++) {
        struct el_actuate_item *it = a->item[(a->next + k) % a->n];

        if (it->busy || it->order <= (found ? found->order : NOTHING))
            continue;
        found = it;
        next = (a->next + k + 1) % a->n;
    }
    a->next = next;
    return found;
}

static bool is_unwritten(const struct el_actuate *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i]->order == WRITE || (a->item[i]->busy && a->item[i]->writing && !a->item[i]->hung))
            return true;
    return false;
}

/* One order, with the lock held on entry and exit. Items are never freed while threads run, so `it` stays valid. */
static void serve(struct el_actuate *a, struct el_actuate_item *it)
{
    const struct hand *hand = it->adopting ? &device_hand : a->hand;
    enum order order = it->order;
    bool first = order != a->last && order != RESTORE && hand->leaves_traces && a->dev.ops->actuator_survey;
    struct el_actuate_item copy;

    it->order = NOTHING;
    it->busy = true;
    it->writing = order == WRITE;
    a->last = order;
    it->busy_since_us = el_clock_boottime_us();
    copy = *it;
    pthread_mutex_unlock(&a->lock);
    if (first) /* what was written is read back from a look that came after all of it */
        a->dev.ops->actuator_survey(a->dev.dev, order != WRITE);
    carry_out(a, hand, order, &copy);
    pthread_mutex_lock(&a->lock);
    it->status = copy.status;
    it->moved = copy.moved;
    if (it->adopting && order == READ)
        it->want = copy.want;
    it->adopting &= order == READ && !copy.status.known; /* tried again in the next round */
    it->busy = it->hung = false;
    a->last = order;
    if (order == WRITE && it->order < VERIFY && it->doubt != EL_DOUBT_REPLACED)
        it->order = VERIFY;
    if (a->ending || (a->waited_for && !is_unwritten(a)))
        pthread_cond_broadcast(&a->done);
}

static void *thread_main(void *arg)
{
    struct el_actuate *a = arg;
    unsigned mine;

    pthread_mutex_lock(&a->lock);
    mine = a->generation;
    while (mine == a->generation) {
        struct el_actuate_item *it = next_item(a);

        if (it)
            serve(a, it);
        else if (a->ending)
            break;
        else
            pthread_cond_wait(&a->wake, &a->lock);
    }
    a->threads--;
    pthread_cond_broadcast(&a->done);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* With the lock held. Threads are detached: whether one is still there is told by `threads`. */
static int start_thread(struct el_actuate *a)
{
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;
    int r;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    r = pthread_create(&thread, &attr, thread_main, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (r == 0)
        a->threads++;
    return -r;
}

struct el_actuate *el_actuate_new(const struct el_device *dev, struct el_journal *journal, bool thread)
{
    struct el_actuate *a = calloc(1, sizeof *a);
    pthread_condattr_t attr;
    int r = 0;

    if (!a)
        return NULL;
    *a = (struct el_actuate){.dev = *dev, .journal = journal, .hand = &null_hand, .threaded = thread};
    pthread_mutex_init(&a->lock, NULL);
    pthread_mutex_init(&a->journal_lock, NULL);
    pthread_cond_init(&a->wake, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&a->done, &attr);
    pthread_condattr_destroy(&attr);
    if (thread) {
        pthread_mutex_lock(&a->lock);
        r = start_thread(a);
        pthread_mutex_unlock(&a->lock);
    }
    if (r == 0)
        return a;
    free(a);
    return NULL;
}

/* With the lock held: notes that there is work, or does it here when there is no thread. */
static void stir(struct el_actuate *a)
{
    struct el_actuate_item *it;

    a->stirred = a->threaded;
    while (!a->threaded && (it = next_item(a)))
        serve(a, it);
}

void el_actuate_go(struct el_actuate *a)
{
    bool stirred;

    pthread_mutex_lock(&a->lock);
    stirred = a->stirred;
    a->stirred = false;
    pthread_mutex_unlock(&a->lock);
    if (stirred) /* without the lock, which the thread needs first of all */
        pthread_cond_signal(&a->wake);
}

void el_actuate_wait_written(struct el_actuate *a, int64_t wait_us)
{
    struct timespec until;

    el_actuate_go(a);
    el_clock_monotonic_after(wait_us, &until);
    pthread_mutex_lock(&a->lock);
    a->waited_for = true;
    while (a->threaded && is_unwritten(a) && pthread_cond_timedwait(&a->done, &a->lock, &until) == 0)
        ;
    a->waited_for = false;
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_set_acting(struct el_actuate *a, uint32_t kinds)
{
    pthread_mutex_lock(&a->lock);
    a->acting = kinds;
    a->hand = kinds ? &device_hand : &null_hand;
    pthread_mutex_unlock(&a->lock);
}

struct el_actuate_item *el_actuate_item(struct el_actuate *a, enum el_actuator kind, const struct el_actuate_target *t)
{
    struct el_actuate_item *it;

    pthread_mutex_lock(&a->lock);
    it = find_or_add(a, kind, t);
    pthread_mutex_unlock(&a->lock);
    return it;
}

void el_actuate_want(struct el_actuate *a, struct el_actuate_item *it, const struct el_actuator_value *v)
{
    pthread_mutex_lock(&a->lock);
    it->want = *v;
    it->adopting = it->dropped = false;
    it->wished = true;
    it->order = WRITE;
    stir(a);
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_again(struct el_actuate *a, struct el_actuate_item *it, int64_t now_us)
{
    pthread_mutex_lock(&a->lock);
    if (it->order == NOTHING && !it->busy) {
        if (!it->wished || !(it->status.failed || it->dropped)) {
            it->tries = 0;
            it->again_us = 0;
        } else if (now_us >= it->again_us) {
            it->again_us = now_us + (AGAIN_US << it->tries);
            it->tries = (uint8_t)EL_MIN(it->tries + 1, AGAIN_MAX);
            it->dropped = false;
            it->order = WRITE;
            stir(a);
        }
    }
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_doubt(struct el_actuate *a, struct el_actuate_item *it, enum el_doubt doubt)
{
    pthread_mutex_lock(&a->lock);
    it->doubt = doubt;
    if (doubt && (it->order == WRITE || it->order == RESTORE || doubt == EL_DOUBT_REPLACED)) {
        it->dropped |= it->order == WRITE;
        it->order = NOTHING;
    }
    if (doubt == EL_DOUBT_REPLACED) /* its original stays in the journal: taken up again where it appears */
        it->moved = it->wished = it->adopting = it->status.known = false;
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_set_hot(struct el_actuate *a, struct el_actuate_item *it, bool hot)
{
    pthread_mutex_lock(&a->lock);
    it->hot = hot;
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_status(struct el_actuate *a, const struct el_actuate_item *it, struct el_actuate_status *out)
{
    pthread_mutex_lock(&a->lock);
    *out = it->status;
    pthread_mutex_unlock(&a->lock);
}

bool el_actuate_moved(struct el_actuate *a, const struct el_actuate_item *it)
{
    bool moved;

    pthread_mutex_lock(&a->lock);
    moved = it->moved;
    pthread_mutex_unlock(&a->lock);
    return moved;
}

int el_actuate_adopt(struct el_actuate *a, const struct el_actuate_target *t, bool hot,
                     struct el_actuate_item *out[EL_ACTUATOR_COUNT])
{
    int taken = 0;

    pthread_mutex_lock(&a->journal_lock);
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < el_journal_count(a->journal); i++) {
        const struct el_journal_entry *e = el_journal_at(a->journal, i);
        bool its = strcmp(e->serial, t->serial) == 0;
        struct el_actuate_item *it = its ? find_or_add(a, e->actuator, t) : NULL;

        if (its && !it)
            taken = -ENOMEM;
        if (it)
            out[e->actuator] = it;
        if (!it || it->moved || it->wished)
            continue;
        taken = taken ? taken : 1;
        it->moved = true;
        it->adopting = it->kind != EL_ACTUATOR_FAN;
        it->hot = hot;
        it->want = (struct el_actuator_value){.cap.ratio = 1};
        it->order = it->adopting ? READ : RESTORE; /* its board drives a fan better than what somebody left there */
        el_log_info("%s: %s was left set by an earlier run; its original is known", t->place,
                    el_actuator_name(it->kind));
    }
    pthread_mutex_unlock(&a->journal_lock);
    stir(a);
    pthread_mutex_unlock(&a->lock);
    return taken;
}

/* Fans go back to the board's own control whatever the temperature: it is the one that must decide when we do not. */
static bool may_release(const struct el_actuate_item *it)
{
    return it->moved && !it->doubt && (!it->hot || it->kind == EL_ACTUATOR_FAN);
}

void el_actuate_tick(struct el_actuate *a, int64_t now_us)
{
    pthread_mutex_lock(&a->lock);
    a->last = NOTHING; /* what was seen in another round is old */
    for (size_t i = 0; i < a->n; i++) {
        struct el_actuate_item *it = a->item[i];
        bool acting = a->acting >> it->kind & 1;

        if (it->busy && !it->hung && now_us - it->busy_since_us > HUNG_US) {
            it->hung = it->status.failed = true;
            it->status.failures++;
            a->generation++; /* the thread that hangs leaves when it comes back; another serves the rest */
            el_log_warning("%s: setting %s hangs; going on without it", it->target.place, el_actuator_name(it->kind));
            if (start_thread(a) < 0)
                el_log_error("cannot start another actuator thread: nothing is written until the hung one returns");
        }
        if (it->order != NOTHING || it->busy || it->doubt == EL_DOUBT_REPLACED)
            continue;
        it->wished &= acting;
        if (!acting && may_release(it))
            it->order = RESTORE;
        else if ((acting || it->adopting) && it->moved)
            it->order = READ;
    }
    stir(a);
    pthread_mutex_unlock(&a->lock);
    el_actuate_go(a);
}

static bool has_work(const struct el_actuate *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i]->order != NOTHING)
            return true;
    return a->threads > 0;
}

size_t el_actuate_free(struct el_actuate *a, int64_t wait_us)
{
    struct timespec until;
    size_t left, hung;

    if (!a)
        return 0;
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < a->n; i++)
        a->item[i]->order = may_release(a->item[i]) ? RESTORE : NOTHING;
    a->ending = true;
    stir(a);
    pthread_cond_signal(&a->wake);
    el_clock_monotonic_after(wait_us, &until);
    while (a->threaded && has_work(a) && pthread_cond_timedwait(&a->done, &a->lock, &until) == 0)
        ;
    hung = a->threads;
    a->generation++;
    pthread_mutex_unlock(&a->lock);
    if (hung) {
        /* A thread still holds pieces of this: leave all of it to the end of the process. */
        pthread_mutex_lock(&a->lock);
        left = 0;
        for (size_t i = 0; i < a->n; i++)
            left += a->item[i]->moved;
        pthread_mutex_unlock(&a->lock);
        return left;
    }
    left = el_journal_count(a->journal);
    el_journal_free(a->journal);
    for (size_t i = 0; i < a->n; i++)
        free(a->item[i]);
    free(a->item);
    free(a);
    return left;
}
