#include "governor/pace.h"

#include <math.h>

#include "base/base.h"

/* What did best over many random plants (tests/bench/governors). */
#define CREDIT_MAX 20.0 /* writes that may be saved up */
#define RATE       1.45 /* a drive in trouble may write more than the mean of all: with the credit 200 in an hour */
#define LOST       0.4  /* seconds of full work withheld that are worth a write when there are plenty, ... */
#define LOST_DEAR  5.0  /* ... and how much more when there are none left */
#define HEAT       2.0  /* degree-seconds ahead, likewise */
#define HEAT_DEAR  4.0
#define LEAST      0.02 /* smaller moves are never worth one */
#define LOOSE      1.4  /* an idle drive's cap follows upwards in steps of this */
#define LOOSE_S    10.0
#define PENDING_S  7.0  /* as long as an actuator may take before another cut follows the first */
#define DEEPER     0.7  /* ... unless it has to leave less than this part of what the first one left */
#define GUARD_CUT  0.65 /* what a guard cuts away at once: never more than down to this of what it allows */

static double spent(const struct el_pace *p)
{
    return 1 - EL_CLAMP(p->credit, 0, CREDIT_MAX) / CREDIT_MAX;
}

void el_pace_init(struct el_pace *p, double full_w)
{
    *p = (struct el_pace){.credit = CREDIT_MAX, .full_w = full_w, .cap_w = INFINITY};
}

static bool set(struct el_pace *p, double cap_w, double floor_w)
{
    cap_w = EL_MAX(cap_w, floor_w);
    if (cap_w >= p->full_w)
        cap_w = INFINITY;
    p->lost = p->heat = 0;
    if (cap_w == p->cap_w)
        return false;
    p->cap_w = cap_w;
    p->credit -= 1;
    p->quiet_s = 0;
    return true;
}

bool el_pace_step(struct el_pace *p, const struct el_pace_wish *w, double per_hour, double dt_s)
{
    double cap = EL_MIN(p->cap_w, p->full_w), hold = EL_MIN(w->hold_w, w->share_w), thrift;
    bool pressed = w->used_w > 0.92 * cap, capped = isfinite(p->cap_w);
    bool pending = capped && p->quiet_s < PENDING_S && w->used_w > 1.05 * cap && /* the last cut is on its way ... */
                   w->guard_w > DEEPER * cap;                                    /* ... and not far from enough */

    p->credit = EL_MIN(p->credit + RATE * per_hour * dt_s / 3600, CREDIT_MAX);
    p->quiet_s += dt_s;
    thrift = spent(p);
    p->heat = pressed ? EL_MAX(0, p->heat + w->excess_c * dt_s) : 0;
    p->lost = pressed && capped ? EL_MAX(0, p->lost + (hold - cap) / p->full_w * dt_s) : 0;
    if (cap > w->guard_w && !pending)
        return set(p, EL_MIN(w->guard_w, EL_MAX(hold, GUARD_CUT * w->guard_w)), w->floor_w);
    if (cap > w->share_w + 1e-9)
        return set(p, hold, w->floor_w);
    if (p->heat > HEAT + HEAT_DEAR * thrift && cap > hold * (1 + LEAST) && !pending)
        return set(p, hold, w->floor_w);
    if (!capped || p->credit < 1)
        return false;
    if (p->lost > LOST + LOST_DEAR * thrift && hold > cap * (1 + LEAST))
        return set(p, EL_MIN(hold, w->guard_w), w->floor_w);
    if (!pressed && EL_MIN(w->guard_w, w->share_w) > cap * LOOSE && p->quiet_s > LOOSE_S)
        return set(p, EL_MIN(w->guard_w, w->share_w), w->floor_w);
    return false;
}
