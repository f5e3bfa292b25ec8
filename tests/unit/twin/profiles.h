/* Small stand-ins for the shipped profiles: tests of this room do not load YAML. */
#pragma once

#include <math.h>
#include <string.h>

#include "twin/twin.h"

static inline struct el_drive_profile test_drive(void)
{
    return (struct el_drive_profile){
        .name = "test-drive",
        .model = "Test M.2",
        .firmware = "T1",
        .vid = 0x144d,
        .nvme_version = 0x20000,
        .capacity_bytes = 1920383410176,
        .wctemp_c = 77,
        .cctemp_c = 80,
        .power_states = 3,
        .power_state = {{.max_w = 9, .operational = true},
                        {.max_w = 4, .operational = true},
                        {.max_w = 0.05, .entry_us = 1500, .exit_us = 1500}},
        .hctm = true,
        .mntmt_c = 50,
        .mxtmt_c = 84,
        .idle_w = 2.5,
        .full_w = 8,
        .read_j_per_byte = 1.37e-9,
        .write_j_per_byte = 3e-9,
        .read_j_per_op = 4e-6,
        .write_j_per_op = 2.08e-5,
        .firmware_throttle_c = NAN,
        .sensors = 2,
        .ocp = true,
        .tcg = true,
        .link_gts10 = 80,
        .link_width = 4,
    };
}

static inline struct el_card_profile test_card(void)
{
    struct el_card_profile c = {
        .name = "test-card",
        .title = "Test card",
        .slots = 4,
        .has_switch = true,
        .link_gts10 = 80,
        .link_width = 8,
        .slot_link_gts10 = 80,
        .slot_link_width = 4,
        .inlet_min_c = 0,
        .inlet_max_c = 55,
        .airflow_min_lfm = 400,
        .humidity_min_ratio = 0.05,
        .humidity_max_ratio = 0.95,
        .typical_w = 25,
        .max_w = 37,
        .sink_r400_c_per_w = 0.4,
        .sink_r_exponent = 0.55,
        .sink_c_j_per_k = 225,
        .drive_r_c_per_w = 1.75,
        .drive_c_j_per_k = 12,
        .switch_w = 5,
        .switch_limit_c = 95,
        .fans = 2,
        .workloads = 2,
        .workload =
            {{.name = "random-read-4k", .block_bytes = 4096, .read_ratio = 1, .iops = 1454406, .latency_us = 273.4},
             {.name = "random-write-4k", .block_bytes = 4096, .read_ratio = 0, .iops = 664399, .latency_us = 30.7}},
    };

    for (uint32_t i = 0; i < c.slots; i++)
        strcpy(c.drive[i], "test-drive");
    return c;
}

struct bench {
    struct el_card_profile card;
    struct el_drive_profile drives[EL_CARD_SLOTS_MAX];
    struct el_twin_options options;
    struct el_device dev;
};

/* Opens a twin of the test card with virtual time; change `options` first. */
static inline void bench_init(struct bench *b)
{
    b->card = test_card();
    for (uint32_t i = 0; i < EL_CARD_SLOTS_MAX; i++)
        b->drives[i] = test_drive();
    b->options = (struct el_twin_options){.card = &b->card,
                                          .drives = b->drives,
                                          .cards = 1,
                                          .workload = "random-write-4k",
                                          .inlet_c = 25,
                                          .airflow_lfm = 400,
                                          .seed = 1,
                                          .virtual_time = true};
}
