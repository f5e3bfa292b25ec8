#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "config/config.h"

static bool is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

void el_config_profiles_dir(const char *configured, char *out, size_t size)
{
    static const char *const beside[] = {"../share/elementd/profiles", "../../deploy/profiles"};
    char exe[PATH_MAX] = "", path[PATH_MAX + 64];
    ssize_t n;

    el_text_copy(out, size, configured);
    if (is_dir(configured))
        return;
    n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0 || !strrchr(exe, '/'))
        return;
    *strrchr(exe, '/') = 0;
    for (size_t i = 0; i < EL_ARRAY_SIZE(beside); i++) {
        snprintf(path, sizeof path, "%s/%s", exe, beside[i]);
        if (is_dir(path)) {
            el_text_copy(out, size, path);
            return;
        }
    }
}
