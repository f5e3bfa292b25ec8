#include "model/fill.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "model/nvme_layout.h"

#define NVME_2_0 0x20000u

static void succeeded(struct el_slot *slot, enum el_read what, int64_t now_us)
{
    slot->stamp[what] = (struct el_stamp){.time_us = now_us, .quality = EL_GOOD};
}

static void failed(struct el_slot *slot, enum el_read what, enum el_read_fault fault, int error)
{
    slot->stamp[what].quality = EL_FAILED;
    slot->stamp[what].error = error;
    slot->read_faults[what][fault]++;
}

void el_fill_unread(struct el_slot *slot, enum el_read what, int error)
{
    failed(slot, what, error > 0 ? EL_FAULT_REFUSED : error == -ETIMEDOUT ? EL_FAULT_TIMEOUT : EL_FAULT_IO, error);
}

static struct el_reading kelvin_reading(uint16_t kelvin, int64_t now_us)
{
    struct el_reading r = {.time_us = now_us, .quality = EL_ABSENT};

    if (kelvin == 0)
        return r;
    r.quality = el_nvme_kelvin_mc(kelvin, &r.value) ? EL_GOOD : EL_IMPLAUSIBLE;
    if (r.quality == EL_IMPLAUSIBLE)
        r.value = (kelvin - 273) * 1000LL;
    return r;
}

/* The energy fields came with NVMe 2.1 into bytes that were reserved: a controller that claims to be older and does not
 * claim power measurement has something else there. */
static bool energy_believed(const struct el_slot *slot)
{
    const struct el_nvme_identify *id = &slot->identify;

    return slot->stamp[EL_READ_IDENTIFY].quality != EL_GOOD || id->version >= NVME_2_0 ||
           (id->ctratt & EL_CTRATT_POWER_MEASUREMENT);
}

static void fill_smart(struct el_slot *slot, const uint8_t *page, int64_t now_us)
{
    struct el_nvme_smart *smart = &slot->smart;

    el_nvme_decode_smart(smart, page);
    if (!energy_believed(slot))
        smart->energy_wh = smart->power_uw = 0;
    slot->temp_mc[0] = kelvin_reading(smart->temperature_k, now_us);
    for (unsigned i = 0; i < EL_NVME_SENSORS; i++)
        slot->temp_mc[1 + i] = kelvin_reading(smart->sensor_k[i], now_us);
    slot->power_mw = smart->power_uw ? el_reading_good(smart->power_uw / 1000, now_us) : (struct el_reading){0};
}

size_t el_fill_size(enum el_read what)
{
    static const size_t sizes[EL_READ_COUNT] = {
        [EL_READ_SMART] = EL_NVME_SMART_SIZE,   [EL_READ_IDENTIFY] = EL_NVME_IDENTIFY_SIZE,
        [EL_READ_FIRMWARE] = EL_NVME_LOG_SIZE,  [EL_READ_SELF_TEST] = EL_NVME_SELF_TEST_SIZE,
        [EL_READ_ENDURANCE] = EL_NVME_LOG_SIZE, [EL_READ_SANITIZE] = EL_NVME_LOG_SIZE,
        [EL_READ_OCP] = EL_NVME_LOG_SIZE};

    return sizes[what];
}

/* 0 when the page may be decoded. */
static int admit(enum el_read what, const uint8_t *page, size_t size)
{
    /* All-zero is a sound page for these three: no error, no self-test, never sanitized. All-ones is not. */
    bool zero_is_sound = what == EL_READ_ERROR_LOG || what == EL_READ_SELF_TEST || what == EL_READ_SANITIZE;

    switch (what == EL_READ_SMART ? el_nvme_smart_kind(page) : el_nvme_page_kind(page, size)) {
    case EL_NVME_PAGE_ALL_ZERO:
        return zero_is_sound ? 0 : -ENODATA;
    case EL_NVME_PAGE_ALL_ONES:
        return -ENODEV;
    case EL_NVME_PAGE_USABLE:
        break;
    }
    return 0;
}

static int decode(struct el_slot *slot, enum el_read what, const uint8_t *page, size_t size, int64_t now_us)
{
    struct el_slot_logs *l = &slot->logs;

    switch (what) {
    case EL_READ_SMART:
        fill_smart(slot, page, now_us);
        return 0;
    case EL_READ_IDENTIFY:
        el_nvme_decode_identify(&slot->identify, page);
        return 0;
    case EL_READ_ERROR_LOG:
        el_nvme_decode_error_log(&l->error, page, size);
        return 0;
    case EL_READ_FIRMWARE:
        el_nvme_decode_firmware(&l->firmware, page);
        return 0;
    case EL_READ_SELF_TEST:
        el_nvme_decode_self_test(&l->self_test, page);
        return 0;
    case EL_READ_ENDURANCE:
        el_nvme_decode_endurance(&l->endurance, page);
        return 0;
    case EL_READ_SANITIZE:
        el_nvme_decode_sanitize(&l->sanitize, page);
        return 0;
    case EL_READ_OCP:
        return el_nvme_decode_ocp(&l->ocp, page) ? 0 : -EPROTONOSUPPORT;
    case EL_READ_SECURITY:
        return el_nvme_decode_security(&l->security, page, size);
    case EL_READ_COUNT:
        break;
    }
    return -EINVAL;
}

int el_fill_page(struct el_slot *slot, enum el_read what, const uint8_t *page, size_t size, int64_t now_us)
{
    size_t n = el_fill_size(what) ? el_fill_size(what) : size;
    int r = admit(what, page, n);

    if (r == 0)
        r = decode(slot, what, page, n, now_us);
    if (r < 0)
        failed(slot, what, EL_FAULT_PAGE, r);
    else
        succeeded(slot, what, now_us);
    return r;
}

void el_fill_no_security(struct el_slot *slot, int64_t now_us)
{
    slot->logs.security = (struct el_nvme_security){0};
    succeeded(slot, EL_READ_SECURITY, now_us);
}

int el_fill_namespace(struct el_namespace *ns, const uint8_t page[EL_NVME_IDENTIFY_SIZE])
{
    struct el_nvme_namespace n;

    el_nvme_decode_namespace(&n, page);
    if (!n.lba_bytes)
        return -EINVAL;
    ns->lba_bytes = n.lba_bytes;
    ns->size_bytes = n.size_bytes;
    ns->capacity_bytes = n.capacity_bytes;
    ns->used_bytes = n.used_bytes;
    return 0;
}

void el_fill_feature(struct el_slot *slot, uint8_t fid, uint32_t dword11, uint32_t result, int64_t now_us)
{
    unsigned sensor = EL_FEAT_THRESHOLD_SENSOR(dword11);

    switch (fid) {
    case EL_NVME_FID_POWER_MANAGEMENT:
        slot->power_state = el_reading_good(EL_FEAT_POWER_STATE(result), now_us);
        if (slot->identify.power_states && EL_FEAT_POWER_STATE(result) >= slot->identify.power_states)
            slot->power_state.quality = EL_IMPLAUSIBLE;
        break;
    case EL_NVME_FID_TEMPERATURE_THRESHOLD: /* 0 K and FFFFh mean "no threshold": absent and implausible */
        if (sensor < EL_SLOT_SENSORS)
            slot->threshold_mc[sensor][EL_FEAT_THRESHOLD_UNDER(dword11)] =
                kelvin_reading(EL_FEAT_THRESHOLD_KELVIN(result), now_us);
        break;
    case EL_NVME_FID_VOLATILE_WRITE_CACHE:
        slot->write_cache = el_reading_good(EL_FEAT_WRITE_CACHE(result), now_us);
        break;
    case EL_NVME_FID_HCTM:
        slot->hctm_mc[0] = kelvin_reading(EL_FEAT_HCTM_TMT1(result), now_us);
        slot->hctm_mc[1] = kelvin_reading(EL_FEAT_HCTM_TMT2(result), now_us);
        break;
    default:
        break;
    }
}

static void expire(struct el_reading *r, int64_t oldest_us)
{
    if (r->quality == EL_GOOD && r->time_us < oldest_us)
        r->quality = EL_STALE;
}

void el_fill_expire(struct el_slot *slot, int64_t oldest_us)
{
    for (unsigned i = 0; i < EL_SLOT_SENSORS; i++)
        expire(&slot->temp_mc[i], oldest_us);
    expire(&slot->power_mw, oldest_us);
    if (slot->stamp[EL_READ_SMART].quality == EL_GOOD && slot->stamp[EL_READ_SMART].time_us < oldest_us)
        slot->stamp[EL_READ_SMART].quality = EL_STALE;
}

void el_fill_forget(struct el_slot *slot)
{
    if (slot->identify.serial[0])
        el_text_copy(slot->last_serial, sizeof slot->last_serial, slot->identify.serial);
    memset(&slot->identify, 0, sizeof slot->identify);
    memset(&slot->smart, 0, sizeof slot->smart);
    memset(&slot->logs, 0, sizeof slot->logs);
    memset(&slot->io, 0, sizeof slot->io);
    memset(slot->temp_mc, 0, sizeof slot->temp_mc);
    memset(slot->threshold_mc, 0, sizeof slot->threshold_mc);
    memset(slot->hctm_mc, 0, sizeof slot->hctm_mc);
    memset(slot->stamp, 0, sizeof slot->stamp);
    slot->power_mw = slot->power_state = slot->write_cache = (struct el_reading){0};
}
