/* What happens to a simulated machine: its surroundings and a schedule of events. Read from YAML by config/, played by
 * twin/, used by `simulate` and by `run --simulate`. Plain values; NAN and "" stand for "not stated". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/decision.h"

#define EL_SCENARIO_EVENTS_MAX 64
#define EL_SCENARIO_EXPECT_MAX 24

enum el_scenario_kind {
    EL_SCENARIO_INLET = 0,        /* value: Celsius, reached over ramp_s */
    EL_SCENARIO_AIRFLOW,          /* value: LFM with every fan running, reached over ramp_s */
    EL_SCENARIO_WORKLOAD,         /* text: its name */
    EL_SCENARIO_SENSOR_STUCK,     /* keeps the value it has now */
    EL_SCENARIO_SENSOR_JUMP,      /* value: added for for_s (3 s when not stated) */
    EL_SCENARIO_SENSOR_LOST,      /* not reported any more */
    EL_SCENARIO_SENSOR_LYING,     /* value: added */
    EL_SCENARIO_DRIVE_HUNG,       /* admin commands time out; I/O goes on */
    EL_SCENARIO_DRIVE_GONE,       /* no longer on the bus */
    EL_SCENARIO_DRIVE_SWAPPED,    /* another serial in the slot */
    EL_SCENARIO_DRIVE_RESET,      /* features back at their defaults, caps forgotten */
    EL_SCENARIO_FAN_DEAD,         /* index: which fan */
    EL_SCENARIO_LINK_DOWNTRAINED, /* value: lanes left of a drive's link */
    EL_SCENARIO_ACTUATOR_REFUSED, /* writes fail */
    EL_SCENARIO_ACTUATOR_IGNORED, /* writes succeed and read back, nothing happens */
    EL_SCENARIO_DRIVE_LOCKED,     /* its locks are closed, as after a loss of power */
    EL_SCENARIO_KIND_COUNT
};
const char *el_scenario_kind_name(enum el_scenario_kind k); /* "inlet", "sensor-stuck", ... */

/* Which sensor an event means: 0 composite, 1..8 of a drive; then the board's. */
enum el_scenario_sensor {
    EL_SCENARIO_COMPOSITE = 0,
    EL_SCENARIO_SENSOR_8 = 8,
    EL_SCENARIO_BOARD_INLET,
    EL_SCENARIO_BOARD_AIRFLOW,
    EL_SCENARIO_BOARD_CARD_POWER,
    EL_SCENARIO_BOARD_SWITCH,
    EL_SCENARIO_BOARD_FAN,
    EL_SCENARIO_SENSOR_COUNT
};

struct el_scenario_event {
    double at_s, for_s; /* for_s 0: for good */
    double ramp_s, value;
    enum el_scenario_kind kind;
    int32_t card, slot; /* -1 = all */
    uint32_t sensor;    /* enum el_scenario_sensor */
    uint32_t index;     /* of a fan */
    char text[EL_NAME_MAX];
};

/* A limit on a figure of the result: `simulate --check` fails when it is missed. NAN = no bound. */
struct el_scenario_expect {
    char figure[EL_NAME_MAX]; /* name of a figure of `simulate --json` */
    double min, max;
};

struct el_scenario {
    char title[96];
    char card[EL_NAME_MAX], workload[EL_NAME_MAX], governor[16];
    enum el_array_level array; /* of all drives */
    double inlet_c, airflow_lfm, hours;
    uint64_t seed, seeds; /* seed 0 is the nominal card; seeds 0 = not stated */
    double limit_c, card_watts, switch_limit_c, margin_c;
    bool drive_fans;     /* the daemon may drive the chassis fans */
    bool io_max;         /* the kernel offers io.max only, no io.cost */
    bool no_caps;        /* the kernel offers neither */
    uint64_t submitters; /* threads that submit the I/O of a stripe; 0 = many */
    uint32_t absent;     /* bit per board sensor from EL_SCENARIO_BOARD_INLET: the machine has none */
    uint32_t events;
    struct el_scenario_event event[EL_SCENARIO_EVENTS_MAX];
    uint32_t expects;
    struct el_scenario_expect expect[EL_SCENARIO_EXPECT_MAX];
};

extern const char *const el_scenario_arrays[]; /* "none", "raid0", "raid1", NULL: in the order of enum el_array_level */

void el_scenario_clear(struct el_scenario *s); /* states nothing: NAN, "" and seed 1 */

static inline bool el_scenario_lacks(const struct el_scenario *s, enum el_scenario_sensor board)
{
    return s && (s->absent >> (board - EL_SCENARIO_BOARD_INLET) & 1);
}
