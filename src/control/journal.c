#include "control/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/rows.h"
#include "base/text.h"

#define JOURNAL_VERSION 1

struct el_journal {
    char path[PATH_MAX];
    char boot_id[33];
    struct el_journal_entry *entry;
    uint32_t n;
};

static int find_actuator(const char *name)
{
    for (int a = 0; name && a < EL_ACTUATOR_COUNT; a++)
        if (strcmp(name, el_actuator_name((enum el_actuator)a)) == 0)
            return a;
    return -1;
}

static bool entry_from_json(const json_t *o, struct el_journal_entry *e)
{
    const char *serial = json_string_value(json_object_get(o, "serial"));
    const char *place = json_string_value(json_object_get(o, "place"));
    const char *original = json_string_value(json_object_get(o, "original"));
    int a = find_actuator(json_string_value(json_object_get(o, "actuator")));

    if (a < 0 || !serial || !original)
        return false;
    e->actuator = (enum el_actuator)a;
    return el_text_copy(e->serial, sizeof e->serial, serial) &&
           el_text_copy(e->original, sizeof e->original, original) &&
           (el_text_copy(e->place, sizeof e->place, place ? place : ""), true);
}

static int parse(struct el_journal *j, const char *text, size_t n)
{
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
    const json_t *entries = json_object_get(root, "entries");
    const char *boot = json_string_value(json_object_get(root, "boot_id"));
    int r = 0;

    if (!boot || !json_is_array(entries) || json_integer_value(json_object_get(root, "version")) != JOURNAL_VERSION) {
        r = -EBADMSG;
    } else {
        bool same_boot = strcmp(boot, j->boot_id) == 0;

        for (size_t i = 0; r == 0 && i < json_array_size(entries); i++) {
            struct el_journal_entry *e = el_row_append(&j->entry, &j->n, sizeof *e);

            if (!e || !entry_from_json(json_array_get(entries, i), e))
                r = e ? -EBADMSG : -ENOMEM;
            else if (!same_boot && e->actuator != EL_ACTUATOR_FAN)
                j->n--;
        }
    }
    json_decref(root);
    return r;
}

int el_journal_open(const char *dir, struct el_journal **out)
{
    EL_AUTO_BUF struct el_buf text = {0};
    struct el_journal *j = calloc(1, sizeof *j);
    int r = j ? 0 : -ENOMEM;

    if (r == 0 && (size_t)snprintf(j->path, sizeof j->path, "%s/" EL_JOURNAL_FILE, dir) >= sizeof j->path)
        r = -ENAMETOOLONG;
    /* An unknown boot would look like another, and what stands in the file as bygone. */
    if (r == 0 && (r = el_clock_boot_id(j->boot_id)) == -ENOENT)
        r = 0;
    if (r == 0) {
        r = el_file_read(AT_FDCWD, j->path, EL_JOURNAL_FILE_MAX, &text);
        r = r == -ENOENT ? 0 : r == -EFBIG ? -EBADMSG : r < 0 ? r : parse(j, text.data ? text.data : "", text.len);
    }
    if (r < 0) {
        el_journal_free(j);
        return r;
    }
    *out = j;
    return 0;
}

struct el_journal *el_journal_none(void)
{
    return calloc(1, sizeof(struct el_journal)); /* without a path */
}

struct el_journal *el_journal_free(struct el_journal *j)
{
    if (j)
        free(j->entry);
    free(j);
    return NULL;
}

size_t el_journal_count(const struct el_journal *j)
{
    return j->n;
}

const struct el_journal_entry *el_journal_at(const struct el_journal *j, size_t i)
{
    return i < j->n ? &j->entry[i] : NULL;
}

const struct el_journal_entry *el_journal_find(const struct el_journal *j, enum el_actuator a, const char *serial)
{
    for (size_t i = 0; i < j->n; i++)
        if (j->entry[i].actuator == a && strcmp(j->entry[i].serial, serial) == 0)
            return &j->entry[i];
    return NULL;
}

static int write_entries(const struct el_journal *j, uint32_t n)
{
    json_t *list = json_array();
    json_t *root = json_pack("{s:i, s:s, s:s, s:i, s:o}", "version", JOURNAL_VERSION, "owner", "elementd " EL_VERSION,
                             "boot_id", j->boot_id, "pid", (int)getpid(), "entries", list);
    int r = root ? 0 : -ENOMEM;

    if (n == 0) {
        json_decref(root);
        return unlink(j->path) < 0 && errno != ENOENT ? -errno : 0;
    }
    for (size_t i = 0; r == 0 && i < n; i++)
        if (json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "actuator",
                                                  el_actuator_name(j->entry[i].actuator), "serial", j->entry[i].serial,
                                                  "place", j->entry[i].place, "original", j->entry[i].original)) < 0)
            r = -ENOMEM;
    EL_AUTO_FREE char *text = r == 0 ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    if (!text)
        return -ENOMEM;
    return el_file_replace(AT_FDCWD, j->path, text, strlen(text), 0600, true);
}

int el_journal_add(struct el_journal *j, const struct el_journal_entry *e)
{
    struct el_journal_entry *added;
    int r;

    if (el_journal_find(j, e->actuator, e->serial))
        return 0; /* the first original is the true one */
    if (!j->path[0])
        return -EBADMSG;
    added = el_row_append(&j->entry, &j->n, sizeof *added);
    if (!added)
        return -ENOMEM;
    *added = *e;
    r = write_entries(j, j->n);
    if (r < 0)
        j->n--;
    return r;
}

int el_journal_remove(struct el_journal *j, enum el_actuator a, const char *serial)
{
    const struct el_journal_entry *found = el_journal_find(j, a, serial);
    struct el_journal_entry gone;
    size_t i;
    int r;

    if (!found)
        return 0;
    i = (size_t)(found - j->entry);
    gone = *found;
    memmove(&j->entry[i], &j->entry[i + 1], (j->n - i - 1) * sizeof gone);
    r = write_entries(j, j->n - 1);
    if (r < 0) {
        memmove(&j->entry[i + 1], &j->entry[i], (j->n - i - 1) * sizeof gone);
        j->entry[i] = gone;
        return r;
    }
    j->n--;
    return 0;
}
