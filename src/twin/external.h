/* A plant written by somebody else: a command that speaks JSON lines on its standard input and output (see
 * deploy/docs/plant.md). Numbers it does not know are null there and NAN here. Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

#define EL_EXTERNAL_TIMEOUT_S 30 /* longer than this counts as no answer; loading a numerical library takes 10 s */
#define EL_EXTERNAL_FANS_MAX  8

struct el_external_array {
    bool mirror; /* else a stripe */
    uint32_t slots, slot[EL_CARD_SLOTS_MAX];
};

/* The plant's answer to hello. NAN = not stated. */
struct el_external_facts {
    uint32_t slots;
    double limit_c, warning_c, critical_c, idle_w, full_w, duration_s;
    double read_j_per_byte, write_j_per_byte, read_j_per_op, write_j_per_op, card_limit_w, switch_limit_c;
    uint32_t arrays, fans;
    struct el_external_array array[EL_CARD_SLOTS_MAX];
};

struct el_external_command {
    double t_s; /* acts from t_s less one step */
    struct {
        double cap_ratio, budget_w;
        int32_t power_state;
    } slot[EL_CARD_SLOTS_MAX];
    double pwm_ratio[EL_EXTERNAL_FANS_MAX];
};

struct el_external_slot {
    bool present;
    double temp_c, sensor_c[8];
    bool io_valid;
    uint64_t read_bytes, write_bytes, read_ops, write_ops; /* cumulative */
};
struct el_external_state {
    struct el_external_slot slot[EL_CARD_SLOTS_MAX];
    double inlet_c, airflow_lfm, card_w, switch_c, fan_rpm[EL_EXTERNAL_FANS_MAX];
};

struct el_external;

/* Starts `command` with /bin/sh in a process group of its own, which ends with the caller. The caller must ignore
 * SIGPIPE. `why` receives the reason of this and of any later failure, and must live as long as the plant; after a
 * failure only el_external_free may follow. */
int el_external_start(const char *command, struct el_external **out, char *why, size_t why_size);
int el_external_hello(struct el_external *x, const char *card, uint32_t slots, double dt_s,
                      struct el_external_facts *out);
/* One step. 0; 1 when the plant has ended with status 0; -EBADMSG (garbage), -ETIMEDOUT (no answer), -EPIPE (died). */
int el_external_step(struct el_external *x, const struct el_external_facts *facts, const struct el_external_command *c,
                     struct el_external_state *out);
struct el_external *el_external_free(
    struct el_external *x); /* closes its input, gives it 2 s to end, then kills it; takes NULL, returns NULL */
