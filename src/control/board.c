#include "control/board.h"

#include <errno.h>
#include <string.h>

#define LINKS_EVERY_US (10 * EL_USEC_PER_SEC) /* links change seldom and are many files */

/* One set of copies; belongs to its worker while that runs. */
struct copies {
    struct el_device dev;
    struct el_link *links;
    struct el_sensor *sensors;
    struct el_slot_io *io;
    uint32_t *key; /* of each slot; 0 and not `there`: nothing to read */
    bool *there;
    uint32_t n_links, n_sensors, n_slots;
};

struct job {
    struct el_worker *worker;
    struct copies *copies; /* owned by the worker's drop */
    bool running;
};

struct el_board {
    struct el_device dev;
    int done_fd;
    struct job values; /* sensors and I/O: what a round waits for */
    struct job links;  /* many files; a round takes what is there */
    int64_t links_due_us, last_us;
};

static void read_values(void *arg)
{
    struct copies *c = arg;
    const struct el_device_ops *ops = c->dev.ops;

    if (c->n_sensors && ops->read_sensors)
        (void)ops->read_sensors(c->dev.dev, c->sensors, c->n_sensors); /* a row that fails says so itself */
    for (uint32_t i = 0; i < c->n_slots; i++)
        if (!c->there[i] || !ops->read_io || ops->read_io(c->dev.dev, c->key[i], &c->io[i]) < 0)
            c->io[i].valid = false;
}

static void read_links(void *arg)
{
    struct copies *c = arg;

    if (c->n_links && c->dev.ops->read_links)
        (void)c->dev.ops->read_links(c->dev.dev, c->links, c->n_links);
}

static void copies_free(void *arg)
{
    struct copies *c = arg;

    if (c) {
        free(c->links);
        free(c->sensors);
        free(c->io);
        free(c->key);
        free(c->there);
    }
    free(c);
}

struct el_board *el_board_new(const struct el_device *dev, int done_fd)
{
    struct el_board *b = calloc(1, sizeof *b);

    if (b)
        *b = (struct el_board){.dev = *dev, .done_fd = done_fd};
    return b;
}

struct el_board *el_board_free(struct el_board *b)
{
    if (b) {
        el_worker_free(b->values.worker);
        el_worker_free(b->links.worker);
    }
    free(b);
    return NULL;
}

static struct copies *copies_new(const struct el_device *dev, const struct el_world *w)
{
    const struct el_snapshot *s = w->s;
    struct copies *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    *c = (struct copies){
        .dev = *dev, .n_links = s->links.count, .n_sensors = s->sensors.count, .n_slots = s->slots.count};
    c->links = malloc(sizeof(struct el_link) * (c->n_links + 1));
    c->sensors = malloc(sizeof(struct el_sensor) * (c->n_sensors + 1));
    c->io = calloc(c->n_slots + 1, sizeof *c->io);
    c->key = calloc(c->n_slots + 1, sizeof *c->key);
    c->there = calloc(c->n_slots + 1, sizeof *c->there);
    if (!c->links || !c->sensors || !c->io || !c->key || !c->there) {
        copies_free(c);
        return NULL;
    }
    memcpy(c->links, el_snapshot_links(s), sizeof(struct el_link) * c->n_links);
    memcpy(c->sensors, el_snapshot_sensors(s), sizeof(struct el_sensor) * c->n_sensors);
    for (uint32_t i = 0; i < c->n_slots; i++) {
        c->key[i] = el_snapshot_slots(s)[i].key;
        c->there[i] = el_slot_pollable(&el_snapshot_slots(s)[i]);
    }
    return c;
}

static int renew(struct el_board *b, struct job *j, void (*run)(void *), const struct el_world *w)
{
    struct copies *c = copies_new(&b->dev, w);

    el_worker_free(j->worker); /* whatever comes of it now: its rows are no longer those of the world */
    *j = (struct job){.copies = c};
    if (c)
        j->worker = el_worker_new(run, copies_free, c, b->dev.ops->may_block, b->done_fd);
    if (!j->worker) {
        copies_free(c);
        j->copies = NULL;
    }
    return j->worker ? 0 : -ENOMEM;
}

int el_board_remap(struct el_board *b, const struct el_world *w)
{
    int values = renew(b, &b->values, read_values, w), links = renew(b, &b->links, read_links, w);

    b->links_due_us = 0;
    return EL_MIN(values, links);
}

static void start(struct job *j)
{
    if (j->worker && !j->running)
        j->running = el_worker_start(j->worker);
}

static bool take(struct job *j)
{
    bool done = j->running && el_worker_idle(j->worker);

    j->running &= !done;
    return done;
}

void el_board_start(struct el_board *b, int64_t now_us)
{
    start(&b->values);
    if (now_us < b->links_due_us)
        return;
    start(&b->links);
    b->links_due_us = now_us + LINKS_EVERY_US;
}

bool el_board_waiting(const struct el_board *b)
{
    return b->values.running && !el_worker_idle(b->values.worker);
}

bool el_board_busy(const struct el_board *b)
{
    return el_board_waiting(b) || (b->links.running && !el_worker_idle(b->links.worker));
}

bool el_board_collect(struct el_board *b, struct el_world *w, int64_t now_us, int64_t stale_us)
{
    struct el_snapshot *s = w->s;
    bool linked = take(&b->links);

    if (linked)
        memcpy(el_snapshot_links(s), b->links.copies->links, sizeof(struct el_link) * s->links.count);
    if (take(&b->values)) {
        const struct copies *c = b->values.copies;

        memcpy(el_snapshot_sensors(s), c->sensors, sizeof(struct el_sensor) * s->sensors.count);
        for (uint32_t i = 0; i < s->slots.count; i++)
            el_snapshot_slots(s)[i].io = c->io[i];
        b->last_us = now_us;
    }
    for (uint32_t i = 0; i < s->sensors.count && now_us - b->last_us > stale_us; i++)
        if (el_snapshot_sensors(s)[i].value.quality == EL_GOOD)
            el_snapshot_sensors(s)[i].value.quality = EL_STALE;
    for (uint32_t i = 0; i < s->slots.count && now_us - b->last_us > stale_us; i++)
        el_snapshot_slots(s)[i].io.valid = false;
    return linked;
}
