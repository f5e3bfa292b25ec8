/* What the governor knows about a card before it starts, from settings, Identify and profile. Pure. Precedence:
 * settings, then what the drive or a sensor says, then the profile, then the governor's assumptions (NAN here). */
#pragma once

#include "governor/governor.h"
#include "model/profile.h"
#include "model/settings.h"

struct el_card_facts {
    const struct el_card *card;
    const struct el_slot *slots;                             /* card->slots rows */
    const struct el_card_profile *profile;                   /* NULL: none matched */
    const struct el_drive_profile *drive[EL_CARD_SLOTS_MAX]; /* NULL: none matched */
    uint32_t usable[EL_CARD_SLOTS_MAX];                      /* bit per el_actuator */
    uint32_t fans;                                           /* fans it may drive */
    bool inlet_sensor;                                       /* an inlet sensor is mapped: then it is required */
};

/* The entries of the settings that apply to this card, merged: later ones win, field by field. */
void el_card_settings_of(const struct el_settings *s, const struct el_card *card, const struct el_slot *slots,
                         struct el_card_settings *out);

void el_card_setup(const struct el_settings *s, const struct el_card_facts *f, struct el_governor_card *out);

/* Limits of the card row itself, for alarms and views. */
void el_card_limits(const struct el_settings *s, const struct el_card_facts *f, struct el_card *card);

/* Applies what the card's profile promises of its `n` links, those of the drives and its own to the host: no more than
 * that is expected, and it is used where an end does not report its maximum. */
void el_card_links(const struct el_card_profile *p, struct el_link *links, uint32_t n);

/* The temperature a drive is held to, margin included; NAN = unknown. */
double el_card_slot_limit(const struct el_card_settings *cs, const struct el_slot *slot,
                          const struct el_drive_profile *drive);
