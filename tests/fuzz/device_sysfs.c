#include <string.h>
#include <sys/stat.h>

#include "device/device.h"
#include "fuzz.h"
#include "model/device.h"

/* A recorded machine with one drive, one board chip and one port. Each line of the input is the text of one attribute.
 */
static const char *const attributes[] = {
    "sys/class/nvme/nvme0/address",
    "sys/class/nvme/nvme0/state",
    "sys/class/nvme/nvme0/transport",
    "sys/class/nvme/nvme0/cntlid",
    "sys/bus/pci/devices/0000:05:00.0/class",
    "sys/bus/pci/devices/0000:05:00.0/vendor",
    "sys/bus/pci/devices/0000:05:00.0/current_link_speed",
    "sys/bus/pci/devices/0000:05:00.0/max_link_speed",
    "sys/bus/pci/devices/0000:05:00.0/current_link_width",
    "sys/bus/pci/devices/0000:05:00.0/max_link_width",
    "sys/bus/pci/devices/0000:05:00.0/aer_dev_correctable",
    "sys/bus/pci/devices/0000:05:00.0/numa_node",
    "sys/class/hwmon/hwmon0/name",
    "sys/class/hwmon/hwmon0/temp1_input",
    "sys/class/hwmon/hwmon0/temp1_label",
    "sys/class/hwmon/hwmon0/temp1_max",
    "sys/class/hwmon/hwmon0/fan1_input",
    "sys/class/hwmon/hwmon0/pwm1",
    "sys/class/hwmon/hwmon0/temp1_fault",
    "sys/class/hwmon/hwmon0/power1_average",
    "proc/diskstats",
};
#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

static void make_dirs(char *path)
{
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
}

static const char *machine(const uint8_t *data, size_t n)
{
    static char root[64], path[256];

    if (!root[0]) {
        snprintf(root, sizeof root, "%s/fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(root))
            abort();
    }
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        const uint8_t *end = memchr(data, '\n', n);
        size_t line = end ? (size_t)(end - data) : n;
        FILE *f;

        snprintf(path, sizeof path, "%s/%s", root, attributes[i]);
        make_dirs(path);
        f = fopen(path, "w");
        if (!f || fwrite(data, 1, line, f) != line)
            abort();
        fclose(f);
        data += end ? line + 1 : line;
        n -= end ? line + 1 : line;
    }
    return root;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_inventory inv = {0};
    struct el_device device;
    char why[256];

    if (el_recorded_open(machine(data, n), &device, why, sizeof why) < 0)
        return 0;
    if (device.ops->discover(device.dev, &inv) == 0) {
        device.ops->read_links(device.dev, inv.links, inv.n.links);
        device.ops->read_sensors(device.dev, inv.sensors, inv.n.sensors);
    }
    el_inventory_free(&inv);
    device.ops->close(device.dev);
    return 0;
}
