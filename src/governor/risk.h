/* How far below its limit a drive is held, learnt from how often it was caught above: a drive with quiet firmware is
 * held on the limit, one that collects garbage in bursts a little below. Tracks a quantile, so there is nothing to set.
 * Pure. */
#pragma once

struct el_risk {
    double margin_c;
};

void el_risk_init(struct el_risk *r);
/* One step of `dt_s` at `above_c` over the limit, as estimated within `doubt_c` (standard deviation): what counts is
 * how likely the drive is above, as a reading may stay silent for a degree. Learns only while the limit is near. */
void el_risk_step(struct el_risk *r, double above_c, double doubt_c, double dt_s);
