#include "device/hwtext.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/text.h"
#include "device/pcie.h"
#include "device/sensor.h"

#define CLASS_HWMON "sys/class/hwmon"

/* Splits "temp1_input" into kind, feature and ending; pwm1 has no ending. False when it is no value of ours. */
static const struct el_sensor_unit *parse_value_name(const char *file, char feature[16])
{
    size_t letters = strcspn(file, "0123456789"), digits = strspn(file + letters, "0123456789");
    const struct el_sensor_unit *u = el_sensor_unit_of(file, letters);
    const char *ending = file + letters + digits;

    if (!u || !digits || letters + digits >= 16)
        return NULL;
    if (u->kind == EL_SENSOR_PWM
            ? *ending != '\0'
            : strcmp(ending, "_input") != 0 && !(u->kind == EL_SENSOR_POWER && strcmp(ending, "_average") == 0))
        return NULL;
    memcpy(feature, file, letters + digits);
    feature[letters + digits] = '\0';
    return u;
}

/* The chip's name as libsensors prints it: driver, bus, address on the bus. `bus`: "" where nobody recorded it; then
 * the look of the device's name decides. */
static void chip_name(const char *driver, const char *bus, const char *device, char *out, size_t size)
{
    static const char *const known[] = {"", "i2c", "spi", "pci", "platform", "of_platform", "acpi", "hid", "scsi"};
    unsigned a, b, c, d;
    const char *dot = strrchr(device, '.'), *colon = strchr(device, ':');
    bool is_known = false;
    char rest;

    for (size_t i = 0; i < EL_ARRAY_SIZE(known); i++)
        is_known |= strcmp(bus, known[i]) == 0;
    if (strcmp(bus, "mdio_bus") == 0 && colon && sscanf(colon, ":%u", &a) == 1)
        snprintf(out, size, "%s-mdio-%x", driver, a);
    else if (!is_known || !device[0])
        snprintf(out, size, "%s-virtual-0", driver);
    else if (el_pcie_is_address(device) && sscanf(device, "%x:%x:%x.%x", &a, &b, &c, &d) == 4)
        snprintf(out, size, "%s-pci-%04x", driver, (a << 16) + (b << 8) + (c << 3) + d);
    else if (sscanf(device, "%u-%4x%c", &a, &b, &rest) == 2)
        snprintf(out, size, "%s-i2c-%u-%02x", driver, a, b);
    else if (sscanf(device, "%4x:%4x:%4x.%4x%c", &a, &b, &c, &d, &rest) == 4)
        snprintf(out, size, "%s-hid-%u-%x", driver, a, d);
    else if (sscanf(device, "%u:%u:%u:%u%c", &a, &b, &c, &d, &rest) == 4)
        snprintf(out, size, "%s-scsi-%u-%x", driver, a, (b << 8) + (c << 4) + d);
    else if (sscanf(device, "spi%u.%u%c", &a, &b, &rest) == 2)
        snprintf(out, size, "%s-spi-%u-%x", driver, a, b);
    else if (strncmp(device, "PNP", 3) == 0 || strncmp(device, "ACPI", 4) == 0)
        snprintf(out, size, "%s-acpi-0", driver);
    else if (dot && sscanf(dot + 1, "%u%c", &a, &rest) == 1)
        snprintf(out, size, "%s-isa-%04x", driver, a);
    else
        snprintf(out, size, "%s-isa-0000", driver);
}

static double read_number(const struct el_sysfs *fs, const struct el_hwtext_place *p, const char *ending, double none)
{
    char name[32];
    int64_t v;

    snprintf(name, sizeof name, "%s%s", p->feature, ending);
    return el_sysfs_i64(fs, p->dir, name, &v) == 0 ? (double)v : none;
}

static void read_limits(const struct el_sysfs *fs, const struct el_hwtext_place *p, struct el_sensor *s)
{
    const double none = 1e18; /* outside every window */

    s->limit_min = el_sensor_limit(s->kind, read_number(fs, p, "_min", none), INT64_MIN);
    s->limit_max = el_sensor_limit(s->kind, read_number(fs, p, "_max", none), INT64_MAX);
    if (s->limit_max == INT64_MAX)
        s->limit_max = el_sensor_limit(s->kind, read_number(fs, p, "_crit", none), INT64_MAX);
}

static int add_sensor(const struct el_sysfs *fs, struct el_inventory *inv, struct el_hwtext *t, const char *chip,
                      const struct el_hwtext_place *place, enum el_sensor_kind kind)
{
    struct el_hwtext_place *p;
    struct el_sensor *s;
    char label[24];

    for (uint32_t i = t->n; i-- > 0 && strcmp(t->place[i].tag, place->tag) == 0;)
        if (strcmp(t->place[i].feature, place->feature) == 0) /* power1_average beside power1_input */
            return 0;
    p = el_row_append(&t->place, &t->n, sizeof *p);
    s = p ? el_row_append(&inv->sensors, &inv->n.sensors, sizeof *s) : NULL;
    if (!s)
        return -ENOMEM;
    *p = *place;
    s->card = -1;
    s->kind = kind;
    s->key = t->n;
    snprintf(s->name, sizeof s->name, "%.40s/%s", chip, p->feature);
    snprintf(label, sizeof label, "%s_label", p->feature);
    if (el_sysfs_line(fs, p->dir, label, s->label, sizeof s->label) < 0)
        el_text_copy(s->label, sizeof s->label, p->feature);
    read_limits(fs, p, s);
    return 0;
}

static int scan_dir(const struct el_sysfs *fs, struct el_inventory *inv, struct el_hwtext *t, const char *chip,
                    const char *tag, const char *dir)
{
    EL_AUTO_NAMES struct el_names names = {0};
    int r = el_sysfs_list(fs, dir, &names);

    for (size_t pass = 0; r == 0 && pass < 2; pass++) /* power1_input goes before power1_average */
        for (size_t i = 0; r == 0 && i < names.n; i++) {
            struct el_hwtext_place p = {0};
            const struct el_sensor_unit *u = parse_value_name(names.name[i], p.feature);

            if (!u || (strstr(names.name[i], "_average") != NULL) != (pass == 1))
                continue;
            el_text_copy(p.dir, sizeof p.dir, dir);
            el_text_copy(p.value, sizeof p.value, names.name[i]);
            el_text_copy(p.tag, sizeof p.tag, tag);
            r = add_sensor(fs, inv, t, chip, &p, u->kind);
        }
    return r;
}

static int scan_chip(const struct el_sysfs *fs, struct el_inventory *inv, struct el_hwtext *t, const char *hwmon)
{
    char dir[EL_SYSFS_PATH], device_dir[EL_SYSFS_PATH], real[EL_SYSFS_PATH], driver[64], chip[96], bus[32] = "";
    const char *device = "";
    uint32_t before = t->n;
    int r;

    if (!el_sysfs_join(dir, CLASS_HWMON, hwmon) || !el_sysfs_join(device_dir, dir, "device"))
        return 0;
    if (el_sysfs_line(fs, dir, "name", driver, sizeof driver) < 0 &&
        el_sysfs_line(fs, device_dir, "name", driver, sizeof driver) < 0)
        el_text_copy(driver, sizeof driver, "unknown");
    if (strcmp(driver, "nvme") == 0)
        return 0;
    if (el_sysfs_real(fs, device_dir, real) == 0)
        device = el_text_last_part(real);
    if (strcmp(device, "device") == 0) /* a plain folder: its name tells nothing */
        device = "";
    el_sysfs_link_name(fs, device_dir, "subsystem", bus, sizeof bus);
    chip_name(driver, bus, device, chip, sizeof chip);
    r = scan_dir(fs, inv, t, chip, hwmon, dir);
    if (r == 0 && t->n == before) /* old drivers keep their files in the device */
        r = scan_dir(fs, inv, t, chip, hwmon, device_dir);
    return r;
}

static const char *tag_of(void *ctx, uint32_t i)
{
    const struct el_hwtext *t = ctx;

    return t->place[i].tag;
}

int el_hwtext_discover(const struct el_sysfs *fs, struct el_inventory *inv, struct el_hwtext *t)
{
    EL_AUTO_NAMES struct el_names names = {0};
    int r = el_sysfs_list(fs, CLASS_HWMON, &names);

    for (size_t i = 0; r == 0 && i < names.n; i++)
        if (strlen(names.name[i]) < 16)
            r = scan_chip(fs, inv, t, names.name[i]);
    if (r == 0)
        el_sensor_make_unique(inv->sensors, inv->n.sensors, tag_of, t);
    return r;
}

void el_hwtext_free(struct el_hwtext *t)
{
    free(t->place);
    *t = (struct el_hwtext){0};
}

static bool flag(const struct el_sysfs *fs, const struct el_hwtext_place *p, const char *ending)
{
    return read_number(fs, p, ending, 0) == 1;
}

void el_hwtext_read(const struct el_sysfs *fs, const struct el_hwtext_place *p, struct el_sensor *s, int64_t now_us)
{
    static const char *const alarms[] = {"_alarm",     "_min_alarm",   "_max_alarm",      "_crit_alarm",
                                         "_cap_alarm", "_lcrit_alarm", "_emergency_alarm"};
    EL_AUTO_BUF struct el_buf b = {0};
    int r = el_sysfs_bytes(fs, p->dir, p->value, 64, &b);
    int64_t raw;

    s->alarm = false;
    for (size_t i = 0; i < EL_ARRAY_SIZE(alarms); i++)
        s->alarm |= flag(fs, p, alarms[i]);
    s->fault = flag(fs, p, "_fault");
    if (r == 0 && (!b.len || b.data[0] == '\n'))
        s->value.quality = EL_ABSENT;
    else if (r < 0 || el_num_parse_i64(b.data, &raw) < 0)
        s->value.quality = EL_FAILED;
    else
        s->value = el_sensor_reading(s->kind, (double)raw, now_us);
    if (s->fault && s->kind == EL_SENSOR_TEMPERATURE && s->value.quality == EL_GOOD)
        s->value.quality = EL_FAILED; /* an open diode: the number beside it is noise */
}
