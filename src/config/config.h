/* YAML to typed, bounded settings and profiles. Everything is checked before anything is taken: on failure outputs are
 * untouched. */
#pragma once

#include "model/profile.h"
#include "model/scenario.h"
#include "model/settings.h"

/* What is wrong, ready for a person: "elementd.yaml:12: governor.mode: got \"fast\", expected observe, advise or
 * enforce". */
struct el_config_error {
    char text[4096]; /* settings files: one line for each thing that is wrong */
};

/* The settings file over the defaults. `path` NULL: defaults alone. 0 or -errno with the reason in `err`. */
int el_config_load(const char *path, struct el_settings *out, struct el_config_error *err);
/* The same over other defaults. */
int el_config_load_over(const struct el_settings *defaults, const char *path, struct el_settings *out,
                        struct el_config_error *err);

/* Sets one setting by its path ("web.telemetry_path") as a flag gives it, within the same bounds as in the file; a list
 * gets one more item. The reason of a failure names `flag` ("--web.telemetry-path: got ..."). 0 or -errno. */
int el_config_set(struct el_settings *s, const char *path, const char *flag, const char *text,
                  struct el_config_error *err);

/* Profiles are YAML files NAME.yaml in a directory (cards and drives side by side, told apart by their first key). */
int el_config_load_card(const char *dir, const char *name, struct el_card_profile *out, struct el_config_error *err);
int el_config_load_drive(const char *dir, const char *name, struct el_drive_profile *out, struct el_config_error *err);

/* A card and the drive of each of its slots. */
int el_config_load_card_drives(const char *dir, const char *name, struct el_card_profile *card,
                               struct el_drive_profile drives[EL_CARD_SLOTS_MAX], struct el_config_error *err);

/* Appends a settings file with every key at its default and a comment for each: deploy/elementd.yaml is this text. */
struct el_buf;
void el_config_example(struct el_buf *out);

/* A scenario file (see deploy/scenarios): surroundings, schedule, expectations of a simulated machine. What it does not
 * state is NAN, "" or 0 in `out`. 0 or -errno with the reason in `err`. */
int el_config_load_scenario(const char *path, struct el_scenario *out, struct el_config_error *err);
