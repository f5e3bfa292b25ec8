#include "heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/journal.h"
#include "trial.h"

/* The failsafe waits, as its document says, for a reading that is 10 s old (60 s, of a drive far below its limit), and
 * then 20 s more. */
#define NEAR_C      8.0
#define OLD_HOT_S   10.0
#define OLD_COOL_S  60.0
#define HOLD_S      20.0
#define OBEY_S      20.0 /* that a cap may take to bite: sooner nobody knows that it does not */
#define LIE_C       2.0
#define LIVES       20
#define FLOOR_RATIO 0.05 /* a cap is never lower */
#define TRIES       3    /* rounds: a hand that failed is tried again every 5 s while its drive is hot */
#define GRAIN_C     0.5  /* half of the degree in which drives tell their temperature */

double heat_beyond_c[HEAT_KINDS] = {-99, -99, -99};

/* The journal cannot be written, so nothing may be set that does not stand in it. */
static bool journal_broken(const struct broken *b)
{
    static const enum broken_kind kinds[] = {BROKEN_DISK_FULL, BROKEN_READ_ONLY,   BROKEN_RENAME, BROKEN_FSYNC,
                                             BROKEN_READ,      BROKEN_DESCRIPTORS, BROKEN_MEMORY};

    for (size_t i = 0; i < EL_ARRAY_SIZE(kinds); i++)
        if (broken_now(b, kinds[i], -1))
            return true;
    return false;
}

static bool journalled(const struct trial *t, const char *serial)
{
    struct el_journal *j = NULL;
    bool is = el_journal_open(t->settings.state_dir, &j) == 0 && el_journal_find(j, EL_ACTUATOR_IO_BUDGET, serial);

    el_journal_free(j);
    return is;
}

/* The drive that is there is the one that the daemon knows: one that was swapped in while it hung has not said yet who
 * it is. */
static bool is_known(struct trial *t, const struct el_slot *s)
{
    char serial[24];

    return broken_serial(&t->b, s->key, serial) && strcmp(serial, s->identify.serial) == 0;
}

/* Enforcing, the drive known by name, its settings restorable, its hand sound. */
static bool may_write(struct trial *t, const struct el_slot *s, const struct el_twin_slot_truth *truth, int slot)
{
    static const enum broken_kind hand[] = {BROKEN_WRITE_REFUSED, BROKEN_WRITE_HALF, BROKEN_READ_BACK, BROKEN_SAVE,
                                            BROKEN_RESTORE};

    if (t->settings.governor.mode != EL_MODE_ENFORCE || !truth->present || !is_known(t, s))
        return false;
    for (size_t i = 0; i < EL_ARRAY_SIZE(hand); i++)
        if (broken_now(&t->b, hand[i], slot))
            return false;
    return !journal_broken(&t->b) || journalled(t, s->identify.serial);
}

/* How bad what the daemon is told of this drive is: 0 not, 1 a matter of the drive, 2 hot enough to be one of all. What
 * lies is no more than at its limit until it says that it is too hot. */
static int told(struct heat *h, const struct el_slot *s, uint32_t i, double true_c, double now)
{
    const struct el_reading *r = &s->temp_mc[0];
    double warning_c = trial_drive(i)->wctemp_c, limit_c = s->decision.limit_c;

    if (r->quality == EL_GOOD) {
        h->good_c[i] = (float)r->value / 1000;
        h->good_s[i] = now;
        return (h->good_c[i] > (fabs(h->good_c[i] - true_c) > LIE_C ? warning_c : limit_c)) +
               (h->good_c[i] >= warning_c);
    }
    return h->good_s[i] > 0 &&
           now - h->good_s[i] > HOLD_S + (h->good_c[i] >= limit_c - NEAR_C ? OLD_HOT_S : OLD_COOL_S);
}

static float since(bool is, float before, double now)
{
    return !is ? NAN : isfinite(before) ? before : (float)now;
}

static void hold_down(const struct trial *t, const struct el_slot *s, uint32_t i)
{
    struct el_actuator_value v = {0};
    const struct el_device *d = &t->b.inner;

    if (d->ops->actuator_read(d->dev, EL_ACTUATOR_IO_BUDGET, s->key, &v) < 0)
        return;
    v.cap.ratio = FLOOR_RATIO;
    v.cap.budget_w = FLOOR_RATIO * (trial_drive(i)->full_w - trial_drive(i)->idle_w);
    d->ops->actuator_write(d->dev, EL_ACTUATOR_IO_BUDGET, s->key, &v);
}

void heat_round(struct trial *t, const struct el_twin_truth *truth, double now)
{
    const struct el_snapshot *s = t->tick ? el_tick_snapshot(t->tick) : NULL;
    unsigned r = (unsigned)(now / TRIAL_TICK_S);
    struct heat *h = &t->heat;

    for (uint32_t i = 0; i < truth->slots; i++) {
        const struct el_slot *slot = s && i < s->slots.count ? &el_snapshot_slots(s)[i] : NULL;
        bool acts = slot && t->settings.governor.mode == EL_MODE_ENFORCE;
        int bad = acts ? told(h, slot, i, truth->slot[i].temp_c, now) : 0;

        h->temp_c[r][i] = truth->slot[i].present ? (float)truth->slot[i].temp_c : NAN;
        h->told_s[r][i] = since(bad > 0, r ? h->told_s[r - 1][i] : NAN, now);
        h->all_s[r][i] = since(bad > 1, r ? h->all_s[r - 1][i] : NAN, now + OBEY_S);
        h->hand[r][i] = slot && may_write(t, slot, &truth->slot[i], (int)i);
        if (h->hand[r][i] && now >= (i == h->slot ? h->force_s : h->force_all_s))
            hold_down(t, slot, i);
    }
}

static struct trial *live_once(const struct trial *t, uint32_t slot, double force_s, double all_s)
{
    struct trial *again = calloc(1, sizeof *again);

    trial_invent(again, t->seed);
    again->quiet = true;
    again->heat.slot = slot;
    again->heat.force_s = force_s;
    again->heat.force_all_s = isfinite(all_s) ? all_s : INFINITY;
    if (trial_open(again)) {
        trial_live(again);
        trial_close(again);
    }
    return again;
}

/* A daemon that is killed may or may not have saved what it learnt: then it takes some lives until one is the same. */
static struct trial *live_again(const struct trial *t, uint32_t slot, double force_s, double all_s)
{
    size_t same = (size_t)(force_s / TRIAL_TICK_S) * sizeof t->heat.temp_c[0];
    struct trial *again = NULL;

    for (int lives = 0; lives < LIVES; lives++) {
        free(again);
        again = live_once(t, slot, force_s, all_s);
        if (memcmp(again->heat.temp_c, t->heat.temp_c, same) == 0)
            break;
    }
    return again;
}

static void note_beyond(enum heat_kind kind, double beyond)
{
    heat_beyond_c[kind] = fmax(heat_beyond_c[kind], beyond);
}

/* It was, already when a hand that failed until then was tried last. */
static bool below_lately(const struct trial *t, unsigned round, uint32_t slot)
{
    for (unsigned r = round < TRIES ? 0 : round - TRIES; r <= round; r++)
        if (t->heat.temp_c[r][slot] > trial_critical_c(slot) - GRAIN_C)
            return false;
    return true;
}

void heat_judge(struct trial *t)
{
    struct heat *h = &t->heat;
    struct trial *other = NULL;

    for (uint32_t i = 0; i < EL_CARD_SLOTS_MAX && t->mode == EL_MODE_ENFORCE; i++)
        for (unsigned r = 0; r < HEAT_ROUNDS; r++) {
            double beyond = h->temp_c[r][i] - trial_critical_c(i), told_s = h->told_s[r][i], all_s = h->all_s[r][i];

            if (!(beyond > 0) || !isfinite(told_s)) {
                if (beyond > 0)
                    note_beyond(h->hand[r][i] ? HEAT_NOT_TOLD : HEAT_NO_HANDS, beyond);
                continue;
            }
            if (!other || other->heat.slot != i || other->heat.force_s != told_s ||
                (isfinite(all_s) && other->heat.force_all_s != all_s)) {
                free(other);
                other = live_again(t, i, told_s, all_s);
            }
            if (!below_lately(other, r, i))
                note_beyond(HEAT_TOLD, beyond);
            else
                trial_hurt(t, TOO_HOT,
                           "at %.0f s slot %u is %.1f C beyond; told at %.0f s, of all at %.0f s, it could "
                           "be %.1f C below",
                           r * TRIAL_TICK_S, i, beyond, told_s, all_s, trial_critical_c(i) - other->heat.temp_c[r][i]);
        }
    free(other);
}
