#include "governor/risk.h"

#include "base/base.h"

/* Measured on the bench plants: see tests/bench. */
#ifndef RISK_AT
#define RISK_AT 0.4
#endif
#ifndef RISK_SHARE
#define RISK_SHARE 0.003
#endif
#ifndef RISK_RATE
#define RISK_RATE 0.0085
#endif
#ifndef RISK_START
#define RISK_START 0.1
#endif
#ifndef RISK_MIN
#define RISK_MIN -0.14
#endif
#define ABOVE_C   RISK_AT          /* counts as caught above */
#define SHARE     RISK_SHARE  /* of the time that may be spent there: 10 s in an hour */
#define RATE      RISK_RATE         /* C per second above */
#define MARGIN_LO RISK_MIN
#define MARGIN_HI 0.8

void el_risk_init(struct el_risk *r)
{
    r->margin_c = RISK_START;
}

void el_risk_step(struct el_risk *r, double above_c, double dt_s)
{
    if (!(above_c > -1.5))
        return;
    r->margin_c += RATE * dt_s * (above_c > ABOVE_C ? 1 - SHARE : -SHARE);
    r->margin_c = EL_CLAMP(r->margin_c, MARGIN_LO, MARGIN_HI);
}
