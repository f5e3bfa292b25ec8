/* What the JSON of the commands has in common. */
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "cli/flags.h"

/* What is not finite is null; a whole number has no fraction. */
static inline json_t *el_json_number(double v)
{
    return !isfinite(v) ? json_null() : v == floor(v) && fabs(v) < 1e15 ? json_integer((json_int_t)v) : json_real(v);
}

/* Prints and frees a document. EL_EXIT_OK, or EL_EXIT_BAD: it could not be made. */
static inline int el_json_print(json_t *root)
{
    int r = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));

    json_decref(root);
    putchar('\n');
    return r < 0 ? EL_EXIT_BAD : EL_EXIT_OK;
}

static inline void el_json_put_number(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, el_json_number(v));
}
