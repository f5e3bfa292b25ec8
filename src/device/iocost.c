#include "device/iocost.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"
#include "device/price.h"

#define QOS_HOLD "enable=1 ctrl=user rpct=0 rlat=5000 wpct=0 wlat=5000 min=100 max=100"
#define QOS_SHOWN                                                                                                      \
    "enable=1 ctrl=user rpct=0.00 rlat=5000 wpct=0.00 wlat=5000 min=100.00 max=100.00" /* as Linux shows it */
#define QOS_FREE    "enable=1 ctrl=user rpct=0 rlat=5000 wpct=0 wlat=5000 min=10000 max=10000"
#define QOS_OFF     "enable=0 ctrl=auto"
#define MODEL_AUTO  "ctrl=auto"
#define SETTING_MAX 256   /* bytes of a line of either file: six numbers of 20 digits at most */
#define FREE_FACTOR 100.0 /* prices of a drive without a cap: far above what it can do */
#define DRAIN_US                                                                                                       \
    (100 * EL_USEC_PER_MSEC) /* longer than io.cost's period at 5 ms latency targets (measured: 20..50 ms) */

/* Whether io.cost can act on these disks. 0 or -errno; -ENODEV: nothing is left that a cap could sit on. */
static int check_disks(const struct el_disks *d)
{
    if (el_disks_multipath(d))
        return -EOPNOTSUPP;
    for (uint32_t i = 0; i < d->n; i++)
        if (!d->disk[i].number[0])
            return -ENXIO;
    return d->n ? 0 : -ENODEV;
}

/* Whether a qos line is one of ours: enabled with exactly our numbers. */
static bool is_ours(const char *line)
{
    uint64_t min, max, rlat, wlat, rpct, wpct;

    return strstr(line, "ctrl=user") && el_cgroup_value(line, "min", &min) && el_cgroup_value(line, "max", &max) &&
           el_cgroup_value(line, "rlat", &rlat) && el_cgroup_value(line, "wlat", &wlat) &&
           el_cgroup_value(line, "rpct", &rpct) && el_cgroup_value(line, "wpct", &wpct) && min == max &&
           (min == 100 || min == 10000) && rlat == 5000 && wlat == 5000 && rpct == 0 && wpct == 0;
}

enum owner { NOBODY, OURS, FOREIGN };

static enum owner owner_by(const char *line)
{
    uint64_t enabled;

    if (strcmp(line, QOS_SHOWN) == 0) /* told without taking it to pieces, round after round */
        return OURS;
    return !el_cgroup_value(line, "enable", &enabled) || !enabled ? NOBODY : is_ours(line) ? OURS : FOREIGN;
}

/* Whose settings are in force on a device. */
static enum owner owner_of(const struct el_cgroup *cg, const char *device)
{
    EL_AUTO_BUF struct el_buf line = {0};

    return el_cgroup_root_line(cg, EL_CGROUP_QOS, device, &line) < 0 ? NOBODY : owner_by(line.data);
}

static bool has_user_model(const struct el_cgroup *cg, const char *device, struct el_buf *line)
{
    return el_cgroup_root_line(cg, EL_CGROUP_MODEL, device, line) == 0 && strstr(line->data, "ctrl=user");
}

static const char *const saved_as[EL_CGROUP_FILES] = {[EL_CGROUP_QOS] = "qos", [EL_CGROUP_MODEL] = "model"};

static void save_line(const struct el_cgroup *cg, enum el_cgroup_file file, const char *device, struct el_buf *out)
{
    EL_AUTO_BUF struct el_buf line = {0};

    if (el_cgroup_root_line(cg, file, device, &line) < 0 || !strstr(line.data, "ctrl=user"))
        return;
    el_buf_printf(out, ";%s %s %s", device, saved_as[file], line.data);
}

/* Whether restore understands it. */
static bool is_saved(const char *text)
{
    const char *p = text + 3;
    size_t length;

    if (strncmp(text, "off", 3) != 0)
        return false;
    for (int qos, model; *p; p = strchrnul(p + 1, ';')) {
        qos = model = 0;
        sscanf(p, ";%*u:%*u qos enable=0 ctrl=user%n", &qos);
        sscanf(p, ";%*u:%*u model ctrl=user%n", &model);
        length = strcspn(p + 1, ";\n");
        if ((!qos && !model) || length >= SETTING_MAX || p[1 + length] == '\n')
            return false;
    }
    return true;
}

/* What stood there before us is always off: what a foreign owner enabled is refused, never touched. "off", and behind
 * it for each device the settings that someone had made without enabling them: ";259:0 model ctrl=user ...". */
int el_iocost_save(const struct el_cgroup *cg, const struct el_disks *d, char *text, size_t size)
{
    EL_AUTO_BUF struct el_buf saved = {0};
    int r = check_disks(d);

    el_buf_puts(&saved, "off");
    for (uint32_t i = 0; r == 0 && i < d->n; i++) {
        enum owner owner = owner_of(cg, d->disk[i].number);

        if (owner == FOREIGN)
            r = -EBUSY;
        if (owner != NOBODY)
            continue;
        save_line(cg, EL_CGROUP_QOS, d->disk[i].number, &saved);
        save_line(cg, EL_CGROUP_MODEL, d->disk[i].number, &saved);
    }
    if (r == 0)
        r = saved.failed ? -ENOMEM : saved.len >= size ? -E2BIG : is_saved(saved.data) ? 0 : -EINVAL;
    if (r == 0)
        memcpy(text, saved.data, saved.len + 1);
    return r;
}

static int explain(int r, char *why, size_t size, const char *text)
{
    el_text_copy(why, size, text);
    return r;
}

int el_iocost_usable(const struct el_cgroup *cg, const struct el_disks *d, char *why, size_t why_size)
{
    char original[EL_ORIGINAL_MAX];
    int r = el_cgroup_io_controller(cg);

    if (r == -ENOLCK)
        return explain(r, why, why_size,
                       "the io controller is off for the cgroups below the root; install the drop-ins with "
                       "IOAccounting=yes (see elementd doctor)");
    if (r < 0)
        return explain(r, why, why_size, "no cgroup v2 root with an io controller here");
    if (!el_sysfs_exists(cg->fs, EL_CGROUP_ROOT, "io.cost.qos"))
        return explain(-ENOTSUP, why, why_size,
                       "this kernel has no io.cost (CONFIG_BLK_CGROUP_IOCOST), or this is no root cgroup");
    r = check_disks(d);
    if (r == -EOPNOTSUPP)
        return explain(r, why, why_size,
                       "multipath: io.cost accepts settings there and applies none; io.max is used instead");
    if (r < 0)
        return explain(r, why, why_size, "no namespace with a block device");
    r = el_iocost_save(cg, d, original, sizeof original);
    return explain(
        r, why, why_size,
        r == 0         ? ""
        : r == -EBUSY  ? "io.cost is already set up by someone else (an iocost.conf, a container manager, an "
                         "administrator); it is left alone"
        : r == -EINVAL ? "io.cost settings of others, off now, that are not understood; io.max is used instead"
        : r == -E2BIG  ? "too many io.cost settings of others, off now, to be given back later; io.max is used instead"
                       : "out of memory");
}

static char *put_number(char *at, const char *name, const char *number)
{
    return stpcpy(stpcpy(at, name), number);
}

static int write_model(const struct el_cgroup *cg, const char *device, const struct el_cap *cap, double watts)
{
    struct el_price_model p = el_price_model(cap, watts);
    char text[256], number[EL_NUM_MAX], *end; /* room for six numbers of 20 digits */

    el_num_u128(number, p.rbps);
    end = put_number(text, "ctrl=user model=linear rbps=", number);
    el_num_u128(number, p.riops);
    end = put_number(put_number(end, " rseqiops=", number), " rrandiops=", number);
    el_num_u128(number, p.wbps);
    end = put_number(end, " wbps=", number);
    el_num_u128(number, p.wiops);
    put_number(put_number(end, " wseqiops=", number), " wrandiops=", number);
    return el_cgroup_root_write(cg, EL_CGROUP_MODEL, device, text);
}

static uint64_t disks_hash(const struct el_disks *d)
{
    uint64_t h = EL_HASH_START;

    for (uint32_t i = 0; i < d->n; i++)
        h = el_hash_text(h, d->disk[i].number);
    return h;
}

/* Prices first, then the switch: never enabled with prices of another. `held`: it is known to be ours and on. */
static int set_device(struct el_cgroup *cg, const char *device, const struct el_cap *cap, double watts, bool held)
{
    EL_AUTO_BUF struct el_buf line = {0};
    int r = 0;

    if (!held && el_cgroup_surveyed_line(cg, EL_CGROUP_QOS, device, &line) == 0) {
        r = owner_by(line.data) == FOREIGN ? -EBUSY : 0;
        held = strcmp(line.data, QOS_SHOWN) == 0;
    }
    if (r == 0)
        r = write_model(cg, device, cap, watts);
    return r < 0 || held ? r : el_cgroup_root_write(cg, EL_CGROUP_QOS, device, QOS_HOLD);
}

int el_iocost_write(struct el_cgroup *cg, const struct el_disks *d, struct el_iocost_memory *m,
                    const struct el_cap *cap)
{
    double watts = el_price_budget_w(cap);
    int r = isnan(watts) ? -EINVAL : check_disks(d);
    bool held;

    if (r < 0)
        return r;
    if (cap->ratio >= 1)
        watts *= FREE_FACTOR;
    held = m->held == disks_hash(d) && el_clock_boottime_us() - m->held_us < EL_CGROUP_RECENT_US;
    for (uint32_t i = 0; r == 0 && i < d->n; i++)
        r = set_device(cg, d->disk[i].number, cap, watts / d->n, held);
    if (r == 0) {
        m->cap = *cap;
        m->full_w = cap->budget_w / cap->ratio;
    }
    return r;
}

/* Watts that a model line stands for, by the prices it was made with. */
static double watts_of(const char *line, const struct el_cap *prices)
{
    uint64_t rbps, riops;

    if (prices->read_j_per_byte > 0 && el_cgroup_value(line, "rbps", &rbps))
        return (double)rbps * prices->read_j_per_byte;
    if (el_cgroup_value(line, "rrandiops", &riops))
        return (double)riops * prices->read_j_per_op;
    return NAN;
}

int el_iocost_read(struct el_cgroup *cg, const struct el_disks *d, struct el_iocost_memory *m, struct el_cap *out)
{
    int64_t seen_us = el_cgroup_surveyed_us(cg);
    uint32_t held = 0;
    double watts = 0;
    int r = check_disks(d);

    m->held_us = 0;
    if (r < 0)
        return r;
    *out = m->cap;
    out->ratio = 1;
    out->budget_w = m->full_w;
    if (el_cgroup_surveyed_controller(cg) < 0)
        return 0; /* whatever the files say, nothing is in force */
    for (uint32_t i = 0; i < d->n; i++) {
        EL_AUTO_BUF struct el_buf qos = {0}, model = {0};

        if (el_cgroup_surveyed_line(cg, EL_CGROUP_QOS, d->disk[i].number, &qos) < 0 || owner_by(qos.data) != OURS ||
            el_cgroup_surveyed_line(cg, EL_CGROUP_MODEL, d->disk[i].number, &model) < 0 ||
            !strstr(model.data, "ctrl=user"))
            return 0;
        watts += watts_of(model.data, &m->cap);
        held += strcmp(qos.data, QOS_SHOWN) == 0;
    }
    if (held == d->n) {
        m->held_us = seen_us;
        m->held = disks_hash(d);
    }
    if (m->full_w > 0 && isfinite(watts) && watts < m->full_w) {
        out->budget_w = watts;
        out->ratio = watts / m->full_w;
    } else if (m->full_w == 0) {
        out->ratio = out->budget_w = NAN; /* set by an earlier run: on, but what its prices mean is not known */
    }
    return 0;
}

/* What was saved for a device in a file, else what is there without anybody's settings. */
static void saved_line(const char *text, enum el_cgroup_file file, const char *device, const char *otherwise,
                       char out[SETTING_MAX])
{
    char key[64];
    const char *at;

    snprintf(key, sizeof key, ";%s %s ", device, saved_as[file]);
    at = strstr(text, key);
    at = at ? at + strlen(key) : otherwise;
    snprintf(out, SETTING_MAX, "%.*s", (int)(strchrnul(at, ';') - at), at);
}

static int release(const struct el_cgroup *cg, const char *device, const char *qos, const char *model)
{
    /* Prices of a drive that does 100 GB/s and 100 million operations. */
    const char *wide =
        "ctrl=user model=linear rbps=100000000000 rseqiops=100000000 rrandiops=100000000 wbps=100000000000 "
        "wseqiops=100000000 wrandiops=100000000";
    int r = el_cgroup_root_write(cg, EL_CGROUP_MODEL, device, wide);

    if (r == 0)
        r = el_cgroup_root_write(cg, EL_CGROUP_QOS, device, QOS_FREE);
    if (r == 0)
        el_clock_sleep_until_us(el_clock_boottime_us() + DRAIN_US, NULL);
    if (r == 0)
        r = el_cgroup_root_write(cg, EL_CGROUP_QOS, device, qos);
    return r == 0 ? el_cgroup_root_write(cg, EL_CGROUP_MODEL, device, model) : r;
}

int el_iocost_restore(const struct el_cgroup *cg, const struct el_disks *d, const char *text)
{
    int r = is_saved(text) ? check_disks(d) : -EINVAL;

    for (uint32_t i = 0; r == 0 && i < d->n; i++) {
        EL_AUTO_BUF struct el_buf line = {0};
        const char *device = d->disk[i].number;
        enum owner owner = owner_of(cg, device);
        char qos[SETTING_MAX], model[SETTING_MAX];

        saved_line(text, EL_CGROUP_QOS, device, QOS_OFF, qos);
        saved_line(text, EL_CGROUP_MODEL, device, MODEL_AUTO, model);
        if (owner == OURS)
            r = release(cg, device, qos, model);
        else if (owner == NOBODY && has_user_model(cg, device, &line)) /* ended between prices and switch */
            r = el_cgroup_root_write(cg, EL_CGROUP_MODEL, device, model);
    }
    return r;
}
