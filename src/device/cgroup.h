/* The cgroup v2 tree, as far as I/O control needs it. Thread-safe. */
#pragma once

#include <pthread.h>

#include "base/buf.h"
#include "base/clock.h"
#include "device/sysfs.h"

#define EL_CGROUP_ROOT "sys/fs/cgroup"
#define EL_CGROUP_RECENT_US                                                                                            \
    (50 * EL_USEC_PER_MSEC) /* a survey is believed for this long: the readings of most rounds */

/* Files of the root cgroup that every round reads and writes. */
enum el_cgroup_file { EL_CGROUP_SUBTREE, EL_CGROUP_QOS, EL_CGROUP_MODEL, EL_CGROUP_FILES };

struct el_cgroup {
    const struct el_sysfs *fs;
    int fd[EL_CGROUP_FILES]; /* kept open; -1: opened each time */
    pthread_mutex_t lock;    /* of the survey */
    int64_t survey_us;       /* when it was begun, BOOTTIME; 0 = none */
    struct el_buf survey[EL_CGROUP_FILES];
};

void el_cgroup_open(struct el_cgroup *c, const struct el_sysfs *fs); /* `fs` is kept */
void el_cgroup_close(struct el_cgroup *c);

/* Whether the io controller is on for the children of the root. Without it the kernel accepts caps and applies none. 0;
 * -ENOENT: no cgroup v2 root here; -ENOTSUP: the kernel has no io controller; -ENOLCK: it is there, but switched off.
 */
int el_cgroup_io_controller(const struct el_cgroup *c);

/* The line of `device` in a file with one line per device, without the device number. 0, -ENODATA when there is none.
 */
int el_cgroup_line(const struct el_sysfs *fs, const char *dir, const char *file, const char *device,
                   struct el_buf *out);
int el_cgroup_root_line(const struct el_cgroup *c, enum el_cgroup_file file, const char *device, struct el_buf *out);

/* The same as a survey showed it that was begun a moment ago; where there is none the file is read. A survey reads all
 * of them; not `anew`: unless the last one is so young. */
int64_t el_cgroup_surveyed_us(struct el_cgroup *c); /* BOOTTIME of what is told now: nothing of it is older */
int el_cgroup_surveyed_controller(struct el_cgroup *c);
int el_cgroup_surveyed_line(struct el_cgroup *c, enum el_cgroup_file file, const char *device, struct el_buf *out);
void el_cgroup_survey(struct el_cgroup *c, bool anew);

/* Value of `key=` in such a line as a number ("max" is UINT64_MAX; fractions are cut). False when it is not there. */
bool el_cgroup_value(const char *line, const char *key, uint64_t *out);

/* Writes "DEVICE TEXT" to a file: one write(2), which can block for long while the device does not answer. 0 or
 * -errno. */
int el_cgroup_write(const struct el_sysfs *fs, const char *dir, const char *file, const char *device, const char *text);
int el_cgroup_root_write(const struct el_cgroup *c, enum el_cgroup_file file, const char *device, const char *text);
