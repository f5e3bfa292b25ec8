/* Numbers in the JSON of the commands. */
#pragma once

#include <jansson.h>
#include <math.h>

/* What is not finite is null; a whole number has no fraction. */
static inline json_t *el_json_number(double v)
{
    return !isfinite(v) ? json_null() : v == floor(v) && fabs(v) < 1e15 ? json_integer((json_int_t)v) : json_real(v);
}

static inline void el_json_put_number(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, el_json_number(v));
}
