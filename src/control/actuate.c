#include "control/actuate.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "control/carry.h"

#define HUNG_US     (3 * EL_USEC_PER_SEC) /* a write that takes longer counts as hung: its neighbours go on without it */
#define AGAIN_US    (5 * EL_USEC_PER_SEC) /* from the first to the second time a failed wish is asked for again, */
#define AGAIN_MAX   4                     /* 80 s at most later on, of what is not hot */
#define STACK_BYTES (128 * 1024)

struct el_actuate_item {
    struct el_carry_load load;
    enum el_carry_order order; /* what is to be done next */
    bool busy, hung, hot;
    bool writing;         /* what it is busy with, or was last, is a write */
    bool wished, dropped; /* `want` is a wish of now; it was taken back before it was carried out */
    enum el_doubt doubt;
    uint8_t tries; /* times it was asked for again */
    int64_t again_us;
};

struct el_actuate {
    struct el_carry carry;
    pthread_mutex_t lock; /* of what follows; taken after the journal's */
    pthread_cond_t wake, done;
    const struct el_carry_hand *hand;
    uint32_t acting; /* kinds that may be moved */
    struct el_actuate_item **item;
    size_t n, next;
    unsigned generation, threads; /* a hung thread belongs to an old generation */
    bool threaded, ending, waited_for;
    bool stirred; /* the thread has work that it was not woken for yet */
    enum el_carry_order last;
};

static struct el_actuate_item *find(struct el_actuate *a, enum el_actuator kind, const char *serial)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i]->load.kind == kind && strcmp(a->item[i]->load.target.serial, serial) == 0)
            return a->item[i];
    return NULL;
}

static struct el_actuate_item *find_or_add(struct el_actuate *a, enum el_actuator kind,
                                           const struct el_actuate_target *t)
{
    struct el_actuate_item *it = find(a, kind, t->serial), **grown;

    if (it) {
        it->load.target.key = t->key;
        it->doubt = EL_DOUBT_NONE;
        return it;
    }
    grown = realloc(a->item, (a->n + 1) * sizeof(struct el_actuate_item *));
    if (!grown)
        return NULL;
    a->item = grown;
    it = calloc(1, sizeof *it);
    if (it) {
        it->load.kind = kind;
        it->load.target = *t;
        a->item[a->n++] = it;
    }
    return it;
}

/* The most urgent item with something to do, in turn among equals; NULL when there is none. */
static struct el_actuate_item *next_item(struct el_actuate *a)
{
    struct el_actuate_item *found = NULL;
    size_t next = a->next;

    for (size_t k = 0; k < a->n && !(found && found->order == EL_CARRY_WRITE); k++) {
        struct el_actuate_item *it = a->item[(a->next + k) % a->n];

        if (it->busy || it->order <= (found ? found->order : EL_CARRY_NOTHING))
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
        if (a->item[i]->order == EL_CARRY_WRITE || (a->item[i]->busy && a->item[i]->writing && !a->item[i]->hung))
            return true;
    return false;
}

/* One order, with the lock held on entry and exit. Items are never freed while threads run, so `it` stays valid. */
static void serve(struct el_actuate *a, struct el_actuate_item *it)
{
    enum el_carry_order order = it->order;
    const struct el_carry_hand *hand =
        order == EL_CARRY_READ ? &el_carry_device_hand : a->hand; /* what is left set in a pause is looked at as well */
    bool moved = it->load.moved;
    bool first =
        order != a->last && order != EL_CARRY_RESTORE && hand->leaves_traces && a->carry.dev.ops->actuator_survey;
    struct el_carry_load copy;

    it->order = EL_CARRY_NOTHING;
    it->busy = true;
    it->writing = order == EL_CARRY_WRITE;
    a->last = order;
    it->load.since_us = el_clock_boottime_us();
    copy = it->load;
    pthread_mutex_unlock(&a->lock);
    if (first) /* what was written is read back from a look that came after all of it */
        a->carry.dev.ops->actuator_survey(a->carry.dev.dev, order != EL_CARRY_WRITE);
    el_carry_out(&a->carry, hand, order, &copy);
    pthread_mutex_lock(&a->lock);
    it->load.status = copy.status;
    if (it->doubt == EL_DOUBT_REPLACED)
        it->load.status.known = false;
    else if (copy.moved != moved) /* it may have been taken up again meanwhile */
        it->load.moved = copy.moved;
    if (it->load.adopting && order == EL_CARRY_READ)
        it->load.want = copy.want;
    it->load.adopting &= order == EL_CARRY_READ && !copy.status.known; /* tried again in the next round */
    it->busy = it->hung = false;
    a->last = order;
    if (order == EL_CARRY_WRITE && it->order < EL_CARRY_VERIFY && it->doubt != EL_DOUBT_REPLACED)
        it->order = EL_CARRY_VERIFY;
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
    *a = (struct el_actuate){
        .carry = {.dev = *dev, .journal = journal}, .hand = &el_carry_null_hand, .threaded = thread};
    pthread_mutex_init(&a->lock, NULL);
    pthread_mutex_init(&a->carry.lock, NULL);
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
    a->hand = kinds ? &el_carry_device_hand : &el_carry_null_hand;
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
    it->load.want = *v;
    it->load.adopting = it->dropped = false;
    it->wished = true;
    it->order = EL_CARRY_WRITE;
    stir(a);
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_again(struct el_actuate *a, struct el_actuate_item *it, int64_t now_us)
{
    pthread_mutex_lock(&a->lock);
    if (it->order == EL_CARRY_NOTHING && !it->busy) {
        if (!it->wished || !(it->load.status.failed || it->dropped)) {
            it->tries = 0;
            it->again_us = 0;
        } else if (now_us >= it->again_us) {
            it->again_us = now_us + (it->hot ? AGAIN_US : AGAIN_US << it->tries);
            it->tries = (uint8_t)EL_MIN(it->tries + 1, AGAIN_MAX);
            it->dropped = false;
            it->order = EL_CARRY_WRITE;
            stir(a);
        }
    }
    pthread_mutex_unlock(&a->lock);
}

/* With the lock held. */
static void set_doubt(struct el_actuate_item *it, enum el_doubt doubt)
{
    it->doubt = doubt;
    if (doubt && (it->order == EL_CARRY_WRITE || it->order == EL_CARRY_RESTORE || doubt == EL_DOUBT_REPLACED)) {
        it->dropped |= it->order == EL_CARRY_WRITE;
        it->order = EL_CARRY_NOTHING;
    }
    if (doubt == EL_DOUBT_REPLACED) /* its original stays in the journal: taken up again where it appears */
        it->load.moved = it->wished = it->load.adopting = it->load.status.known = false;
}

void el_actuate_doubt(struct el_actuate *a, struct el_actuate_item *it, enum el_doubt doubt)
{
    pthread_mutex_lock(&a->lock);
    set_doubt(it, doubt);
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_exchange(struct el_actuate *a, struct el_actuate_item *it, bool hot, enum el_doubt doubt,
                         struct el_actuate_status *out)
{
    pthread_mutex_lock(&a->lock);
    it->hot = hot;
    set_doubt(it, doubt);
    *out = it->load.status;
    pthread_mutex_unlock(&a->lock);
}

void el_actuate_status(struct el_actuate *a, const struct el_actuate_item *it, struct el_actuate_status *out)
{
    pthread_mutex_lock(&a->lock);
    *out = it->load.status;
    pthread_mutex_unlock(&a->lock);
}

bool el_actuate_moved(struct el_actuate *a, const struct el_actuate_item *it)
{
    bool moved;

    pthread_mutex_lock(&a->lock);
    moved = it->load.moved;
    pthread_mutex_unlock(&a->lock);
    return moved;
}

int el_actuate_adopt(struct el_actuate *a, const struct el_actuate_target *t, bool hot,
                     struct el_actuate_item *out[EL_ACTUATOR_COUNT])
{
    int taken = 0;

    pthread_mutex_lock(&a->carry.lock);
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < el_journal_count(a->carry.journal); i++) {
        const struct el_journal_entry *e = el_journal_at(a->carry.journal, i);
        bool its = strcmp(e->serial, t->serial) == 0;
        struct el_actuate_item *it = its ? find_or_add(a, e->actuator, t) : NULL;

        if (its && !it)
            taken = -ENOMEM;
        if (it)
            out[e->actuator] = it;
        if (!it || it->load.moved || it->wished)
            continue;
        taken = taken ? taken : 1;
        it->load.moved = true;
        it->load.adopting = it->load.kind != EL_ACTUATOR_FAN;
        it->hot = hot;
        it->load.want = (struct el_actuator_value){.cap.ratio = 1};
        /* its board drives a fan better than what somebody left there */
        it->order = it->load.adopting ? EL_CARRY_READ : EL_CARRY_RESTORE;
        el_log_info("%s: %s was left set by an earlier run; its original is known", t->place,
                    el_actuator_name(it->load.kind));
    }
    pthread_mutex_unlock(&a->carry.lock);
    stir(a);
    pthread_mutex_unlock(&a->lock);
    return taken;
}

/* Fans go back to the board's own control whatever the temperature: it is the one that must decide when we do not. */
static bool may_release(const struct el_actuate_item *it)
{
    return it->load.moved && !it->doubt && (!it->hot || it->load.kind == EL_ACTUATOR_FAN);
}

void el_actuate_tick(struct el_actuate *a, int64_t now_us)
{
    pthread_mutex_lock(&a->lock);
    a->last = EL_CARRY_NOTHING; /* what was seen in another round is old */
    for (size_t i = 0; i < a->n; i++) {
        struct el_actuate_item *it = a->item[i];
        bool acting = a->acting >> it->load.kind & 1;

        if (it->busy && !it->hung && now_us - it->load.since_us > HUNG_US) {
            it->hung = it->load.status.failed = true;
            it->load.status.failures++;
            a->generation++; /* the thread that hangs leaves when it comes back; another serves the rest */
            el_log_warning("%s: setting %s hangs; going on without it", it->load.target.place,
                           el_actuator_name(it->load.kind));
            if (start_thread(a) < 0)
                el_log_error("cannot start another actuator thread: nothing is written until the hung one returns");
        }
        if (it->order != EL_CARRY_NOTHING || it->busy || it->doubt == EL_DOUBT_REPLACED)
            continue;
        it->wished &= acting;
        if (!acting && may_release(it))
            it->order = EL_CARRY_RESTORE;
        else if (it->load.moved)
            it->order = EL_CARRY_READ;
    }
    stir(a);
    pthread_mutex_unlock(&a->lock);
    el_actuate_go(a);
}

static bool has_work(const struct el_actuate *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i]->order != EL_CARRY_NOTHING)
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
        a->item[i]->order = may_release(a->item[i]) ? EL_CARRY_RESTORE : EL_CARRY_NOTHING;
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
            left += a->item[i]->load.moved;
        pthread_mutex_unlock(&a->lock);
        return left;
    }
    left = el_journal_count(a->carry.journal);
    el_journal_free(a->carry.journal);
    for (size_t i = 0; i < a->n; i++)
        free(a->item[i]);
    free(a->item);
    free(a);
    return left;
}
