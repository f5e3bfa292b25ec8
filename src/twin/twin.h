/* The card that is not there: physics, virtual NVMe controllers, workloads, scenarios, behind the device interface. */
#pragma once

#include "model/device.h"
#include "model/profile.h"
#include "model/scenario.h"

struct el_twin;

struct el_twin_options {
    const struct el_card_profile *card;    /* copied */
    const struct el_drive_profile *drives; /* one per slot of the card profile, copied */
    uint32_t cards;                        /* how many of them; at least 1 */
    const char *workload;                  /* see el_twin_workload_known; NULL = el_twin_default_workload */
    double inlet_c, airflow_lfm;
    uint64_t seed;     /* 0 = nominal parameters, without the spread drawn per seed */
    bool virtual_time; /* time moves by el_twin_advance only, starting with an idle card; else it moves with the clock,
                          starting with a card that has been working for a while */
    double limit_c, card_limit_w, switch_limit_c; /* held until then; NAN or 0 = its own warning temperature */
    enum el_array_level array;                    /* a stripe of all slots; mirrors of the pairs 0+1, 2+3, ... */
    const struct el_scenario *scenario;           /* events and missing sensors; copied; NULL = none */
};

/* Opens a twin. 0, -ENOMEM, or -EINVAL with the reason in `why` (what, and what is allowed). */
int el_twin_open(const struct el_twin_options *o, struct el_device *out, char *why, size_t why_size);

/* Moves virtual time on. Only with virtual_time. */
void el_twin_advance(struct el_twin *t, double dt_s);

/* "idle", a workload of the card, "bursty-NAME" (on and off, each drive for itself unless in an array), or "mixed"
 * (another workload every few minutes). */
bool el_twin_workload_known(const struct el_card_profile *card, const char *name);
/* The heaviest published one, "random-write-4k", where the card has it; else its first; else "idle". */
const char *el_twin_default_workload(const struct el_card_profile *card);

/* The true state: for figures and tests, never for a governor. */
struct el_twin_slot_truth {
    double temp_c; /* composite without lag, noise or steps */
    double controller_c, nand_c;
    double power_w, background_w;                        /* whole drive; of it without host I/O behind it */
    double demand_ops, served_ops;                       /* since the start */
    double read_ops, write_ops, read_bytes, write_bytes; /* since the start */
    double demand_iops, iops;                            /* now */
    double cap_ratio;                                    /* in force */
    bool present, firmware_throttled;
};
struct el_twin_truth {
    double time_s, inlet_c, airflow_lfm, switch_c, card_w;
    double demand_ops, served_ops; /* of the card (an array counts once), since the start */
    double iops, demand_iops;      /* now */
    double outstanding_seconds;    /* integral of I/Os in flight: latency = this / served_ops */
    double energy_j;
    uint32_t slots;
    struct el_twin_slot_truth slot[EL_CARD_SLOTS_MAX];
};
void el_twin_truth(struct el_twin *t, uint32_t card, struct el_twin_truth *out);

/* The oracle: knows the plant's state and parameters, not the future. From now on, at each physics step, each drive
 * gets the smaller of its demand and the power that lands its composite exactly on its limit; where the card's watts
 * bind, equal shares. Caps written by actuators are ignored. NAN = no limit. */
struct el_twin_oracle {
    double limit_c[EL_CARD_SLOTS_MAX], card_limit_w, switch_limit_c;
};
void el_twin_set_oracle(struct el_twin *t, const struct el_twin_oracle *o);
