/* The card that is not there: physics, virtual NVMe controllers, workloads, scenarios, behind the device interface. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/device.h"
#include "model/profile.h"

struct el_twin;

struct el_twin_options {
    const struct el_card_profile *card;    /* copied */
    const struct el_drive_profile *drives; /* one per slot of the card profile, copied */
    uint32_t cards;                        /* how many of them; at least 1 */
    const char *workload;                  /* name from the card profile; NULL = "idle" */
    double inlet_c, airflow_lfm;
    uint64_t seed;
    bool virtual_time;                     /* time moves by el_twin_advance only; else with the clock */
};

/* A twin behind el_device. 0, -ENOMEM, or -EINVAL with the reason in `why` (what, and what is allowed). */
int el_twin_open(const struct el_twin_options *o, struct el_device *out, char *why, size_t why_size);

/* Moves virtual time on. Only with virtual_time. */
void el_twin_advance(struct el_twin *t, double dt_s);
