/* The profiles of the installed directory, read when first asked for and kept. Not thread-safe. */
#pragma once

#include "model/profile.h"

struct el_profiles;
struct el_profiles *el_profiles_new(const char *dir);        /* NULL: out of memory */
struct el_profiles *el_profiles_free(struct el_profiles *p); /* takes NULL, returns NULL */

/* By name, or NULL (said once in the log when the name is not empty). Valid until el_profiles_free. */
const struct el_card_profile *el_profiles_card(struct el_profiles *p, const char *name);
/* By name; when that is empty, by the model a drive reports. */
const struct el_drive_profile *el_profiles_drive(struct el_profiles *p, const char *name, const char *model);
/* Something could not be read since this was last asked, for want of memory or descriptors: another try may find it. */
bool el_profiles_lacked(struct el_profiles *p);
