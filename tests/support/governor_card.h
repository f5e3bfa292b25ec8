/* A card of drives as a governor is told of it, for tests of any tier that need a plausible one. */
#pragma once

#include <math.h>

#include "base/base.h"
#include "governor/governor.h"

static inline struct el_governor_slot test_governor_slot(void)
{
    struct el_governor_slot s = {.limit_c = 75,
                                 .warning_c = 77,
                                 .critical_c = 80,
                                 .idle_w = 2.5,
                                 .full_w = 8,
                                 .read_j_per_byte = 9e-10,
                                 .write_j_per_byte = 1.5e-9,
                                 .read_j_per_op = 1e-6,
                                 .write_j_per_op = 2e-6,
                                 .weight = 1,
                                 .floor_ratio = 0.05,
                                 .can_cap = true,
                                 .array = -1};

    for (size_t k = 0; k < EL_ARRAY_SIZE(s.sensor_limit_c); k++)
        s.sensor_limit_c[k] = NAN;
    return s;
}

static inline struct el_governor_card test_governor_card(uint32_t slots)
{
    struct el_governor_card c = {.slots = slots,
                                 .card_limit_w = NAN,
                                 .switch_limit_c = NAN,
                                 .switch_w = 5,
                                 .inlet_max_c = 55,
                                 .airflow_min_lfm = 400,
                                 .period_s = 1,
                                 .write_budget_per_hour = 120,
                                 .sink_r400_c_per_w = 0.4,
                                 .sink_r_exponent = 0.55,
                                 .sink_c_j_per_k = 225,
                                 .drive_r_c_per_w = 1.75,
                                 .drive_c_j_per_k = 12,
                                 .airflow_assumed_lfm = 400,
                                 .inlet_assumed_c = 35};

    for (uint32_t i = 0; i < slots; i++)
        c.slot[i] = test_governor_slot();
    return c;
}
