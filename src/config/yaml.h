/* A YAML document as a small tree that knows where each value stands. Strict: one document, no aliases or tags, no
 * duplicate keys, at most EL_YAML_SIZE_MAX bytes and EL_YAML_DEPTH_MAX levels. The only user of libyaml in this
 * program. Every failure is a sentence for a person: "file:line: dotted.path: what was found, what was expected". */
#pragma once

#include <stdarg.h>

#include "base/text.h"
#include "config/config.h"

#define EL_YAML_SIZE_MAX  (1u << 20)
#define EL_YAML_DEPTH_MAX 32

enum el_yaml_kind { EL_YAML_SCALAR, EL_YAML_LIST, EL_YAML_MAP };

struct el_yaml {
    enum el_yaml_kind kind;
    unsigned line; /* from 1; 0 = no file: a flag */
    bool quoted;   /* scalar in quotes: always text */
    char *key;     /* of a value in a map, else NULL */
    char *text;    /* of a scalar, else NULL */
    size_t n;      /* children: list items, map values in their order */
    struct el_yaml **child;
    const struct el_yaml *parent; /* NULL: the root */
    const char *file;             /* as it was given; the root owns a copy */
    bool open_ended;              /* of the root: the last line has no end */
    char *twice;                  /* of the root: messages about keys that stand twice, one per line; NULL = none */
};

/* A file or bytes (`name` stands in messages). The root is always a map; an empty document is an empty map.
 * 0, -EINVAL (what is wrong with it), or another -errno (cannot be read); reason in `err`. Free with el_yaml_free. */
int el_yaml_load(const char *path, struct el_yaml **out, struct el_config_error *err);
int el_yaml_parse(const char *name, const void *bytes, size_t n, struct el_yaml **out, struct el_config_error *err);
/* As el_yaml_load, but a key that stands twice is reported in `twice` instead: for callers that collect all errors. */
int el_yaml_load_all(const char *path, struct el_yaml **out, struct el_config_error *err);
struct el_yaml *el_yaml_free(struct el_yaml *root); /* takes NULL, returns NULL */

struct el_text_shape el_yaml_shape(const struct el_yaml *root); /* NULL: of no file */

/* The value of `key`, or NULL (also for a NULL `map`). */
const struct el_yaml *el_yaml_get(const struct el_yaml *map, const char *key);
bool el_yaml_is_null(const struct el_yaml *n); /* empty, ~ or null, unquoted */

/* "file:line: path: <message>" into `err`; returns -EINVAL. */
int el_yaml_error(const struct el_yaml *n, struct el_config_error *err, const char *fmt, ...) EL_PRINTF(3, 4);

/* The node must be of this kind / each key of the map must be in the NULL-terminated list. 0 or -EINVAL. */
int el_yaml_expect(const struct el_yaml *n, enum el_yaml_kind kind, struct el_config_error *err);
int el_yaml_known_keys(const struct el_yaml *map, const char *const *keys, struct el_config_error *err);

/* Scalars, typed and bounded (bounds included). 0 or -EINVAL; `out` is untouched on failure. */
int el_yaml_double(const struct el_yaml *n, double lo, double hi, double *out, struct el_config_error *err);
int el_yaml_u64(const struct el_yaml *n, uint64_t lo, uint64_t hi, uint64_t *out, struct el_config_error *err);
int el_yaml_bool(const struct el_yaml *n, bool *out, struct el_config_error *err); /* true or false */
int el_yaml_text(const struct el_yaml *n, char *out, size_t size, struct el_config_error *err);
/* Index of the text in `names` (`count` of them). */
int el_yaml_enum(const struct el_yaml *n, const char *const *names, size_t count, unsigned *out,
                 struct el_config_error *err);

static inline void el_auto_yaml_(struct el_yaml **n)
{
    el_yaml_free(*n);
}
#define EL_AUTO_YAML __attribute__((cleanup(el_auto_yaml_)))
