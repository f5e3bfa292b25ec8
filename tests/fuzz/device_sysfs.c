#include <string.h>

#include "device/device.h"
#include "fuzz.h"
#include "model/device.h"
#include "tree.h"

/* All that is ever asked of a machine's text tree. */
static void look(struct el_device *d)
{
    static const struct el_admin asked[] = {
        {.kind = EL_ADMIN_IDENTIFY, .id = 1},
        {.kind = EL_ADMIN_IDENTIFY, .id = 0, .nsid = 1},
        {.kind = EL_ADMIN_GET_LOG, .id = EL_NVME_LID_SMART, .nsid = EL_NVME_NSID_ALL},
        {.kind = EL_ADMIN_GET_FEATURE, .id = 4, .value = 1}};
    struct el_inventory inv = {0};
    uint8_t page[4096];
    struct el_slot_io io;

    if (d->ops->discover(d->dev, &inv) == 0) {
        d->ops->read_links(d->dev, inv.links, inv.n.links);
        d->ops->read_sensors(d->dev, inv.sensors, inv.n.sensors);
    }
    for (uint32_t i = 0; i < inv.n.slots; i++) {
        for (size_t k = 0; k < EL_ARRAY_SIZE(asked); k++) {
            struct el_admin cmd = asked[k];

            cmd.data = page;
            cmd.size = sizeof page;
            d->ops->admin(d->dev, inv.slots[i].key, &cmd);
        }
        d->ops->read_io(d->dev, inv.slots[i].key, &io);
    }
    el_inventory_free(&inv);
}

/* The machines of tests/fixtures: at each [expect], what is there is read; then it changes under the reader. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *at = (const char *)data, *end = at + n;
    struct el_device device = {0};
    bool expected = false;
    char why[256];

    tree_clear();
    for (const char *next; at < end; at = next) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end : end) - at);

        next = line_end ? line_end + 1 : end;
        if (length && at[0] == '[') {
            expected = length > 1 && at[1] == 'e';
            if (expected && (device.ops || el_recorded_open(TREE_ROOT, &device, why, sizeof why) == 0))
                look(&device);
        } else if (!expected && length && at[0] != '#') {
            tree_apply(at, length);
        }
    }
    if (device.ops)
        device.ops->close(device.dev);
    return 0;
}
