/* What is known beforehand of a card, a drive model, a workload: read from YAML profiles (config), used by the twin, by
 * the governor as a start, and for endurance and link expectations. Every number knows whether it is published or
 * assumed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/reading.h"

#define EL_NAME_MAX       48
#define EL_CARD_SLOTS_MAX 32
#define EL_WORKLOADS_MAX  32

struct el_profile_power_state {
    double max_w;
    uint32_t entry_us, exit_us;
    bool operational;
};

/* One drive model. What it does not report is NAN. */
struct el_drive_profile {
    char name[EL_NAME_MAX];         /* file name without .yaml: "samsung-pm983-m2-1t92" */
    char derived_from[EL_NAME_MAX]; /* "" or the generic profile that filled what this one does not state */
    char model[41], firmware[9];
    uint16_t vid;
    uint32_t nvme_version;
    uint64_t capacity_bytes;
    double wctemp_c, cctemp_c;
    uint32_t power_states;
    struct el_profile_power_state power_state[32];
    bool hctm;
    double mntmt_c, mxtmt_c;
    double rated_endurance_bytes; /* 0 = unknown */
    /* Energy model: P = idle + read_j_per_byte * read + write_j_per_byte * write + j_per_op * ops */
    double idle_w, full_w;
    double read_j_per_byte, write_j_per_byte, read_j_per_op, write_j_per_op;
    double firmware_throttle_c;      /* where its own firmware starts to throttle; NAN = unknown */
    uint32_t sensors;                /* how many of the eight sensors it reports */
    bool ocp;                        /* answers the OCP SMART log (C0h) */
    bool tcg;                        /* encrypts itself and can be locked (TCG Opal) */
    uint32_t link_gts10, link_width; /* fastest link, transfers per second in 0.1 GT/s (80, 160), lanes */
};

/* One published workload on one card: IOPS at mean latency, uncapped. */
struct el_workload {
    char name[EL_NAME_MAX];         /* "random-read-4k", "sql", ... */
    double block_bytes, read_ratio; /* assumed where the publication does not say */
    double iops, latency_us;        /* of the whole card, published */
    enum el_origin block_origin, read_origin;
};

struct el_card_profile {
    char name[EL_NAME_MAX]; /* "element-aic", "lqd4500" */
    char title[96];
    uint32_t slots;
    bool has_switch;                            /* drives stand behind a PCIe switch */
    char drive[EL_CARD_SLOTS_MAX][EL_NAME_MAX]; /* drive profile of each slot */
    uint32_t link_gts10, link_width;            /* the card's own link to the host */
    uint32_t slot_link_gts10, slot_link_width;  /* of each drive behind the switch */
    double inlet_min_c, inlet_max_c, airflow_min_lfm, humidity_min_ratio, humidity_max_ratio;
    double typical_w, max_w;      /* card power; NAN = not published */
    double rated_endurance_bytes; /* whole card, 0 = unknown */
    double warranty_years;
    /* Thermal start values. The sink's resistance at v LFM is that at 400 LFM times (400 / v)^sink_r_exponent. */
    double sink_r400_c_per_w, sink_r_exponent, sink_c_j_per_k, drive_r_c_per_w, drive_c_j_per_k;
    double switch_w, switch_limit_c;
    uint32_t fans;
    uint32_t workloads;
    struct el_workload workload[EL_WORKLOADS_MAX];
};
