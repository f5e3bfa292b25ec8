#include "device/feature.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "model/nvme_layout.h"

/* Power Management (NVMe Base 2.0, 5.27.1.2): power state, and above it a hint at the workload that is not ours. */
#define POWER_STATE   0x1f
#define WORKLOAD_HINT 0xe0

/* Drives whose own makers or the kernel's list say that changing power states does harm. A prefix of the model;
 * firmware "" is every one. Sources: Linux drivers/nvme/host/core.c and pci.c (NVME_QUIRK_NO_DEEPEST_PS, NO_APST,
 * SIMPLE_SUSPEND), and the reports named. */
static const struct {
    const char *model, *firmware, *why;
} power_state_quirks[] = {
    {"KINGSTON SA2000M8", "", "hangs in low power states (Kingston A2000; Linux NVME_QUIRK_NO_DEEPEST_PS)"},
    {"SAMSUNG MZVPV", "", "drops off the bus in low power states (Samsung SM951; Linux NVME_QUIRK_NO_DEEPEST_PS)"},
    {"THNSF5256GPUK TOSHIBA", "", "hangs in low power states (Linux NVME_QUIRK_NO_APST)"},
    {"PC401 NVMe SK hynix", "80007E00",
     "does not come back from host managed states (Linux, suspend regression of 2019)"},
    {"LENSE20256GMSP34MEAT2TA", "", "hangs in low power states (Linux NVME_QUIRK_NO_APST)"},
};

/* An NVMe status is a "no" of the drive, not an errno. */
static int as_errno(int r)
{
    return r > 0 ? -EOPNOTSUPP : r;
}

static int get(struct el_drives *d, uint32_t key, uint8_t fid, uint32_t *out)
{
    struct el_admin cmd = {.kind = EL_ADMIN_GET_FEATURE, .id = fid};
    int r = as_errno(el_drives_admin(d, key, &cmd));

    if (r == 0)
        *out = cmd.result;
    return r;
}

static int set(struct el_drives *d, uint32_t key, uint8_t fid, uint32_t value)
{
    struct el_admin cmd = {.kind = EL_ADMIN_SET_FEATURE, .id = fid, .value = value};

    return as_errno(el_drives_admin(d, key, &cmd));
}

static int say(int r, char *why, size_t size, const char *text)
{
    el_text_copy(why, size, text);
    return r;
}

static int power_state_usable(const struct el_nvme_identify *id, char *why, size_t size)
{
    uint32_t operational = 0;

    for (size_t i = 0; i < EL_ARRAY_SIZE(power_state_quirks); i++)
        if (strncmp(id->model, power_state_quirks[i].model, strlen(power_state_quirks[i].model)) == 0 &&
            (!power_state_quirks[i].firmware[0] || strcmp(id->firmware, power_state_quirks[i].firmware) == 0))
            return say(-EPERM, why, size, power_state_quirks[i].why);
    for (uint32_t i = 0; i < id->power_states; i++)
        operational += id->power_state[i].operational;
    return operational > 1 ? 0 : say(-EOPNOTSUPP, why, size, "the drive has one operational power state only");
}

int el_feature_usable(struct el_drives *d, enum el_actuator a, uint32_t key, char *why, size_t size)
{
    struct el_drive_facts f;
    int asked;

    el_text_copy(why, size, "");
    if (!el_drives_facts(d, key, &f))
        return say(-ENODEV, why, size, "it is no longer there");
    if (!f.identified)
        return say(-EAGAIN, why, size, "the drive has not answered Identify yet");
    if (a == EL_ACTUATOR_HCTM && !f.identify.hctm)
        return say(-EOPNOTSUPP, why, size, "the drive has no host controlled thermal management");
    if (a == EL_ACTUATOR_POWER_STATE) {
        int r = power_state_usable(&f.identify, why, size);

        if (r < 0)
            return r;
    }
    asked = a == EL_ACTUATOR_HCTM ? f.hctm : f.power_management;
    return asked != 0 && asked != EL_DRIVE_NOT_ASKED
               ? say(-EOPNOTSUPP, why, size, "the drive does not tell its present setting")
               : 0;
}

int el_feature_save(struct el_drives *d, enum el_actuator a, uint32_t key, char *text, size_t size)
{
    uint32_t value;
    int r = get(d, key, el_actuator_feature(a), &value);

    if (r == 0)
        snprintf(text, size, "%u", a == EL_ACTUATOR_HCTM ? value : value & (POWER_STATE | WORKLOAD_HINT));
    return r;
}

static int write_power_state(struct el_drives *d, uint32_t key, int32_t wanted)
{
    struct el_drive_facts f;
    uint32_t now;
    int r;

    if (!el_drives_facts(d, key, &f) || !f.identified)
        return -ENODEV;
    if (wanted < 0 || wanted >= f.identify.power_states || !f.identify.power_state[wanted].operational)
        return -EINVAL;
    r = get(d, key, EL_NVME_FID_POWER_MANAGEMENT, &now);
    return r == 0 ? set(d, key, EL_NVME_FID_POWER_MANAGEMENT, (now & WORKLOAD_HINT) | (uint32_t)wanted) : r;
}

/* Inside what the drive allows and in order; 0 switches one off. */
static int write_hctm(struct el_drives *d, uint32_t key, const struct el_actuator_value *v)
{
    uint32_t value = el_actuator_to_feature(EL_ACTUATOR_HCTM, v);
    uint16_t t1 = EL_FEAT_HCTM_TMT1(value), t2 = EL_FEAT_HCTM_TMT2(value);
    struct el_drive_facts f;
    const struct el_nvme_identify *id = &f.identify;

    if (!el_drives_facts(d, key, &f) || !f.identified)
        return -ENODEV;
    if (!id->hctm || (t1 && (t1 < id->mntmt_k || t1 > id->mxtmt_k)) || (t2 && (t2 < id->mntmt_k || t2 > id->mxtmt_k)) ||
        (t1 && t2 && t1 >= t2))
        return -EINVAL;
    return set(d, key, EL_NVME_FID_HCTM, value);
}

int el_feature_write(struct el_drives *d, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    return a == EL_ACTUATOR_HCTM ? write_hctm(d, key, v) : write_power_state(d, key, v->power_state);
}

int el_feature_read(struct el_drives *d, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    uint32_t value;
    int r = get(d, key, el_actuator_feature(a), &value);

    if (r == 0)
        el_actuator_from_feature(a, value, out);
    return r;
}

int el_feature_restore(struct el_drives *d, enum el_actuator a, uint32_t key, const char *text)
{
    uint64_t value;

    if (el_num_parse_u64(text, &value) < 0 ||
        value > (a == EL_ACTUATOR_HCTM ? UINT32_MAX : POWER_STATE | WORKLOAD_HINT))
        return -EINVAL;
    return set(d, key, el_actuator_feature(a), (uint32_t)value);
}
