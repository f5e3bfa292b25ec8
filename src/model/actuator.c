#include <math.h>

#include "base/base.h"
#include "model/device.h"

#define CAP_SAME 0.02 /* caps closer than this are the same (kernel rounding) */

bool el_actuator_same(enum el_actuator kind, const struct el_actuator_value *x, const struct el_actuator_value *y)
{
    switch (kind) {
    case EL_ACTUATOR_IO_BUDGET:
    case EL_ACTUATOR_IO_MAX:
        return fabs(x->cap.ratio - y->cap.ratio) <= CAP_SAME || (isnan(x->cap.ratio) && isnan(y->cap.ratio));
    case EL_ACTUATOR_POWER_STATE:
        return x->power_state == y->power_state;
    case EL_ACTUATOR_HCTM:
        return x->tmt1_c == y->tmt1_c && x->tmt2_c == y->tmt2_c;
    case EL_ACTUATOR_FAN:
        return fabs(x->pwm_ratio - y->pwm_ratio) <= CAP_SAME;
    case EL_ACTUATOR_COUNT:
        break;
    }
    return false;
}

bool el_actuator_lowers(enum el_actuator kind, const struct el_actuator_value *from, const struct el_actuator_value *to)
{
    switch (kind) {
    case EL_ACTUATOR_IO_BUDGET:
    case EL_ACTUATOR_IO_MAX:
        return to->cap.ratio < from->cap.ratio;
    case EL_ACTUATOR_POWER_STATE:
        return to->power_state > from->power_state;
    case EL_ACTUATOR_FAN:
        return to->pwm_ratio < from->pwm_ratio;
    default:
        return to->tmt1_c && (!from->tmt1_c || to->tmt1_c < from->tmt1_c);
    }
}
