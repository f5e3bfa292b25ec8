#include "control/worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "base/base.h"

#define STACK_BYTES (128 * 1024) /* deepest job measured below 24 KiB; untouched pages cost nothing */

struct el_worker {
    void (*run)(void *arg);
    void (*drop)(void *arg);
    void *arg;
    int done_fd;
    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool busy; /* written under lock */
    bool ending;      /* under lock */
};

static void destroy(struct el_worker *w)
{
    if (w->drop)
        w->drop(w->arg);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    free(w);
}

/* True when the worker was abandoned meanwhile: then the thread owns it. */
static bool finish_job(struct el_worker *w)
{
    bool abandoned;

    pthread_mutex_lock(&w->lock);
    w->busy = false;
    abandoned = w->ending;
    pthread_mutex_unlock(&w->lock);
    if (!abandoned && w->done_fd >= 0)
        (void)eventfd_write(w->done_fd, 1);
    return abandoned;
}

static void *thread_main(void *arg)
{
    struct el_worker *w = arg;
    bool ending;

    for (;;) {
        pthread_mutex_lock(&w->lock);
        while (!w->busy && !w->ending)
            pthread_cond_wait(&w->wake, &w->lock);
        ending = !w->busy;
        pthread_mutex_unlock(&w->lock);
        if (ending)
            return NULL; /* joined by el_worker_free */
        w->run(w->arg);
        if (finish_job(w)) {
            destroy(w);
            return NULL;
        }
    }
}

static int start_thread(struct el_worker *w)
{
    sigset_t all, before;
    pthread_attr_t attr;
    int r;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    r = pthread_create(&w->thread, &attr, thread_main, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return r;
}

struct el_worker *el_worker_new(void (*run)(void *arg), void (*drop)(void *arg), void *arg, bool thread, int done_fd)
{
    struct el_worker *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    *w = (struct el_worker){.run = run, .drop = drop, .arg = arg, .done_fd = done_fd, .threaded = thread};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    if (thread && start_thread(w) != 0) {
        w->drop = NULL;
        destroy(w);
        return NULL;
    }
    return w;
}

bool el_worker_start(struct el_worker *w)
{
    bool started;

    if (!w->threaded) {
        w->run(w->arg);
        return true;
    }
    pthread_mutex_lock(&w->lock);
    started = !w->busy;
    w->busy = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return started;
}

bool el_worker_idle(struct el_worker *w)
{
    return !w->busy;
}

struct el_worker *el_worker_free(struct el_worker *w)
{
    bool busy;

    if (!w)
        return NULL;
    if (w->threaded) {
        /* Once `ending` is told to a busy worker it may free itself at any moment: nothing of it is touched after the
         * unlock. */
        pthread_t thread = w->thread;

        pthread_mutex_lock(&w->lock);
        busy = w->busy;
        w->ending = true;
        if (busy)
            pthread_detach(thread);
        else
            pthread_cond_signal(&w->wake);
        pthread_mutex_unlock(&w->lock);
        if (busy)
            return NULL;
        pthread_join(thread, NULL);
    }
    destroy(w);
    return NULL;
}
