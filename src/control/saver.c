#include "control/saver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "control/endurance.h"
#include "control/worker.h"

static const struct {
    const char *name, *what;
    size_t max;
} files[EL_SAVED] = {
    [EL_SAVED_WEAR] = {EL_ENDURANCE_FILE, "wear history", EL_ENDURANCE_FILE_MAX},
    [EL_SAVED_LEARNT] = {EL_LEARNT_FILE, "thermal history", EL_ENDURANCE_FILE_MAX},
    [EL_SAVED_CARDS] = {EL_CARD_NUMBERS_FILE, "card numbers", EL_CARD_NUMBERS_FILE_MAX},
};

struct texts {
    char dir[PATH_MAX];
    struct el_buf text[EL_SAVED];
    bool untouchable[EL_SAVED]; /* what is there could not be read */
    bool said;
};

struct el_saver {
    struct el_worker *worker;
    struct texts *texts;
};

static void place(const struct texts *t, enum el_saved which, char path[PATH_MAX])
{
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", t->dir, files[which].name) >= PATH_MAX)
        path[0] = '\0'; /* is nowhere */
}

static void save_one(struct texts *t, enum el_saved which)
{
    struct el_buf *b = &t->text[which];
    char path[PATH_MAX];
    int r;

    if (!b->len || b->failed || t->untouchable[which])
        return;
    place(t, which, path);
    r = el_file_replace(AT_FDCWD, path, b->data, b->len, 0600, true);
    if (r < 0 && !t->said)
        el_log_warning("%s: cannot be written: %s; history will be lost at the next restart", path, strerror(-r));
    t->said = r < 0;
}

static void save(void *arg)
{
    struct texts *t = arg;

    for (enum el_saved i = 0; i < EL_SAVED; i++) {
        save_one(t, i);
        el_buf_free(&t->text[i]);
    }
}

static void texts_free(void *arg)
{
    struct texts *t = arg;

    for (enum el_saved i = 0; i < EL_SAVED; i++)
        el_buf_free(&t->text[i]);
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

static bool move_aside(const char *path)
{
    char aside[PATH_MAX + sizeof EL_SAVER_ASIDE];

    snprintf(aside, sizeof aside, "%s" EL_SAVER_ASIDE, path);
    return rename(path, aside) == 0;
}

void el_saver_load(struct el_saver *s, enum el_saved which, int (*take)(void *ctx, const char *text, size_t n),
                   void *ctx)
{
    EL_AUTO_BUF struct el_buf b = {0};
    char path[PATH_MAX];
    int r;

    place(s->texts, which, path);
    r = el_file_read(AT_FDCWD, path, files[which].max, &b);
    if (r == -ENOENT)
        return;
    if (r == 0)
        r = b.len && !memchr(b.data, '\0', b.len) ? take(ctx, b.data, b.len) : -EBADMSG;
    if (r == 0)
        return;
    if ((r == -EBADMSG || r == -EFBIG) && move_aside(path)) {
        el_log_warning("%s: no %s of elementd%s; a new one is begun, this one is kept as %s" EL_SAVER_ASIDE, path,
                       files[which].what, r == -EFBIG ? " (too long)" : "", files[which].name);
        return;
    }
    s->texts->untouchable[which] = true;
    el_log_warning("%s: %s; nothing is written over it, so what is learnt from here on lasts until the next restart. "
                   "Mend or remove it, then restart",
                   path, r == -EBADMSG ? "not of elementd, and cannot be moved aside" : strerror(-r));
}

bool el_saver_idle(struct el_saver *s)
{
    return el_worker_idle(s->worker);
}

void el_saver_save(struct el_saver *s, struct el_buf text[EL_SAVED])
{
    for (enum el_saved i = 0; i < EL_SAVED; i++) {
        el_buf_free(&s->texts->text[i]);
        s->texts->text[i] = text[i];
        text[i] = (struct el_buf){0};
    }
    el_worker_start(s->worker);
}
