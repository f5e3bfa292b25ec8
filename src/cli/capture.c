/* elementd capture: records this machine so that `--root DIR` replays it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "control/poll.h"
#include "device/capture.h"
#include "device/device.h"
#include "device/recorded.h"

static const char help[] =
    "usage: elementd capture DIR [--json]\n"
    "Records this machine's drives, links and sensors into the new folder DIR, as `--root DIR` replays it: for a bug "
    "report, or\n"
    "to try settings elsewhere. Serials, NQNs and GUIDs are left out or replaced. The drives are asked once what the "
    "daemon\n"
    "asks them at its start; nothing is changed. Look through the folder before you pass it on.\n"
    "  --json  what was recorded, for programs\n";

/* The device being recorded, behind ops that pass everything through and keep each answer. */
struct tap {
    struct el_device device;
    struct el_inventory inv;
    const char *out;
    uint32_t answers, failed;
    int error;
};

static int tap_admin(void *dev, uint32_t key, struct el_admin *cmd)
{
    struct tap *t = dev;
    int r = t->device.ops->admin(t->device.dev, key, cmd);

    for (uint32_t i = 0; i < t->inv.n.slots; i++)
        if (t->inv.slots[i].key == key && t->inv.slots[i].controller[0] && t->error == 0)
            t->error = el_capture_answer(t->out, &t->inv, i, cmd, r);
    t->answers += r == 0;
    t->failed += r < 0;
    return r;
}

static const struct el_device_ops tap_ops = {.name = "tap", .admin = tap_admin};

static void record_drive(struct tap *t, uint32_t row)
{
    const struct el_slot *s = &t->inv.slots[row];
    EL_AUTO_FREE struct el_poll *p = calloc(1, sizeof *p);

    if (!p) {
        t->error = -ENOMEM;
        return;
    }
    p->dev = (struct el_device){.ops = &tap_ops, .dev = t};
    p->key = s->key;
    p->row = *s;
    p->request.identify = p->request.logs = true;
    for (uint32_t i = 0; i < t->inv.n.namespaces && p->request.namespaces < EL_POLL_NAMESPACES; i++)
        if (t->inv.namespaces[i].slot == row && t->inv.namespaces[i].nsid)
            p->request.nsid[p->request.namespaces++] = t->inv.namespaces[i].nsid;
    el_poll_run(p);
}

static int say_done(const struct tap *t, uint32_t drives, bool as_json)
{
    bool empty = t->failed && !t->answers;

    if (!as_json)
        printf("%s: %u drives, %u links, %u sensors, %u pages%s\n", t->out, drives, t->inv.n.links, t->inv.n.sensors,
               t->answers, t->failed ? "; some drives did not answer (their errors are recorded)" : "");
    else if (el_json_print(json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "folder", t->out, "drives", drives, "links",
                                     t->inv.n.links, "sensors", t->inv.n.sensors, "pages", t->answers, "unanswered",
                                     t->failed)) != EL_EXIT_OK)
        return EL_EXIT_BAD;
    return empty ? EL_EXIT_BAD : EL_EXIT_OK;
}

/* Sets or removes the mark of an unfinished folder, so that half a machine is not taken for a whole one. 0 or -errno.
 */
static int mark(const char *folder, bool unfinished)
{
    char path[EL_PATH_MAX];

    if (snprintf(path, sizeof path, "%s/" EL_RECORDED_UNFINISHED, folder) >= (int)sizeof path)
        return -ENAMETOOLONG;
    if (unfinished)
        return el_file_replace(AT_FDCWD, path, "", 0, 0644, false);
    return unlink(path) < 0 ? -errno : 0;
}

static int record(struct tap *t, bool as_json)
{
    struct el_sysfs fs = {.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    uint32_t drives = 0;
    int r = fs.root < 0 ? -errno : t->device.ops->discover(t->device.dev, &t->inv);

    if (r == 0)
        r = el_capture_tree(&fs, &t->inv, t->out);
    if (fs.root >= 0)
        close(fs.root);
    t->error = r;
    for (uint32_t i = 0; t->error == 0 && i < t->inv.n.slots; i++)
        if (t->inv.slots[i].controller[0]) {
            record_drive(t, i);
            drives++;
        }
    if (t->error == 0)
        t->error = mark(t->out, false);
    if (t->error < 0) {
        fprintf(stderr, "elementd capture: %s: %s\n", t->out, strerror(-t->error));
        return EL_EXIT_BAD;
    }
    return say_done(t, drives, as_json);
}

/* Only a new or an empty folder: two machines in one folder would be neither. */
static int make_folder(const char *path)
{
    struct dirent **entries;
    int n, r = el_file_make_dirs(path, 0755);

    if (r < 0)
        return r;
    n = scandir(path, &entries, NULL, NULL);
    if (n < 0)
        return -errno;
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    return n > 2 ? -ENOTEMPTY : mark(path, true);
}

int el_cmd_capture(int argc, char **argv)
{
    EL_AUTO_FREE struct el_settings *settings = malloc(sizeof *settings);
    struct tap t = {0};
    bool as_json = false;
    int r = el_flags_read(argc, argv, (struct el_flag[]){{"json", EL_FLAG_SWITCH, &as_json}, {0}}, help, true);

    if (r >= 0)
        return r;
    if (!argv[optind])
        return el_flags_usage(argv[0], "expected one folder");
    t.out = argv[optind];
    r = settings ? make_folder(t.out) : -ENOMEM;
    if (r == 0) {
        el_settings_default(settings);
        r = el_host_open(settings, &t.device);
    }
    if (r != 0) {
        fprintf(stderr, "elementd capture: %s: %s\n", t.out, strerror(-r));
        return EL_EXIT_BAD;
    }
    r = record(&t, as_json);
    el_inventory_free(&t.inv);
    t.device.ops->close(t.device.dev);
    return r;
}
