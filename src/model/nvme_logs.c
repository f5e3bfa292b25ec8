/* The optional log pages. */
#include <string.h>

#include "base/text.h"
#include "model/nvme.h"
#include "model/nvme_layout.h"

void el_nvme_decode_error_log(struct el_nvme_error_log *out, const uint8_t *page, size_t size)
{
    memset(out, 0, sizeof *out);
    /* Newest first by the specification; some firmware keeps a ring, so the highest count decides. */
    for (size_t i = 0; i + EL_ERRLOG_ENTRY_SIZE <= size; i += EL_ERRLOG_ENTRY_SIZE) {
        uint64_t count = el_le64(page + i + EL_ERRLOG_COUNT);

        if (count > out->count) {
            out->count = count;
            out->last_status = el_le16(page + i + EL_ERRLOG_STATUS) >> 1;
        }
    }
}

void el_nvme_decode_firmware(struct el_nvme_firmware *out, const uint8_t p[EL_NVME_LOG_SIZE])
{
    memset(out, 0, sizeof *out);
    out->active_slot = p[EL_FWLOG_AFI] & 7;
    out->next_slot = p[EL_FWLOG_AFI] >> 4 & 7;
    for (unsigned i = 0; i < EL_FWLOG_SLOTS; i++) {
        el_text_from_field(out->revision[i], sizeof out->revision[i],
                           p + EL_FWLOG_REVISIONS + EL_FWLOG_REVISION_SIZE * i, EL_FWLOG_REVISION_SIZE);
        if (out->revision[i][0])
            out->slots = (uint8_t)(i + 1);
    }
}

void el_nvme_decode_self_test(struct el_nvme_self_test *out, const uint8_t p[EL_NVME_SELF_TEST_SIZE])
{
    const uint8_t *newest = p + EL_SELFTEST_RESULTS;
    uint8_t outcome = newest[EL_SELFTEST_STATUS] & 0xf;

    memset(out, 0, sizeof *out);
    out->current = p[EL_SELFTEST_CURRENT] & 0xf;
    out->completion_percent = EL_MIN(p[EL_SELFTEST_COMPLETION] & 0x7f, 100);
    /* An entry that was never used says Fh; drives that zero the log instead leave the code in bits 7:4 zero. */
    if (outcome == 0xf || newest[EL_SELFTEST_STATUS] >> 4 == 0)
        return;
    out->last_valid = true;
    out->last_result = outcome;
    out->last_power_on_hours = el_le64(newest + EL_SELFTEST_POWER_ON_HOURS);
}

/* 10^9-byte units to bytes; saturates. */
static el_u128 billions(const uint8_t *p)
{
    el_u128 v = el_le_get(p, 16), most = ~(el_u128)0 / EL_ENDGRP_UNIT_BYTES;

    return v > most ? ~(el_u128)0 : v * EL_ENDGRP_UNIT_BYTES;
}

void el_nvme_decode_endurance(struct el_nvme_endurance *out, const uint8_t p[EL_NVME_LOG_SIZE])
{
    out->critical_warning = p[EL_ENDGRP_CRITICAL_WARNING];
    out->spare = p[EL_ENDGRP_SPARE];
    out->spare_threshold = p[EL_ENDGRP_SPARE_THRESHOLD];
    out->percentage_used = p[EL_ENDGRP_PERCENTAGE_USED];
    out->endurance_estimate_bytes = billions(p + EL_ENDGRP_ESTIMATE);
    out->data_read_bytes = billions(p + EL_ENDGRP_DATA_READ);
    out->data_written_bytes = billions(p + EL_ENDGRP_DATA_WRITTEN);
    out->media_written_bytes = billions(p + EL_ENDGRP_MEDIA_WRITTEN);
}

void el_nvme_decode_sanitize(struct el_nvme_sanitize *out, const uint8_t p[EL_NVME_LOG_SIZE])
{
    out->progress = el_le16(p + EL_SANITIZE_PROGRESS);
    out->status = p[EL_SANITIZE_STATUS] & 7;
    out->ever = out->status != 0;
}

bool el_nvme_decode_ocp(struct el_nvme_ocp *out, const uint8_t p[EL_NVME_LOG_SIZE])
{
    static const uint8_t guid[16] = EL_OCP_GUID_BYTES;

    if (memcmp(p + EL_OCP_GUID, guid, sizeof guid) != 0)
        return false;
    memset(out, 0, sizeof *out);
    out->version = el_le16(p + EL_OCP_VERSION);
    out->media_written_bytes = el_le_get(p + EL_OCP_MEDIA_WRITTEN, 16);
    out->media_read_bytes = el_le_get(p + EL_OCP_MEDIA_READ, 16);
    out->bad_user_blocks = (uint64_t)el_le_get(p + EL_OCP_BAD_USER_BLOCKS, 6);
    out->bad_system_blocks = (uint64_t)el_le_get(p + EL_OCP_BAD_SYSTEM_BLOCKS, 6);
    out->xor_recoveries = el_le64(p + EL_OCP_XOR_RECOVERIES);
    out->uncorrectable_reads = el_le64(p + EL_OCP_UNCORRECTABLE_READS);
    out->soft_ecc_errors = el_le64(p + EL_OCP_SOFT_ECC_ERRORS);
    out->end_to_end_detected = el_le32(p + EL_OCP_END_TO_END_DETECTED);
    out->end_to_end_corrected = el_le32(p + EL_OCP_END_TO_END_CORRECTED);
    out->system_area_used_percent = p[EL_OCP_SYSTEM_AREA_USED];
    out->refresh_count = (uint64_t)el_le_get(p + EL_OCP_REFRESH_COUNT, 7);
    out->user_erase_max = el_le32(p + EL_OCP_USER_ERASE_MAX);
    out->user_erase_min = el_le32(p + EL_OCP_USER_ERASE_MIN);
    out->throttle_events = p[EL_OCP_THROTTLE_EVENTS];
    out->throttle_status = p[EL_OCP_THROTTLE_STATUS];
    out->pcie_correctable_errors = el_le64(p + EL_OCP_PCIE_CORRECTABLE);
    out->incomplete_shutdowns = el_le32(p + EL_OCP_INCOMPLETE_SHUTDOWNS);
    out->free_blocks_percent = p[EL_OCP_FREE_BLOCKS];
    out->capacitor_health_percent = el_le16(p + EL_OCP_CAPACITOR_HEALTH);
    out->unaligned_io = el_le64(p + EL_OCP_UNALIGNED_IO);
    out->security_version = el_le64(p + EL_OCP_SECURITY_VERSION);
    out->plp_starts = el_le_get(p + EL_OCP_PLP_STARTS, 16);
    out->endurance_estimate_bytes = el_le_get(p + EL_OCP_ENDURANCE_ESTIMATE, 16);
    if (out->version >= 2) { /* reserved before */
        out->retraining_count = el_le64(p + EL_OCP_LINK_RETRAININGS);
        out->power_state_changes = el_le64(p + EL_OCP_POWER_STATE_CHANGES);
    }
    return true;
}
