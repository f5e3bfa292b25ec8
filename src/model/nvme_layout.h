/* Where each field stands in an NVMe page, once: read by the decoders (model/nvme*.c), written by the twin's
 * controllers. All fields are little endian. Sources: NVM Express Base Specification 2.1 (Identify: figure 313; log
 * pages: section 5.1.12; features: section 5.1.25), NVM Command Set Specification 1.1 (Identify Namespace: figure 114),
 * OCP Datacenter NVMe SSD Specification 2.6 (log C0h: section 4.8.6). */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/base.h"

/* Identify Controller, CNS 01h, 4096 bytes. */
enum {
    EL_IDCTRL_VID = 0,       /* 2 */
    EL_IDCTRL_SSVID = 2,     /* 2 */
    EL_IDCTRL_SN = 4,        /* 20, ASCII, space padded */
    EL_IDCTRL_MN = 24,       /* 40 */
    EL_IDCTRL_FR = 64,       /* 8 */
    EL_IDCTRL_CMIC = 76,     /* 1 */
    EL_IDCTRL_MDTS = 77,     /* 1 */
    EL_IDCTRL_CNTLID = 78,   /* 2 */
    EL_IDCTRL_VER = 80,      /* 4: major << 16 | minor << 8 | tertiary */
    EL_IDCTRL_OAES = 92,     /* 4 */
    EL_IDCTRL_CTRATT = 96,   /* 4 */
    EL_IDCTRL_OACS = 256,    /* 2 */
    EL_IDCTRL_FRMW = 260,    /* 1 */
    EL_IDCTRL_LPA = 261,     /* 1 */
    EL_IDCTRL_ELPE = 262,    /* 1, zero based */
    EL_IDCTRL_NPSS = 263,    /* 1, zero based; legal up to 31 */
    EL_IDCTRL_APSTA = 265,   /* 1 */
    EL_IDCTRL_WCTEMP = 266,  /* 2, kelvin */
    EL_IDCTRL_CCTEMP = 268,  /* 2, kelvin */
    EL_IDCTRL_TNVMCAP = 280, /* 16, bytes */
    EL_IDCTRL_UNVMCAP = 296, /* 16, bytes */
    EL_IDCTRL_HCTMA = 322,   /* 2 */
    EL_IDCTRL_MNTMT = 324,   /* 2, kelvin */
    EL_IDCTRL_MXTMT = 326,   /* 2, kelvin */
    EL_IDCTRL_SANICAP = 328, /* 4 */
    EL_IDCTRL_NN = 516,      /* 4 */
    EL_IDCTRL_ONCS = 520,    /* 2 */
    EL_IDCTRL_VWC = 525,     /* 1 */
    EL_IDCTRL_SUBNQN = 768,  /* 256, UTF-8, NUL terminated */
    EL_IDCTRL_PSD = 2048,    /* 32 descriptors */
    EL_IDCTRL_PSD_SIZE = 32,
};
#define EL_CTRATT_ENDURANCE_GROUPS  (1u << 4)
#define EL_CTRATT_POWER_MEASUREMENT (1u << 21)
#define EL_OACS_SECURITY            (1u << 0)
#define EL_OACS_SELF_TEST           (1u << 4)
#define EL_ONCS_SAVE_SELECT         (1u << 4)
#define EL_LPA_EXTENDED_DATA        (1u << 2)
#define EL_LPA_SUPPORTED_PAGES      (1u << 5) /* log 00h is there */
#define EL_HCTMA_SUPPORTED          (1u << 0)
#define EL_VWC_PRESENT              (1u << 0)

/* Power state descriptor, offsets inside its 32 bytes. */
enum {
    EL_PSD_MP = 0,    /* 2 */
    EL_PSD_FLAGS = 3, /* 1: MXPS, NOPS */
    EL_PSD_ENLAT = 4, /* 4, microseconds */
    EL_PSD_EXLAT = 8, /* 4, microseconds */
    EL_PSD_IDLP = 16, /* 2 */
    EL_PSD_IPS = 18,  /* 1: scale in bits 7:6 */
    EL_PSD_ACTP = 20, /* 2 */
    EL_PSD_APS = 22,  /* 1: scale in bits 7:6, workload in 2:0 */
};
#define EL_PSD_FLAG_MXPS (1u << 0) /* 0: MP counts 0.01 W; 1: 0.0001 W */
#define EL_PSD_FLAG_NOPS (1u << 1) /* no I/O in this state */
/* IPS, APS and the scale of the interval power measurement. */
enum { EL_POWER_SCALE_NONE = 0, EL_POWER_SCALE_100UW = 1, EL_POWER_SCALE_10MW = 2 };

/* Identify Namespace, CNS 00h, 4096 bytes. */
enum {
    EL_IDNS_NSZE = 0,     /* 8, logical blocks */
    EL_IDNS_NCAP = 8,     /* 8 */
    EL_IDNS_NUSE = 16,    /* 8 */
    EL_IDNS_NLBAF = 25,   /* 1, zero based */
    EL_IDNS_FLBAS = 26,   /* 1: format index in 3:0 and 6:5 */
    EL_IDNS_NVMCAP = 48,  /* 16, bytes */
    EL_IDNS_ENDGID = 102, /* 2 */
    EL_IDNS_LBAF = 128,   /* 4 each: metadata size 2, LBADS 1 (power of two), performance 1 */
    EL_IDNS_LBAF_SIZE = 4,
    EL_IDNS_LBADS = 2, /* inside one format */
};

/* SMART / Health Information, log 02h, 512 bytes. */
enum {
    EL_SMART_CRITICAL_WARNING = 0,  /* 1 */
    EL_SMART_TEMPERATURE = 1,       /* 2, kelvin */
    EL_SMART_SPARE = 3,             /* 1, percent */
    EL_SMART_SPARE_THRESHOLD = 4,   /* 1, percent */
    EL_SMART_PERCENTAGE_USED = 5,   /* 1 */
    EL_SMART_ENDURANCE_WARNING = 6, /* 1 */
    EL_SMART_DATA_UNITS_READ = 32,  /* 16, x 512,000 bytes */
    EL_SMART_DATA_UNITS_WRITTEN = 48,
    EL_SMART_HOST_READS = 64, /* 16, commands */
    EL_SMART_HOST_WRITES = 80,
    EL_SMART_BUSY_MINUTES = 96,
    EL_SMART_POWER_CYCLES = 112,
    EL_SMART_POWER_ON_HOURS = 128,
    EL_SMART_UNSAFE_SHUTDOWNS = 144,
    EL_SMART_MEDIA_ERRORS = 160,
    EL_SMART_ERROR_LOG_ENTRIES = 176,
    EL_SMART_WARNING_MINUTES = 192,  /* 4 */
    EL_SMART_CRITICAL_MINUTES = 196, /* 4 */
    EL_SMART_SENSORS = 200,          /* 8 x 2, kelvin */
    EL_SMART_TMT_TRANSITIONS = 216,  /* 2 x 4 */
    EL_SMART_TMT_SECONDS = 224,      /* 2 x 4 */
    EL_SMART_ENERGY_WH = 232,        /* 8, watt hours (NVMe 2.1) */
    EL_SMART_INTERVAL_POWER = 240,   /* 4: value 15:0, scale 17:16, type 25:20 (NVMe 2.1) */
};

/* Error Information, log 01h: entries of 64 bytes, newest first. */
enum {
    EL_ERRLOG_ENTRY_SIZE = 64,
    EL_ERRLOG_COUNT = 0,   /* 8; 0 = entry not used */
    EL_ERRLOG_STATUS = 12, /* 2: phase tag in bit 0, status above it */
};

/* Firmware Slot Information, log 03h, 512 bytes. */
enum {
    EL_FWLOG_AFI = 0,       /* 1: active slot 2:0, slot after the next reset 6:4 */
    EL_FWLOG_REVISIONS = 8, /* 7 x 8, ASCII */
    EL_FWLOG_REVISION_SIZE = 8,
    EL_FWLOG_SLOTS = 7,
};

/* Device Self-test, log 06h, 564 bytes: 20 results, newest first. */
enum {
    EL_SELFTEST_CURRENT = 0,    /* 1: operation in 3:0 */
    EL_SELFTEST_COMPLETION = 1, /* 1: percent in 6:0 */
    EL_SELFTEST_RESULTS = 4,    /* 20 x 28 */
    EL_SELFTEST_RESULT_SIZE = 28,
    EL_SELFTEST_STATUS = 0,         /* inside a result: outcome in 3:0 (Fh = entry not used), code in 7:4 */
    EL_SELFTEST_POWER_ON_HOURS = 4, /* 8 */
};

/* Endurance Group Information, log 09h, 512 bytes. Amounts count 10^9 bytes. */
enum {
    EL_ENDGRP_CRITICAL_WARNING = 0,
    EL_ENDGRP_SPARE = 3,
    EL_ENDGRP_SPARE_THRESHOLD = 4,
    EL_ENDGRP_PERCENTAGE_USED = 5,
    EL_ENDGRP_ESTIMATE = 32, /* 16 */
    EL_ENDGRP_DATA_READ = 48,
    EL_ENDGRP_DATA_WRITTEN = 64,
    EL_ENDGRP_MEDIA_WRITTEN = 80,
};
#define EL_ENDGRP_UNIT_BYTES 1000000000u

/* Sanitize Status, log 81h, 512 bytes. */
enum {
    EL_SANITIZE_PROGRESS = 0, /* 2, of 65536; FFFFh = none running */
    EL_SANITIZE_STATUS = 2,   /* 2: outcome in 2:0 */
};

/* OCP SMART / Health Information Extended, log C0h, 512 bytes. Versions 2 to 6 share these places. */
enum {
    EL_OCP_MEDIA_WRITTEN = 0,          /* 16, bytes */
    EL_OCP_MEDIA_READ = 16,            /* 16, bytes */
    EL_OCP_BAD_USER_BLOCKS = 32,       /* 6 raw, 2 normalized */
    EL_OCP_BAD_SYSTEM_BLOCKS = 40,     /* 6 raw, 2 normalized */
    EL_OCP_XOR_RECOVERIES = 48,        /* 8 */
    EL_OCP_UNCORRECTABLE_READS = 56,   /* 8 */
    EL_OCP_SOFT_ECC_ERRORS = 64,       /* 8 */
    EL_OCP_END_TO_END_DETECTED = 72,   /* 4 */
    EL_OCP_END_TO_END_CORRECTED = 76,  /* 4 */
    EL_OCP_SYSTEM_AREA_USED = 80,      /* 1, percent */
    EL_OCP_REFRESH_COUNT = 81,         /* 7 */
    EL_OCP_USER_ERASE_MAX = 88,        /* 4 */
    EL_OCP_USER_ERASE_MIN = 92,        /* 4 */
    EL_OCP_THROTTLE_EVENTS = 96,       /* 1 */
    EL_OCP_THROTTLE_STATUS = 97,       /* 1: 0 not throttled, 1..3 level */
    EL_OCP_PCIE_CORRECTABLE = 104,     /* 8 */
    EL_OCP_INCOMPLETE_SHUTDOWNS = 112, /* 4 */
    EL_OCP_FREE_BLOCKS = 120,          /* 1, percent */
    EL_OCP_CAPACITOR_HEALTH = 128,     /* 2, percent, over 100 allowed; FFFFh = no capacitor */
    EL_OCP_UNALIGNED_IO = 136,         /* 8 */
    EL_OCP_SECURITY_VERSION = 144,     /* 8 */
    EL_OCP_NUSE = 152,                 /* 8, logical blocks of all namespaces */
    EL_OCP_PLP_STARTS = 160,           /* 16 */
    EL_OCP_ENDURANCE_ESTIMATE = 176,   /* 16, bytes */
    EL_OCP_LINK_RETRAININGS = 192,     /* 8 */
    EL_OCP_POWER_STATE_CHANGES = 200,  /* 8 */
    EL_OCP_VERSION = 494,              /* 2 */
    EL_OCP_GUID = 496,                 /* 16 */
};
/* In page order. Any vendor may use log C0h for something else: no byte is believed without this. */
#define EL_OCP_GUID_BYTES                                                                                              \
    {                                                                                                                  \
        0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf                 \
    }

/* Features: dword 0 of Get, dword 11 of Set. */
#define EL_FEAT_POWER_STATE(dw)          ((uint8_t)((dw)&0x1f))
#define EL_FEAT_THRESHOLD(select, under) ((uint32_t)(select) << 16 | (uint32_t)((under) ? 1 : 0) << 20) /* | kelvin */
#define EL_FEAT_THRESHOLD_KELVIN(dw)     ((uint16_t)((dw)&0xffff))
#define EL_FEAT_THRESHOLD_SENSOR(dw)     ((uint8_t)((dw) >> 16 & 0xf)) /* 0 composite, 1..8 */
#define EL_FEAT_THRESHOLD_UNDER(dw)      (((dw) >> 20 & 3) == 1)
#define EL_FEAT_HCTM_TMT1(dw)            ((uint16_t)((dw) >> 16))
#define EL_FEAT_HCTM_TMT2(dw)            ((uint16_t)((dw)&0xffff))
#define EL_FEAT_WRITE_CACHE(dw)          ((dw)&1)

/* `n` little-endian bytes, n <= 16. */
static inline el_u128 el_le_get(const uint8_t *p, unsigned n)
{
    el_u128 v = 0;

    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        memcpy(&v, p, n);
        return v;
    }
    while (n--)
        v = v << 8 | p[n];
    return v;
}

static inline void el_le_put(uint8_t *p, unsigned n, el_u128 v)
{
    for (unsigned i = 0; i < n; i++, v >>= 8)
        p[i] = (uint8_t)v;
}

static inline uint16_t el_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t el_le32(const uint8_t *p)
{
    return (uint32_t)el_le16(p + 2) << 16 | el_le16(p);
}

static inline uint64_t el_le64(const uint8_t *p)
{
    return (uint64_t)el_le32(p + 4) << 32 | el_le32(p);
}

/* Security Receive. Big endian, unlike all above. Sources: SPC-5 (list of security protocols, protocol 00h: section
 * 7.7.1.3), TCG Storage Architecture Core Specification 2.01 (Level 0 Discovery: section 3.3.6). */
#define EL_SECP_INFORMATION 0x00 /* protocol; specific 0000h: the list of protocols */
#define EL_SECP_TCG         0x01 /* protocol; specific 0001h: Level 0 Discovery */
#define EL_TCG_DISCOVERY    0x0001
enum {
    EL_SECP_LENGTH = 6, /* 2: bytes in the list */
    EL_SECP_LIST = 8,   /* 1 each */
    EL_TCG_LENGTH = 0,  /* 4: bytes that follow it */
    EL_TCG_LENGTH_COUNTS_FROM = 4,
    EL_TCG_REVISION = 4, /* 4 */
    EL_TCG_HEADER_SIZE = 48,
    /* Each feature descriptor */
    EL_TCG_FEATURE_CODE = 0,    /* 2 */
    EL_TCG_FEATURE_VERSION = 2, /* 1: in the high half */
    EL_TCG_FEATURE_LENGTH = 3,  /* 1: bytes that follow it */
    EL_TCG_FEATURE_DATA = 4,
};
#define EL_TCG_FEATURE_TPER      0x0001
#define EL_TCG_FEATURE_LOCKING   0x0002
#define EL_TCG_FEATURE_OPAL_2    0x0203
#define EL_TCG_LOCKING_SUPPORTED (1u << 0)
#define EL_TCG_LOCKING_ENABLED   (1u << 1)
#define EL_TCG_LOCKED            (1u << 2)
#define EL_TCG_MEDIA_ENCRYPTION  (1u << 3)

static inline uint64_t el_be_get(const uint8_t *p, size_t n)
{
    uint64_t v = 0;

    while (n--)
        v = v << 8 | *p++;
    return v;
}

static inline void el_be_put(uint8_t *p, size_t n, uint64_t v)
{
    for (; n--; v >>= 8)
        p[n] = (uint8_t)v;
}
