/* Inside of the twin: cards with their plants, controllers and board, shared by the files of this room. */
#pragma once

#include "base/rng.h"
#include "model/device.h"
#include "model/nvme_layout.h"
#include "model/scenario.h"
#include "twin/plant.h"
#include "twin/twin.h"

#define EL_TWIN_CARD_KEYS 64 /* drive key: card x this + slot; sensor key: card x this + enum el_twin_sensor */
#define EL_TWIN_FANS_MAX  8
#define EL_TWIN_PWM_START 0.5 /* at which the fans give the airflow that was asked for */

enum el_twin_sensor {
    EL_TWIN_SENSOR_INLET = 0,
    EL_TWIN_SENSOR_AIRFLOW,
    EL_TWIN_SENSOR_CARD_POWER,
    EL_TWIN_SENSOR_SWITCH,
    EL_TWIN_SENSOR_HUMIDITY,
    EL_TWIN_SENSOR_PWM,
    EL_TWIN_SENSOR_FAN, /* ... + number of the fan */
    EL_TWIN_SENSOR_END = EL_TWIN_SENSOR_FAN + EL_TWIN_FANS_MAX,
};

/* What is wrong with a sensor. `value`: stuck at, or added. */
enum el_twin_fault { EL_TWIN_FAULT_NONE = 0, EL_TWIN_FAULT_STUCK, EL_TWIN_FAULT_OFFSET, EL_TWIN_FAULT_LOST };
struct el_twin_sensor_fault {
    enum el_twin_fault fault;
    double value;
};

/* One NVMe controller: what answers admin commands. Temperatures and counters come from its plant drive. */
struct el_twin_controller {
    char serial[21];
    uint32_t swaps;
    uint16_t threshold_k[1 + EL_NVME_SENSORS][2]; /* Feature 04h: [sensor][0 over, 1 under] */
    uint32_t write_cache, async_event;            /* Features 06h, 0Bh */
    uint32_t power_state;                         /* Feature 02h */
    uint32_t hctm;                                /* Feature 10h, dword 11 */
    uint64_t errors, power_on_hours, power_cycles, units_read, units_written;
    double warning_s, critical_s;
    struct el_twin_sensor_fault fault[1 + EL_NVME_SENSORS];
    bool hung, resetting, actuator_refused, actuator_ignored, locked;
    uint32_t lanes; /* trained now */
};

struct el_twin_card {
    struct el_plant plant;
    struct el_twin_controller *controller; /* one per slot */
    double airflow_base_lfm;               /* with every fan at EL_TWIN_PWM_START */
    double pwm_ratio, inlet_offset_c, airflow_factor;
    uint32_t fans_dead; /* bit per fan */
    struct el_twin_sensor_fault fault[EL_TWIN_SENSOR_END];
    struct el_rng rng;
};

/* Progress of one event of the scenario on one card. */
struct el_twin_event_state {
    enum { EL_TWIN_EVENT_WAITING = 0, EL_TWIN_EVENT_ACTIVE, EL_TWIN_EVENT_OVER } phase;
    double before; /* inlet or airflow when it began */
    char workload_before[EL_NAME_MAX];
};

struct el_twin {
    struct el_card_profile profile;
    struct el_drive_profile *drives;
    struct el_scenario scenario; /* events = 0 without one */
    bool virtual_time, changed;
    int64_t time_us;  /* up to which the plants have been simulated, pending_s aside */
    double pending_s; /* time asked for that does not yet make a whole physics step */
    uint64_t seed;
    char workload[EL_NAME_MAX];
    uint32_t cards;
    struct el_twin_card *card;
    struct el_twin_event_state *event; /* [card][event] */
};

/* twin.c */
struct el_twin_card *el_twin_drive(struct el_twin *t, uint32_t key, uint32_t *slot); /* NULL: no such drive */
void el_twin_sync(struct el_twin *t); /* plants up to now, in real time */
/* The drive behind a key if it can be talked to, plants up to now: 0, or what talking to it fails with. */
int el_twin_reach(struct el_twin *t, uint32_t key, struct el_twin_card **card, uint32_t *slot);
int el_twin_admin(void *dev, uint32_t key, struct el_admin *cmd);

/* actuators.c: as struct el_device_ops has them. */
int el_twin_actuator_usable(void *dev, enum el_actuator a, uint32_t key, char *why, size_t why_size);
int el_twin_actuator_save(void *dev, enum el_actuator a, uint32_t key, char *text, size_t size);
int el_twin_actuator_write(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v);
int el_twin_actuator_read(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out);
int el_twin_actuator_restore(void *dev, enum el_actuator a, uint32_t key, const char *text);

/* controller.c: one admin command, once the drive is known to answer. 0 or an NVMe status > 0. */
void el_twin_controller_init(struct el_twin_controller *c, const struct el_drive_profile *p, uint64_t seed,
                             uint32_t card, uint32_t slot);
void el_twin_controller_reset(struct el_twin_controller *c, struct el_plant_drive *d);
int el_twin_controller_admin(struct el_twin_card *card, uint32_t slot, struct el_admin *cmd);
void el_twin_controller_tick(struct el_twin_controller *c, const struct el_plant_drive *d, double dt_s);

/* board.c: inventory, links, sensors. */
int el_twin_discover(void *dev, struct el_inventory *inv);
int el_twin_read_links(void *dev, struct el_link *links, uint32_t n);
int el_twin_read_sensors(void *dev, struct el_sensor *sensors, uint32_t n);
double el_twin_board_value(const struct el_twin_card *c, unsigned sensor); /* true, in the sensor's base unit / 1000 */

/* events.c: everything the scenario has for this time. Called before each physics step. */
void el_twin_events(struct el_twin *t, uint32_t card);
void el_twin_set_airflow(struct el_twin *t, struct el_twin_card *c); /* from base, pwm and dead fans */
