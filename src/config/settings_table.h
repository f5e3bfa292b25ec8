/* Every setting once: where it stands in the file, its type, bounds and meaning. Read by the loader, by the printer of
 * the commented example, and by the test that keeps both honest. Defaults are those of el_settings_default. */
#pragma once

#include "model/settings.h"

enum el_setting_type {
    EL_SETTING_DOUBLE, /* null = NAN: from the profile or the drive */
    EL_SETTING_U32,
    EL_SETTING_BOOL,
    EL_SETTING_ENUM, /* stored in 4 bytes */
    EL_SETTING_TEXT,
    EL_SETTING_TEXTS,  /* list: `max` texts of `size` bytes, count at `count_offset` */
    EL_SETTING_DOUBLES /* list: at most `max` of them, each within 0.01..100 */
};

struct el_setting {
    const char *path; /* "poll.tick_ms", without list index */
    enum el_setting_type type;
    size_t offset, size, count_offset; /* in struct el_settings, el_card_settings or el_sensor_map */
    double min, max;
    const char *const *names; /* of an enum, NULL at the end */
    const uint8_t *values;    /* of the names; NULL: 0, 1, 2, ... */
    const char *example;      /* shown commented out where the default is empty; NULL = none */
    const char *doc;
};

struct el_setting_table {
    const struct el_setting *row;
    size_t n;
};
extern const struct el_setting_table el_settings_root, el_settings_card, el_settings_sensor;

static inline size_t el_setting_names(const struct el_setting *s)
{
    size_t n = 0;

    while (s->names && s->names[n])
        n++;
    return n;
}
