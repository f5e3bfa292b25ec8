#include "governor/pace.h"

#include <math.h>

#include "base/base.h"

#define CREDIT_MAX 12.0
#ifndef CREDK
#define CREDK 1.5
#endif
#ifndef BAND0
#define BAND0 0.03
#endif
#ifndef BAND1
#define BAND1 0.10
#endif
#ifndef EXC
#define EXC 0.15
#endif
#ifndef UPK
#define UPK 2
#endif

void el_pace_init(struct el_pace *p, double full_w)
{
    *p = (struct el_pace){.credit = CREDIT_MAX, .full_w = full_w, .cap_w = INFINITY};
}

static bool set(struct el_pace *p, double cap_w, double floor_w)
{
    cap_w = EL_MAX(cap_w, floor_w);
    if (cap_w >= p->full_w)
        cap_w = INFINITY;
    if (cap_w == p->cap_w)
        return false;
    p->cap_w = cap_w;
    p->credit -= 1;
    p->quiet_s = 0;
    return true;
}

bool el_pace_step(struct el_pace *p, const struct el_pace_wish *w, double per_hour, double dt_s)
{
    double band = BAND0 + BAND1 * (1 - EL_CLAMP(p->credit, 0, CREDIT_MAX) / CREDIT_MAX), cap = EL_MIN(p->cap_w, p->full_w);
    double hold = EL_MIN(w->hold_w, w->share_w);
    bool pressed = w->used_w > 0.92 * cap;

    p->credit = EL_MIN(p->credit + CREDK * per_hour * dt_s / 3600, CREDIT_MAX);
    p->quiet_s += dt_s;
    if (cap > w->guard_w)
        return set(p, EL_MIN(w->guard_w, EL_MAX(hold, 0.8 * w->guard_w)), w->floor_w);
    if (cap > w->share_w * (1 + band) || (p->cap_w > w->share_w && isinf(p->cap_w)))
        return set(p, hold, w->floor_w);
    if (pressed && w->excess_c > EXC + band && cap > hold * (1 + band))
        return set(p, hold, w->floor_w);
    if (isinf(p->cap_w) || p->credit < 1)
        return false;
    if (pressed && hold > cap * (1 + UPK * band))
        return set(p, hold, w->floor_w);
    if (!pressed && EL_MIN(w->guard_w, w->share_w) > cap * 1.5 && p->quiet_s > 10)
        return set(p, EL_MIN(w->guard_w, w->share_w), w->floor_w);
    return false;
}
