/* What a drive tells of its power states and heat management, and what the journal kept of it: 24 bytes (`struct told`
 * below, as this machine orders them), then the original as text. */
#include <string.h>

#include "device/feature.h"
#include "fuzz.h"

#define POWER_STATE 0x1f /* of Feature 02h; above it the workload hint, and from bit 8 on nothing */
#define HINT        0xe0

struct told {
    uint32_t power, hctm, operational; /* Get Features 02h and 10h; a bit a power state */
    uint16_t mntmt_k, mxtmt_k;
    int16_t tmt1_c, tmt2_c; /* wanted */
    uint8_t states, state;  /* there are; wanted */
    uint8_t has_hctm, unused;
};

static struct el_drive_facts facts;
static uint32_t feature[256];
static int sets;

/* In place of the drive (tests.cmake). It takes what is sent, as one that looks at nothing would: it must be right. */
bool __wrap_el_drives_facts(struct el_drives *d, uint32_t key, struct el_drive_facts *out);
bool __wrap_el_drives_facts(struct el_drives *d, uint32_t key, struct el_drive_facts *out)
{
    (void)d;
    (void)key;
    *out = facts;
    return true;
}

int __wrap_el_drives_admin(struct el_drives *d, uint32_t key, struct el_admin *cmd);
int __wrap_el_drives_admin(struct el_drives *d, uint32_t key, struct el_admin *cmd)
{
    (void)d;
    (void)key;
    if (cmd->kind == EL_ADMIN_SET_FEATURE) {
        if (cmd->id == EL_NVME_FID_POWER_MANAGEMENT ? (cmd->value & ~(POWER_STATE | HINT)) != 0
                                                    : cmd->id != EL_NVME_FID_HCTM)
            abort();
        feature[cmd->id] = cmd->value;
        sets++;
    }
    cmd->result = feature[cmd->id];
    return 0;
}

static void set_up(const struct told *t)
{
    facts = (struct el_drive_facts){.identified = true};
    facts.identify.hctm = t->has_hctm & 1;
    facts.identify.mntmt_k = t->mntmt_k;
    facts.identify.mxtmt_k = t->mxtmt_k;
    facts.identify.power_states = (uint8_t)(t->states % EL_NVME_POWER_STATES + 1);
    for (int i = 0; i < EL_NVME_POWER_STATES; i++)
        facts.identify.power_state[i].operational = t->operational >> i & 1;
    feature[EL_NVME_FID_POWER_MANAGEMENT] = t->power;
    feature[EL_NVME_FID_HCTM] = t->hctm;
    sets = 0;
}

static void is_power(uint32_t before, const struct told *t)
{
    uint32_t now = feature[EL_NVME_FID_POWER_MANAGEMENT];

    if ((now & POWER_STATE) != t->state || t->state >= facts.identify.power_states ||
        !facts.identify.power_state[t->state].operational || (now & HINT) != (before & HINT))
        abort();
}

static void is_heat(void)
{
    uint32_t half[2] = {feature[EL_NVME_FID_HCTM] >> 16, feature[EL_NVME_FID_HCTM] & 0xffff};

    for (int i = 0; i < 2; i++)
        if (half[i] && (half[i] < facts.identify.mntmt_k || half[i] > facts.identify.mxtmt_k))
            abort();
    if (!facts.identify.hctm || (half[0] && half[1] && half[0] >= half[1]))
        abort();
}

/* What is written is what the drive can do, and what was saved can be given back; what is refused sends nothing. */
static void try(enum el_actuator a, uint8_t fid, const struct told *t, const char *original)
{
    struct el_actuator_value wanted = {.power_state = t->state, .tmt1_c = t->tmt1_c, .tmt2_c = t->tmt2_c}, read = {0};
    char text[EL_ORIGINAL_MAX], why[96];
    uint32_t before;
    int r;

    set_up(t);
    before = feature[fid];
    if (el_feature_usable(NULL, a, 1, why, sizeof why) < 0 && !why[0])
        abort();
    if (el_feature_save(NULL, a, 1, text, sizeof text) < 0)
        abort();
    r = el_feature_write(NULL, a, 1, &wanted);
    if (sets != (r == 0))
        abort();
    if (r == 0 && fid == EL_NVME_FID_HCTM)
        is_heat();
    else if (r == 0)
        is_power(before, t);
    if (el_feature_read(NULL, a, 1, &read) < 0 || read.power_state < 0 || read.power_state > POWER_STATE)
        abort();
    if (el_feature_restore(NULL, a, 1, text) < 0 ||
        feature[fid] != (fid == EL_NVME_FID_HCTM ? before : before & (POWER_STATE | HINT)))
        abort();
    sets = 0;
    r = el_feature_restore(NULL, a, 1, original);
    if (sets != (r == 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char original[EL_ORIGINAL_MAX];
    struct told t;

    if (n < sizeof t)
        return 0;
    memcpy(&t, data, sizeof t);
    snprintf(original, sizeof original, "%.*s", (int)(n - sizeof t), (const char *)data + sizeof t);
    try(EL_ACTUATOR_POWER_STATE, EL_NVME_FID_POWER_MANAGEMENT, &t, original);
    try(EL_ACTUATOR_HCTM, EL_NVME_FID_HCTM, &t, original);
    return 0;
}
