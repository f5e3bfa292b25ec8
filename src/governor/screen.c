#include "governor/screen.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

#define LEAST_MC     (-40000)
#define MOST_MC      125000
#define JUMP_MC      3000        /* between two readings, beside ... */
#define RISE_MC_S    1000        /* ... what power can do: 0.46 C/s is the fastest expected, twice that is allowed */
#define FALL_MC_S    700         /* cooling: (75 - 60) C over 21 s */
#define SHIFT_HOLD_S 600.0       /* a shift is kept this long, then let go by ... */
#define SHIFT_DECAY  (1.0 / 600) /* ... a degree in ten minutes: recovery takes a bounded time */

/* What power and air should have moved a reading by, at least: from drive to air there are 1.25..4 C/W. More than its
 * grain and noise counts, for as long as it does: 3 C for 45 s, or less for longer, or in several bursts. */
#define R_LEAST   1.25
#define R_MOST    4.0
#define GRAIN_C   1.0
#define SUSPECT_C 1.5
#define SUSPECT_S 30.0
#define STUCK_C_S 180.0
#define SHARED    0.5 /* of what warms the others; assumed */
#define SLOW_S    20.0
#define INLET_S   60.0
/* A reading that stood still for longer than it ever did of late is told from a live one by less: the noise that made
 * it flicker shows a part of its grain as well. Chosen on plants 5001..5180. */
#define USUAL_KEEP    0.95 /* of the longest spell, at each move */
#define USUAL_LEAST_S 60.0
#define LONGER_MOST   2.0
#define BURST_W       3.2  /* of background work at once, and ... */
#define PRICE_ERROR   0.15 /* ... what declared prices leave of a change of host watts; assumed */
#define FALL_COUNTS   0.3  /* of what falling power should have moved: a reading that is stuck too high is safe */

/* A trial: what a burst that was made room for, and ended, may have hidden a little of a rise. Then a cut of as much
 * shows in the reading. More than a burst hides needs no trial, and a drive that cannot be near its limit yet none. */
#define BURST_C   2.0 /* what ends with 1.6 W at R_LEAST */
#define TRY_W     1.6
#define TRY_LEAST 0.2   /* left of the host's power by a cut, at least; W */
#define PROOF_C   1.5   /* the cut should have moved it by this ... */
#define PROOF_S   30.0  /* ... for so long */
#define LET_GO_S  120.0 /* nothing to prove or to doubt any more */
#define HOT_C     1.0

static enum el_belief doubt(struct el_reading *r, enum el_quality q, enum el_belief why)
{
    r->quality = q;
    return why;
}

static bool near_enough(int64_t a, int64_t b, int64_t from_us, int64_t to_us)
{
    double dt = EL_MAX((double)(to_us - from_us) * 1e-6, 0);

    return (double)(a - b) <= JUMP_MC + RISE_MC_S * dt && (double)(b - a) <= JUMP_MC + FALL_MC_S * dt;
}

/* A jump that two samples agree on. Up is believed. Down is impossible as cooling: the sensor now reads low by as much,
 * unless it stood still for long and is back. */
static void take_jump(struct el_screen *s, const struct el_reading *r, int64_t now_us)
{
    double fall = (double)(s->accepted_mc - r->value) * 1e-3;

    if (fall < 0) {
        double undo = EL_MIN(s->shift_c, -fall);

        s->shift_c -= undo;
        s->credit_c += -fall - undo;
    } else {
        double back = s->stuck ? fall : EL_MIN(s->credit_c, fall);

        s->credit_c = EL_MAX(0, s->credit_c - back);
        s->shift_c += fall - back;
        s->shift_us = now_us;
    }
    if (s->shift_c < 0.5 * JUMP_MC * 1e-3)
        s->shift_c = 0;
    if (s->credit_c < 0.5 * JUMP_MC * 1e-3)
        s->credit_c = 0;
}

static bool vote(struct el_screen *s, const struct el_reading *r, int64_t now_us)
{
    if (r->time_us <= s->pending_us)
        return false;
    s->votes = s->votes && near_enough(r->value, s->pending_mc, s->pending_us, r->time_us) ? s->votes + 1 : 1;
    s->pending_mc = r->value;
    s->pending_us = r->time_us;
    if (s->votes < 2)
        return false;
    take_jump(s, r, now_us);
    return true;
}

static void shift_fade(struct el_screen *s, int64_t now_us)
{
    double held = (double)(now_us - s->shift_us) * 1e-6;

    if (s->shift_c > 0 && held > SHIFT_HOLD_S) {
        s->shift_c = EL_MAX(0, s->shift_c - (held - SHIFT_HOLD_S) * SHIFT_DECAY);
        s->shift_us = now_us - (int64_t)(SHIFT_HOLD_S * 1e6);
    }
}

enum el_belief el_screen_step(struct el_screen *s, struct el_reading *r, int64_t now_us, double least_c,
                              double max_age_s)
{
    double least_mc = isfinite(least_c) ? least_c * 1000 : LEAST_MC;

    if (r->quality == EL_ABSENT)
        return EL_DOUBT_ABSENT;
    if (r->quality != EL_GOOD)
        return r->quality == EL_STALE ? EL_DOUBT_STALE : EL_DOUBT_IMPLAUSIBLE;
    if (r->value < LEAST_MC || r->value > MOST_MC || (double)r->value < least_mc)
        return doubt(r, EL_IMPLAUSIBLE, EL_DOUBT_IMPLAUSIBLE);
    if ((double)(now_us - r->time_us) * 1e-6 > max_age_s)
        return doubt(r, EL_STALE, EL_DOUBT_STALE);
    if (!s->ever) {
        s->ever = true;
    } else if (!near_enough(r->value, s->accepted_mc, s->accepted_us, r->time_us) && !vote(s, r, now_us)) {
        return doubt(r, EL_IMPLAUSIBLE, EL_DOUBT_IMPLAUSIBLE);
    }
    s->votes = 0;
    s->accepted_mc = r->value;
    s->accepted_us = r->time_us;
    shift_fade(s, now_us);
    r->value += (int64_t)(s->shift_c * 1000);
    return EL_BELIEVE;
}

/* What a card draws beside host I/O may have changed against a drive's own: as the law takes a burst of background work
 * back from the host, all in all nothing changes. Up to the largest burst, and what prices err by tells nothing. */
static double hidden(const struct el_screen_load *from, const struct el_screen_load *to, double own_w)
{
    double rest = to->card_rest_w - from->card_rest_w,
           sure = fabs(rest) - PRICE_ERROR * fabs(to->card_host_w - from->card_host_w);

    return rest * own_w < 0 && sure > 0 ? copysign(EL_MIN(sure, BURST_W), rest) : 0;
}

/* Where all drives have to draw less to stay where they are, what they share has warmed; where all may draw more and
 * get no warmer, it has cooled. */
static double common(const struct el_screen_load *from, const struct el_screen_load *to)
{
    double own = to->host_w - from->host_w, others = (to->card_host_w - from->card_host_w - own) / (to->drives - 1.0);

    if (to->drives < 2)
        return 0;
    if (own < 0 && others < 0)
        return EL_MAX(own, others);
    return own > 0 && others > 0 && to->others_c - from->others_c < GRAIN_C / 2 ? EL_MIN(own, others) : 0;
}

/* What warmed the other drives beyond what their own watts did warms this one too, by a part. */
static double shared_heat(const struct el_screen_load *from, const struct el_screen_load *to)
{
    double w = to->others_w - from->others_w, c = to->others_c - from->others_c - (w > 0 ? R_MOST : R_LEAST) * w;

    return isfinite(c) ? EL_MAX(0, SHARED * c) : 0;
}

/* The least that a change of power and of air can have moved the drive by. Against one another they may cancel. */
static double moved_by(const struct el_screen_load *from, const struct el_screen_load *to, double own_w, double air_c)
{
    double with = own_w + hidden(from, to, own_w), power = with * own_w > 0 ? with : 0, one = R_LEAST * power + air_c,
           other = R_MOST * power + air_c;

    return (one > 0) == (other > 0) ? EL_MIN(fabs(one), fabs(other)) : 0;
}

/* ... where the air is as its sensor says, and as all drives tell. */
static double least_move(const struct el_screen_load *from, const struct el_screen_load *to)
{
    double own = to->host_w - from->host_w, air = to->inlet_c - from->inlet_c, alike = common(from, to),
           told = moved_by(from, to, own, isfinite(air) ? air : 0);

    return alike != 0 ? EL_MIN(told, moved_by(from, to, own - alike, 0)) : told;
}

/* ... and what the others tell of the heat they share: less power of its own may hide it. */
static double heat_move(const struct el_screen_load *from, const struct el_screen_load *to)
{
    return shared_heat(from, to) + R_MOST * EL_MIN(0, to->peak_w - from->peak_w);
}

/* Background work, the neighbours and the air may hide a little for long, and much for a short time only. */
static double weighed(double missing_c)
{
    return missing_c > 0 ? missing_c * EL_MAX(missing_c, 1) : 0;
}

/* Starts with the first that is known, keeps the last that was. */
static void smooth(double *slow, double now, double k)
{
    if (isfinite(now))
        *slow = isfinite(*slow) ? *slow + (now - *slow) * k : now;
}

static void load_step(struct el_screen_load *s, const struct el_screen_load *now, const struct el_screen_pace *pace)
{
    s->host_w += (now->host_w - s->host_w) * pace->power;
    smooth(&s->inlet_c, now->inlet_c, pace->air);
    smooth(&s->card_host_w, now->card_host_w, pace->power);
    smooth(&s->card_rest_w, now->card_rest_w, pace->power);
    smooth(&s->peak_w, now->peak_w, pace->power);
    smooth(&s->others_c, now->others_c, pace->power);
    smooth(&s->others_w, now->others_w, pace->power);
    if (!isfinite(now->card_rest_w))
        s->card_rest_w = NAN;
    s->drives = now->drives;
}

struct el_screen_pace el_screen_pace(double dt_s)
{
    return (struct el_screen_pace){.dt_s = dt_s, .power = 1 - exp(-dt_s / SLOW_S), .air = 1 - exp(-dt_s / INLET_S)};
}

static void still_begin(struct el_still *t)
{
    t->evidence_c_s = t->sure_c_s = t->tried_s = t->proof_s = 0;
    t->moved_w = t->slow.host_w;
    t->most = t->least = t->since = t->slow;
}

/* Whether the drive may be near its limit by now, if its reading is no longer true. */
static bool may_be_hot(const struct el_still *t, const struct el_screen_load *load)
{
    double air = t->slow.inlet_c - t->least.inlet_c;

    return load->air_failing ||
           (double)t->moved_mc * 1e-3 + R_MOST * (t->slow.host_w - t->least.host_w) + (air > 0 ? air : 0) >
               load->limit_c - HOT_C;
}

static enum el_life trial(struct el_still *t, const struct el_screen_load *load, bool away, double dt)
{
    if (t->tried_s <= 0) {
        if (t->evidence_c_s <= STUCK_C_S || t->slow.host_w < TRY_W + TRY_LEAST || !may_be_hot(t, load))
            return EL_LIFE_ALIVE;
        t->tried = t->slow;
        t->tried_w = EL_MIN(t->moved_w * 0.9, t->slow.host_w - TRY_W);
    }
    t->tried_s += dt;
    if (t->slow.host_w < t->tried.host_w &&
        moved_by(&t->tried, &t->slow, t->slow.host_w - t->tried.host_w, 0) > PROOF_C)
        t->proof_s += dt;
    if (t->proof_s > PROOF_S)
        return EL_LIFE_STUCK;
    if (t->tried_s > LET_GO_S && !away)
        still_begin(t);
    return t->tried_s > 0 ? EL_LIFE_TRIED : EL_LIFE_ALIVE;
}

static const struct el_screen_load unknown = {
    .inlet_c = NAN, .card_host_w = NAN, .card_rest_w = NAN, .peak_w = NAN, .others_c = NAN, .others_w = NAN};

/* What it should have moved by since it did, and did not; true while that is more than its grain. */
static bool gather(struct el_still *t, int64_t now_us, const struct el_screen_load *load, double dt)
{
    double still_s = (double)(now_us - t->moved_us) * 1e-6, rise, fall;

    if (t->slow.host_w < t->least.host_w)
        t->least = t->slow;
    if (t->slow.host_w > t->most.host_w)
        t->most = t->slow;
    t->longer = EL_CLAMP(still_s / EL_MAX(t->usual_s, USUAL_LEAST_S), 1, LONGER_MOST);
    rise = least_move(&t->least, &t->slow);
    if (load->air_failing)
        rise = EL_MAX(rise, heat_move(&t->since, &t->slow));
    fall = least_move(&t->most, &t->slow);
    t->evidence_c_s += t->longer * weighed(rise - GRAIN_C / t->longer) * dt;
    t->sure_c_s += (weighed(rise - GRAIN_C - BURST_C) + FALL_COUNTS * t->longer * weighed(fall - GRAIN_C)) * dt;
    return EL_MAX(rise, fall) >= SUSPECT_C / t->longer;
}

enum el_life el_screen_stuck(struct el_screen *s, struct el_still *t, int64_t now_us, const struct el_screen_load *load,
                             const struct el_screen_pace *pace)
{
    enum el_life life;
    bool away;

    if (!t->begun)
        *t = (struct el_still){
            .begun = true, .first_us = now_us, .moved_mc = s->accepted_mc, .moved_us = now_us, .slow = unknown};
    load_step(&t->slow, load, pace);
    if (llabs(s->accepted_mc - t->moved_mc) >= 100 || (double)(now_us - t->first_us) * 1e-6 < 3 * SLOW_S) {
        t->usual_s = EL_MAX((double)(now_us - t->moved_us) * 1e-6, t->usual_s * USUAL_KEEP);
        t->moved_mc = s->accepted_mc;
        t->moved_us = t->away_us = now_us;
        still_begin(t);
        s->stuck = false;
        return EL_LIFE_ALIVE;
    }
    if (s->stuck)
        return EL_LIFE_STUCK;
    away = gather(t, now_us, load, pace->dt_s);
    if (!away)
        t->away_us = now_us;
    life = trial(t, load, away, pace->dt_s);
    s->stuck = life == EL_LIFE_STUCK || t->sure_c_s > STUCK_C_S;
    if (s->stuck)
        return EL_LIFE_STUCK;
    if (life == EL_LIFE_ALIVE && (double)(now_us - t->away_us) * 1e-6 * t->longer > SUSPECT_S)
        return EL_LIFE_SUSPECT;
    return life;
}
