#include "cli/rundir.h"

#include <errno.h>
#include <ftw.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

#include "base/confine.h"
#include "base/file.h"

/* Owned by the user that the exporter becomes when it is started as root. */
static int make_exporter_state(const struct el_rundir *d)
{
    const struct passwd *pw = geteuid() == 0 ? getpwnam(EL_EXPORTER_USER) : NULL;
    char path[EL_PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/exporter", d->state);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -errno;
    return geteuid() == 0 && chown(path, pw ? pw->pw_uid : EL_NOBODY, pw ? pw->pw_gid : EL_NOBODY) < 0 ? -errno : 0;
}

static int make_private(struct el_rundir *d)
{
    const char *xdg = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
    const char *in = xdg && access(xdg, W_OK) == 0                 ? xdg
                     : geteuid() == 0 && access("/run", W_OK) == 0 ? "/run"
                     : tmp                                         ? tmp
                                                                   : "/tmp";

    if ((size_t)snprintf(d->base, sizeof d->base, "%s/elementd-run-XXXXXX", in) >= sizeof d->base)
        return -ENAMETOOLONG;
    if (!mkdtemp(d->base)) {
        int r = -errno;

        fprintf(stderr, "elementd run: %s: %s\n", d->base, strerror(-r));
        d->base[0] = '\0';
        return r;
    }
    d->is_private = true;
    snprintf(d->runtime_path, sizeof d->runtime_path, "%s/run", d->base);
    snprintf(d->state_path, sizeof d->state_path, "%s/state", d->base);
    /* The exporter may run as another user: it must reach the snapshot and its own state, and nothing else. */
    if (chmod(d->base, 0711) < 0 || mkdir(d->runtime_path, 0755) < 0 || chmod(d->runtime_path, 0755) < 0 ||
        mkdir(d->state_path, 0711) < 0 || chmod(d->state_path, 0711) < 0)
        return -errno;
    return 0;
}

/* Before the exporter starts: its sandbox is tied to the directory it finds then. */
static int make_dir(const char *path, mode_t mode)
{
    int r = el_file_make_dirs(path, mode);

    if (r < 0)
        fprintf(stderr, "elementd run: %s: %s\n", path, strerror(-r));
    return r;
}

static int make_dirs(const struct el_rundir *d)
{
    int r = make_dir(d->runtime, 0755);

    if (r == 0)
        r = make_dir(d->state, 0711); /* passed through on the way to the exporter's own, not read */
    if (r < 0)
        return r;
    r = make_exporter_state(d);
    if (r < 0)
        fprintf(stderr, "elementd run: %s/exporter: %s\n", d->state, strerror(-r));
    return r;
}

int el_rundir_make(struct el_rundir *d, bool play)
{
    int r = 0;

    if (!d->runtime || !d->state) {
        if (!play && geteuid() == 0) {
            d->runtime = d->runtime ? d->runtime : EL_RUNTIME_DIR;
            d->state = d->state ? d->state : EL_STATE_DIR;
        } else {
            r = make_private(d);
            d->runtime = d->runtime ? d->runtime : d->runtime_path;
            d->state = d->state ? d->state : d->state_path;
        }
    }
    if (r == 0)
        r = make_dirs(d);
    if (r < 0)
        el_rundir_remove(d);
    return r;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)(type == FTW_DP ? rmdir(path) : unlink(path)); /* what cannot be removed shows as the directory that stays */
    return 0;
}

void el_rundir_remove(struct el_rundir *d)
{
    if (!d->is_private)
        return;
    nftw(d->base, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (access(d->base, F_OK) == 0)
        fprintf(stderr, "elementd run: %s could not be removed\n", d->base);
}
