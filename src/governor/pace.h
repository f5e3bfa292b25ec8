/* When to write a cap. Each write costs something (a system call that may block, a queue that has to drain), so a
 * budget of writes per hour is spent where it pays: small errors may wait and often pass by themselves, large ones are
 * mended at once. Pure. */
#pragma once

#include <stdbool.h>

struct el_pace {
    double credit;  /* writes that may be spent now */
    double full_w;  /* host power that an uncapped drive is known to reach, at declared prices */
    double cap_w;   /* in force; INFINITY = none */
    double lost;    /* work withheld for nothing since the last write, seconds of a full drive */
    double heat;    /* degree-seconds the cap would lead above the limit since the last write */
    double quiet_s; /* since the last write */
};

struct el_pace_wish {
    double hold_w;   /* brings the drive to its limit within the horizon */
    double share_w;  /* what card power or the pace of an array leave; INFINITY = not bound */
    double guard_w;  /* reaches the limit within the time it takes to react: never more than this */
    double used_w;   /* now */
    double excess_c; /* how far above the limit the present cap would lead */
    double floor_w;
};

void el_pace_init(struct el_pace *p, double full_w);
/* One step of `dt_s`; true when the cap changed. */
bool el_pace_step(struct el_pace *p, const struct el_pace_wish *wish, double per_hour, double dt_s);
