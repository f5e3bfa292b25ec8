/* Every setting once: where it stands in the file, its type, bounds and meaning. Read by the loader, by the printer of
 * the commented example, and by the test that keeps both honest. Defaults are those of el_settings_default. */
#pragma once

#include "config/field.h"
#include "model/settings.h"

struct el_setting_table {
    const struct el_field *row;
    size_t n;
};
extern const struct el_setting_table el_settings_root, el_settings_card, el_settings_sensor;
