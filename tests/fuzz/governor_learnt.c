#include <string.h>

#include "fuzz.h"
#include "governor/governor.h"

/* Whatever was on disk, caps stay within their bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct el_governor_slot drive = {.limit_c = 77,
                                                  .warning_c = 78,
                                                  .critical_c = 82,
                                                  .idle_w = 2,
                                                  .full_w = 8,
                                                  .read_j_per_byte = 1e-9,
                                                  .write_j_per_byte = 2e-9,
                                                  .read_j_per_op = 1e-6,
                                                  .write_j_per_op = 1e-6,
                                                  .weight = 1,
                                                  .floor_ratio = 0.05,
                                                  .can_cap = true,
                                                  .array = -1};
    struct el_governor_card card = {.slots = 2,
                                    .slot = {drive, drive},
                                    .card_limit_w = __builtin_nan(""),
                                    .switch_limit_c = __builtin_nan(""),
                                    .inlet_max_c = 55,
                                    .airflow_min_lfm = 400,
                                    .period_s = 2,
                                    .write_budget_per_hour = 120,
                                    .sink_r400_c_per_w = 0.5,
                                    .sink_r_exponent = 0.6,
                                    .sink_c_j_per_k = 300,
                                    .drive_r_c_per_w = 3,
                                    .drive_c_j_per_k = 15,
                                    .airflow_assumed_lfm = 400,
                                    .inlet_assumed_c = 35};
    struct el_governor_input in = {.now_us = 1000000};
    struct el_decision out;
    struct el_governor *g;
    char *text = malloc(n + 1);

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 8; k++)
            card.slot[i].sensor_limit_c[k] = __builtin_nan("");
    g = el_governor_new(&el_law_element, &card);
    if (!g || !text)
        abort();
    memcpy(text, data, n);
    text[n] = '\0';
    el_governor_load(g, text);
    for (int step = 0; step < 3; step++) {
        in.now_us += 2000000;
        for (int i = 0; i < 2; i++) {
            in.slot[i] = (struct el_governor_slot_input){.present = true, .io_valid = true, .cap_ratio_in_force = 1};
            in.slot[i].temp_mc = el_reading_good(70000, in.now_us);
        }
        el_governor_step(g, &in, &out);
        for (uint32_t i = 0; i < out.slots; i++)
            if (!(out.slot[i].cap_ratio > 0 && out.slot[i].cap_ratio <= 1))
                abort();
    }
    free(text);
    el_governor_free(g);
    return 0;
}
