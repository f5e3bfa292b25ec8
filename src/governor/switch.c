#include "governor/switch.h"

#include <math.h>

#include "base/base.h"

#define HORIZON_S 45.0 /* the switch follows the sink, and both are slow */
#define BELOW_C   0.05 /* what its sensor may round away in the mean */
#define OFFSET_S  30.0
#define SMOOTH_S  12.0 /* what drives may share should not follow the noise of each one's estimate */
#define GAIN_S    60.0 /* the gain is learnt over moves of this length ... */
#define GAIN_MOVE 1.0  /* ... that are larger than the grain of the sensor */
#define GAIN_RATE 0.2
#define GAIN_LO   0.7
#define GAIN_HI   3.0

void el_switch_init(struct el_switch *s)
{
    *s = (struct el_switch){.offset_c = NAN, .gain = 1, .allowed_w = INFINITY};
}

static void gain_learn(struct el_switch *s, double reading_c, double sink_c, double dt_s)
{
    double moved = sink_c - s->then_sink_c;

    s->then_s += dt_s;
    if (s->then_s < GAIN_S)
        return;
    if (fabs(moved) > GAIN_MOVE)
        s->gain = EL_CLAMP(s->gain + GAIN_RATE * ((reading_c - s->then_c) / moved - s->gain), GAIN_LO, GAIN_HI);
    s->then_s = 0;
    s->then_c = reading_c;
    s->then_sink_c = sink_c;
}

static void take_reading(struct el_switch *s, const struct el_observer *o, double reading_c)
{
    if (isnan(s->offset_c)) {
        s->offset_c = reading_c - o->sink_c;
        s->then_c = reading_c;
        s->then_sink_c = o->sink_c;
    }
    s->offset_c += (1 - exp(-o->dt_s / OFFSET_S)) * (reading_c - o->sink_c - s->offset_c);
    gain_learn(s, reading_c, o->sink_c, o->dt_s);
}

/* Host watts that settle the sink at `sink_c`, at declared prices. */
static double host_for(const struct el_observer *o, const struct el_governor_card *card, double sink_c)
{
    double watts = (sink_c - o->inlet_c) / o->resistance_c_per_w - card->switch_w - o->unknown_w, gain = 0, host = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < card->slots; i++) {
        const struct el_node *d = &o->node[i];

        if (!d->read_us)
            continue;
        watts -= card->slot[i].idle_w + d->x[EL_X_POWER] + d->burst_w;
        gain += d->x[EL_X_GAIN] * (d->host_w + 0.1); /* who works most counts most */
        host += d->host_w + 0.1;
        n++;
    }
    return n ? EL_MAX(watts, 0) * host / gain : INFINITY;
}

double el_switch_step(struct el_switch *s, const struct el_observer *o, const struct el_governor_card *card,
                      const struct el_governor_input *in, double *headroom_c)
{
    double above, room, target, allowed;

    if (el_reading_usable(&in->switch_mc) && in->switch_mc.time_us > s->read_us) {
        take_reading(s, o, (double)in->switch_mc.value * 1e-3);
        s->read_us = in->switch_mc.time_us;
    }
    if (isnan(s->offset_c) || !isfinite(card->switch_limit_c))
        return s->allowed_w = INFINITY;
    above = o->sink_c + s->offset_c;
    *headroom_c = card->switch_limit_c - card->margin_c - above;
    room = (*headroom_c - BELOW_C) / s->gain;
    target = o->sink_c + room / (1 - exp(-HORIZON_S / (o->resistance_c_per_w * card->sink_c_j_per_k)));
    allowed = host_for(o, card, target);
    if (!isfinite(s->allowed_w) || !isfinite(allowed))
        return s->allowed_w = allowed;
    return s->allowed_w += (1 - exp(-o->dt_s / SMOOTH_S)) * (allowed - s->allowed_w);
}
