#include "config/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <yaml.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"

struct reader {
    yaml_parser_t parser;
    const char *file;
    struct el_config_error *err;
    struct el_buf twice;
};

static void node_free(struct el_yaml *n)
{
    for (size_t i = 0; i < n->n; i++)
        node_free(n->child[i]);
    free(n->child);
    free(n->key);
    free(n->text);
    free(n);
}

struct el_yaml *el_yaml_free(struct el_yaml *root)
{
    if (root) {
        free((char *)(uintptr_t)root->file);
        free(root->twice);
        node_free(root);
    }
    return NULL;
}

static int fail_at(struct reader *r, size_t line, const char *what)
{
    snprintf(r->err->text, sizeof r->err->text, "%s:%zu: %s", r->file, line + 1, what);
    return -EINVAL;
}

static int next_event(struct reader *r, yaml_event_t *e)
{
    char what[200];

    if (yaml_parser_parse(&r->parser, e))
        return 0;
    if (r->parser.error == YAML_MEMORY_ERROR)
        return fail_at(r, r->parser.mark.line, "out of memory"), -ENOMEM;
    snprintf(what, sizeof what, "not valid YAML: %s%s%s", r->parser.problem ? r->parser.problem : "unknown problem",
             r->parser.context ? " " : "", r->parser.context ? r->parser.context : "");
    return fail_at(r, r->parser.problem_mark.line ? r->parser.problem_mark.line : r->parser.mark.line, what);
}

static struct el_yaml *add_child(struct el_yaml *parent, struct el_yaml *child)
{
    struct el_yaml **list;

    if (!child)
        return NULL;
    list = reallocarray(parent->child, parent->n + 1, sizeof(struct el_yaml *));
    if (!list) {
        node_free(child);
        return NULL;
    }
    parent->child = list;
    parent->child[parent->n++] = child;
    child->parent = parent;
    return child;
}

static struct el_yaml *new_node(const struct reader *r, enum el_yaml_kind kind, size_t line)
{
    struct el_yaml *n = calloc(1, sizeof *n);

    if (n) {
        n->kind = kind;
        n->line = (unsigned)line + 1;
        n->file = r->file;
    }
    return n;
}

static int scalar_text(struct reader *r, const yaml_event_t *e, char **out)
{
    const char *text = (const char *)e->data.scalar.value;

    if (memchr(text, 0, e->data.scalar.length))
        return fail_at(r, e->start_mark.line, "NUL byte in a value");
    *out = strdup(text);
    return *out ? 0 : -ENOMEM;
}

static int read_children(struct reader *r, struct el_yaml *into, unsigned depth);

/* One value, whose first event is `e`, into `parent` under `key` (taken over, NULL in a list). */
static int read_value(struct reader *r, const yaml_event_t *e, struct el_yaml *parent, char *key, unsigned depth)
{
    enum el_yaml_kind kind = e->type == YAML_SCALAR_EVENT           ? EL_YAML_SCALAR
                             : e->type == YAML_SEQUENCE_START_EVENT ? EL_YAML_LIST
                                                                    : EL_YAML_MAP;
    struct el_yaml *n;

    if (e->type == YAML_ALIAS_EVENT || depth > EL_YAML_DEPTH_MAX) {
        free(key);
        return fail_at(r, e->start_mark.line,
                       depth > EL_YAML_DEPTH_MAX ? "nested too deeply" : "aliases (*name) are not supported");
    }
    n = add_child(parent, new_node(r, kind, e->start_mark.line));
    if (!n) {
        free(key);
        return -ENOMEM;
    }
    n->key = key;
    if (kind != EL_YAML_SCALAR)
        return read_children(r, n, depth + 1);
    n->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return scalar_text(r, e, &n->text);
}

static int read_key(struct reader *r, const yaml_event_t *e, const struct el_yaml *map, char **key)
{
    const struct el_yaml *first;
    int result;

    if (e->type != YAML_SCALAR_EVENT)
        return fail_at(r, e->start_mark.line, "a key must be a plain word");
    result = scalar_text(r, e, key);
    first = result == 0 ? el_yaml_get(map, *key) : NULL;
    if (first)
        el_buf_printf(&r->twice, "%s%s:%zu: %.100s: given twice (first on line %u)", r->twice.len ? "\n" : "", r->file,
                      e->start_mark.line + 1, *key, first->line);
    return result;
}

/* Items of a list or pairs of a map, up to the end event. */
static int read_children(struct reader *r, struct el_yaml *into, unsigned depth)
{
    for (;;) {
        yaml_event_t e;
        char *key = NULL;
        int result = next_event(r, &e);

        if (result < 0)
            return result;
        if (e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&e);
            return 0;
        }
        if (into->kind == EL_YAML_MAP) {
            result = read_key(r, &e, into, &key);
            yaml_event_delete(&e);
            if (result == 0)
                result = next_event(r, &e);
            if (result < 0) {
                free(key);
                return result;
            }
        }
        result = read_value(r, &e, into, key, depth);
        yaml_event_delete(&e);
        if (result < 0)
            return result;
    }
}

/* From the stream's start to its end: exactly one document, whose root is a map. */
static int read_stream(struct reader *r, struct el_yaml *root)
{
    for (bool seen = false, done = false; !done;) {
        yaml_event_t e;
        int result = next_event(r, &e);

        if (result < 0)
            return result;
        switch (e.type) {
        case YAML_STREAM_END_EVENT:
            done = true;
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (seen)
                result = fail_at(r, e.start_mark.line, "a second document: one file holds one");
            seen = true;
            break;
        case YAML_MAPPING_START_EVENT:
            root->line = (unsigned)e.start_mark.line + 1;
            result = read_children(r, root, 1);
            break;
        case YAML_SCALAR_EVENT:
            if (e.data.scalar.length == 0)
                break; /* an empty document */
            /* fall through */
        case YAML_SEQUENCE_START_EVENT:
        case YAML_ALIAS_EVENT:
            result = fail_at(r, e.start_mark.line, "expected `key: value` lines");
            break;
        default:
            break;
        }
        yaml_event_delete(&e);
        if (result < 0)
            return result;
    }
    return 0;
}

static int parse(const char *name, const void *bytes, size_t n, bool all, struct el_yaml **out,
                 struct el_config_error *err)
{
    struct reader r = {.file = strdup(name), .err = err};
    struct el_yaml *root = r.file ? new_node(&r, EL_YAML_MAP, 0) : NULL;
    int result = -ENOMEM;

    if (root && yaml_parser_initialize(&r.parser)) {
        yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&r.parser, bytes, n);
        result = read_stream(&r, root);
        yaml_parser_delete(&r.parser);
    }
    if (result == 0 && r.twice.failed)
        result = -ENOMEM;
    if (result == -ENOMEM)
        snprintf(err->text, sizeof err->text, "%s: out of memory", name);
    if (result == 0 && r.twice.len && !all) {
        snprintf(err->text, sizeof err->text, "%s", r.twice.data);
        result = -EINVAL;
    }
    if (result < 0) {
        el_buf_free(&r.twice);
        if (root)
            el_yaml_free(root);
        else
            free((char *)(uintptr_t)r.file);
        return result;
    }
    root->twice = r.twice.data;
    root->open_ended = n && ((const char *)bytes)[n - 1] != '\n';
    *out = root;
    return 0;
}

int el_yaml_parse(const char *name, const void *bytes, size_t n, struct el_yaml **out, struct el_config_error *err)
{
    return parse(name, bytes, n, false, out, err);
}

static int load(const char *path, bool all, struct el_yaml **out, struct el_config_error *err)
{
    EL_AUTO_BUF struct el_buf bytes = {0};
    int r = el_file_read(AT_FDCWD, path, EL_YAML_SIZE_MAX, &bytes);

    if (r < 0) {
        snprintf(err->text, sizeof err->text, "%s: %s", path,
                 r == -EFBIG ? "larger than 1 MiB: not a file of ours" : strerror(-r));
        return r;
    }
    return parse(path, bytes.data ? bytes.data : "", bytes.len, all, out, err);
}

int el_yaml_load(const char *path, struct el_yaml **out, struct el_config_error *err)
{
    return load(path, false, out, err);
}

int el_yaml_load_all(const char *path, struct el_yaml **out, struct el_config_error *err)
{
    return load(path, true, out, err);
}

struct el_text_shape el_yaml_shape(const struct el_yaml *root)
{
    return (struct el_text_shape){.empty = !root || !root->n, .open_ended = root && root->open_ended};
}

const struct el_yaml *el_yaml_get(const struct el_yaml *map, const char *key)
{
    for (size_t i = 0; map && map->kind == EL_YAML_MAP && i < map->n; i++)
        if (strcmp(map->child[i]->key, key) == 0)
            return map->child[i];
    return NULL;
}

bool el_yaml_is_null(const struct el_yaml *n)
{
    return n->kind == EL_YAML_SCALAR && !n->quoted &&
           (!*n->text || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0);
}

/* The path from the root: "governor.mode", "cards[2].limit". */
static void put_path(struct el_buf *b, const struct el_yaml *n)
{
    const struct el_yaml *up = n->parent;

    if (!up)
        return;
    put_path(b, up);
    if (n->key) {
        el_buf_printf(b, "%s%.80s", b->len ? "." : "", n->key);
        return;
    }
    for (size_t i = 0; i < up->n; i++)
        if (up->child[i] == n)
            el_buf_printf(b, "[%zu]", i);
}

int el_yaml_error(const struct el_yaml *n, struct el_config_error *err, const char *fmt, ...)
{
    EL_AUTO_BUF struct el_buf path = {0};
    char what[384];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    put_path(&path, n);
    snprintf(err->text, sizeof err->text, n->line ? "%s:%u: %s%s%s" : "%s:%.0u %s%s%s", n->file, n->line,
             path.len ? path.data : "", path.len ? ": " : "", what);
    return -EINVAL;
}

int el_yaml_expect(const struct el_yaml *n, enum el_yaml_kind kind, struct el_config_error *err)
{
    static const char *const names[] = {"a single value", "a list", "`key: value` lines"};

    if (n->kind == kind)
        return 0;
    return el_yaml_error(n, err, "got %s, expected %s", n->kind == EL_YAML_SCALAR ? n->text : names[n->kind],
                         names[kind]);
}

int el_yaml_known_keys(const struct el_yaml *map, const char *const *keys, struct el_config_error *err)
{
    EL_AUTO_BUF struct el_buf list = {0};

    for (const char *const *k = keys; *k; k++)
        el_buf_printf(&list, "%s%s", k == keys ? "" : ", ", *k);
    for (size_t i = 0; i < map->n; i++) {
        const char *const *k = keys;

        while (*k && strcmp(*k, map->child[i]->key) != 0)
            k++;
        if (!*k)
            return el_yaml_error(map->child[i], err, "unknown key, expected one of: %s",
                                 list.data ? list.data : "(none)");
    }
    return 0;
}

/* A quoted scalar is text, whatever it looks like. */
static const char *text_is(const struct el_yaml *n)
{
    return n->quoted ? "the text " : "";
}

int el_yaml_double(const struct el_yaml *n, double lo, double hi, double *out, struct el_config_error *err)
{
    double v;

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    if (n->quoted || el_num_parse_double(n->text, &v) < 0 || !(v >= lo && v <= hi))
        return el_yaml_error(n, err, "got %s\"%.80s\", expected a number from %.12g to %.12g", text_is(n), n->text, lo,
                             hi);
    *out = v;
    return 0;
}

int el_yaml_u64(const struct el_yaml *n, uint64_t lo, uint64_t hi, uint64_t *out, struct el_config_error *err)
{
    uint64_t v;

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    if (n->quoted || el_num_parse_u64(n->text, &v) < 0 || v < lo || v > hi)
        return el_yaml_error(n, err, "got %s\"%.80s\", expected a whole number from %ju to %ju", text_is(n), n->text,
                             (uintmax_t)lo, (uintmax_t)hi);
    *out = v;
    return 0;
}

int el_yaml_bool(const struct el_yaml *n, bool *out, struct el_config_error *err)
{
    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    if (n->quoted || (strcmp(n->text, "true") != 0 && strcmp(n->text, "false") != 0))
        return el_yaml_error(n, err, "got %s\"%.80s\", expected true or false", text_is(n), n->text);
    *out = n->text[0] == 't';
    return 0;
}

int el_yaml_text(const struct el_yaml *n, char *out, size_t size, struct el_config_error *err)
{
    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    if (strlen(n->text) >= size)
        return el_yaml_error(n, err, "too long, at most %zu bytes", size - 1);
    memcpy(out, n->text, strlen(n->text) + 1);
    return 0;
}

int el_yaml_enum(const struct el_yaml *n, const char *const *names, size_t count, unsigned *out,
                 struct el_config_error *err)
{
    EL_AUTO_BUF struct el_buf list = {0};

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], n->text) == 0) {
            *out = (unsigned)i;
            return 0;
        }
        el_buf_printf(&list, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", names[i]);
    }
    return el_yaml_error(n, err, "got \"%.80s\", expected %s", n->text, list.data ? list.data : "nothing");
}
