/* What the governor may know of a card before it starts: profile, settings and Identify, put together. Pure.
 * Precedence: settings, then what the drive or a sensor says, then the profile, then assumptions of the governor (NAN
 * here). */
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

/* The entries of the settings that mean this card, merged: later ones win, field by field. */
void el_card_settings_of(const struct el_settings *s, const struct el_card *card, const struct el_slot *slots,
                         struct el_card_settings *out);

void el_card_setup(const struct el_settings *s, const struct el_card_facts *f, struct el_governor_card *out);

/* Limits of the card row itself, for alarms and views. */
void el_card_limits(const struct el_settings *s, const struct el_card_facts *f, struct el_card *card);

/* What the card's profile promises of its `n` links: nothing beyond it is expected; it stands in where an end does not
 * tell. Links of the drives and the card's own to the host. */
void el_card_links(const struct el_card_profile *p, struct el_link *links, uint32_t n);

/* The temperature a drive is held to, margin included; NAN = unknown. */
double el_card_slot_limit(const struct el_card_settings *cs, const struct el_slot *slot,
                          const struct el_drive_profile *drive);
