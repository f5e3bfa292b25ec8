/* The virtual NVMe controller: real byte pages, so that the decoders under test are those that run in production. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "twin/machine.h"

/* NVMe status codes (status code type << 8 | status code). */
enum { OK = 0, INVALID_FIELD = 0x002, INVALID_LOG = 0x109, NOT_CHANGEABLE = 0x10e, INVALID_OPCODE = 0x001 };

#define NVME_VERSION(major, minor) ((major) << 16 | (minor) << 8)
#define LBA_BYTES                  512
#define UNIT_BYTES                 ((double)EL_NVME_DATA_UNIT_BYTES)

static uint16_t kelvin(double c)
{
    return (uint16_t)EL_CLAMP(lround(c) + 273, 0, 0xffff);
}

static void put_ascii(uint8_t *p, size_t n, const char *text)
{
    memset(p, ' ', n);
    memcpy(p, text, strnlen(text, n));
}

/* What a drive of this NVMe version can be asked: as firmware of that time and class. */
static bool has_self_test(const struct el_drive_profile *f)
{
    return f->nvme_version >= NVME_VERSION(1, 3);
}
static bool has_endurance_groups(const struct el_drive_profile *f)
{
    return f->nvme_version >= NVME_VERSION(2, 0);
}

static void defaults(struct el_twin_controller *c, const struct el_drive_profile *p)
{
    c->power_state = 0;
    c->write_cache = 1;
    c->async_event = 0;
    c->hctm = 0;
    for (uint32_t s = 0; s <= EL_NVME_SENSORS; s++) {
        c->threshold_k[s][0] = s == 0 && isfinite(p->wctemp_c) ? kelvin(p->wctemp_c) : 0xffff;
        c->threshold_k[s][1] = 0;
    }
}

void el_twin_controller_init(struct el_twin_controller *c, const struct el_drive_profile *p, uint64_t seed,
                             uint32_t card, uint32_t slot)
{
    struct el_rng r = el_rng_seed(seed ^ ((uint64_t)card << 32 | slot) ^ (uint64_t)c->swaps << 48);

    snprintf(c->serial, sizeof c->serial, "SIM%04X%02X%08X", card & 0xffff, slot & 0xff, (uint32_t)el_rng_u64(&r));
    c->power_on_hours = 200 + el_rng_u64(&r) % 20000;
    c->power_cycles = 5 + el_rng_u64(&r) % 60;
    c->units_written = el_rng_u64(&r) % (uint64_t)(p->capacity_bytes * 200.0 / UNIT_BYTES); /* up to 200 drive writes */
    c->units_read = 2 * c->units_written;
    c->errors = el_rng_u64(&r) % 4;
    c->lanes = p->link_width;
    defaults(c, p);
}

void el_twin_controller_reset(struct el_twin_controller *c, struct el_plant_drive *d)
{
    defaults(c, d->profile);
    d->cap = (struct el_cap){.ratio = 1};
    d->power_state = 0;
    d->tmt1_c = d->tmt2_c = 0;
}

void el_twin_controller_tick(struct el_twin_controller *c, const struct el_plant_drive *d, double dt_s)
{
    double t = d->lagged[0];

    if (t >= d->profile->wctemp_c)
        c->warning_s += dt_s;
    if (t >= d->profile->cctemp_c)
        c->critical_s += dt_s;
}

static void identify_controller(const struct el_twin_controller *c, const struct el_drive_profile *f, uint8_t *p)
{
    el_le_put(p + EL_IDCTRL_VID, 2, f->vid);
    el_le_put(p + EL_IDCTRL_SSVID, 2, f->vid);
    put_ascii(p + EL_IDCTRL_SN, 20, c->serial);
    put_ascii(p + EL_IDCTRL_MN, 40, f->model);
    put_ascii(p + EL_IDCTRL_FR, 8, f->firmware);
    p[EL_IDCTRL_MDTS] = 5;
    el_le_put(p + EL_IDCTRL_CNTLID, 2, 1);
    el_le_put(p + EL_IDCTRL_VER, 4, f->nvme_version);
    el_le_put(p + EL_IDCTRL_OAES, 4, 0x100);
    el_le_put(p + EL_IDCTRL_CTRATT, 4, has_endurance_groups(f) ? EL_CTRATT_ENDURANCE_GROUPS : 0);
    el_le_put(p + EL_IDCTRL_OACS, 2,
              0x06 | (f->tcg ? EL_OACS_SECURITY : 0) | (has_self_test(f) ? EL_OACS_SELF_TEST : 0));
    p[EL_IDCTRL_FRMW] = 0x17;
    p[EL_IDCTRL_LPA] =
        (uint8_t)(EL_LPA_EXTENDED_DATA | (f->nvme_version >= NVME_VERSION(2, 0) ? EL_LPA_SUPPORTED_PAGES : 0));
    p[EL_IDCTRL_ELPE] = 63;
    p[EL_IDCTRL_NPSS] = (uint8_t)(f->power_states - 1);
    el_le_put(p + EL_IDCTRL_WCTEMP, 2, isfinite(f->wctemp_c) ? kelvin(f->wctemp_c) : 0);
    el_le_put(p + EL_IDCTRL_CCTEMP, 2, isfinite(f->cctemp_c) ? kelvin(f->cctemp_c) : 0);
    el_le_put(p + EL_IDCTRL_TNVMCAP, 16, f->capacity_bytes);
    if (f->hctm) {
        el_le_put(p + EL_IDCTRL_HCTMA, 2, EL_HCTMA_SUPPORTED);
        el_le_put(p + EL_IDCTRL_MNTMT, 2, kelvin(f->mntmt_c));
        el_le_put(p + EL_IDCTRL_MXTMT, 2, kelvin(f->mxtmt_c));
    }
    el_le_put(p + EL_IDCTRL_SANICAP, 4, has_self_test(f) ? 0x3 : 0);
    el_le_put(p + EL_IDCTRL_NN, 4, 1);
    el_le_put(p + EL_IDCTRL_ONCS, 2, 0x0e | EL_ONCS_SAVE_SELECT);
    p[EL_IDCTRL_VWC] = EL_VWC_PRESENT;
    snprintf((char *)p + EL_IDCTRL_SUBNQN, 256, "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-%.12s",
             c->serial + 3);
    for (uint32_t i = 0; i < f->power_states; i++) {
        const struct el_profile_power_state *s = &f->power_state[i];
        uint8_t *d = p + EL_IDCTRL_PSD + i * EL_IDCTRL_PSD_SIZE;
        bool fine = s->max_w < 1; /* in 0.0001 W */

        el_le_put(d + EL_PSD_MP, 2, (el_u128)llround(s->max_w * (fine ? 10000 : 100)));
        d[EL_PSD_FLAGS] = (uint8_t)((fine ? EL_PSD_FLAG_MXPS : 0) | (s->operational ? 0 : EL_PSD_FLAG_NOPS));
        el_le_put(d + EL_PSD_ENLAT, 4, s->entry_us);
        el_le_put(d + EL_PSD_EXLAT, 4, s->exit_us);
    }
}

static void identify_namespace(const struct el_drive_profile *f, uint8_t *p)
{
    uint64_t blocks = f->capacity_bytes / LBA_BYTES;

    el_le_put(p + EL_IDNS_NSZE, 8, blocks);
    el_le_put(p + EL_IDNS_NCAP, 8, blocks);
    el_le_put(p + EL_IDNS_NUSE, 8, blocks);
    el_le_put(p + EL_IDNS_NVMCAP, 16, f->capacity_bytes);
    el_le_put(p + EL_IDNS_ENDGID, 2, has_endurance_groups(f) ? 1 : 0);
    p[EL_IDNS_LBAF + EL_IDNS_LBADS] = 9; /* 512 bytes */
}

/* Reading of sensor `s` (0 composite) in kelvin; 0 = not reported. */
static uint16_t sensor_kelvin(struct el_twin_card *card, uint32_t slot, uint32_t s)
{
    const struct el_plant_drive *d = &card->plant.drive[slot];
    const struct el_twin_sensor_fault *fault = &card->controller[slot].fault[s];
    double t = d->lagged[s < EL_PLANT_SENSORS ? s : EL_PLANT_SENSORS - 1];

    if (s > d->profile->sensors || fault->fault == EL_TWIN_FAULT_LOST)
        return 0;
    if (fault->fault == EL_TWIN_FAULT_STUCK)
        return kelvin(fault->value);
    if (fault->fault == EL_TWIN_FAULT_OFFSET)
        t += fault->value;
    if (s >= EL_PLANT_SENSORS)
        t -= 2 * (s - EL_PLANT_SENSORS + 1); /* further flash packages, each a little cooler */
    return kelvin(t + d->sensor_noise_c * el_rng_normal(&card->rng));
}

static void smart(struct el_twin_card *card, uint32_t slot, uint8_t *p)
{
    const struct el_twin_controller *c = &card->controller[slot];
    const struct el_plant_drive *d = &card->plant.drive[slot];
    uint16_t t = sensor_kelvin(card, slot, 0);
    uint64_t units_written = c->units_written + (uint64_t)ceil(d->write_bytes / UNIT_BYTES);
    double rated = d->profile->rated_endurance_bytes;

    p[EL_SMART_CRITICAL_WARNING] = t > c->threshold_k[0][0] || (t && t < c->threshold_k[0][1]) ? 2 : 0;
    el_le_put(p + EL_SMART_TEMPERATURE, 2, t);
    p[EL_SMART_SPARE] = 100;
    p[EL_SMART_SPARE_THRESHOLD] = 10;
    p[EL_SMART_PERCENTAGE_USED] = (uint8_t)fmin(
        100 * units_written * UNIT_BYTES / (rated > 0 ? rated : 2000.0 * d->profile->capacity_bytes), 255);
    el_le_put(p + EL_SMART_DATA_UNITS_READ, 16, c->units_read + (uint64_t)ceil(d->read_bytes / UNIT_BYTES));
    el_le_put(p + EL_SMART_DATA_UNITS_WRITTEN, 16, units_written);
    el_le_put(p + EL_SMART_HOST_READS, 16, c->units_read * 40 + (uint64_t)d->read_ops);
    el_le_put(p + EL_SMART_HOST_WRITES, 16, c->units_written * 40 + (uint64_t)d->write_ops);
    el_le_put(p + EL_SMART_BUSY_MINUTES, 16, c->power_on_hours * 12 + (uint64_t)(card->plant.time_s / 60));
    el_le_put(p + EL_SMART_POWER_CYCLES, 16, c->power_cycles);
    el_le_put(p + EL_SMART_POWER_ON_HOURS, 16, c->power_on_hours + (uint64_t)(card->plant.time_s / 3600));
    el_le_put(p + EL_SMART_UNSAFE_SHUTDOWNS, 16, c->power_cycles / 10);
    el_le_put(p + EL_SMART_ERROR_LOG_ENTRIES, 16, c->errors);
    el_le_put(p + EL_SMART_WARNING_MINUTES, 4, (uint64_t)(c->warning_s / 60));
    el_le_put(p + EL_SMART_CRITICAL_MINUTES, 4, (uint64_t)(c->critical_s / 60));
    for (uint32_t s = 1; s <= d->profile->sensors; s++)
        el_le_put(p + EL_SMART_SENSORS + 2 * (s - 1), 2, sensor_kelvin(card, slot, s));
    el_le_put(p + EL_SMART_TMT_TRANSITIONS, 4, d->profile->hctm ? d->throttle_events : 0);
    el_le_put(p + EL_SMART_TMT_SECONDS, 4, (uint64_t)d->throttle_s[0]);
    el_le_put(p + EL_SMART_TMT_SECONDS + 4, 4, (uint64_t)d->throttle_s[1]);
}

static void supported_logs(const struct el_drive_profile *f, uint8_t *p)
{
    static const uint8_t always[] = {0x00, 0x01, 0x02, 0x03, 0x06, 0x09, 0x81};

    for (size_t i = 0; i < sizeof always; i++)
        p[4 * always[i]] = 1;
    if (f->ocp)
        p[4 * EL_NVME_LID_OCP_SMART] = 1;
}

static void error_log(const struct el_twin_controller *c, uint8_t *p, uint32_t size)
{
    for (uint32_t i = 0; i < 64 && (i + 1) * EL_ERRLOG_ENTRY_SIZE <= size && i < c->errors; i++) {
        el_le_put(p + i * EL_ERRLOG_ENTRY_SIZE + EL_ERRLOG_COUNT, 8, c->errors - i);
        el_le_put(p + i * EL_ERRLOG_ENTRY_SIZE + EL_ERRLOG_STATUS, 2, INVALID_FIELD << 1);
    }
}

static void self_test(uint8_t *p)
{
    for (int i = 0; i < 20; i++)
        p[EL_SELFTEST_RESULTS + i * EL_SELFTEST_RESULT_SIZE + EL_SELFTEST_STATUS] = 0x0f; /* entry not used */
}

static void endurance_group(struct el_twin_card *card, uint32_t slot, uint8_t *p)
{
    const struct el_twin_controller *c = &card->controller[slot];
    const struct el_plant_drive *d = &card->plant.drive[slot];
    double written = c->units_written * UNIT_BYTES + d->write_bytes, rated = d->profile->rated_endurance_bytes;

    p[EL_ENDGRP_SPARE] = 100;
    p[EL_ENDGRP_SPARE_THRESHOLD] = 10;
    el_le_put(p + EL_ENDGRP_ESTIMATE, 16, (el_u128)(rated / EL_ENDGRP_UNIT_BYTES));
    el_le_put(p + EL_ENDGRP_DATA_READ, 16,
              (el_u128)((c->units_read * UNIT_BYTES + d->read_bytes) / EL_ENDGRP_UNIT_BYTES));
    el_le_put(p + EL_ENDGRP_DATA_WRITTEN, 16, (el_u128)(written / EL_ENDGRP_UNIT_BYTES));
    el_le_put(p + EL_ENDGRP_MEDIA_WRITTEN, 16, (el_u128)(1.3 * written / EL_ENDGRP_UNIT_BYTES));
}

static void ocp_smart(struct el_twin_card *card, uint32_t slot, uint8_t *p)
{
    static const uint8_t guid[] = EL_OCP_GUID_BYTES;
    const struct el_twin_controller *c = &card->controller[slot];
    const struct el_plant_drive *d = &card->plant.drive[slot];

    el_le_put(p + EL_OCP_MEDIA_WRITTEN, 16, (el_u128)(1.3 * (c->units_written * UNIT_BYTES + d->write_bytes)));
    el_le_put(p + EL_OCP_MEDIA_READ, 16, (el_u128)(1.1 * (c->units_read * UNIT_BYTES + d->read_bytes)));
    el_le_put(p + EL_OCP_BAD_USER_BLOCKS, 8, (el_u128)100 << 48); /* none yet, 100 % of the reserve left */
    el_le_put(p + EL_OCP_BAD_SYSTEM_BLOCKS, 8, (el_u128)100 << 48);
    el_le_put(p + EL_OCP_USER_ERASE_MAX, 4, 120);
    el_le_put(p + EL_OCP_USER_ERASE_MIN, 4, 90);
    p[EL_OCP_THROTTLE_EVENTS] = (uint8_t)d->throttle_events;
    p[EL_OCP_THROTTLE_STATUS] = d->throttled;
    p[EL_OCP_FREE_BLOCKS] = 40;
    el_le_put(p + EL_OCP_CAPACITOR_HEALTH, 2, 100);
    el_le_put(p + EL_OCP_NUSE, 8, d->profile->capacity_bytes / LBA_BYTES);
    el_le_put(p + EL_OCP_ENDURANCE_ESTIMATE, 16, (el_u128)d->profile->rated_endurance_bytes);
    el_le_put(p + EL_OCP_VERSION, 2, 3);
    memcpy(p + EL_OCP_GUID, guid, sizeof guid);
}

static int get_log(struct el_twin_card *card, uint32_t slot, uint8_t lid, uint8_t *p, uint32_t size)
{
    const struct el_drive_profile *f = card->plant.drive[slot].profile;

    switch (lid) {
    case EL_NVME_LID_SUPPORTED:
        if (f->nvme_version < NVME_VERSION(2, 0))
            return INVALID_LOG;
        supported_logs(f, p);
        return OK;
    case EL_NVME_LID_ERROR:
        error_log(&card->controller[slot], p, size);
        return OK;
    case EL_NVME_LID_SMART:
        smart(card, slot, p);
        return OK;
    case EL_NVME_LID_FIRMWARE:
        p[EL_FWLOG_AFI] = 1;
        put_ascii(p + EL_FWLOG_REVISIONS, EL_FWLOG_REVISION_SIZE, f->firmware);
        return OK;
    case EL_NVME_LID_SELF_TEST:
        if (!has_self_test(f))
            return INVALID_LOG;
        self_test(p);
        return OK;
    case EL_NVME_LID_ENDURANCE_GROUP:
        if (!has_endurance_groups(f))
            return INVALID_LOG;
        endurance_group(card, slot, p);
        return OK;
    case EL_NVME_LID_SANITIZE:
        if (!has_self_test(f))
            return INVALID_LOG;
        el_le_put(p + EL_SANITIZE_PROGRESS, 2, 0xffff);
        return OK;
    case EL_NVME_LID_OCP_SMART:
        if (!f->ocp)
            return INVALID_LOG;
        ocp_smart(card, slot, p);
        return OK;
    default:
        return INVALID_LOG;
    }
}

static uint8_t *put_feature(uint8_t *d, uint16_t code, uint8_t length, uint8_t bits)
{
    el_be_put(d + EL_TCG_FEATURE_CODE, 2, code);
    d[EL_TCG_FEATURE_VERSION] = 0x10;
    d[EL_TCG_FEATURE_LENGTH] = length;
    d[EL_TCG_FEATURE_DATA] = bits;
    return d + EL_TCG_FEATURE_DATA + length;
}

/* Opal, answered as by drives of this class: locks that nobody owns, until a scenario closes them. */
static void discovery(const struct el_twin_controller *c, uint8_t *p)
{
    uint8_t *d = p + EL_TCG_HEADER_SIZE;

    d = put_feature(d, EL_TCG_FEATURE_TPER, 12, 0x11); /* streaming and synchronous protocol */
    d = put_feature(d, EL_TCG_FEATURE_LOCKING, 12,
                    EL_TCG_LOCKING_SUPPORTED | EL_TCG_MEDIA_ENCRYPTION |
                        (c->locked ? EL_TCG_LOCKING_ENABLED | EL_TCG_LOCKED : 0));
    d = put_feature(d, EL_TCG_FEATURE_OPAL_2, 16, 0);
    el_be_put(p + EL_TCG_REVISION, 4, 1);
    el_be_put(p + EL_TCG_LENGTH, 4, (uint64_t)(d - p) - EL_TCG_LENGTH_COUNTS_FROM);
}

static int security_receive(const struct el_twin_controller *c, const struct el_drive_profile *f,
                            const struct el_admin *cmd, uint8_t *p)
{
    static const uint8_t protocols[] = {EL_SECP_INFORMATION, EL_SECP_TCG};

    if (!f->tcg)
        return INVALID_OPCODE;
    if (cmd->id == EL_SECP_INFORMATION && cmd->value == 0) {
        el_be_put(p + EL_SECP_LENGTH, 2, sizeof protocols);
        memcpy(p + EL_SECP_LIST, protocols, sizeof protocols);
        return OK;
    }
    if (cmd->id != EL_SECP_TCG || cmd->value != EL_TCG_DISCOVERY)
        return INVALID_FIELD;
    discovery(c, p);
    return OK;
}

/* Pages are built whole and handed out as far as the caller asked. */
static int page(struct el_twin_card *card, uint32_t slot, struct el_admin *cmd)
{
    uint8_t bytes[EL_NVME_IDENTIFY_SIZE];
    int status = OK;

    if (!cmd->data || cmd->size > sizeof bytes)
        return -EINVAL;
    memset(bytes, 0, cmd->kind == EL_ADMIN_IDENTIFY ? sizeof bytes : EL_MAX(cmd->size, 1024));
    if (cmd->kind == EL_ADMIN_GET_LOG)
        status = get_log(card, slot, cmd->id, bytes, cmd->size);
    else if (cmd->kind == EL_ADMIN_SECURITY_RECEIVE)
        status = security_receive(&card->controller[slot], card->plant.drive[slot].profile, cmd, bytes);
    else if (cmd->id == 0x01)
        identify_controller(&card->controller[slot], card->plant.drive[slot].profile, bytes);
    else if (cmd->id == 0x00 && (cmd->nsid == 1 || cmd->nsid == EL_NVME_NSID_ALL))
        identify_namespace(card->plant.drive[slot].profile, bytes);
    else if (cmd->id == 0x02)
        el_le_put(bytes, 4, cmd->nsid == 0 ? 1 : 0); /* active namespaces above nsid */
    else
        status = INVALID_FIELD;
    if (status == OK)
        memcpy(cmd->data, bytes, cmd->size);
    return status;
}

static int get_feature(const struct el_twin_controller *live, const struct el_drive_profile *f, struct el_admin *cmd)
{
    struct el_twin_controller c = *live;
    uint8_t sensor = EL_FEAT_THRESHOLD_SENSOR(cmd->value);

    if (cmd->select == 1 || cmd->select == 2)
        defaults(&c, f);
    if (cmd->select > 3)
        return INVALID_FIELD;
    switch (cmd->id) {
    case EL_NVME_FID_POWER_MANAGEMENT:
        cmd->result = c.power_state;
        break;
    case EL_NVME_FID_TEMPERATURE_THRESHOLD:
        if (sensor > f->sensors)
            return INVALID_FIELD;
        cmd->result = c.threshold_k[sensor][EL_FEAT_THRESHOLD_UNDER(cmd->value)];
        break;
    case EL_NVME_FID_VOLATILE_WRITE_CACHE:
        cmd->result = c.write_cache;
        break;
    case EL_NVME_FID_ASYNC_EVENT:
        cmd->result = c.async_event;
        break;
    case EL_NVME_FID_HCTM:
        if (!f->hctm)
            return INVALID_FIELD;
        cmd->result = c.hctm;
        break;
    default:
        return INVALID_FIELD;
    }
    if (cmd->select == 3)
        cmd->result = 0x4; /* changeable, not saveable */
    return OK;
}

static int set_hctm(struct el_twin_controller *c, struct el_plant_drive *d, uint32_t value)
{
    const struct el_drive_profile *f = d->profile;
    uint16_t t1 = EL_FEAT_HCTM_TMT1(value), t2 = EL_FEAT_HCTM_TMT2(value), lo = kelvin(f->mntmt_c),
             hi = kelvin(f->mxtmt_c);

    if (!f->hctm || (t1 && (t1 < lo || t1 > hi)) || (t2 && (t2 < lo || t2 > hi)) || (t1 && t2 && t1 >= t2))
        return INVALID_FIELD;
    c->hctm = value;
    d->tmt1_c = t1 ? t1 - 273 : 0;
    d->tmt2_c = t2 ? t2 - 273 : 0;
    return OK;
}

static int set_feature(struct el_twin_controller *c, struct el_plant_drive *d, const struct el_admin *cmd)
{
    uint32_t ps = EL_FEAT_POWER_STATE(cmd->value);
    uint8_t sensor = EL_FEAT_THRESHOLD_SENSOR(cmd->value);

    if (c->actuator_refused)
        return NOT_CHANGEABLE;
    switch (cmd->id) {
    case EL_NVME_FID_POWER_MANAGEMENT:
        if (ps >= d->profile->power_states)
            return INVALID_FIELD;
        if (c->actuator_ignored)
            return OK;
        c->power_state = ps;
        d->power_state = d->profile->power_state[ps].operational ? (int32_t)ps : 0; /* I/O wakes it at once */
        return OK;
    case EL_NVME_FID_TEMPERATURE_THRESHOLD:
        if (sensor > d->profile->sensors)
            return INVALID_FIELD;
        c->threshold_k[sensor][EL_FEAT_THRESHOLD_UNDER(cmd->value)] = EL_FEAT_THRESHOLD_KELVIN(cmd->value);
        return OK;
    case EL_NVME_FID_VOLATILE_WRITE_CACHE:
        c->write_cache = EL_FEAT_WRITE_CACHE(cmd->value);
        return OK;
    case EL_NVME_FID_ASYNC_EVENT:
        c->async_event = cmd->value;
        return OK;
    case EL_NVME_FID_HCTM:
        return c->actuator_ignored ? OK : set_hctm(c, d, cmd->value);
    default:
        return INVALID_FIELD;
    }
}

int el_twin_controller_admin(struct el_twin_card *card, uint32_t slot, struct el_admin *cmd)
{
    struct el_twin_controller *c = &card->controller[slot];
    struct el_plant_drive *d = &card->plant.drive[slot];
    int status;

    switch (cmd->kind) {
    case EL_ADMIN_IDENTIFY:
    case EL_ADMIN_GET_LOG:
    case EL_ADMIN_SECURITY_RECEIVE:
        status = page(card, slot, cmd);
        break;
    case EL_ADMIN_GET_FEATURE:
        status = get_feature(c, d->profile, cmd);
        break;
    case EL_ADMIN_SET_FEATURE:
        status = set_feature(c, d, cmd);
        break;
    default:
        status = INVALID_OPCODE;
    }
    c->errors += status > 0; /* each refused command leaves an entry, as on real drives */
    return status;
}
