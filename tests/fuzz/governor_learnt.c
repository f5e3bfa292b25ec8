#include <string.h>

#include "fuzz.h"
#include "support/governor_card.h"

/* Whatever was on disk, caps stay within their bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_governor_card card = test_governor_card(2);
    struct el_governor_input in = {.now_us = 1000000};
    struct el_decision out;
    struct el_governor *g = el_governor_new(&el_law_element, &card);
    char *text = malloc(n + 1);

    if (!g || !text)
        abort();
    memcpy(text, data, n);
    text[n] = '\0';
    el_governor_load(g, text);
    for (int step = 0; step < 3; step++) {
        in.now_us += 1000000;
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
