/* A key of a YAML map as data: what it is called, its type and bounds, and where its value goes. All readers of files
 * are tables of these. */
#pragma once

#include "config/yaml.h"

enum el_field_type {
    EL_FIELD_OTHER,          /* read by `read`; NULL: the key is allowed, but read elsewhere */
    EL_FIELD_DOUBLE,         /* double, min..max */
    EL_FIELD_DOUBLE_OR_NULL, /* null = NAN: from somewhere else */
    EL_FIELD_UNSIGNED,       /* of 2, 4 or 8 bytes, min..max */
    EL_FIELD_BOOL,
    EL_FIELD_ENUM,    /* 4 bytes */
    EL_FIELD_TEXT,    /* char[size], of at least `min` bytes, beginning with `begin` if that is given */
    EL_FIELD_STRING,  /* char *, an owned copy */
    EL_FIELD_PATH,    /* the same; a relative one stands beside the file */
    EL_FIELD_TEXTS,   /* list: `max` texts of `size` bytes, count at `count_offset` */
    EL_FIELD_DOUBLES, /* list: at most `max` of them, each within 0.01..100 */
};

struct el_field {
    const char *key; /* NULL ends a table; of settings a path: "poll.tick_ms" */
    enum el_field_type type;
    size_t offset, size; /* in the structure that is filled */
    double min, max;
    bool needed;
    int (*read)(const struct el_yaml *n, void *field, struct el_config_error *err);
    const char *const *names; /* of an enum, NULL at the end */
    const uint8_t *values;    /* of the names; NULL: 0, 1, 2, ... */
    size_t count_offset;
    const char *begin;
    const char *example; /* shown commented out where the default is empty; NULL = none */
    const char *doc;
};
#define EL_FIELD_AT(type, member) offsetof(struct type, member), sizeof(((struct type *)0)->member)

/* One value. 0 or -errno with the reason in `err`; the field is untouched on failure but for lists. */
int el_field_read(const struct el_yaml *n, const struct el_field *f, void *base, struct el_config_error *err);

/* Reads a whole map, in the order of the table. Every key must be in the table; an empty value states nothing. A key
 * that is `needed` must be there; `unless` is added to the message when it is not, and NULL asks for none. */
int el_fields_read(const struct el_yaml *map, const struct el_field *fields, void *base, const char *unless,
                   struct el_config_error *err);

/* A list of at most `most` items. */
int el_yaml_list(const struct el_yaml *n, size_t most, struct el_config_error *err);
