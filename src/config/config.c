#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/oid.h"
#include "base/text.h"
#include "config/config.h"
#include "config/settings_table.h"
#include "model/catalog.h"

/* State of reading one file. Errors are collected, so that all of them can be mended at once. */
struct load {
    struct el_buf errors;
};

static void complain(struct load *l, const struct el_config_error *e)
{
    if (l->errors.len)
        el_buf_putc(&l->errors, '\n');
    el_buf_puts(&l->errors, e->text);
}

/* Levenshtein distance of two short words; keys are ASCII. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64], n = EL_MIN(strlen(b), EL_ARRAY_SIZE(row) - 1);

    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t above = row[j], cost = corner + (a[i - 1] != b[j - 1]);

            row[j] = EL_MIN(cost, EL_MIN(above, row[j - 1]) + 1);
            corner = above;
        }
    }
    return row[n];
}

/* The key nearest to a mistyped one, among those that may stand here; NULL when none is near. */
static const char *nearest(const struct el_setting_table *t, const char *prefix, const char *key, char out[64])
{
    static const char *const lists[] = {"cards", "sensors"};
    size_t best = EL_MAX((size_t)2, strlen(key) / 3) + 1, plen = strlen(prefix);
    const char *found = NULL;

    for (size_t i = 0; i < t->n + EL_ARRAY_SIZE(lists); i++) {
        const char *path = i < t->n ? t->row[i].key : t == &el_settings_root ? lists[i - t->n] : "";
        char word[64];

        if (strncmp(path, prefix, plen) != 0)
            continue;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(path + plen, "."), path + plen);
        if (word[0] && distance(key, word) < best) {
            best = distance(key, word);
            found = strcpy(out, word);
        }
    }
    return found;
}

static void unknown_key(struct load *l, const struct el_setting_table *t, const struct el_yaml *n, const char *prefix)
{
    struct el_config_error e;
    char word[64];
    const char *near = nearest(t, prefix, n->key, word);

    if (near)
        el_yaml_error(n, &e, "unknown key; did you mean \"%s\"?", near);
    else
        el_yaml_error(n, &e, "unknown key; `elementd check --example` shows all there are");
    complain(l, &e);
}

/* The row of `path`, or the first one below it (`*section`). */
static const struct el_field *find(const struct el_setting_table *t, const char *path, bool *section)
{
    size_t n = strlen(path);

    *section = false;
    for (size_t i = 0; i < t->n; i++) {
        if (strncmp(t->row[i].key, path, n) != 0)
            continue;
        *section = t->row[i].key[n] == '.';
        if (*section || t->row[i].key[n] == '\0')
            return &t->row[i];
    }
    return NULL;
}

static void read_list(struct load *l, const struct el_yaml *list, struct el_settings *s);

static void read_map(struct load *l, const struct el_setting_table *t, const struct el_yaml *map, const char *prefix,
                     void *base)
{
    for (size_t i = 0; i < map->n; i++) {
        const struct el_yaml *n = map->child[i];
        struct el_config_error e;
        char path[128];
        bool section;

        if (t == &el_settings_root && (strcmp(n->key, "cards") == 0 || strcmp(n->key, "sensors") == 0) && !prefix[0]) {
            read_list(l, n, base);
            continue;
        }
        snprintf(path, sizeof path, "%s%.63s", prefix, n->key);
        const struct el_field *s = strchr(n->key, '.') ? NULL : find(t, path, &section);
        if (!s) {
            unknown_key(l, t, n, prefix);
        } else if (!section) {
            if (el_field_read(n, s, base, &e) < 0)
                complain(l, &e);
        } else if (!el_yaml_is_null(n)) {
            strcat(path, ".");
            if (el_yaml_expect(n, EL_YAML_MAP, &e) < 0)
                complain(l, &e);
            else
                read_map(l, t, n, path, base);
        }
    }
}

/* `cards` or `sensors`. Each entry starts from the defaults of its kind. */
static void read_list(struct load *l, const struct el_yaml *list, struct el_settings *s)
{
    bool cards = strcmp(list->key, "cards") == 0;
    /* NOLINTNEXTLINE(bugprone-branch-clone): that they are equal is chance */
    size_t max = cards ? EL_CARD_SETTINGS_MAX : EL_SENSOR_MAPS_MAX;
    const char *needed = cards ? "card" : "source";
    struct el_config_error e;

    if (el_yaml_is_null(list))
        return;
    if (el_yaml_list(list, max, &e) < 0) {
        complain(l, &e);
        return;
    }
    for (size_t i = 0; i < list->n; i++) {
        const struct el_yaml *entry = list->child[i];

        if (el_yaml_expect(entry, EL_YAML_MAP, &e) < 0) {
            complain(l, &e);
            continue;
        }
        if (!el_yaml_get(entry, needed)) {
            el_yaml_error(entry, &e, "\"%s\" is missing", needed);
            complain(l, &e);
        }
        read_map(l, cards ? &el_settings_card : &el_settings_sensor, entry, "",
                 cards ? (void *)&s->card[i] : (void *)&s->sensor[i]);
    }
    *(cards ? &s->cards : &s->sensors) = (uint32_t)list->n;
}

/* HOST:PORT, [IPV6]:PORT or :PORT, as far as can be told without looking up the host. */
static bool is_address(const char *t)
{
    const char *colon = strrchr(t, ':');
    uint64_t port;

    if (!colon || !colon[1] || (colon > t && colon[-1] != ']' && memchr(t, ':', (size_t)(colon - t))))
        return false;
    return el_num_parse_u64(colon + 1, &port) < 0 ? colon[1] > '9' : port <= 65535; /* a service may have a name */
}

/* Used by the exporter alone, but checked here: better to hear of it now than when the exporter does not start. */
static void check_exporter(struct load *l, const struct el_yaml *root, const struct el_settings *s)
{
    static const el_oid enterprises[] = {1, 3, 6, 1, 4, 1};
    const struct el_yaml *web = el_yaml_get(root, "web"), *snmp = el_yaml_get(root, "snmp"), *n;
    struct el_config_error e;
    el_oid oid[EL_OID_MAX];
    uint64_t groups;
    char bad[64];

    n = el_yaml_get(web, "collect");
    if (n && el_metric_groups_parse(s->web.collect, &groups, bad, sizeof bad) < 0) {
        el_yaml_error(n, &e, "there is no metric group \"%s\"; `elementd metrics` lists them", bad);
        complain(l, &e);
    }
    n = el_yaml_get(web, "listen_addresses");
    for (uint32_t i = 0; n && i < s->web.listen_addresses; i++)
        if (!is_address(s->web.listen_address[i])) {
            el_yaml_error(n->child[i], &e, "got \"%s\", expected HOST:PORT, [IPV6]:PORT or :PORT",
                          s->web.listen_address[i]);
            complain(l, &e);
        }
    n = el_yaml_get(snmp, "base_oid");
    if (n && (el_oid_parse(s->snmp.base_oid, oid) <= EL_ARRAY_SIZE(enterprises) ||
              memcmp(oid, enterprises, sizeof enterprises) != 0)) {
        el_yaml_error(n, &e, "got \"%s\", expected an OID below enterprises (1.3.6.1.4.1)", s->snmp.base_oid);
        complain(l, &e);
    }
}

/* What no single row can know. */
static void check_together(struct load *l, const struct el_yaml *root, const struct el_settings *s)
{
    const struct el_yaml *poll = el_yaml_get(root, "poll"), *cards = el_yaml_get(root, "cards"),
                         *sensors = el_yaml_get(root, "sensors");
    struct el_config_error e;
    int64_t day_s;

    if (s->poll.hot_ms > s->poll.normal_ms || s->poll.normal_ms > s->poll.idle_ms) {
        el_yaml_error(poll ? poll : root, &e, "hot_ms %u, normal_ms %u, idle_ms %u: expected them in rising order",
                      s->poll.hot_ms, s->poll.normal_ms, s->poll.idle_ms);
        complain(l, &e);
    }
    for (uint32_t i = 0; i < s->cards; i++)
        if (s->card[i].warranty_start[0] && el_text_parse_date(s->card[i].warranty_start, &day_s) < 0) {
            el_yaml_error(cards->child[i], &e, "warranty_start: got \"%s\", expected a date like 2026-01-31",
                          s->card[i].warranty_start);
            complain(l, &e);
        }
    for (uint32_t i = 0; i < s->sensors; i++)
        if (s->sensor[i].min >= s->sensor[i].max) {
            el_yaml_error(sensors->child[i], &e, "min %g, max %g: expected min below max", s->sensor[i].min,
                          s->sensor[i].max);
            complain(l, &e);
        }
}

int el_config_load_over(const struct el_settings *defaults, const char *path, struct el_settings *out,
                        struct el_config_error *err)
{
    EL_AUTO_YAML struct el_yaml *root = NULL;
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    struct load l = {0};
    int r = s ? 0 : -ENOMEM;

    if (r < 0) {
        el_text_copy(err->text, sizeof err->text, "out of memory");
        return r;
    }
    *s = *defaults;
    if (path && (r = el_yaml_load_all(path, &root, err)) < 0)
        return r;
    s->file = el_yaml_shape(root);
    if (root) {
        if (root->twice)
            el_buf_puts(&l.errors, root->twice);
        read_map(&l, &el_settings_root, root, "", s);
        if (!l.errors.len) {
            check_together(&l, root, s);
            check_exporter(&l, root, s);
        }
    }
    if (l.errors.len) {
        el_text_copy(err->text, sizeof err->text, l.errors.data);
        r = -EINVAL;
    } else {
        *out = *s;
    }
    el_buf_free(&l.errors);
    return r;
}

int el_config_set(struct el_settings *s, const char *path, const char *flag, const char *text,
                  struct el_config_error *err)
{
    struct el_yaml n = {.kind = EL_YAML_SCALAR, .quoted = true, .text = (char *)(uintptr_t)text, .file = flag};
    char *base = (char *)s;
    bool section;
    const struct el_field *row = find(&el_settings_root, path, &section);
    uint32_t *count;
    int r;

    if (!row || section)
        return el_yaml_error(&n, err, "there is no setting %.100s", path);
    if (row->type != EL_FIELD_TEXTS)
        return el_field_read(&n, row, base, err);
    count = (uint32_t *)(void *)(base + row->count_offset);
    if (*count >= (uint32_t)row->max)
        return el_yaml_error(&n, err, "expected at most %d of them", (int)row->max);
    r = el_yaml_text(&n, base + row->offset + *count * row->size, row->size, err);
    if (r == 0)
        ++*count;
    return r;
}

int el_config_load(const char *path, struct el_settings *out, struct el_config_error *err)
{
    EL_AUTO_FREE struct el_settings *defaults = malloc(sizeof *defaults);

    if (!defaults) {
        el_text_copy(err->text, sizeof err->text, "out of memory");
        return -ENOMEM;
    }
    el_settings_default(defaults);
    return el_config_load_over(defaults, path, out, err);
}
