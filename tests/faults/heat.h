/* Whether a temperature above critical could have been prevented with the information there was. The daemon, when it
 * enforces, is told that a drive is in danger by a good reading above the drive's limit, or by none for as long as the
 * failsafe waits; and that the drive's own cap does not hold it, which concerns all drives, by a reading that stays at
 * its warning temperature or above for as long as a cap may take to bite. Who stood above critical lives again: the
 * same to the second, but from when the daemon was told on, the drive, or all of them, are held at their floors, as
 * far as they may be written to. More no actuator can do: where that would have kept the drive below, it was
 * preventable. There is no grace: the time that heat takes to go is in the plant. */
#pragma once

#include "model/snapshot.h"
#include "twin/twin.h"

#define HEAT_ROUNDS 210

struct trial;

struct heat {
    bool hand[HEAT_ROUNDS][EL_CARD_SLOTS_MAX]; /* the drive may be written to, and can */
    float temp_c[HEAT_ROUNDS][EL_CARD_SLOTS_MAX];
    /* Since when the daemon knows of a danger, and of one that concerns all; NAN = it does not. */
    float told_s[HEAT_ROUNDS][EL_CARD_SLOTS_MAX], all_s[HEAT_ROUNDS][EL_CARD_SLOTS_MAX];
    float good_c[EL_CARD_SLOTS_MAX];  /* last good reading, and ... */
    double good_s[EL_CARD_SLOTS_MAX]; /* ... when it was taken */
    uint32_t slot;                    /* held at its floor ... */
    double force_s, force_all_s;      /* ... from then on, and all drives; INFINITY = never */
};

/* Hottest beyond critical of all seeds, by what the daemon was told; for the figures. */
enum heat_kind { HEAT_TOLD, HEAT_NOT_TOLD, HEAT_NO_HANDS, HEAT_KINDS };
extern double heat_beyond_c[HEAT_KINDS];

/* After each round, and where none was. */
void heat_round(struct trial *t, const struct el_twin_truth *truth, double now);
/* After its life. */
void heat_judge(struct trial *t);
