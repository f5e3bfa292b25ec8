#include "control/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "base/clock.h"
#include "base/log.h"
#include "control/card_setup.h"
#include "control/journal.h"
#include "model/fill.h"

#define UNLIMITED_BELOW_C 60.0 /* where a drive says no warning threshold: assumed safe for any M.2 drive */

/* 1 a daemon holds the state directory, 0 none. The lock is kept (in `*fd`) while we work. */
static int lock(const char *dir, int *fd)
{
    char path[EL_PATH_MAX + 8];

    snprintf(path, sizeof path, "%s/lock", dir);
    *fd = open(path, O_RDWR | O_CLOEXEC);
    return *fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static int admin(const struct el_device *dev, uint32_t key, enum el_admin_kind kind, uint8_t id, void *page,
                 uint32_t size)
{
    struct el_admin cmd = {
        .kind = kind, .id = id, .nsid = kind == EL_ADMIN_GET_LOG ? EL_NVME_NSID_ALL : 0, .data = page, .size = size};

    return dev->ops->admin(dev->dev, key, &cmd);
}

/* The drive with this serial: fills `slot` with its Identify. 0, -ENODEV (it is not in this machine), or -EAGAIN (there
 * is a drive that does not say who it is). */
static int find_drive(const struct el_device *dev, const struct el_inventory *inv, const char *serial,
                      struct el_slot *slot)
{
    uint8_t page[EL_NVME_IDENTIFY_SIZE];
    int r = -ENODEV;

    for (uint32_t i = 0; i < inv->n.slots; i++) {
        if (!inv->slots[i].controller[0] && inv->slots[i].state != EL_SLOT_UP)
            continue;
        *slot = inv->slots[i];
        memset(page, 0, sizeof page);
        if (admin(dev, slot->key, EL_ADMIN_IDENTIFY, 1, page, sizeof page) != 0 ||
            el_fill_page(slot, EL_READ_IDENTIFY, page, EL_NVME_IDENTIFY_SIZE, 1) < 0)
            r = -EAGAIN;
        else if (strcmp(slot->identify.serial, serial) == 0)
            return 0;
    }
    return r;
}

static bool is_hot(const struct el_device *dev, const struct el_settings *s, struct el_slot *slot)
{
    struct el_card card = {.name = "", .slots = 1};
    struct el_card_settings cs;
    uint8_t page[EL_NVME_SMART_SIZE] = {0};
    double limit;

    if (admin(dev, slot->key, EL_ADMIN_GET_LOG, EL_NVME_LID_SMART, page, sizeof page) != 0 ||
        el_fill_page(slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 1) < 0 || slot->temp_mc[0].quality != EL_GOOD)
        return true;
    el_card_settings_of(s, &card, slot, &cs);
    limit = el_card_slot_limit(&cs, slot, NULL);
    return el_reading_kilo(&slot->temp_mc[0]) > (limit == limit ? limit - s->poll.hot_within_c : UNLIMITED_BELOW_C);
}

/* 0 restored, 1 held, -errno. */
static int restore_one(const struct el_device *dev, const struct el_settings *s, const struct el_inventory *inv,
                       const struct el_journal_entry *e, bool force)
{
    struct el_slot slot;
    int r;

    if (e->actuator == EL_ACTUATOR_FAN) {
        for (uint32_t i = 0; i < inv->n.sensors; i++)
            if (strcmp(inv->sensors[i].name, e->serial) == 0)
                return dev->ops->actuator_restore(dev->dev, e->actuator, inv->sensors[i].key, e->original);
        return -ENODEV;
    }
    r = find_drive(dev, inv, e->serial, &slot);
    if (r < 0)
        return r == -EAGAIN ? 1 : r;
    if (!force && is_hot(dev, s, &slot))
        return 1;
    return dev->ops->actuator_restore(dev->dev, e->actuator, slot.key, e->original);
}

static void restore_all(const struct el_device *dev, const struct el_settings *s, const struct el_inventory *inv,
                        struct el_journal *j, bool force, struct el_restore_result *out)
{
    for (size_t i = 0; i < el_journal_count(j);) {
        struct el_journal_entry e = *el_journal_at(j, i);
        int r = restore_one(dev, s, inv, &e, force);
        bool absent = r == -ENODEV;

        if (r == 1) {
            el_log_warning("%s (serial %s): %s stays as it is: the drive is hot or cannot be read", e.place, e.serial,
                           el_actuator_name(e.actuator));
            out->held++;
        } else if (r < 0 && !absent) {
            el_log_error("%s (serial %s): restoring %s failed: %s", e.place, e.serial, el_actuator_name(e.actuator),
                         strerror(-r));
            out->failed++;
        } else if ((r = el_journal_remove(j, e.actuator, e.serial)) < 0) {
            el_log_error("%s: restored, but the journal cannot be written: %s", e.place, strerror(-r));
            out->failed++;
        } else {
            el_log_info(absent ? "%s (serial %s) is not in this machine: %s went with it"
                               : "%s (serial %s): %s is back",
                        e.place, e.serial, el_actuator_name(e.actuator));
            out->restored++;
            continue; /* the next entry moved to this place */
        }
        i++;
    }
}

int el_restore(const struct el_device *dev, const struct el_settings *settings, bool force,
               struct el_restore_result *out)
{
    struct el_inventory inv = {0};
    struct el_journal *j = NULL;
    int fd = -1, r = lock(settings->state_dir, &fd) ? -EBUSY : el_journal_open(settings->state_dir, &j);

    *out = (struct el_restore_result){0};
    if (r == 0 && el_journal_count(j)) {
        r = dev->ops->actuator_restore ? dev->ops->discover(dev->dev, &inv) : -ENOTSUP;
        if (r == 0)
            restore_all(dev, settings, &inv, j, force, out);
        el_inventory_free(&inv);
    }
    el_journal_free(j);
    if (fd >= 0)
        close(fd);
    return r;
}
