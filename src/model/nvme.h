/* NVMe pages, decoded. Byte pages in, plain structs out; the same decoders serve host, twin, recorded machine and
 * `decode`. Offsets and their sources: model/nvme_layout.h. Pure functions, thread-safe. */
#pragma once

#include "base/base.h"

#define EL_NVME_IDENTIFY_SIZE  4096
#define EL_NVME_SMART_SIZE     512
#define EL_NVME_LOG_SIZE       512 /* logs 03h, 09h, 81h, C0h */
#define EL_NVME_SELF_TEST_SIZE 564
#define EL_NVME_NSID_ALL       0xffffffffu
#define EL_NVME_POWER_STATES   32
#define EL_NVME_SENSORS        8

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

/* Identify Controller, power state descriptor. Powers are microwatts: 0.01 W and 0.0001 W steps both stay exact. 0 =
 * not reported. */
struct el_nvme_power_state {
    uint32_t max_uw;
    uint32_t idle_uw;   /* after 30 s without I/O */
    uint32_t active_uw; /* highest mean over 10 s under the workload that the drive names */
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
    uint8_t power_states;                            /* valid entries in power_state: npss + 1, at most 32 */
    struct el_nvme_power_state power_state[EL_NVME_POWER_STATES];
};

/* Identify Namespace. Sizes in bytes whatever the block size. */
struct el_nvme_namespace {
    uint32_t lba_bytes; /* 0: the page makes no sense */
    uint16_t endurance_group;
    uint64_t size_bytes, capacity_bytes, used_bytes;
};

/* SMART / Health Information, log page 02h. Counters in the page's own units (see each). */
struct el_nvme_smart {
    uint8_t critical_warning; /* bits: 0 spare, 1 temperature, 2 reliability, 3 read only, 4 volatile backup, 5 PMR */
    uint8_t available_spare, available_spare_threshold, percentage_used; /* percent; used goes to 255 */
    uint8_t endurance_group_warning;                                     /* bits: 0 spare, 2 reliability, 3 read only */
    uint16_t temperature_k, sensor_k[EL_NVME_SENSORS];                   /* 0 = not reported */
    el_u128 data_units_read, data_units_written;                         /* x 512,000 bytes */
    el_u128 host_reads, host_writes;                                     /* commands */
    el_u128 busy_minutes, power_cycles, power_on_hours, unsafe_shutdowns, media_errors, error_log_entries;
    uint32_t warning_minutes, critical_minutes;
    uint32_t tmt_transitions[2], tmt_seconds[2];
    uint64_t energy_wh; /* NVMe 2.1 operational lifetime energy consumed, watt hours; 0 = not reported */
    uint32_t power_uw;  /* NVMe 2.1 interval power measurement; 0 = not reported */
};
#define EL_NVME_DATA_UNIT_BYTES 512000u

static inline double el_nvme_written_bytes(const struct el_nvme_smart *s)
{
    return (double)s->data_units_written * EL_NVME_DATA_UNIT_BYTES;
}

/* Error Information, log 01h. */
struct el_nvme_error_log {
    uint64_t count;       /* of the newest entry: errors over the life of the controller; 0 = no entry */
    uint16_t last_status; /* NVMe status of it, without the phase tag */
};

/* Firmware Slot Information, log 03h. Slots count from 1; an empty slot has an empty revision. */
struct el_nvme_firmware {
    uint8_t active_slot, next_slot, slots; /* next 0: no change at the next reset */
    char revision[7][8 * 3 + 1];
};

/* Device Self-test, log 06h. */
struct el_nvme_self_test {
    uint8_t current, completion_percent; /* current 0: none running */
    uint8_t last_result;                 /* 0 passed, 1..2 aborted or reset, 5..7 failed, ... */
    bool last_valid;
    uint64_t last_power_on_hours;
};

/* Endurance Group Information, log 09h. */
struct el_nvme_endurance {
    uint16_t group;
    uint8_t critical_warning, spare, spare_threshold, percentage_used;                          /* percent */
    el_u128 endurance_estimate_bytes, data_read_bytes, data_written_bytes, media_written_bytes; /* saturate */
};

/* Sanitize Status, log 81h. */
struct el_nvme_sanitize {
    uint16_t progress; /* of 65536, while one runs */
    uint8_t status;    /* 0 never, 1 done, 2 running, 3 failed, 4 done without deallocation */
    bool ever;
};

/* OCP SMART / Health Information Extended, log C0h, versions 2 to 6. */
struct el_nvme_ocp {
    uint16_t version;
    el_u128 media_written_bytes, media_read_bytes, plp_starts, endurance_estimate_bytes;
    uint64_t bad_user_blocks, bad_system_blocks, xor_recoveries, uncorrectable_reads, soft_ecc_errors;
    uint64_t end_to_end_detected, end_to_end_corrected, refresh_count, user_erase_max, user_erase_min;
    uint64_t pcie_correctable_errors, incomplete_shutdowns, unaligned_io, security_version;
    uint64_t retraining_count, power_state_changes;
    uint8_t throttle_events, throttle_status; /* status 0: not throttled, 1..3: level */
    uint8_t system_area_used_percent, free_blocks_percent;
    uint16_t capacitor_health_percent; /* EL_NVME_NO_CAPACITOR: the drive has none */
};
#define EL_NVME_NO_CAPACITOR 0xffff

/* TCG Level 0 Discovery. A drive without security protocols has nothing of this. */
struct el_nvme_security {
    bool tcg;               /* a discovery page was given */
    bool locking_supported; /* it can be locked */
    bool locking_enabled;   /* somebody owns its locks */
    bool locked;            /* some range of it is locked now */
    bool media_encryption;  /* what stands on the media is encrypted */
    uint16_t ssc;           /* feature code of its newest security subsystem class; 0 = none known */
};
#define EL_NVME_SECURITY_SIZE 2048u /* bytes asked for: room for more features than any drive has (assumed) */
const char *el_nvme_ssc_name(uint16_t feature); /* "opal-2", "pyrite-2", "enterprise", ...; "" = none known */
/* Whether the list of security protocols (protocol 00h) has `protocol` in it. Any bytes will do. */
bool el_nvme_security_lists(const uint8_t *page, size_t size, uint8_t protocol);
/* 0, or -EBADMSG with `out` untouched: shorter than its header. Any bytes will do. */
int el_nvme_decode_security(struct el_nvme_security *out, const uint8_t *page, size_t size);

/* Whether a page is worth decoding at all. */
enum el_nvme_page { EL_NVME_PAGE_USABLE, EL_NVME_PAGE_ALL_ZERO, EL_NVME_PAGE_ALL_ONES };
enum el_nvme_page el_nvme_page_kind(const void *page, size_t size);
/* The same for a SMART page by the fields it defines: a page that is zero there is no reading even when reserved bytes
 * are set, one whose leading fields are all ones comes from a device that is gone. */
enum el_nvme_page el_nvme_smart_kind(const uint8_t page[EL_NVME_SMART_SIZE]);

/* Each decoder takes exactly its page size and cannot fail. */
void el_nvme_decode_identify(struct el_nvme_identify *out, const uint8_t page[EL_NVME_IDENTIFY_SIZE]);
void el_nvme_decode_namespace(struct el_nvme_namespace *out, const uint8_t page[EL_NVME_IDENTIFY_SIZE]);
void el_nvme_decode_smart(struct el_nvme_smart *out, const uint8_t page[EL_NVME_SMART_SIZE]);
void el_nvme_decode_error_log(struct el_nvme_error_log *out, const uint8_t *page,
                              size_t size); /* whole 64-byte entries */
void el_nvme_decode_firmware(struct el_nvme_firmware *out, const uint8_t page[EL_NVME_LOG_SIZE]);
void el_nvme_decode_self_test(struct el_nvme_self_test *out, const uint8_t page[EL_NVME_SELF_TEST_SIZE]);
void el_nvme_decode_endurance(struct el_nvme_endurance *out,
                              const uint8_t page[EL_NVME_LOG_SIZE]); /* group: left alone */
void el_nvme_decode_sanitize(struct el_nvme_sanitize *out, const uint8_t page[EL_NVME_LOG_SIZE]);
/* False, `out` untouched: by its GUID this vendor's log C0h is something else. */
bool el_nvme_decode_ocp(struct el_nvme_ocp *out, const uint8_t page[EL_NVME_LOG_SIZE]);

/* Kelvin to milli-degrees Celsius as nvme-cli and smartctl do it (K - 273). False when 0 (not reported) or when no
 * drive can be there: outside -59..226 C (assumed; the widest storage range sold is -55..125 C). */
bool el_nvme_kelvin_mc(uint16_t kelvin, int64_t *out_mc);
double el_nvme_kelvin_c(uint16_t kelvin); /* the same in degrees, or NAN */
