#include <math.h>

#include "base/base.h"
#include "model/device.h"
#include "model/nvme_layout.h"

#define KELVIN   273
#define CAP_SAME 0.02 /* caps closer than this are the same (kernel rounding) */

bool el_actuator_is_cap(enum el_actuator kind)
{
    return EL_ACTUATOR_CAPS >> kind & 1;
}

uint8_t el_actuator_feature(enum el_actuator kind)
{
    switch (kind) {
    case EL_ACTUATOR_POWER_STATE:
        return EL_NVME_FID_POWER_MANAGEMENT;
    case EL_ACTUATOR_HCTM:
        return EL_NVME_FID_HCTM;
    default:
        return 0;
    }
}

/* 0 = off on both sides. */
static uint16_t to_kelvin(int32_t c)
{
    return (uint16_t)(c ? c + KELVIN : 0);
}

static int32_t from_kelvin(uint16_t k)
{
    return k ? k - KELVIN : 0;
}

uint32_t el_actuator_to_feature(enum el_actuator kind, const struct el_actuator_value *v)
{
    return kind == EL_ACTUATOR_HCTM ? (uint32_t)to_kelvin(v->tmt1_c) << 16 | to_kelvin(v->tmt2_c)
                                    : (uint32_t)v->power_state;
}

void el_actuator_from_feature(enum el_actuator kind, uint32_t value, struct el_actuator_value *out)
{
    if (kind == EL_ACTUATOR_HCTM) {
        out->tmt1_c = from_kelvin(EL_FEAT_HCTM_TMT1(value));
        out->tmt2_c = from_kelvin(EL_FEAT_HCTM_TMT2(value));
    } else {
        out->power_state = (int32_t)EL_FEAT_POWER_STATE(value);
    }
}

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
