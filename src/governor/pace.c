#include "governor/pace.h"

#include <math.h>

#include "base/base.h"

#ifndef CREDIT_MAX
#define CREDIT_MAX 12.0
#endif
#ifndef CREDK
#define CREDK 1.5
#endif
#ifndef LOST0
#define LOST0 0.4
#endif
#ifndef LOST1
#define LOST1 2.0
#endif
#ifndef HEAT0
#define HEAT0 1.3
#endif
#ifndef HEAT1
#define HEAT1 2.0
#endif
#ifndef UPTO
#define UPTO 0.0
#endif
#ifndef DNTO
#define DNTO 0.0
#endif
#ifndef GUARDK
#define GUARDK 0.8
#endif
#ifndef LEAST
#define LEAST 0.02
#endif
#ifndef LOOSE
#define LOOSE 1.5
#endif

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

    p->credit = EL_MIN(p->credit + CREDK * per_hour * dt_s / 3600, CREDIT_MAX);
    p->quiet_s += dt_s;
    thrift = spent(p);
    p->heat = pressed ? EL_MAX(0, p->heat + w->excess_c * dt_s) : 0;
    p->lost = pressed && capped ? EL_MAX(0, p->lost + (hold - cap) / p->full_w * dt_s) : 0;
    if (cap > w->guard_w)
        return set(p, EL_MIN(w->guard_w, EL_MAX(hold, GUARDK * w->guard_w)), w->floor_w);
    if (cap > w->share_w + 1e-9)
        return set(p, hold, w->floor_w);
    if (p->heat > HEAT0 + HEAT1 * thrift && cap > hold * (1 + LEAST))
        return set(p, hold + DNTO * p->full_w, w->floor_w);
    if (!capped || p->credit < 1)
        return false;
    if (p->lost > LOST0 + LOST1 * thrift && hold > cap * (1 + LEAST))
        return set(p, EL_MIN(hold + UPTO * p->full_w, w->guard_w), w->floor_w);
    if (!pressed && EL_MIN(w->guard_w, w->share_w) > cap * LOOSE && p->quiet_s > 10)
        return set(p, EL_MIN(w->guard_w, w->share_w), w->floor_w);
    return false;
}
