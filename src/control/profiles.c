#include "control/profiles.h"

#include <dirent.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/log.h"
#include "base/text.h"
#include "config/config.h"
#include "model/settings.h"

/* One profile asked for; both pointers NULL: there is none, do not look again. */
struct entry {
    struct entry *next;
    char name[EL_NAME_MAX];
    struct el_card_profile *card;
    struct el_drive_profile *drive;
};

struct el_profiles {
    char dir[EL_PATH_MAX];
    struct entry *cards, *drives;
    bool scanned; /* every drive profile is in `drives` */
    bool lacking; /* see el_profiles_lacked */
};

struct el_profiles *el_profiles_new(const char *dir)
{
    struct el_profiles *p = calloc(1, sizeof *p);

    if (p)
        el_text_copy(p->dir, sizeof p->dir, dir);
    return p;
}

static void entries_free(struct entry *e)
{
    while (e) {
        struct entry *next = e->next;

        free(e->card);
        free(e->drive);
        free(e);
        e = next;
    }
}

struct el_profiles *el_profiles_free(struct el_profiles *p)
{
    if (p) {
        entries_free(p->cards);
        entries_free(p->drives);
    }
    free(p);
    return NULL;
}

static struct entry *find(struct entry *e, const char *name)
{
    while (e && strcmp(e->name, name) != 0)
        e = e->next;
    return e;
}

/* An entry for what was read (`r` 0), or is none of ours: neither is looked for again. NULL: nobody knows yet. */
static struct entry *keep(struct el_profiles *p, struct entry **list, const char *name, int r, const char *why)
{
    struct entry *e = el_is_shortage(r) ? NULL : calloc(1, sizeof *e);

    if (!e) {
        p->lacking = true;
        return NULL;
    }
    if (r < 0 && why)
        el_log_warning("%s", why);
    el_text_copy(e->name, sizeof e->name, name);
    e->next = *list;
    return *list = e;
}

const struct el_card_profile *el_profiles_card(struct el_profiles *p, const char *name)
{
    struct el_config_error err;
    struct entry *e = find(p->cards, name);
    struct el_card_profile *card;
    int r;

    if (e || !name[0])
        return e ? e->card : NULL;
    err.text[0] = '\0';
    card = malloc(sizeof *card);
    r = card ? el_config_load_card(p->dir, name, card, &err) : -ENOMEM;
    e = keep(p, &p->cards, name, r, err.text);
    if (e && r == 0)
        return e->card = card;
    free(card);
    return NULL;
}

static const struct el_drive_profile *load_drive(struct el_profiles *p, const char *name, bool loud)
{
    struct entry *e = find(p->drives, name);
    struct el_config_error err;
    struct el_drive_profile *drive;
    int r;

    if (e)
        return e->drive;
    err.text[0] = '\0';
    drive = malloc(sizeof *drive);
    r = drive ? el_config_load_drive(p->dir, name, drive, &err) : -ENOMEM;
    e = keep(p, &p->drives, name, r, loud ? err.text : NULL);
    if (e && r == 0)
        return e->drive = drive;
    free(drive);
    return NULL;
}

/* Card profiles share the directory; those are no drives and stay as empty entries. */
static void scan(struct el_profiles *p)
{
    bool before = p->lacking;
    DIR *d = opendir(p->dir);
    struct dirent *f;

    p->lacking = !d && el_is_shortage(-errno);
    while (d && (f = readdir(d))) {
        size_t n = strlen(f->d_name);
        char name[EL_NAME_MAX];

        if (n > 5 && n - 5 < sizeof name && strcmp(f->d_name + n - 5, ".yaml") == 0) {
            snprintf(name, sizeof name, "%.*s", (int)(n - 5), f->d_name);
            load_drive(p, name, false);
        }
    }
    if (d)
        closedir(d);
    p->scanned = !p->lacking;
    p->lacking |= before;
}

bool el_profiles_lacked(struct el_profiles *p)
{
    bool lacked = p->lacking;

    p->lacking = false;
    return lacked;
}

const struct el_drive_profile *el_profiles_drive(struct el_profiles *p, const char *name, const char *model)
{
    if (name[0])
        return load_drive(p, name, true);
    if (!model[0])
        return NULL;
    if (!p->scanned)
        scan(p);
    for (const struct entry *e = p->drives; e; e = e->next)
        if (e->drive && strcasecmp(e->drive->model, model) == 0)
            return e->drive;
    return NULL;
}
