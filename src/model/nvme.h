/* NVMe pages, decoded. Byte pages in, plain structs out; the same decoders serve host, twin, recorded machine and `decode`.
 * Offsets: NVM Express Base Specification 2.0 (figure numbers at each decoder). Pure functions, thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#define EL_NVME_IDENTIFY_SIZE 4096
#define EL_NVME_SMART_SIZE    512
#define EL_NVME_NSID_ALL      0xffffffffu
#define EL_NVME_POWER_STATES  32
#define EL_NVME_SENSORS       8

enum el_nvme_lid {
    EL_NVME_LID_SUPPORTED = 0x00,
    EL_NVME_LID_ERROR = 0x01,
    EL_NVME_LID_SMART = 0x02,
    EL_NVME_LID_FIRMWARE = 0x03,
    EL_NVME_LID_SELF_TEST = 0x06,
    EL_NVME_LID_ENDURANCE_GROUP = 0x09,
    EL_NVME_LID_SANITIZE = 0x81,
    EL_NVME_LID_OCP_SMART = 0xc0,
};

enum el_nvme_fid {
    EL_NVME_FID_POWER_MANAGEMENT = 0x02,
    EL_NVME_FID_TEMPERATURE_THRESHOLD = 0x04,
    EL_NVME_FID_VOLATILE_WRITE_CACHE = 0x06,
    EL_NVME_FID_ASYNC_EVENT = 0x0b,
    EL_NVME_FID_HCTM = 0x10,
};

/* Identify Controller, power state descriptor. Powers are microwatts: 0.01 W and 0.0001 W steps both stay exact. 0 = not reported. */
struct el_nvme_power_state {
    uint32_t max_uw;
    uint32_t idle_uw, active_uw;
    uint32_t entry_us, exit_us;
    bool operational;
};

struct el_nvme_identify {
    uint16_t vid, ssvid, cntlid, oacs, oncs;
    uint32_t version; /* as in the page: major << 16 | minor << 8 | tertiary */
    uint32_t ctratt, oaes, namespaces, sanicap;
    uint8_t lpa, npss, elpe, frmw, apsta, vwc, cmic, mdts;
    bool hctm;
    char serial[20 * 3 + 1], model[40 * 3 + 1], firmware[8 * 3 + 1]; /* clean UTF-8 */
    char subnqn[256];
    /* Kelvin as in the page; 0 = not reported. Use el_nvme_kelvin_mc. */
    uint16_t wctemp_k, cctemp_k, mntmt_k, mxtmt_k;
    el_u128 total_capacity_bytes, unallocated_bytes; /* 0 = not reported */
    uint8_t power_states; /* valid entries in power_state: npss + 1, at most 32 */
    struct el_nvme_power_state power_state[EL_NVME_POWER_STATES];
};

/* SMART / Health Information, log page 02h. Counters in the page's own units (see each). */
struct el_nvme_smart {
    uint8_t critical_warning; /* bits: 0 spare, 1 temperature, 2 reliability, 3 read only, 4 volatile backup, 5 PMR */
    uint8_t available_spare, available_spare_threshold, percentage_used; /* percent; used goes to 255 */
    uint8_t endurance_group_warning;
    uint16_t temperature_k, sensor_k[EL_NVME_SENSORS]; /* 0 = not reported */
    el_u128 data_units_read, data_units_written; /* x 512,000 bytes */
    el_u128 host_reads, host_writes;             /* commands */
    el_u128 busy_minutes, power_cycles, power_on_hours, unsafe_shutdowns, media_errors, error_log_entries;
    uint32_t warning_minutes, critical_minutes;
    uint32_t tmt_transitions[2], tmt_seconds[2];
    el_u128 energy_wh; /* NVMe 2.x operational lifetime energy consumed, watt hours; 0 = not reported */
    uint32_t power_mw; /* NVMe 2.x interval power measurement; 0 = not reported */
};

/* What a page is worth before any field is believed. */
enum el_nvme_page { EL_NVME_PAGE_USABLE, EL_NVME_PAGE_ALL_ZERO, EL_NVME_PAGE_ALL_ONES };
enum el_nvme_page el_nvme_page_kind(const void *page, size_t size);

/* Each decoder takes exactly its page size and cannot fail: bytes are bytes. */
void el_nvme_decode_identify(struct el_nvme_identify *out, const uint8_t page[EL_NVME_IDENTIFY_SIZE]);
void el_nvme_decode_smart(struct el_nvme_smart *out, const uint8_t page[EL_NVME_SMART_SIZE]);

/* Kelvin to milli-degrees Celsius as nvme-cli and smartctl do it (K - 273). False when 0 (not reported) or when no drive
 * can be there: outside -60..226 C (assumed; the widest storage range sold is -40..85 C). */
bool el_nvme_kelvin_mc(uint16_t kelvin, int64_t *out_mc);
