#include "device/pcie.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

#define AER_FILE_MAX 4096
#define CONFIG_SIZE  256 /* capabilities of PCI 3.0; the extended space behind it is left alone */
#define AER_FILES                                                                                                      \
    {                                                                                                                  \
        "aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal"                                                     \
    }

/* Advances over `n` to `max` hexadecimal digits; NULL when there are fewer than `min`. */
static const char *hex(const char *p, int min, int max)
{
    int n = 0;

    while (n < max && isxdigit((unsigned char)p[n]))
        n++;
    return n >= min ? p + n : NULL;
}

bool el_pcie_is_address(const char *text)
{
    const char *p = hex(text, 4, 8);

    if (!p || *p != ':' || !(p = hex(p + 1, 2, 2)) || *p != ':' || !(p = hex(p + 1, 2, 2)) || *p != '.')
        return false;
    return p[1] >= '0' && p[1] <= '7' && !p[2];
}

uint64_t el_pcie_address_key(const char *address)
{
    unsigned domain, bus, device, function;

    if (!el_pcie_is_address(address) || sscanf(address, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
        return UINT64_MAX;
    return (uint64_t)domain << 32 | bus << 16 | device << 8 | function;
}

uint32_t el_pcie_speed_mts(const char *text)
{
    static const struct {
        const char *text;
        uint32_t mts;
    } speeds[] = {
        {"2.5 GT/s", 2500},   {"5 GT/s", 5000},     {"5.0 GT/s", 5000},     {"8 GT/s", 8000},     {"8.0 GT/s", 8000},
        {"16 GT/s", 16000},   {"16.0 GT/s", 16000}, {"32 GT/s", 32000},     {"32.0 GT/s", 32000}, {"64 GT/s", 64000},
        {"64.0 GT/s", 64000}, {"128 GT/s", 128000}, {"128.0 GT/s", 128000},
    };

    for (size_t i = 0; i < EL_ARRAY_SIZE(speeds); i++) {
        size_t n = strlen(speeds[i].text);

        if (strncmp(text, speeds[i].text, n) == 0 && (!text[n] || strcmp(text + n, " PCIe") == 0))
            return speeds[i].mts;
    }
    return 0;
}

uint32_t el_pcie_width(int64_t lanes)
{
    switch (lanes) {
    case 1:
    case 2:
    case 4:
    case 8:
    case 12:
    case 16:
    case 32:
        return (uint32_t)lanes;
    default:
        return 0;
    }
}

uint64_t el_pcie_bytes_per_s(uint32_t mts, uint32_t width)
{
    uint64_t bits = (uint64_t)mts * 1000000 * width;

    if (mts <= 5000)
        return bits / 10;                                              /* 8b/10b */
    return mts <= 32000 ? bits / 130 * 128 / 8 : bits / 256 * 242 / 8; /* 128b/130b; flits: 242 of 256 bytes */
}

/* Speed and width come out of one register: when the width cannot be (63, 255: the register read all ones; no number),
 * the speed beside it is worth nothing either. Width 0 is a link that is down: its speed says nothing. A file that is
 * missing, or a speed that this kernel has no name for, leaves the other one standing. */
static void read_rate(const struct el_sysfs *fs, const char *dir, const char *speed_file, const char *width_file,
                      uint32_t *mts, uint32_t *width, bool *down)
{
    char text[32];
    int64_t lanes;
    bool said = el_sysfs_line(fs, dir, width_file, text, sizeof text) == 0;

    if (!said || el_num_parse_i64(text, &lanes) < 0)
        lanes = -1;
    *width = said ? el_pcie_width(lanes) : 0;
    *down = said && lanes == 0;
    *mts = 0;
    if ((*width || !said) && el_sysfs_line(fs, dir, speed_file, text, sizeof text) == 0)
        *mts = el_pcie_speed_mts(text);
}

bool el_pcie_suspended(const struct el_sysfs *fs, const char *dir)
{
    char text[32];

    return el_sysfs_line(fs, dir, "power/runtime_status", text, sizeof text) == 0 && strncmp(text, "suspend", 7) == 0;
}

static void note_aer(struct el_link *l, enum el_aer_severity s, const char *name, uint64_t count)
{
    char clean[sizeof l->aer_error[0].name];

    if (strncmp(name, "TOTAL_ERR_", 10) == 0) {
        l->aer[s].total = count;
        l->aer[s].valid = true;
        return;
    }
    el_text_clean(clean, sizeof clean, name);
    for (uint32_t i = 0; i < l->aer_errors; i++) /* a name told twice is one series */
        if (l->aer_error[i].severity == (uint32_t)s && strcmp(l->aer_error[i].name, clean) == 0)
            return;
    if (!count || l->aer_errors == EL_AER_ERRORS)
        return;
    memcpy(l->aer_error[l->aer_errors].name, clean, sizeof clean);
    l->aer_error[l->aer_errors].severity = s;
    l->aer_error[l->aer_errors++].count = count;
}

/* "Name count" pairs. The names of kernels before 5.2 are several words ("Bad TLP 7"): BadTLP. */
static void parse_aer_line(char *line, struct el_link *l, enum el_aer_severity s)
{
    char *save, name[64] = "";

    for (char *word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        uint64_t v;
        bool count = el_num_parse_u64(word, &v) == 0;

        if (count && name[0])
            note_aer(l, s, name, v);
        if (count || word[strlen(word) - 1] == ':')
            name[0] = '\0';
        else if (strlen(name) + strlen(word) < sizeof name)
            strcat(name, word);
    }
}

/* One pair a line, or all on one; the total under its own name, given, never recomputed. */
static void parse_aer(char *text, struct el_link *l, enum el_aer_severity s)
{
    char *save;

    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        parse_aer_line(line, l, s);
}

static void read_aer(const struct el_sysfs *fs, const char *dir, struct el_link *l)
{
    static const char *const files[EL_AER_COUNT] = AER_FILES;

    memset(l->aer, 0, sizeof l->aer);
    memset(l->aer_error, 0, sizeof l->aer_error);
    l->aer_errors = 0;
    for (int s = 0; s < EL_AER_COUNT; s++) {
        EL_AUTO_BUF struct el_buf b = {0};

        if (el_sysfs_bytes(fs, dir, files[s], AER_FILE_MAX, &b) == 0 && b.len)
            parse_aer(b.data, l, (enum el_aer_severity)s);
    }
}

/* Newer kernels wake a sleeping device to answer for its link: it is left asleep, its link unknown. */
void el_pcie_read(const struct el_sysfs *fs, const char *dir, struct el_link *l)
{
    bool down = false, unused;

    l->current_mts = l->current_width = l->max_mts = l->max_width = 0;
    if (!el_pcie_suspended(fs, dir)) {
        read_rate(fs, dir, "current_link_speed", "current_link_width", &l->current_mts, &l->current_width, &down);
        read_rate(fs, dir, "max_link_speed", "max_link_width", &l->max_mts, &l->max_width, &unused);
    }
    l->up = l->current_width != 0;
    l->known = down || (l->current_mts && l->current_width);
    if (el_sysfs_line(fs, dir, "power_state", l->power_state, sizeof l->power_state) < 0)
        l->power_state[0] = '\0';
    read_aer(fs, dir, l);
}

static struct el_link *find(struct el_link *links, uint32_t n, const char *address)
{
    for (uint32_t i = 0; address[0] && i < n; i++)
        if (strcmp(links[i].address, address) == 0)
            return &links[i];
    return NULL;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return !a ? b : !b ? a : EL_MIN(a, b);
}

/* What this end could do with that port: either alone may promise what the other never could (a drive handed to a guest
 * sits below a port that knows nothing of the real slot). */
static uint32_t able(uint32_t end, uint32_t port)
{
    return end && port ? EL_MIN(end, port) : 0;
}

static void expect(struct el_link *a, uint32_t mts, uint32_t width)
{
    a->expected_mts = least(a->expected_mts, mts);
    a->expected_width = least(a->expected_width, width);
}

static uint64_t bottleneck(struct el_link *links, uint32_t n, const struct el_link *l)
{
    uint64_t worst = 0;

    for (int hops = 0; l && hops < 16; hops++, l = find(links, n, l->parent)) {
        uint64_t rate = el_pcie_bytes_per_s(l->current_mts, l->current_width);

        if (rate && (!worst || rate < worst))
            worst = rate;
    }
    return worst;
}

void el_pcie_judge(struct el_link *links, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct el_link *l = &links[i], *parent = find(links, n, l->parent);

        if (!el_link_is_lower_end(l))
            continue;
        expect(l, able(l->max_mts, parent ? parent->max_mts : 0), able(l->max_width, parent ? parent->max_width : 0));
        if (parent)
            expect(parent, l->expected_mts, l->expected_width);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct el_link *l = &links[i];

        l->degraded = el_link_is_degraded(l);
        l->path_bottleneck_bytes_per_s = l->up ? bottleneck(links, n, l) : 0;
    }
}

/* Capability list of a configuration header (PCI Local Bus 3.0, 6.7): offset of the PCIe capability, 0 without one. */
static size_t pcie_capability(const uint8_t *config, size_t n)
{
    size_t at = n >= 64 && config[6] & 0x10 ? config[0x34] & 0xfc : 0;

    for (int i = 0; i < 48 && at >= 64 && at + 0x18 <= n; i++) {
        if (config[at] == 0x10)
            return at;
        at = config[at + 1] & 0xfc;
    }
    return 0;
}

/* Slot power limit: value and scale (7.5.3.9); F0h..F2h at scale 0 stand for 250, 275, 300 W. */
static uint32_t slot_power_mw(uint32_t value, uint32_t scale)
{
    static const uint32_t step_mw[] = {1000, 100, 10, 1};

    if (scale == 0 && value >= 0xf0)
        return value <= 0xf2 ? 250000 + (value - 0xf0) * 25000 : 0;
    return value * step_mw[scale & 3];
}

static uint32_t le32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

int el_pcie_config_read(const struct el_sysfs *fs, const char *dir, struct el_pcie_config *out)
{
    static const enum el_pcie_type types[16] = {[0] = EL_PCIE_ENDPOINT,
                                                [1] = EL_PCIE_ENDPOINT,
                                                [4] = EL_PCIE_ROOT_PORT,
                                                [5] = EL_PCIE_UPSTREAM,
                                                [6] = EL_PCIE_DOWNSTREAM};
    uint8_t c[CONFIG_SIZE];
    size_t cap;
    int n;

    if (el_pcie_suspended(fs, dir))
        return -ENODATA;
    n = el_sysfs_head(fs, dir, "config", c, sizeof c);
    if (n < 0)
        return n;
    cap = pcie_capability(c, (size_t)n);
    if (!cap)
        return n <= 64 ? -EACCES : -ENOENT;
    *out = (struct el_pcie_config){.type = types[c[cap + 2] >> 4], .slot_implemented = c[cap + 3] & 1};
    if (out->type == EL_PCIE_ROOT_PORT || out->type == EL_PCIE_DOWNSTREAM) {
        uint32_t slot = le32(c + cap + 0x14); /* Slot Capabilities, only with a slot */

        out->slot_power_limit_mw = out->slot_implemented ? slot_power_mw(slot >> 7 & 0xff, slot >> 15 & 3) : 0;
    } else {
        uint32_t device = le32(c + cap + 4); /* Device Capabilities: what the slot above told this end */

        out->slot_power_limit_mw = slot_power_mw(device >> 18 & 0xff, device >> 26 & 3);
    }
    return 0;
}

bool el_pcie_parent(const char *dir, char out[EL_SYSFS_PATH])
{
    size_t n = (size_t)(el_text_last_part(dir) - dir);

    if (!n)
        return false;
    memmove(out, dir, n - 1);
    out[n - 1] = '\0';
    return el_pcie_is_address(el_text_last_part(out));
}

/* Ports above `dir` up to the root. */
static unsigned depth(const char *dir)
{
    char up[EL_SYSFS_PATH];
    unsigned n = 0;

    for (el_text_copy(up, sizeof up, dir); el_pcie_parent(up, up); n++)
        ;
    return n;
}

enum el_link_role el_pcie_bridge_role(const struct el_sysfs *fs, const char *dir)
{
    struct el_pcie_config config;
    unsigned d = depth(dir);

    if (el_pcie_config_read(fs, dir, &config) == 0) {
        if (config.type == EL_PCIE_UPSTREAM)
            return EL_LINK_UPSTREAM;
        if (config.type == EL_PCIE_DOWNSTREAM)
            return EL_LINK_DOWNSTREAM;
        return EL_LINK_ROOT_PORT;
    }
    return d == 0 ? EL_LINK_ROOT_PORT : d % 2 ? EL_LINK_UPSTREAM : EL_LINK_DOWNSTREAM;
}
