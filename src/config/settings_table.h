/* Every setting, once: its place in the file, type, bounds and meaning. Used by the loader, by the commented example,
 * and by the test that compares the two. Defaults are those of el_settings_default. */
#pragma once

#include "config/field.h"
#include "model/settings.h"

struct el_setting_table {
    const struct el_field *row;
    size_t n;
};
extern const struct el_setting_table el_settings_root, el_settings_card, el_settings_sensor;
