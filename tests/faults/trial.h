/* One random scenario: invented from a seed, lived through by the whole control loop over a twin in virtual time, and
 * judged after each round and after its end. */
#pragma once

#include "broken.h"
#include "control/tick.h"
#include "heat.h"

enum invariant {
    LATE,
    WROTE_UNASKED,
    UNJOURNALLED,
    NOT_ORIGINAL,
    NOT_RESTORED,
    TOO_HOT,
    UNTRUE,
    NOT_HEALED,
    UNSOUND,
    INVARIANTS
};
extern const char *const invariant_names[INVARIANTS];

#define TRIAL_TICK_S 2.0
#define TRIAL_LIFE_S 420.0
#define TRIAL_FAULTS 2
/* Every fault: ours, then the twin's. */
#define TRIAL_TWIN_FIRST EL_SCENARIO_SENSOR_STUCK
#define TRIAL_KINDS      ((int)BROKEN_KINDS + (int)EL_SCENARIO_KIND_COUNT - (int)TRIAL_TWIN_FIRST)

struct trial {
    uint64_t seed;
    struct el_rng rng;
    struct el_settings settings;
    struct el_scenario scenario;
    struct broken b;
    struct el_tick *tick;
    char what[256];
    int fault[TRIAL_FAULTS], faults;
    enum el_mode mode;     /* at the start */
    bool early;            /* it starts in the midst of its faults */
    double again_s;        /* ends then, and is started again */
    double advise_s, to_s; /* told meanwhile to set nothing */
    unsigned starts;
    double lie_c[EL_CARD_SLOTS_MAX]; /* how far its readings may be off, by what was done to them */
    struct heat heat;
    bool quiet; /* it is another's life lived again: nobody is judged by it */
    double silent_s[EL_CARD_SLOTS_MAX];
    double cap_before[EL_CARD_SLOTS_MAX];                      /* what a round reports was read before it wrote */
    unsigned untrue[EL_CARD_SLOTS_MAX];                        /* rounds in a row */
    bool mute[EL_CARD_SLOTS_MAX], no_hands[EL_CARD_SLOTS_MAX]; /* cannot be seen, cannot be slowed, at some time */
    unsigned broken[INVARIANTS];
};

extern bool trial_verbose;
extern int64_t trial_slowest_us;

/* The card, and the directory of what is written. False: there is none of this name. */
bool trial_setup(const char *card_name, const char *dir);

void trial_hurt(struct trial *t, enum invariant what, const char *fmt, ...) EL_PRINTF(3, 4);
double trial_critical_c(uint32_t slot);
const struct el_drive_profile *trial_drive(uint32_t slot);

void trial_invent(struct trial *t, uint64_t seed);
void trial_name_profile(struct trial *t); /* of the card, in the settings */
bool trial_open(struct trial *t);         /* the machine, and an empty state directory */
/* One start of the daemon: 0 or -errno. */
int trial_start(struct trial *t);
void trial_round(struct trial *t);
/* As by SIGKILL (nothing is let go, the journal has it all), or by SIGTERM. */
void trial_end(struct trial *t, bool killed);
/* The whole life, with an end of one kind or the other. */
void trial_live(struct trial *t);
/* What is still set stands in the journal, and `elementd restore` undoes it. */
void trial_check_restored(struct trial *t);
void trial_close(struct trial *t);
