/* Fans before throttling, where the daemon may drive them. Pure; fixed size. */
#pragma once

#include <stdbool.h>

#include "governor/governor.h"

struct el_fans {
    double wish, pwm; /* wanted now, last written; 0..1 */
    double since_s;   /* last write */
};

void el_fans_init(struct el_fans *f);
/* One step: `excess_c` is how far the warmest drive would settle above its limit if all were let do what they are asked
 * for. Returns the PWM that should be in force. */
double el_fans_step(struct el_fans *f, enum el_preference preference, double excess_c, double dt_s);
/* Written within the last three minutes: what the air does is our own doing. */
bool el_fans_steered(const struct el_fans *f);
