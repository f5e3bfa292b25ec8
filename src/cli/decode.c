/* elementd decode: what one drive with these raw pages would export. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "cli/cli.h"
#include "exporter/view.h"
#include "model/fill.h"

static const char help[] =
    "usage: elementd decode [--identify FILE] [--smart FILE] [other pages] [--prometheus | --json]\n"
    "Prints what one drive with these raw NVMe pages would export; by default as readable text.\n"
    "  --identify FILE        Identify Controller, 4096 bytes\n"
    "  --smart FILE           SMART / Health Information, log 02h, 512 bytes\n"
    "  --namespace FILE       Identify Namespace, 4096 bytes\n"
    "  --log-error FILE       Error Information, log 01h, entries of 64 bytes\n"
    "  --log-firmware FILE    Firmware Slot Information, log 03h, 512 bytes\n"
    "  --log-self-test FILE   Device Self-test, log 06h, 564 bytes\n"
    "  --log-endurance FILE   Endurance Group Information, log 09h, 512 bytes\n"
    "  --log-sanitize FILE    Sanitize Status, log 81h, 512 bytes\n"
    "  --log-ocp FILE         OCP SMART / Health Information Extended, log C0h, 512 bytes\n"
    "  --security FILE        TCG Level 0 Discovery, security protocol 01h, 2048 bytes\n"
    "  --prometheus           as the metrics page shows it\n"
    "  --json                 as the JSON shows it, and what was not believed\n"
    "A page can be taken with: nvme get-log /dev/nvme0 -i 2 -l 512 -b >smart.bin\n";

enum { NAMESPACE = EL_READ_COUNT, PAGES }; /* one more than a drive's own pages */

#define ERROR_LOG_MAX (256u * 64u)
#define GROUPS                                                                                                         \
    (1ull << EL_GROUP_drive | 1ull << EL_GROUP_smart | 1ull << EL_GROUP_limits | 1ull << EL_GROUP_capacity |           \
     1ull << EL_GROUP_thresholds | 1ull << EL_GROUP_power_states | 1ull << EL_GROUP_logs | 1ull << EL_GROUP_security | \
     1ull << EL_GROUP_ocp | 1ull << EL_GROUP_detail)

/* The file's bytes, when there are as many as the page has. Says what is wrong. */
static int read_page(unsigned which, const char *path, struct el_buf *out)
{
    size_t size = which == NAMESPACE          ? EL_NVME_IDENTIFY_SIZE
                  : which == EL_READ_SECURITY ? EL_NVME_SECURITY_SIZE
                                              : el_fill_size(which);
    int r = el_file_read(AT_FDCWD, path, size ? size : ERROR_LOG_MAX, out);

    if (r == -EFBIG || (r == 0 && size && out->len != size)) {
        fprintf(stderr, "elementd decode: %s: %s %zu bytes, expected %zu\n", path, r ? "more than" : "got",
                r ? size : out->len, size);
        return -EINVAL;
    }
    if (r == 0 && !size && (!out->len || out->len % 64)) {
        fprintf(stderr, "elementd decode: %s: got %zu bytes, expected entries of 64\n", path, out->len);
        return -EINVAL;
    }
    if (r < 0)
        fprintf(stderr, "elementd decode: %s: %s\n", path, strerror(-r));
    return r;
}

static const char *why_not(int error)
{
    return error == -ENODATA           ? "all-zero page: the read failed, this is no reading"
           : error == -ENODEV          ? "all-ones page: the device is gone"
           : error == -EPROTONOSUPPORT ? "not an OCP page: its GUID is another one"
           : error == -EBADMSG         ? "not a discovery page: shorter than its header"
                                       : "makes no sense";
}

/* A snapshot of one card with one slot that holds this drive. */
static struct el_snapshot *one_drive(bool has_namespace)
{
    const struct el_snapshot_counts counts = {.cards = 1, .slots = 1, .namespaces = has_namespace};
    struct el_snapshot *s = el_snapshot_new(&counts);
    struct el_slot *slot;

    if (!s)
        return NULL;
    slot = el_snapshot_slots(s);
    snprintf(s->daemon.version, sizeof s->daemon.version, "%s", EL_VERSION);
    snprintf(s->daemon.backend, sizeof s->daemon.backend, "pages");
    snprintf(el_snapshot_cards(s)->name, sizeof el_snapshot_cards(s)->name, "drive");
    el_snapshot_cards(s)->slots = 1;
    s->time_us = 1;
    slot->state = EL_SLOT_UP;
    slot->numa_node = -1;
    slot->logs.endurance.group = 1;
    slot->wear_days_remaining = slot->wear_days_low = slot->wear_days_high = slot->write_rate_1d =
        slot->write_rate_30d = NAN;
    if (has_namespace)
        el_snapshot_namespaces(s)->nsid = 1;
    return s;
}

/* Exit code. Identity goes first, for what a SMART page means depends on it. */
static int load(struct el_snapshot *s, const char *const path[PAGES])
{
    struct el_slot *slot = el_snapshot_slots(s);

    for (unsigned k = 0; k < PAGES; k++) {
        EL_AUTO_BUF struct el_buf bytes = {0};
        unsigned i = k == 0 ? EL_READ_IDENTIFY : k == EL_READ_IDENTIFY ? 0 : k;
        int r;

        if (!path[i])
            continue;
        if (read_page(i, path[i], &bytes) < 0)
            return EL_EXIT_BAD;
        r = i == NAMESPACE ? el_fill_namespace(el_snapshot_namespaces(s), (const uint8_t *)bytes.data)
                           : el_fill_page(slot, i, (const uint8_t *)bytes.data, bytes.len, s->time_us);
        if (r == 0)
            continue;
        fprintf(stderr, "elementd decode: %s: %s\n", path[i], why_not(r));
        if (i == EL_READ_IDENTIFY || i == EL_READ_SMART) {
            slot->state = r == -ENODEV ? EL_SLOT_GONE : EL_SLOT_FAILED;
            snprintf(slot->reason, sizeof slot->reason, "%s", why_not(r));
        }
    }
    return EL_EXIT_OK;
}

static void text_value(struct el_catalog_context *c, const struct el_metric *m, uint32_t row, uint32_t sub)
{
    struct el_value v = el_metric_value(c, m, row, sub);
    struct el_labels l = {0};
    char name[128], number[EL_NUM_MAX];
    int n;

    if (v.kind == EL_VALUE_ABSENT)
        return;
    n = snprintf(name, sizeof name, "%s", m->name + strlen("element_"));
    for (int which = 0; which < 2 && m->sub[which]; which++)
        n += snprintf(name + n, sizeof name - (size_t)n, " %s", el_metric_sub_value(c, m, row, sub, which));
    if (m->type != EL_METRIC_INFO) {
        el_value_text(number, v);
        printf("  %-56s %s\n", name, number);
        return;
    }
    el_info_labels(c, m, row, sub, &l);
    for (uint32_t i = 0; i < l.n; i++)
        if (l.label[i].value[0])
            printf("  %s %-*s %s\n", name, (int)(55 - EL_MIN(n, 50)), l.label[i].name, l.label[i].value);
}

static void print_rejected(const struct el_slot *slot)
{
    for (int i = 0; i < EL_SLOT_SENSORS; i++)
        if (slot->temp_mc[i].quality == EL_IMPLAUSIBLE)
            printf("  %s %d: %d K can not be true: not exported\n", i ? "temperature sensor" : "composite temperature",
                   i, i ? slot->smart.sensor_k[i - 1] : slot->smart.temperature_k);
}

static void print_text(const struct el_snapshot *s)
{
    struct el_catalog_context c = {.s = s};
    const struct el_slot *slot = el_snapshot_slots(s);

    printf("drive: %s%s%s\n", el_slot_state_name(slot->state), slot->reason[0] ? ": " : "", slot->reason);
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT; i++) {
        const struct el_metric *m = el_metric(i);

        if ((m->scope != EL_SCOPE_SLOT && m->scope != EL_SCOPE_NAMESPACE) || !(GROUPS & 1ull << m->group))
            continue;
        for (uint32_t row = 0; row < el_scope_rows(&c, m->scope); row++)
            for (uint32_t sub = 0; sub < el_metric_subs(m); sub++)
                text_value(&c, m, row, sub);
    }
    print_rejected(slot);
}

static void put_rejected(const struct el_slot *slot, struct el_buf *b)
{
    bool comma = false;

    el_buf_puts(b, "{\"rejected_kelvin\":{");
    for (int i = 0; i < EL_SLOT_SENSORS; i++) {
        if (slot->temp_mc[i].quality != EL_IMPLAUSIBLE)
            continue;
        el_buf_printf(b, "%s\"%s\":%u", comma ? "," : "",
                      el_metric(EL_METRIC_DRIVE_TEMPERATURE)->sub[0]->value((uint32_t)i),
                      i ? slot->smart.sensor_k[i - 1] : slot->smart.temperature_k);
        comma = true;
    }
    el_buf_puts(b, "},\"drive\":");
}

static int print(const struct el_snapshot *s, int form)
{
    const struct el_view_options o = {.groups = GROUPS};
    EL_AUTO_BUF struct el_buf b = {0};
    int r = 0;

    if (form == 'j') {
        put_rejected(el_snapshot_slots(s), &b);
        r = el_view_slot_json(s, 0, &o, &b);
        el_buf_puts(&b, "}\n");
    } else if (form == 'p') {
        r = el_view_metrics(s, EL_VIEW_PROMETHEUS, &o, &b);
    } else {
        print_text(s);
    }
    return r < 0 ? el_cli_no_memory() : el_cli_print(&b);
}

int el_cmd_decode(int argc, char **argv)
{
    const char *path[PAGES] = {0};
    bool prometheus = false, json = false, any = false;
    const struct el_flag flags[] = {
        {"identify", EL_FLAG_TEXT, &path[EL_READ_IDENTIFY]},
        {"smart", EL_FLAG_TEXT, &path[EL_READ_SMART]},
        {"namespace", EL_FLAG_TEXT, &path[NAMESPACE]},
        {"log-error", EL_FLAG_TEXT, &path[EL_READ_ERROR_LOG]},
        {"log-firmware", EL_FLAG_TEXT, &path[EL_READ_FIRMWARE]},
        {"log-self-test", EL_FLAG_TEXT, &path[EL_READ_SELF_TEST]},
        {"log-endurance", EL_FLAG_TEXT, &path[EL_READ_ENDURANCE]},
        {"log-sanitize", EL_FLAG_TEXT, &path[EL_READ_SANITIZE]},
        {"log-ocp", EL_FLAG_TEXT, &path[EL_READ_OCP]},
        {"security", EL_FLAG_TEXT, &path[EL_READ_SECURITY]},
        {"prometheus", EL_FLAG_SWITCH, &prometheus},
        {"json", EL_FLAG_SWITCH, &json},
        {0},
    };
    struct el_snapshot *s;
    int r = el_flags_read(argc, argv, flags, help, false);

    if (r >= 0)
        return r;
    if (prometheus && json)
        return el_flags_usage(argv[0], "--prometheus and --json exclude each other");
    for (int i = 0; i < PAGES; i++)
        any |= path[i] != NULL;
    if (!any)
        return el_flags_usage(argv[0], "expected at least one page, each after its flag");
    s = one_drive(path[NAMESPACE]);
    if (!s)
        return el_cli_no_memory();
    r = load(s, path);
    if (r == EL_EXIT_OK)
        r = print(s, json ? 'j' : prometheus ? 'p' : 0);
    el_snapshot_free(s);
    return r;
}
