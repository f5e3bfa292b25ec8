#include "governor/risk.h"

#include <math.h>

#include "base/base.h"

/* What did best over many random plants (tests/bench/governors). */
#define ABOVE_C 0.27  /* counts as caught above */
#define SHARE   0.006 /* of the time that may be spent there, as believed: 22 s in an hour */
#define TAILS   0.5   /* the step of a reading cuts off the tails that a normal distribution has */
#define RATE    0.015 /* C per second above */
#define START_C 0.1
#define LEAST_C (-0.14) /* the estimate's own error leaves this much on average */
#define MOST_C  0.8
#define NEAR_C  1.5

void el_risk_init(struct el_risk *r)
{
    r->margin_c = START_C;
}

void el_risk_step(struct el_risk *r, double above_c, double doubt_c, double dt_s)
{
    double caught;

    if (!(above_c > -NEAR_C))
        return;
    caught = 0.5 * erfc((ABOVE_C - above_c) / EL_MAX(TAILS * doubt_c, 1e-3) * M_SQRT1_2);
    r->margin_c += RATE * dt_s * (caught - SHARE);
    r->margin_c = EL_CLAMP(r->margin_c, LEAST_C, MOST_C);
}
