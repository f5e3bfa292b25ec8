#include "control/confine.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/nvme_ioctl.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/file.h"
#include "base/log.h"

#define PATHS_MAX 64

struct paths {
    char *path[PATHS_MAX + 1]; /* NULL-terminated */
    size_t n;
};

static void paths_free(struct paths *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->path[i]);
}

static void add(struct paths *p, const char *path)
{
    if (path && path[0] && p->n < PATHS_MAX && (p->path[p->n] = strdup(path)))
        p->n++;
}

/* A reading of the BMC may come from a directory that its timer makes only later: then what there is above it. */
static void drop_missing(char *dir)
{
    char *slash;

    while (access(dir, F_OK) < 0 && (slash = strrchr(dir, '/')) && slash != dir)
        *slash = '\0';
}

/* The directory, by name and by where links lead: files in it are replaced, not rewritten. */
static void add_directory_of(struct paths *p, const char *file)
{
    char path[PATH_MAX], real[PATH_MAX];
    const char *slash;

    if (!file || !file[0])
        return;
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? file : realpath(file, real);

        if (!name)
            return;
        slash = strrchr(name, '/');
        snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - name) + (slash == name) : 1, slash ? name : ".");
        drop_missing(path);
        add(p, path);
    }
}

static void choose_readable(struct paths *p, const struct el_govern_confine *o, const struct el_settings *s)
{
    static const char *const host[] = {"/sys", "/etc/sensors3.conf", "/etc/sensors.conf", "/etc/sensors.d"};

    add(p, "/proc/self");
    add(p, "/proc/sys/kernel/random"); /* which boot this is: without it no journal is believed */
    add(p, s->profiles_dir);
    add(p, o->machine);
    add_directory_of(p, o->config);
    for (size_t i = 0; o->real && i < EL_ARRAY_SIZE(host); i++)
        add(p, host[i]);
    for (uint32_t i = 0; i < s->sensors; i++)
        if (strncmp(s->sensor[i].source, "file:", 5) == 0)
            add_directory_of(p, s->sensor[i].source + 5);
}

/* I/O budgets, and each hwmon device that drives a fan. */
static void choose_writable(struct paths *p, const struct el_govern_confine *o, const struct el_settings *s)
{
    char real[PATH_MAX];
    glob_t found;

    add(p, s->state_dir);
    add(p, s->runtime_dir);
    if (!o->real)
        return;
    add(p, "/sys/fs/cgroup");
    /* Old drivers have their files a level deeper. */
    if (glob("/sys/class/hwmon/hwmon*/{,device/}pwm[0-9]*", GLOB_NOSORT | GLOB_BRACE, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        *strrchr(found.gl_pathv[i], '/') = '\0';
        if (realpath(found.gl_pathv[i], real) && (!p->n || strcmp(p->path[p->n - 1], real) != 0))
            add(p, real);
    }
    globfree(&found);
}

/* Root without CAP_DAC_OVERRIDE still owns root's files; others do not. */
static bool all_ours(const struct paths *p)
{
    struct stat st;

    for (size_t i = 0; i < p->n; i++)
        if (strncmp(p->path[i], "/proc", 5) != 0 && stat(p->path[i], &st) == 0 && st.st_uid != geteuid())
            return false;
    return true;
}

int el_govern_confine(const struct el_govern_confine *o, const struct el_settings *s)
{
    static const struct el_confine_call calls[] = {
        {SCMP_SYS(timerfd_create)},
        {SCMP_SYS(timerfd_settime)},
        {SCMP_SYS(flock)},
        {SCMP_SYS(mkdir), {0, S_ISUID | S_ISGID}},
        {SCMP_SYS(statfs)},
        {SCMP_SYS(fstatfs)},
        {SCMP_SYS(pwrite64)},
        {SCMP_SYS(dup)},
        {SCMP_SYS(fdatasync)},
        {SCMP_SYS(dup3)},
        /* the last two only on a real machine */
        {SCMP_SYS(ioctl), {0, UINT32_MAX}, {0, NVME_IOCTL_ADMIN_CMD}},
        {SCMP_SYS(ioctl), {0, UINT32_MAX}, {0, NVME_IOCTL_ADMIN64_CMD}},
    };
    struct paths read = {0}, write = {0};
    struct el_confine c = {.mode = o->mode,
                           .devices = o->real ? "/dev" : NULL,
                           .calls = calls,
                           .calls_n = EL_ARRAY_SIZE(calls) - (o->real ? 0 : 2)};
    int r;

    (void)el_file_make_dirs(s->state_dir, 0700); /* who needs them says what is wrong */
    (void)el_file_make_dirs(s->runtime_dir, 0755);
    choose_readable(&read, o, s);
    choose_writable(&write, o, s);
    c.read = (const char *const *)read.path;
    c.write = (const char *const *)write.path;
    c.capabilities = o->real ? 1ULL << CAP_SYS_ADMIN : 0;
    if (geteuid() != 0 || !all_ours(&read) || !all_ours(&write))
        c.capabilities |= 1ULL << CAP_DAC_OVERRIDE;
    r = el_confine(&c);
    paths_free(&read);
    paths_free(&write);
    return r;
}

int el_launcher_confine(enum el_sandbox_mode mode, bool real, const char *runtime_dir, const char *state_dir)
{
    /* To become the exporter's user, give up the rest, end it; a port below 1024; the daemon's own. */
    const uint64_t starting = 1ULL << CAP_SETUID | 1ULL << CAP_SETGID | 1ULL << CAP_SETPCAP | 1ULL << CAP_KILL |
                              1ULL << CAP_NET_BIND_SERVICE | 1ULL << CAP_DAC_OVERRIDE;
    const char *const all[] = {"/", NULL};
    const char *const write[] = {runtime_dir, state_dir, real ? "/sys/fs/cgroup" : NULL, "/sys/devices", NULL};

    return el_confine(&(struct el_confine){.mode = mode,
                                           .capabilities = starting | (real ? 1ULL << CAP_SYS_ADMIN : 0),
                                           .read = all,
                                           .write = write,
                                           .devices = real ? "/dev" : NULL,
                                           .launcher = true});
}
