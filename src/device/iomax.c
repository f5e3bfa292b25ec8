#include "device/iomax.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "device/cgroup.h"
#include "device/price.h"

#define MAX_FILE "io.max"

/* The n-th block device that people submit to, NULL when it has none or stands for one before it (paths of one head).
 */
static const char *head_number(const struct el_disks *d, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(d->disk[k].head_number, d->disk[i].head_number) == 0)
            return NULL;
    return d->disk[i].head_number[0] ? d->disk[i].head_number : NULL;
}

static uint32_t heads(const struct el_disks *d)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->n; i++)
        n += head_number(d, i) != NULL;
    return n;
}

/* Top-level cgroups with the io controller. */
static int find_groups(const struct el_sysfs *fs, struct el_names *out)
{
    size_t kept = 0;
    int r = el_sysfs_list(fs, EL_CGROUP_ROOT, out);

    for (size_t i = 0; r == 0 && i < out->n; i++) {
        char dir[EL_SYSFS_PATH];

        if (el_sysfs_join(dir, EL_CGROUP_ROOT, out->name[i]) && el_sysfs_exists(fs, dir, MAX_FILE))
            memmove(out->name[kept++], out->name[i], sizeof *out->name);
    }
    out->n = kept;
    return r;
}

/* Calls `visit` for each device in each top-level cgroup until one fails. */
typedef int visit_fn(const struct el_sysfs *fs, const char *dir, const char *device, void *ctx);

static int each(const struct el_cgroup *cg, const struct el_disks *d, visit_fn *visit, void *ctx)
{
    EL_AUTO_NAMES struct el_names groups = {0};
    int r = heads(d) ? find_groups(cg->fs, &groups) : -ENODEV;

    for (size_t g = 0; r == 0 && g < groups.n; g++)
        for (uint32_t i = 0; r == 0 && i < d->n; i++) {
            char dir[EL_SYSFS_PATH];

            el_sysfs_join(dir, EL_CGROUP_ROOT, groups.name[g]);
            if (head_number(d, i))
                r = visit(cg->fs, dir, head_number(d, i), ctx);
        }
    return r;
}

static int refuse_limit(const struct el_sysfs *fs, const char *dir, const char *device, void *ctx)
{
    EL_AUTO_BUF struct el_buf line = {0};

    return el_cgroup_line(fs, dir, MAX_FILE, device, &line) == 0 ? -EBUSY : 0;
}

static int free_limit(const struct el_sysfs *fs, const char *dir, const char *device, void *ctx)
{
    EL_AUTO_BUF struct el_buf line = {0};
    int r;

    if (el_cgroup_line(fs, dir, MAX_FILE, device, &line) < 0)
        return 0;
    r = el_cgroup_write(fs, dir, MAX_FILE, device, "rbps=max wbps=max riops=max wiops=max");
    return r == -ENOENT || r == -ENODEV ? 0 : r; /* the cgroup has just ended: so did its limit */
}

int el_iomax_usable(const struct el_cgroup *cg, const struct el_disks *d, const struct el_iomax_memory *m, char *why,
                    size_t why_size)
{
    const char *text = "";
    int r = el_cgroup_io_controller(cg);

    if (r < 0) {
        text =
            r == -ENOLCK
                ? "the io controller is off for the cgroups below the root; install the drop-ins with IOAccounting=yes "
                  "(see elementd doctor)"
                : "no cgroup v2 root with an io controller here";
    } else if ((r = heads(d) ? 0 : -ENODEV) < 0) {
        text = "no namespace with a block device";
    } else if (!m->full_w && (r = each(cg, d, refuse_limit, NULL)) == -EBUSY) {
        text = "io.max limits for this drive are set by someone else; they are left alone";
    }
    el_text_copy(why, why_size, text);
    return r;
}

int el_iomax_save(const struct el_cgroup *cg, const struct el_disks *d, const struct el_iomax_memory *m, char *text,
                  size_t size)
{
    int r = m->full_w ? 0 : each(cg, d, refuse_limit, NULL);

    if (r == 0)
        el_text_copy(text, size, "off"); /* limits of others are refused: there were none */
    return r;
}

int el_iomax_restore(const struct el_cgroup *cg, const struct el_disks *d, const char *text)
{
    return strcmp(text, "off") == 0 ? each(cg, d, free_limit, NULL) : -EINVAL;
}

/* ---- writing ---- */

static void read_io(const struct el_sysfs *fs, const char *dir, const char *device, struct el_slot_io *io)
{
    EL_AUTO_BUF struct el_buf line = {0};
    uint64_t v;

    if (el_cgroup_line(fs, dir, "io.stat", device, &line) < 0)
        return;
    io->read_bytes += el_cgroup_value(line.data, "rbytes", &v) ? v : 0;
    io->write_bytes += el_cgroup_value(line.data, "wbytes", &v) ? v : 0;
    io->read_ops += el_cgroup_value(line.data, "rios", &v) ? v : 0;
    io->write_ops += el_cgroup_value(line.data, "wios", &v) ? v : 0;
}

static const struct el_slot_io *remembered(const struct el_iomax_memory *m, const char *name)
{
    static const struct el_slot_io none;

    for (uint32_t i = 0; i < m->groups; i++)
        if (strcmp(m->group[i].name, name) == 0)
            return &m->group[i].io;
    return &none;
}

static struct el_slot_io since(const struct el_slot_io *now, const struct el_slot_io *then)
{
    if (now->read_bytes < then->read_bytes || now->write_bytes < then->write_bytes || now->read_ops < then->read_ops ||
        now->write_ops < then->write_ops)
        return *now; /* another cgroup under the same name */
    return (struct el_slot_io){
        .read_bytes = now->read_bytes - then->read_bytes,
        .write_bytes = now->write_bytes - then->write_bytes,
        .read_ops = now->read_ops - then->read_ops,
        .write_ops = now->write_ops - then->write_ops,
    };
}

static double joules(const struct el_cap *cap, const struct el_slot_io *io)
{
    return (double)io->read_bytes * cap->read_j_per_byte + (double)io->write_bytes * cap->write_j_per_byte +
           (double)io->read_ops * cap->read_j_per_op + (double)io->write_ops * cap->write_j_per_op;
}

static int set_limit(const struct el_sysfs *fs, const char *dir, const char *device, const struct el_price_max *p)
{
    char text[160];
    int r;

    snprintf(text, sizeof text, "rbps=%" PRIu64 " wbps=%" PRIu64 " riops=%" PRIu64 " wiops=%" PRIu64, p->rbps, p->wbps,
             p->riops, p->wiops);
    r = el_cgroup_write(fs, dir, MAX_FILE, device, text);
    return r == -ENOENT || r == -ENODEV ? 0 : r;
}

/* What each cgroup did since the last write, and what it has done in all. */
struct usage {
    char dir[EL_SYSFS_PATH];
    struct el_slot_io all, lately;
};

static uint32_t measure(const struct el_sysfs *fs, const struct el_disks *d, const struct el_names *groups,
                        const struct el_iomax_memory *m, struct usage *usage)
{
    uint32_t n = (uint32_t)EL_MIN(groups->n, EL_IOMAX_GROUPS);

    for (uint32_t g = 0; g < n; g++) {
        el_sysfs_join(usage[g].dir, EL_CGROUP_ROOT, groups->name[g]);
        usage[g].all = (struct el_slot_io){0};
        for (uint32_t i = 0; i < d->n; i++)
            if (head_number(d, i))
                read_io(fs, usage[g].dir, head_number(d, i), &usage[g].all);
        usage[g].lately = since(&usage[g].all, remembered(m, groups->name[g]));
    }
    return n;
}

static int write_limits(const struct el_sysfs *fs, const struct el_disks *d, struct el_iomax_memory *m,
                        const struct el_cap *cap, const struct el_names *groups, struct usage *usage, double watts)
{
    double demand[EL_IOMAX_GROUPS] = {0}, share[EL_IOMAX_GROUPS];
    uint32_t n = measure(fs, d, groups, m, usage);
    int r = 0;

    for (uint32_t g = 0; g < n; g++)
        demand[g] = joules(cap, &usage[g].lately);
    el_price_split(demand, n, share);
    for (uint32_t g = 0; r == 0 && g < n; g++)
        for (uint32_t i = 0; r == 0 && i < d->n; i++) {
            struct el_price_max p = el_price_max(cap, watts * share[g] / heads(d), &usage[g].lately);

            if (head_number(d, i))
                r = set_limit(fs, usage[g].dir, head_number(d, i), &p);
        }
    m->groups = n;
    for (uint32_t g = 0; g < n; g++) {
        el_text_copy(m->group[g].name, sizeof m->group[g].name, groups->name[g]);
        m->group[g].io = usage[g].all;
    }
    return r;
}

int el_iomax_write(const struct el_cgroup *cg, const struct el_disks *d, struct el_iomax_memory *m,
                   const struct el_cap *cap)
{
    EL_AUTO_NAMES struct el_names groups = {0};
    EL_AUTO_FREE struct usage *usage = calloc(EL_IOMAX_GROUPS, sizeof *usage);
    double watts = el_price_budget_w(cap);
    int r = isnan(watts) ? -EINVAL : usage ? 0 : -ENOMEM;

    if (r == 0 && !heads(d))
        r = -ENODEV;
    if (r == 0 && !m->full_w)
        r = each(cg, d, refuse_limit, NULL);
    if (r == 0 && cap->ratio < 1)
        r = find_groups(cg->fs, &groups);
    if (r == 0)
        r = cap->ratio < 1 ? write_limits(cg->fs, d, m, cap, &groups, usage, watts) : each(cg, d, free_limit, NULL);
    if (r == 0) {
        m->cap = *cap;
        m->full_w = cap->budget_w / cap->ratio;
    }
    return r;
}

static int require_limit(const struct el_sysfs *fs, const char *dir, const char *device, void *ctx)
{
    EL_AUTO_BUF struct el_buf line = {0};

    return el_cgroup_line(fs, dir, MAX_FILE, device, &line) < 0 ? -ENODATA : 0;
}

int el_iomax_read(const struct el_cgroup *cg, const struct el_disks *d, const struct el_iomax_memory *m,
                  struct el_cap *out)
{
    struct el_cap free_cap = m->cap;

    free_cap.ratio = 1;
    free_cap.budget_w = m->full_w;
    *out = m->full_w && el_cgroup_io_controller(cg) == 0 && each(cg, d, require_limit, NULL) == 0 ? m->cap : free_cap;
    return 0;
}
