#include "config/field.h"

#include <errno.h>
#include <math.h>
#include <string.h>

int el_yaml_list(const struct el_yaml *n, size_t most, struct el_config_error *err)
{
    if (el_yaml_expect(n, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    return n->n > most ? el_yaml_error(n, err, "got %zu entries, expected at most %zu", n->n, most) : 0;
}

static int read_unsigned(const struct el_yaml *n, const struct el_field *f, void *field, struct el_config_error *err)
{
    uint64_t v;
    int r = el_yaml_u64(n, (uint64_t)f->min, (uint64_t)f->max, &v, err);

    if (r < 0)
        return r;
    if (f->size == sizeof(uint64_t))
        *(uint64_t *)field = v;
    else if (f->size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)v;
    else
        *(uint16_t *)field = (uint16_t)v;
    return 0;
}

static int read_enum(const struct el_yaml *n, const struct el_field *f, void *field, struct el_config_error *err)
{
    size_t count = 0;
    unsigned i;

    while (f->names[count])
        count++;
    if (el_yaml_enum(n, f->names, count, &i, err) < 0)
        return -EINVAL;
    *(uint32_t *)field = f->values ? f->values[i] : i;
    return 0;
}

static int read_string(const struct el_yaml *n, bool path, char **out, struct el_config_error *err)
{
    const char *slash = strrchr(n->file, '/');

    if (el_yaml_expect(n, EL_YAML_SCALAR, err) < 0)
        return -EINVAL;
    if (!path || n->text[0] == '/' || !slash)
        *out = strdup(n->text);
    else if (asprintf(out, "%.*s/%s", (int)(slash - n->file), n->file, n->text) < 0)
        *out = NULL;
    return *out ? 0 : -ENOMEM;
}

static int read_texts(const struct el_yaml *n, const struct el_field *f, char *base, struct el_config_error *err)
{
    int r = el_yaml_list(n, (size_t)f->max, err);

    for (size_t i = 0; r == 0 && i < n->n; i++)
        r = el_yaml_text(n->child[i], base + f->offset + i * f->size, f->size, err);
    if (r == 0)
        *(uint32_t *)(void *)(base + f->count_offset) = (uint32_t)n->n;
    return r;
}

static int read_doubles(const struct el_yaml *n, const struct el_field *f, double *out, struct el_config_error *err)
{
    int r = el_yaml_list(n, (size_t)f->max, err);

    for (size_t i = 0; r == 0 && i < n->n; i++)
        r = el_yaml_double(n->child[i], 0.01, 100, &out[i], err);
    return r;
}

static int read_text(const struct el_yaml *n, const struct el_field *f, void *field, struct el_config_error *err)
{
    int r = el_yaml_expect(n, EL_YAML_SCALAR, err);

    if (r == 0 && strlen(n->text) < (size_t)f->min)
        r = el_yaml_error(n, err, "got nothing, expected a value");
    if (r == 0 && f->begin && strncmp(n->text, f->begin, strlen(f->begin)) != 0)
        r = el_yaml_error(n, err, "got \"%.80s\", expected a path that starts with %s", n->text, f->begin);
    return r == 0 ? el_yaml_text(n, field, f->size, err) : r;
}

int el_field_read(const struct el_yaml *n, const struct el_field *f, void *base, struct el_config_error *err)
{
    void *field = (char *)base + f->offset;

    switch (f->type) {
    case EL_FIELD_OTHER:
        return f->read ? f->read(n, field, err) : 0;
    case EL_FIELD_DOUBLE_OR_NULL:
        if (el_yaml_is_null(n)) {
            *(double *)field = NAN;
            return 0;
        }
        /* fall through */
    case EL_FIELD_DOUBLE:
        return el_yaml_double(n, f->min, f->max, field, err);
    case EL_FIELD_UNSIGNED:
        return read_unsigned(n, f, field, err);
    case EL_FIELD_BOOL:
        return el_yaml_bool(n, field, err);
    case EL_FIELD_ENUM:
        return read_enum(n, f, field, err);
    case EL_FIELD_TEXT:
        return read_text(n, f, field, err);
    case EL_FIELD_STRING:
    case EL_FIELD_PATH:
        return read_string(n, f->type == EL_FIELD_PATH, field, err);
    case EL_FIELD_TEXTS:
        return read_texts(n, f, base, err);
    case EL_FIELD_DOUBLES:
        return read_doubles(n, f, field, err);
    }
    return -EINVAL;
}

int el_fields_read(const struct el_yaml *map, const struct el_field *fields, void *base, const char *unless,
                   struct el_config_error *err)
{
    const char *keys[64];
    size_t count = 0;
    int r = el_yaml_expect(map, EL_YAML_MAP, err);

    for (const struct el_field *f = fields; f->key; f++)
        keys[count++] = f->key;
    keys[count] = NULL;
    if (r == 0)
        r = el_yaml_known_keys(map, keys, err);
    for (const struct el_field *f = fields; r == 0 && f->key; f++) {
        const struct el_yaml *n = el_yaml_get(map, f->key);

        if (n && !el_yaml_is_null(n) && !(n->kind == EL_YAML_SCALAR && !n->text[0]))
            r = el_field_read(n, f, base, err);
        else if (f->needed && unless)
            r = el_yaml_error(map, err, "%s is missing%s", f->key, unless);
    }
    return r;
}
