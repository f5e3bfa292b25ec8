/* Machines described in tests/fixtures/machines/NAME.txt, built as folders, read through the recorded backend and
 * compared with the text that stands beside them. `EL_UPDATE_GOLDEN=1` rewrites the expectations. The format:
 *
 *   # comment
 *   [tree]                what to make or change, in order
 *   path = text           a file (\n is a newline; one is added at the end unless the text is empty)
 *   path -> target        a symlink
 *   path -                removed, with all below
 *   [expect]              what is seen then, see `describe`
 *
 * and again [tree] and [expect] for what changes under a running daemon. */
#include <dirent.h>
#include <inttypes.h>

#include "base/file.h"
#include "device/capture.h"
#include "device/device.h"
#include "support/scratch.h"

#define MACHINES EL_SOURCE_DIR "/tests/fixtures/machines"

static bool scrubbed; /* serials are told as a capture would */

static void run(const char *fmt, ...) EL_PRINTF(1, 2);
static void run(const char *fmt, ...)
{
    char command[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    assert_int_equal(system(command), 0);
}

static void make_parent(const char *path)
{
    char dir[512];

    snprintf(dir, sizeof dir, "%s/%s", scratch, path);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(el_file_make_dirs(dir, 0755), 0);
}

static void put_file(const char *path, const char *text)
{
    char full[512];
    FILE *f;

    make_parent(path);
    snprintf(full, sizeof full, "%s/%s", scratch, path);
    f = fopen(full, "w");
    assert_non_null(f);
    for (const char *p = text; *p; p++) {
        bool newline = p[0] == '\\' && p[1] == 'n';

        fputc(newline ? '\n' : *p, f);
        p += newline;
    }
    if (*text)
        fputc('\n', f);
    fclose(f);
}

static void apply(char *line)
{
    char full[512], *sep;

    if ((sep = strstr(line, " -> "))) {
        *sep = '\0';
        make_parent(line);
        snprintf(full, sizeof full, "%s/%s", scratch, line);
        unlink(full);
        assert_int_equal(symlink(sep + 4, full), 0);
    } else if ((sep = strstr(line, " ="))) {
        *sep = '\0';
        put_file(line, sep[2] == ' ' ? sep + 3 : "");
    } else if ((sep = strstr(line, " -"))) {
        *sep = '\0';
        run("rm -rf '%s/%s'", scratch, line);
    } else {
        fail_msg("cannot read: %s", line);
    }
}

/* ---- what is seen, one line a row, nothing that is not there ---- */

static void word(struct el_buf *b, const char *key, const char *value)
{
    if (value[0])
        el_buf_printf(b, " %s=%s", key, value);
}

static void number(struct el_buf *b, const char *key, int64_t value, int64_t none)
{
    if (value != none)
        el_buf_printf(b, " %s=%" PRId64, key, value);
}

static void describe_slot(struct el_buf *b, const struct el_inventory *inv, uint32_t row)
{
    const struct el_slot *s = &inv->slots[row];
    char serial[21];

    el_buf_printf(b, "slot %u.%u %s", s->card, s->number, el_slot_state_name(s->state));
    word(b, "controller", s->controller);
    word(b, "address", scrubbed && strcmp(s->transport, "fc") == 0 ? "" : s->address);
    word(b, "transport", s->transport);
    word(b, "kernel", s->ctrl_state);
    word(b, "driver", s->driver);
    word(b, "label", s->label);
    if (scrubbed && s->identify.serial[0])
        el_capture_serial(inv, row, serial);
    word(b, "serial", scrubbed && s->identify.serial[0] ? serial : s->identify.serial);
    word(b, "array", s->array);
    number(b, "level", s->array_level, 0);
    number(b, "numa", s->numa_node, -1);
    word(b, "because", s->reason);
    el_buf_putc(b, '\n');
    for (uint32_t i = 0; i < inv->n.namespaces; i++) {
        const struct el_namespace *ns = &inv->namespaces[i];

        if (ns->slot != row)
            continue;
        el_buf_printf(b, "  namespace %s", ns->block);
        number(b, "nsid", ns->nsid, 0);
        number(b, "bytes", (int64_t)ns->size_bytes, 0);
        number(b, "lba", ns->lba_bytes, 0);
        el_buf_putc(b, '\n');
    }
}

static void describe_io(struct el_buf *b, const struct el_device *d, const struct el_slot *s)
{
    struct el_slot_io io = {0};
    uint8_t page[EL_NVME_SMART_SIZE];
    struct el_admin cmd = {
        .kind = EL_ADMIN_GET_LOG, .id = EL_NVME_LID_SMART, .nsid = EL_NVME_NSID_ALL, .data = page, .size = sizeof page};
    int r;

    if (!s->key)
        return;
    if (d->ops->read_io(d->dev, s->key, &io) == 0)
        el_buf_printf(b, "  io read=%" PRIu64 "/%" PRIu64 " write=%" PRIu64 "/%" PRIu64 "\n", io.read_bytes,
                      io.read_ops, io.write_bytes, io.write_ops);
    r = d->ops->admin(d->dev, s->key, &cmd);
    if (r == 0)
        el_buf_printf(b, "  smart kelvin=%u\n", page[1] | page[2] << 8);
    else if (r < 0)
        el_buf_printf(b, "  smart %s\n", strerrorname_np(-r));
    else if (r != 0x109)
        el_buf_printf(b, "  smart status=%x\n", (unsigned)r);
}

static void describe_link(struct el_buf *b, const struct el_link *l)
{
    static const char *const severity[] = {"correctable", "nonfatal", "fatal"};

    el_buf_printf(b, "link %u %s %s", l->card, el_link_role_name(l->role), l->address);
    word(b, "under", l->parent);
    number(b, "slot", l->slot, -1);
    word(b, "label", l->physical_slot);
    word(b, "power", l->power_state);
    number(b, "mts", l->current_mts, 0);
    number(b, "lanes", l->current_width, 0);
    number(b, "max", l->max_mts, 0);
    number(b, "maxlanes", l->max_width, 0);
    number(b, "expected", l->expected_mts, 0);
    number(b, "path", (int64_t)l->path_bottleneck_bytes_per_s, 0);
    number(b, "slotmw", l->slot_power_limit_mw, 0);
    el_buf_printf(b, "%s%s%s\n", l->up ? " up" : "", l->known ? "" : " unknown", l->degraded ? " DEGRADED" : "");
    for (int a = 0; a < EL_AER_COUNT; a++) {
        if (!l->aer[a].valid)
            continue;
        el_buf_printf(b, "  aer %s", severity[a]);
        if (l->aer[a].valid)
            el_buf_printf(b, " total=%" PRIu64, l->aer[a].total);
        for (uint32_t i = 0; i < l->aer_errors; i++)
            if (l->aer_error[i].severity == (uint32_t)a)
                el_buf_printf(b, " %s=%" PRIu64, l->aer_error[i].name, l->aer_error[i].count);
        el_buf_putc(b, '\n');
    }
}

static void describe_sensor(struct el_buf *b, const struct el_sensor *s)
{
    el_buf_printf(b, "sensor %s %s \"%s\" %s", s->name, el_sensor_kind_name(s->kind), s->label,
                  el_quality_name(s->value.quality));
    if (s->value.quality == EL_GOOD)
        el_buf_printf(b, " %" PRId64, s->value.value);
    number(b, "min", s->limit_min, INT64_MIN);
    number(b, "max", s->limit_max, INT64_MAX);
    el_buf_printf(b, "%s%s\n", s->alarm ? " alarm" : "", s->fault ? " fault" : "");
}

static void describe(struct el_buf *b, const struct el_device *d, struct el_inventory *inv)
{
    assert_int_equal(d->ops->read_links(d->dev, inv->links, inv->n.links), 0);
    assert_int_equal(d->ops->read_sensors(d->dev, inv->sensors, inv->n.sensors), 0);
    for (uint32_t c = 0; c < inv->n.cards; c++) {
        el_buf_printf(b, "card %u %s", c, inv->cards[c].title);
        word(b, "address", inv->cards[c].address);
        el_buf_putc(b, '\n');
        for (uint32_t i = 0; i < inv->cards[c].slots; i++) {
            describe_slot(b, inv, inv->cards[c].first_slot + i);
            describe_io(b, d, &inv->slots[inv->cards[c].first_slot + i]);
        }
        for (uint32_t i = 0; i < inv->cards[c].links; i++)
            describe_link(b, &inv->links[inv->cards[c].first_link + i]);
    }
    for (uint32_t i = 0; i < inv->n.sensors; i++)
        describe_sensor(b, &inv->sensors[i]);
    if (!b->len)
        el_buf_puts(b, "nothing\n");
}

/* ---- one machine ---- */

struct machine {
    struct el_device device;
    struct el_inventory inv;
    struct el_buf seen, expected, golden;
    bool open, reading_expectation;
    const char *name;
};

/* A folder as somebody sees it who opens it now, without serials. */
static void look(const char *folder, struct el_buf *seen, struct el_inventory *inv)
{
    struct el_device d;
    char why[256];

    assert_int_equal(el_recorded_open(folder, &d, why, sizeof why), 0);
    assert_int_equal(d.ops->discover(d.dev, inv), 0);
    scrubbed = true;
    describe(seen, &d, inv);
    scrubbed = false;
    d.ops->close(d.dev);
}

/* What is seen of a capture of the machine is what is seen of the machine. */
static void check_capture(const struct machine *m)
{
    EL_AUTO_BUF struct el_buf machine = {0}, capture = {0};
    EL_AUTO_CLOSE int fd = open(scratch, O_RDONLY | O_DIRECTORY);
    const struct el_sysfs fs = {.root = fd, .recorded = true};
    struct el_inventory inv = {0};
    char out[80];

    if (el_sysfs_exists(&fs, "nvme", "") && !el_sysfs_exists(&fs, "sys/class/nvme", "")) /* pages only: no machine */
        return;
    snprintf(out, sizeof out, "%s/capture", scratch);
    run("mkdir -p %s/proc; cp -r %s/nvme %s 2>&-; cp %s/proc/diskstats %s/proc 2>&-; true", out, scratch, out, scratch, out);
    look(scratch, &machine, &inv);
    assert_int_equal(el_capture_tree(&fs, &inv, out), 0);
    run("! find %s | grep -q /28-0", out); /* serials of 1-Wire devices are their names */
    el_inventory_free(&inv);
    look(out, &capture, &inv);
    el_inventory_free(&inv);
    if (strcmp(machine.data, capture.data) != 0)
        fail_msg("%s: the machine\n%s\nreplayed\n%s", m->name, machine.data, capture.data);
    run("rm -rf %s", out);
}

/* An [expect] section ended: compare. */
static void check(struct machine *m)
{
    char why[256];

    if (!m->reading_expectation)
        return;
    el_buf_clear(&m->seen);
    if (!m->open) {
        if (el_recorded_open(scratch, &m->device, why, sizeof why) < 0)
            fail_msg("%s", why);
        m->open = true;
    }
    if (m->device.ops->changed(m->device.dev) || !m->inv.cards)
        assert_int_equal(m->device.ops->discover(m->device.dev, &m->inv), 0);
    describe(&m->seen, &m->device, &m->inv);
    el_buf_printf(&m->golden, "[expect]\n%s", m->seen.data);
    if (!getenv("EL_UPDATE_GOLDEN") && strcmp(m->seen.data, m->expected.data ? m->expected.data : "") != 0)
        fail_msg("%s: expected\n%s\nsaw\n%s", m->name, m->expected.data ? m->expected.data : "", m->seen.data);
    check_capture(m);
    el_buf_clear(&m->expected);
}

static void play(struct machine *m, char *text)
{
    char *save = text, *line;

    while ((line = strsep(&save, "\n"))) {
        if (strcmp(line, "[tree]") == 0) {
            check(m);
            m->reading_expectation = false;
        }
        if (strcmp(line, "[expect]") == 0) {
            m->reading_expectation = true;
        } else if (m->reading_expectation && line[0]) {
            el_buf_printf(&m->expected, "%s\n", line);
        } else if (!m->reading_expectation && (line[0] || save)) {
            el_buf_printf(&m->golden, "%s\n", line);
            if (line[0] && line[0] != '#' && line[0] != '[')
                apply(line);
        }
    }
    check(m);
}

static void run_machine(void **state)
{
    struct machine m = {.name = *state};
    struct el_buf text = {0};
    char path[512];

    snprintf(path, sizeof path, MACHINES "/%s", m.name);
    assert_int_equal(el_file_read(AT_FDCWD, path, 1 << 20, &text), 0);
    play(&m, text.data);
    if (getenv("EL_UPDATE_GOLDEN"))
        assert_int_equal(el_file_replace(AT_FDCWD, path, m.golden.data, m.golden.len, 0644, false), 0);
    m.device.ops->close(m.device.dev);
    el_inventory_free(&m.inv);
    el_buf_free(&m.seen);
    el_buf_free(&m.expected);
    el_buf_free(&m.golden);
    el_buf_free(&text);
}

static int is_machine(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 4 && strcmp(e->d_name + n - 4, ".txt") == 0;
}

int main(void)
{
    struct dirent **list;
    int n = scandir(MACHINES, &list, is_machine, alphasort), failed;
    struct CMUnitTest *tests = calloc(n > 0 ? (size_t)n : 1, sizeof *tests);

    for (int i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = list[i]->d_name,
                                       .test_func = run_machine,
                                       .setup_func = scratch_set_up,
                                       .teardown_func = scratch_tear_down,
                                       .initial_state = list[i]->d_name};
    failed = n > 0 ? _cmocka_run_group_tests("machines", tests, (size_t)n, NULL, NULL) : 1;
    for (int i = 0; i < n; i++)
        free(list[i]);
    free(list);
    free(tests);
    return failed;
}
