#include "governor/fans.h"

#include <math.h>

#include "base/base.h"

#define START     0.6
#define LEAST     0.2   /* never stopped, never by accident */
#define UP        0.004 /* of full per C and second: slower than the air answers */
#define DOWN      0.0007
#define STEP      0.04
#define STEP_S    6.0
#define STEERED_S 180.0

/* How far below the limits drives should settle, and how loud it may get for it. */
static const struct {
    double below_c, most;
} taste[] = {[EL_PREFER_PERFORMANCE] = {2, 1}, [EL_PREFER_COOL] = {8, 1}, [EL_PREFER_QUIET] = {0.5, 0.55}};

void el_fans_init(struct el_fans *f)
{
    *f = (struct el_fans){.wish = START, .pwm = START, .since_s = 1e6};
}

double el_fans_step(struct el_fans *f, enum el_preference preference, double excess_c, double dt_s)
{
    unsigned p = (unsigned)preference < EL_ARRAY_SIZE(taste) ? (unsigned)preference : EL_PREFER_PERFORMANCE;
    double error = isfinite(excess_c) ? EL_CLAMP(excess_c + taste[p].below_c, -20, 20) : 20;

    f->wish = EL_CLAMP(f->wish + (error > 0 ? UP : DOWN) * error * dt_s, LEAST, taste[p].most);
    f->since_s += dt_s;
    if (fabs(f->wish - f->pwm) > STEP && f->since_s >= STEP_S) {
        f->pwm = f->wish;
        f->since_s = 0;
    }
    return f->pwm;
}

bool el_fans_steered(const struct el_fans *f)
{
    return f->since_s < STEERED_S;
}
