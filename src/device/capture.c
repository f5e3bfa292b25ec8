#include "device/capture.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "device/namespaces.h"
#include "device/pcie.h"

#define ATTR_MAX 65536

struct capture {
    const struct el_sysfs *fs;
    const char *out;
    int error; /* first failure to write; nothing is written after it */
};

/* ---- writing ---- */

static void put(struct capture *c, const char *path, const void *bytes, size_t n)
{
    char full[EL_SYSFS_PATH * 2], *slash;

    if (c->error)
        return;
    snprintf(full, sizeof full, "%s/%s", c->out, path);
    slash = strrchr(full, '/');
    *slash = '\0';
    c->error = el_file_make_dirs(full, 0755);
    *slash = '/';
    if (!c->error)
        c->error = el_file_replace(AT_FDCWD, full, bytes, n, 0644, false);
}

static void put_error(struct capture *c, const char *path, int r)
{
    char text[40];
    const char *name = strerrorname_np(-r);

    put(c, path, text, (size_t)snprintf(text, sizeof text, "!%s\n", name ? name : "EIO"));
}

/* A symlink from `path` to the folder `real`, both below the root, relative as the kernel makes them; the folder exists
 * then. */
static void put_link(struct capture *c, const char *path, const char *real)
{
    char full[EL_SYSFS_PATH * 2], target[EL_SYSFS_PATH * 2] = "", *slash;

    if (c->error)
        return;
    for (const char *p = path; (p = strchr(p, '/')); p++)
        strcat(target, "../");
    strncat(target, real, EL_SYSFS_PATH);
    snprintf(full, sizeof full, "%s/%s", c->out, path);
    slash = strrchr(full, '/');
    *slash = '\0';
    c->error = el_file_make_dirs(full, 0755);
    *slash = '/';
    if (!c->error) {
        char folder[EL_SYSFS_PATH * 2];

        snprintf(folder, sizeof folder, "%s/%s", c->out, real);
        c->error = el_file_make_dirs(folder, 0755);
    }
    if (!c->error && symlink(target, full) < 0 && errno != EEXIST)
        c->error = -errno;
}

static void copy(struct capture *c, const char *dir, const char *name)
{
    EL_AUTO_BUF struct el_buf b = {0};
    char path[EL_SYSFS_PATH];
    int r = el_sysfs_join(path, dir, name) ? el_sysfs_bytes(c->fs, dir, name, ATTR_MAX, &b) : -ENOENT;

    if (r == 0)
        put(c, path, b.data ? b.data : "", b.len);
    else if (r != -ENOENT && r != -EISDIR)
        put_error(c, path, r);
}

static void copy_all(struct capture *c, const char *dir, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        copy(c, dir, names[i]);
}

/* The name a symlink ends in, as a file with that text: its target need not be there. */
static void copy_link_name(struct capture *c, const char *dir, const char *name)
{
    char path[EL_SYSFS_PATH], text[80];

    if (el_sysfs_join(path, dir, name) && el_sysfs_link_name(c->fs, dir, name, text, sizeof text) == 0)
        put(c, path, text, strlen(text));
}

/* Entry `name` of a class: the symlink, and its real directory for the caller to fill. False when it is gone. */
static bool enter(struct capture *c, const char *class, const char *name, char real[EL_SYSFS_PATH])
{
    char path[EL_SYSFS_PATH];

    if (!el_sysfs_join(path, class, name) || el_sysfs_real(c->fs, path, real) < 0)
        return false;
    if (strcmp(path, real) != 0)
        put_link(c, path, real);
    return true;
}

/* ---- what to record ---- */

/* Only the first 256 bytes of the configuration space: behind them stands the device's serial number. */
static void copy_config(struct capture *c, const char *dir)
{
    char path[EL_SYSFS_PATH];
    uint8_t bytes[256];
    int n = el_sysfs_head(c->fs, dir, "config", bytes, sizeof bytes);

    if (n > 0 && el_sysfs_join(path, dir, "config"))
        put(c, path, bytes, (size_t)n);
}

/* The symlinks of the directory `real` whose names begin so: physfn, virtfn0, virtfn1, ... */
static void copy_links(struct capture *c, const char *real, const char *prefix)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char path[EL_SYSFS_PATH], target[EL_SYSFS_PATH];

    if (el_sysfs_list(c->fs, real, &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++)
        if (strncmp(names.name[i], prefix, strlen(prefix)) == 0 && el_sysfs_join(path, real, names.name[i]) &&
            el_sysfs_real(c->fs, path, target) == 0)
            put_link(c, path, target);
}

static void pci_function(struct capture *c, const char *address, bool ours)
{
    static const char *const all[] = {
        "vendor",
        "device",
        "subsystem_vendor",
        "subsystem_device",
        "current_link_speed",
        "current_link_width",
        "max_link_speed",
        "max_link_width",
        "power_state",
        "numa_node",
        "secondary_bus_number",
        "subordinate_bus_number",
        "aer_dev_correctable",
        "aer_dev_nonfatal",
        "aer_dev_fatal",
        "power/runtime_status",
    };
    char real[EL_SYSFS_PATH];

    if (!el_pcie_is_address(address) || !enter(c, EL_PCI_DEVICES, address, real))
        return;
    copy(c, real, "class");
    copy_link_name(c, real, "driver");
    copy_links(c, real, "physfn");
    if (ours) {
        copy_links(c, real, "virtfn");
        copy_all(c, real, all, EL_ARRAY_SIZE(all));
        copy_config(c, real);
    }
}

static void pci(struct capture *c, const struct el_inventory *inv)
{
    EL_AUTO_NAMES struct el_names names = {0};

    if (el_sysfs_list(c->fs, EL_PCI_DEVICES, &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++) {
        bool ours = false;

        for (uint32_t l = 0; l < inv->n.links; l++)
            ours |= strcmp(inv->links[l].address, names.name[i]) == 0;
        pci_function(c, names.name[i], ours);
    }
}

static void pci_slots(struct capture *c)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char real[EL_SYSFS_PATH];

    if (el_sysfs_list(c->fs, "sys/bus/pci/slots", &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++)
        if (enter(c, "sys/bus/pci/slots", names.name[i], real))
            copy(c, real, "address");
}

static const char *const disk_files[] = {"size", "nsid", "dev", "stat", "queue/logical_block_size"};

/* Where a fabric's target is, without the host's own end; world wide names of Fibre Channel become zeros. */
static void fabric_address(struct capture *c, const char *real, const char *address)
{
    char path[EL_SYSFS_PATH], text[sizeof((struct el_slot *)0)->address];

    el_text_copy(text, sizeof text, address);
    for (char *p = text; (p = strstr(p, "0x"));)
        for (p += 2; isxdigit((unsigned char)*p); p++)
            *p = '0';
    if (text[0] && el_sysfs_join(path, real, "address"))
        put(c, path, text, strlen(text));
}

static void controller(struct capture *c, const char *name, const struct el_slot *s, const char *serial)
{
    static const char *const files[] = {"transport", "state", "model", "firmware_rev", "cntlid", "numa_node"};
    EL_AUTO_NAMES struct el_names disks = {0};
    char real[EL_SYSFS_PATH], path[EL_SYSFS_PATH];

    if (!enter(c, EL_CLASS_NVME, name, real))
        return;
    copy_all(c, real, files, EL_ARRAY_SIZE(files));
    if (strcmp(s->transport, "pcie") == 0)
        copy(c, real, "address");
    else
        fabric_address(c, real, s->address);
    if (s->identify.serial[0] && el_sysfs_join(path, real, "serial"))
        put(c, path, serial, strlen(serial));
    copy_links(c, real, "device");
    if (el_namespaces_disks(c->fs, name, &disks) < 0)
        return;
    for (size_t i = 0; i < disks.n; i++)
        if (el_sysfs_join(path, real, disks.name[i]))
            copy_all(c, path, disk_files, EL_ARRAY_SIZE(disk_files));
}

/* A drive's controller and those of its virtual functions. */
static void drive(struct capture *c, const struct el_inventory *inv, uint32_t row)
{
    EL_AUTO_NAMES struct el_names names = {0};
    const struct el_slot *s = &inv->slots[row];
    char serial[21];

    el_capture_serial(inv, row, serial);
    if (s->controller[0] && el_namespaces_controllers(c->fs, s->controller, &names) < 0)
        c->error = -ENOMEM;
    for (size_t i = 0; i < names.n; i++)
        controller(c, names.name[i], s, serial);
}

static void subsystems(struct capture *c)
{
    EL_AUTO_NAMES struct el_names names = {0};

    if (el_sysfs_list(c->fs, "sys/class/nvme-subsystem", &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++) {
        EL_AUTO_NAMES struct el_names members = {0};
        char real[EL_SYSFS_PATH], path[EL_SYSFS_PATH], target[EL_SYSFS_PATH], head[32];

        if (!enter(c, "sys/class/nvme-subsystem", names.name[i], real) || el_sysfs_list(c->fs, real, &members) < 0)
            continue;
        for (size_t k = 0; k < members.n; k++) {
            if (strncmp(members.name[k], "nvme", 4) != 0 || !el_sysfs_join(path, real, members.name[k]))
                continue;
            if (el_namespaces_head(members.name[k], head, sizeof head))
                copy_all(c, path, disk_files, EL_ARRAY_SIZE(disk_files));
            else if (el_sysfs_real(c->fs, path, target) == 0)
                put_link(c, path, target);
        }
    }
}

static void holders(struct capture *c, const char *dir)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char path[EL_SYSFS_PATH], file[EL_SYSFS_PATH];

    if (!el_sysfs_join(path, dir, "holders") || el_sysfs_list(c->fs, path, &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++)
        if (el_sysfs_join(file, path, names.name[i]))
            put(c, file, "", 0);
}

/* Its level, and the place of each member. */
static void array(struct capture *c, const char *real)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char md[EL_SYSFS_PATH], member[EL_SYSFS_PATH];

    if (!el_sysfs_join(md, real, "md") || el_sysfs_list(c->fs, md, &names) < 0)
        return;
    copy(c, md, "level");
    for (size_t i = 0; i < names.n; i++)
        if (strncmp(names.name[i], "dev-", 4) == 0 && el_sysfs_join(member, md, names.name[i]))
            copy(c, member, "slot");
}

static void blocks(struct capture *c)
{
    EL_AUTO_NAMES struct el_names names = {0};

    if (el_sysfs_list(c->fs, "sys/class/block", &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.name[i];
        char real[EL_SYSFS_PATH];

        if ((strncmp(name, "nvme", 4) != 0 && strncmp(name, "md", 2) != 0 && strncmp(name, "dm-", 3) != 0) ||
            !enter(c, "sys/class/block", name, real))
            continue;
        copy_all(c, real, disk_files, EL_ARRAY_SIZE(disk_files));
        array(c, real);
        holders(c, real);
    }
}

/* "temp1_input", "pwm2": values and limits, nothing else a driver may show. */
static bool is_sensor_file(const char *name)
{
    static const char *const kinds[] = {"temp", "fan", "in", "curr", "power", "humidity", "pwm"};
    size_t letters = strcspn(name, "0123456789");

    for (size_t k = 0; k < EL_ARRAY_SIZE(kinds); k++)
        if (strlen(kinds[k]) == letters && strncmp(name, kinds[k], letters) == 0)
            return name[letters] != '\0';
    return false;
}

/* Files of NVMe chips are left alone: each read of one is an admin command. */
static void hwmon_files(struct capture *c, const char *dir)
{
    EL_AUTO_NAMES struct el_names names = {0};
    char name[64] = "";

    copy(c, dir, "name");
    el_sysfs_line(c->fs, dir, "name", name, sizeof name);
    if (strcmp(name, "nvme") == 0 || el_sysfs_list(c->fs, dir, &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++)
        if (is_sensor_file(names.name[i]))
            copy(c, dir, names.name[i]);
}

static void hwmon(struct capture *c)
{
    EL_AUTO_NAMES struct el_names names = {0};

    if (el_sysfs_list(c->fs, "sys/class/hwmon", &names) < 0)
        return;
    for (size_t i = 0; i < names.n; i++) {
        char real[EL_SYSFS_PATH], path[EL_SYSFS_PATH], device[EL_SYSFS_PATH], bus[16];

        if (el_sysfs_join(path, "sys/class/hwmon", names.name[i]) &&
            el_sysfs_link_name(c->fs, path, "device/subsystem", bus, sizeof bus) == 0 && strcmp(bus, "w1") == 0) {
            hwmon_files(c, path); /* not its device, whose name is its serial */
            continue;
        }
        if (!enter(c, "sys/class/hwmon", names.name[i], real))
            continue;
        hwmon_files(c, real);
        if (!el_sysfs_join(path, real, "device") || el_sysfs_real(c->fs, path, device) < 0)
            continue;
        put_link(c, path, device);
        hwmon_files(c, device); /* old drivers keep them there; makes the directory too */
        copy(c, device, "power/runtime_status");
        copy_link_name(c, device, "subsystem");
    }
}

int el_capture_tree(const struct el_sysfs *fs, const struct el_inventory *inv, const char *out)
{
    struct capture c = {.fs = fs, .out = out};
    char path[EL_SYSFS_PATH * 2];

    snprintf(path, sizeof path, "%s/sys", out); /* a machine without a drive is a machine too */
    c.error = el_file_make_dirs(path, 0755);
    for (uint32_t i = 0; i < inv->n.slots; i++)
        drive(&c, inv, i);
    pci(&c, inv);
    pci_slots(&c);
    subsystems(&c);
    blocks(&c);
    hwmon(&c);
    return c.error;
}

/* ---- pages ---- */

void el_capture_serial(const struct el_inventory *inv, uint32_t row, char text[21])
{
    const char *serial = inv->slots[row].identify.serial;
    uint32_t first = 0;

    while (serial[0] && first < row && strcmp(inv->slots[first].identify.serial, serial) != 0)
        first++;
    snprintf(text, 21, "SCRUBBED%04u", (serial[0] ? first : row) % 10000);
}

static bool is_blank(const uint8_t *field, size_t n)
{
    while (n && field[n - 1] <= ' ')
        n--;
    return n == 0;
}

/* Offsets: NVMe Base 2.0, Identify Controller (serial, FRU GUID, subsystem NQN) and Identify Namespace (NGUID, EUI64);
 * TCG Level 0 Discovery (the vendor's own part of its header). */
static void scrub(const struct el_admin *cmd, const char *serial, uint8_t *page)
{
    if (el_nvme_page_kind(page, cmd->size) != EL_NVME_PAGE_USABLE) /* stays what it is */
        return;
    if (cmd->kind == EL_ADMIN_SECURITY_RECEIVE && cmd->id == 1 && cmd->size >= 48)
        memset(page + 16, 0, 32);
    if (cmd->kind != EL_ADMIN_IDENTIFY || cmd->size < EL_NVME_IDENTIFY_SIZE)
        return;
    if (cmd->id == 0) {
        memset(page + 104, 0, 24);
        return;
    }
    if (!is_blank(page + 4, 20)) {
        memset(page + 4, ' ', 20);
        /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): of the page, no text */
        memcpy(page + 4, serial, strlen(serial));
    }
    memset(page + 112, 0, 16);
    memset(page + 768, 0, 256);
}

static void answer_name(const struct el_admin *cmd, const char *controller, char *out, size_t size)
{
    char name[40] = "";

    switch (cmd->kind) {
    case EL_ADMIN_IDENTIFY:
        if (cmd->id == 1)
            snprintf(name, sizeof name, "identify.bin");
        else if (cmd->id == 0)
            snprintf(name, sizeof name, "identify-ns-%u.bin", cmd->nsid);
        break;
    case EL_ADMIN_GET_LOG:
        if (cmd->id == EL_NVME_LID_SMART)
            snprintf(name, sizeof name, "smart.bin");
        else
            snprintf(name, sizeof name, "log-%02x.bin", cmd->id);
        break;
    case EL_ADMIN_SECURITY_RECEIVE:
        snprintf(name, sizeof name, "security-%02x-%x.bin", cmd->id, cmd->value);
        break;
    case EL_ADMIN_GET_FEATURE:
        if (cmd->value)
            snprintf(name, sizeof name, "feature-%02x-%x.txt", cmd->id, cmd->value);
        else
            snprintf(name, sizeof name, "feature-%02x.txt", cmd->id);
        break;
    default:
        break;
    }
    out[0] = '\0';
    if (name[0])
        snprintf(out, size, "nvme/%s/%s", controller, name);
}

int el_capture_answer(const char *out, const struct el_inventory *inv, uint32_t row, const struct el_admin *cmd, int r)
{
    struct capture c = {.out = out};
    char path[EL_SYSFS_PATH], text[24], serial[21];

    answer_name(cmd, inv->slots[row].controller, path, sizeof path);
    if (!path[0] || r > 0)
        return 0;
    if (r < 0) {
        put_error(&c, path, r);
    } else if (cmd->kind == EL_ADMIN_GET_FEATURE) {
        put(&c, path, text, (size_t)snprintf(text, sizeof text, "%u\n", cmd->result));
    } else {
        EL_AUTO_FREE uint8_t *page = malloc(cmd->size);

        if (!page)
            return -ENOMEM;
        memcpy(page, cmd->data, cmd->size);
        el_capture_serial(inv, row, serial);
        scrub(cmd, serial, page);
        put(&c, path, page, cmd->size);
    }
    return c.error;
}
