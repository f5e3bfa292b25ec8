#include "control/saver.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "control/endurance.h"
#include "control/worker.h"

struct texts {
    char dir[PATH_MAX];
    struct el_buf wear, learnt, cards;
    bool said;
};

struct el_saver {
    struct el_worker *worker;
    struct texts *texts;
};

static void save_one(struct texts *t, const char *name, struct el_buf *b)
{
    char path[PATH_MAX + 16];
    int r;

    if (!b->len || b->failed)
        return;
    snprintf(path, sizeof path, "%s/%s", t->dir, name);
    r = el_file_replace(AT_FDCWD, path, b->data, b->len, 0600, true);
    if (r < 0 && !t->said)
        el_log_warning("%s: cannot be written: %s; history will be lost at the next restart", path, strerror(-r));
    t->said = r < 0;
}

static void save(void *arg)
{
    struct texts *t = arg;

    save_one(t, EL_ENDURANCE_FILE, &t->wear);
    save_one(t, EL_LEARNT_FILE, &t->learnt);
    save_one(t, EL_CARD_NUMBERS_FILE, &t->cards);
}

static void texts_free(void *arg)
{
    struct texts *t = arg;

    el_buf_free(&t->wear);
    el_buf_free(&t->learnt);
    el_buf_free(&t->cards);
    free(t);
}

struct el_saver *el_saver_new(const char *dir)
{
    struct el_saver *s = calloc(1, sizeof *s);
    struct texts *t = calloc(1, sizeof *t);

    if (s && t && el_text_copy(t->dir, sizeof t->dir, dir))
        s->worker = el_worker_new(save, texts_free, t, true, -1);
    if (!s || !t || !s->worker) {
        free(s);
        free(t);
        return NULL;
    }
    s->texts = t;
    return s;
}

struct el_saver *el_saver_free(struct el_saver *s)
{
    if (s)
        el_worker_free(s->worker);
    free(s);
    return NULL;
}

bool el_saver_idle(struct el_saver *s)
{
    return el_worker_idle(s->worker);
}

void el_saver_save(struct el_saver *s, struct el_buf *wear, struct el_buf *learnt, struct el_buf *cards)
{
    el_buf_free(&s->texts->wear);
    el_buf_free(&s->texts->learnt);
    el_buf_free(&s->texts->cards);
    s->texts->wear = *wear;
    s->texts->learnt = *learnt;
    s->texts->cards = *cards;
    *wear = *learnt = *cards = (struct el_buf){0};
    el_worker_start(s->worker);
}
