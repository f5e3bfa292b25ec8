#include "model/nvme.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/nvme_layout.h"

static bool all_bytes(const uint8_t *p, size_t n, uint8_t value)
{
    return n && p[0] == value && memcmp(p, p + 1, n - 1) == 0;
}

enum el_nvme_page el_nvme_page_kind(const void *page, size_t size)
{
    if (all_bytes(page, size, 0x00))
        return EL_NVME_PAGE_ALL_ZERO;
    return all_bytes(page, size, 0xff) ? EL_NVME_PAGE_ALL_ONES : EL_NVME_PAGE_USABLE;
}

enum el_nvme_page el_nvme_smart_kind(const uint8_t page[EL_NVME_SMART_SIZE])
{
    if (all_bytes(page, EL_SMART_ENERGY_WH, 0x00))
        return EL_NVME_PAGE_ALL_ZERO;
    if (page[EL_SMART_CRITICAL_WARNING] == 0xff && all_bytes(page + EL_SMART_TEMPERATURE, 2, 0xff) &&
        all_bytes(page + EL_SMART_DATA_UNITS_READ, 16, 0xff))
        return EL_NVME_PAGE_ALL_ONES;
    return EL_NVME_PAGE_USABLE;
}

/* A power of 16 bits and its scale, in microwatts; 0 = not reported or a scale that is not defined. */
static uint32_t scaled_uw(uint16_t value, unsigned scale)
{
    switch (scale) {
    case EL_POWER_SCALE_100UW:
        return value * 100u;
    case EL_POWER_SCALE_10MW:
        return value * 10000u;
    default:
        return 0;
    }
}

/* Idle and active power: a value and, in the two highest bits of the byte behind it, its own scale. */
static uint32_t stated_uw(const uint8_t *d)
{
    return scaled_uw(el_le16(d), d[2] >> 6);
}

static void decode_power_state(struct el_nvme_power_state *out, const uint8_t *d)
{
    uint8_t flags = d[EL_PSD_FLAGS];

    out->max_uw =
        scaled_uw(el_le16(d + EL_PSD_MP), flags & EL_PSD_FLAG_MXPS ? EL_POWER_SCALE_100UW : EL_POWER_SCALE_10MW);
    out->idle_uw = stated_uw(d + EL_PSD_IDLP);
    out->active_uw = stated_uw(d + EL_PSD_ACTP);
    out->entry_us = el_le32(d + EL_PSD_ENLAT);
    out->exit_us = el_le32(d + EL_PSD_EXLAT);
    out->operational = !(flags & EL_PSD_FLAG_NOPS);
}

void el_nvme_decode_identify(struct el_nvme_identify *out, const uint8_t p[EL_NVME_IDENTIFY_SIZE])
{
    memset(out, 0, sizeof *out);
    out->vid = el_le16(p + EL_IDCTRL_VID);
    out->ssvid = el_le16(p + EL_IDCTRL_SSVID);
    out->cntlid = el_le16(p + EL_IDCTRL_CNTLID);
    out->version = el_le32(p + EL_IDCTRL_VER);
    out->oacs = el_le16(p + EL_IDCTRL_OACS);
    out->oncs = el_le16(p + EL_IDCTRL_ONCS);
    out->ctratt = el_le32(p + EL_IDCTRL_CTRATT);
    out->oaes = el_le32(p + EL_IDCTRL_OAES);
    out->namespaces = el_le32(p + EL_IDCTRL_NN);
    out->sanicap = el_le32(p + EL_IDCTRL_SANICAP);
    out->lpa = p[EL_IDCTRL_LPA];
    out->npss = p[EL_IDCTRL_NPSS];
    out->elpe = p[EL_IDCTRL_ELPE];
    out->frmw = p[EL_IDCTRL_FRMW];
    out->apsta = p[EL_IDCTRL_APSTA];
    out->vwc = p[EL_IDCTRL_VWC];
    out->cmic = p[EL_IDCTRL_CMIC];
    out->mdts = p[EL_IDCTRL_MDTS];
    out->hctm = el_le16(p + EL_IDCTRL_HCTMA) & EL_HCTMA_SUPPORTED;
    el_text_from_field(out->serial, sizeof out->serial, p + EL_IDCTRL_SN, 20);
    el_text_from_field(out->model, sizeof out->model, p + EL_IDCTRL_MN, 40);
    el_text_from_field(out->firmware, sizeof out->firmware, p + EL_IDCTRL_FR, 8);
    el_text_from_field(out->subnqn, sizeof out->subnqn, p + EL_IDCTRL_SUBNQN, 256);
    out->wctemp_k = el_le16(p + EL_IDCTRL_WCTEMP);
    out->cctemp_k = el_le16(p + EL_IDCTRL_CCTEMP);
    out->mntmt_k = el_le16(p + EL_IDCTRL_MNTMT);
    out->mxtmt_k = el_le16(p + EL_IDCTRL_MXTMT);
    out->total_capacity_bytes = el_le_get(p + EL_IDCTRL_TNVMCAP, 16);
    out->unallocated_bytes = el_le_get(p + EL_IDCTRL_UNVMCAP, 16);
    out->power_states = (uint8_t)(EL_MIN(out->npss, EL_NVME_POWER_STATES - 1) + 1); /* garbage says 255 */
    for (unsigned i = 0; i < out->power_states; i++)
        decode_power_state(&out->power_state[i], p + EL_IDCTRL_PSD + EL_IDCTRL_PSD_SIZE * i);
}

/* Blocks to bytes; saturates, for a page may claim anything. */
static uint64_t blocks_to_bytes(uint64_t blocks, unsigned shift)
{
    return blocks > UINT64_MAX >> shift ? UINT64_MAX : blocks << shift;
}

void el_nvme_decode_namespace(struct el_nvme_namespace *out, const uint8_t p[EL_NVME_IDENTIFY_SIZE])
{
    uint8_t flbas = p[EL_IDNS_FLBAS];
    /* Bits 6:5 extend the index only where more than 16 formats exist; before NVMe 2.0 they were reserved. */
    unsigned format = (flbas & 0xfu) | (p[EL_IDNS_NLBAF] > 15 ? (flbas >> 5 & 3u) << 4 : 0);
    unsigned shift = p[EL_IDNS_LBAF + EL_IDNS_LBAF_SIZE * format + EL_IDNS_LBADS];

    memset(out, 0, sizeof *out);
    out->endurance_group = el_le16(p + EL_IDNS_ENDGID);
    if (shift < 9 || shift > 31) /* less than 512 bytes is not allowed */
        return;
    out->lba_bytes = 1u << shift;
    out->size_bytes = blocks_to_bytes(el_le64(p + EL_IDNS_NSZE), shift);
    out->capacity_bytes = blocks_to_bytes(el_le64(p + EL_IDNS_NCAP), shift);
    out->used_bytes = blocks_to_bytes(el_le64(p + EL_IDNS_NUSE), shift);
}

void el_nvme_decode_smart(struct el_nvme_smart *out, const uint8_t p[EL_NVME_SMART_SIZE])
{
    uint32_t power = el_le32(p + EL_SMART_INTERVAL_POWER);

    memset(out, 0, sizeof *out);
    out->critical_warning = p[EL_SMART_CRITICAL_WARNING];
    out->available_spare = p[EL_SMART_SPARE];
    out->available_spare_threshold = p[EL_SMART_SPARE_THRESHOLD];
    out->percentage_used = p[EL_SMART_PERCENTAGE_USED];
    out->endurance_group_warning = p[EL_SMART_ENDURANCE_WARNING];
    out->temperature_k = el_le16(p + EL_SMART_TEMPERATURE);
    for (unsigned i = 0; i < EL_NVME_SENSORS; i++)
        out->sensor_k[i] = el_le16(p + EL_SMART_SENSORS + 2 * i);
    out->data_units_read = el_le_get(p + EL_SMART_DATA_UNITS_READ, 16);
    out->data_units_written = el_le_get(p + EL_SMART_DATA_UNITS_WRITTEN, 16);
    out->host_reads = el_le_get(p + EL_SMART_HOST_READS, 16);
    out->host_writes = el_le_get(p + EL_SMART_HOST_WRITES, 16);
    out->busy_minutes = el_le_get(p + EL_SMART_BUSY_MINUTES, 16);
    out->power_cycles = el_le_get(p + EL_SMART_POWER_CYCLES, 16);
    out->power_on_hours = el_le_get(p + EL_SMART_POWER_ON_HOURS, 16);
    out->unsafe_shutdowns = el_le_get(p + EL_SMART_UNSAFE_SHUTDOWNS, 16);
    out->media_errors = el_le_get(p + EL_SMART_MEDIA_ERRORS, 16);
    out->error_log_entries = el_le_get(p + EL_SMART_ERROR_LOG_ENTRIES, 16);
    out->warning_minutes = el_le32(p + EL_SMART_WARNING_MINUTES);
    out->critical_minutes = el_le32(p + EL_SMART_CRITICAL_MINUTES);
    for (unsigned i = 0; i < 2; i++) {
        out->tmt_transitions[i] = el_le32(p + EL_SMART_TMT_TRANSITIONS + 4 * i);
        out->tmt_seconds[i] = el_le32(p + EL_SMART_TMT_SECONDS + 4 * i);
    }
    out->energy_wh = el_le64(p + EL_SMART_ENERGY_WH);
    out->power_uw = scaled_uw((uint16_t)power, power >> 16 & 3);
}

bool el_nvme_kelvin_mc(uint16_t kelvin, int64_t *out_mc)
{
    if (kelvin < 214 || kelvin > 499)
        return false;
    *out_mc = (kelvin - 273) * 1000LL;
    return true;
}

double el_nvme_kelvin_c(uint16_t kelvin)
{
    int64_t mc;

    return el_nvme_kelvin_mc(kelvin, &mc) ? (double)mc / 1000 : NAN;
}
