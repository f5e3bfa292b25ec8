#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "config/config.h"
#include "control/journal.h"
#include "control/restore.h"

#define TICK_S    TRIAL_TICK_S
#define LAST_S    220.0 /* by then every fault is over */
#define HEALED_S  120.0 /* from then on nothing may be left of it */
#define LATE_US   (4 * EL_USEC_PER_SEC)
#define OLD_KINDS (BROKEN_SUSPEND + 1) /* of most seeds, which keep their meaning so */

const char *const invariant_names[INVARIANTS] = {"a round over two periods",
                                                 "a write in observe or advise",
                                                 "a write without journal",
                                                 "a journal with another original",
                                                 "not restored",
                                                 "above critical though it could be slowed",
                                                 "an untrue value",
                                                 "still hurt after the fault",
                                                 "an unsound snapshot"};

static struct el_card_profile card;
static struct el_drive_profile drives[EL_CARD_SLOTS_MAX];
static double critical_c[EL_CARD_SLOTS_MAX];
static const char *dir;
bool trial_verbose;
int64_t trial_slowest_us;

void trial_hurt(struct trial *t, enum invariant what, const char *fmt, ...)
{
    va_list ap;

    if (t->quiet || (t->broken[what]++ && !trial_verbose))
        return;
    printf("seed %llu (%s): %s: ", (unsigned long long)t->seed, t->what, invariant_names[what]);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

double trial_critical_c(uint32_t slot)
{
    return slot < card.slots ? critical_c[slot] : INFINITY;
}

const struct el_drive_profile *trial_drive(uint32_t slot)
{
    return &drives[slot];
}

/* ---- a scenario from a seed ---- */

static unsigned below(struct trial *t, unsigned n)
{
    return (unsigned)(el_rng_u64(&t->rng) % n);
}

static void note(struct trial *t, const char *name, int slot, double from, double to)
{
    size_t n = strlen(t->what);

    snprintf(t->what + n, sizeof t->what - n, ", %s slot %d %.0f..%.0f s", name, slot, from, to);
}

/* Returns which fault it is. */
static int add_twin_fault(struct trial *t, int slot, double from, double to)
{
    struct el_scenario_event *e = &t->scenario.event[t->scenario.events++];

    *e = (struct el_scenario_event){
        .at_s = from,
        .for_s = to - from,
        .kind = (enum el_scenario_kind)(TRIAL_TWIN_FIRST + below(t, EL_SCENARIO_KIND_COUNT - TRIAL_TWIN_FIRST)),
        .card = 0,
        .slot = slot};
    if (e->kind <= EL_SCENARIO_SENSOR_LYING) {
        e->sensor = below(t, 3) ? EL_SCENARIO_COMPOSITE : EL_SCENARIO_BOARD_INLET + below(t, 5);
        e->value = el_rng_between(&t->rng, -15, 15);
        if (e->sensor == EL_SCENARIO_COMPOSITE)
            t->lie_c[slot] = e->kind == EL_SCENARIO_SENSOR_STUCK ? 60 : fabs(e->value);
        t->mute[slot] |= e->sensor == EL_SCENARIO_COMPOSITE;
    } else if (e->kind == EL_SCENARIO_LINK_DOWNTRAINED) {
        e->value = 1;
    } else if (e->kind == EL_SCENARIO_FAN_DEAD) {
        e->slot = -1;
    } else if (e->kind == EL_SCENARIO_ACTUATOR_REFUSED || e->kind == EL_SCENARIO_ACTUATOR_IGNORED) {
        t->no_hands[slot] = true;
    } else {
        t->mute[slot] = true;
    }
    note(t, el_scenario_kind_name(e->kind), slot, from, to);
    return BROKEN_KINDS + (int)e->kind - (int)TRIAL_TWIN_FIRST;
}

static void add_event(struct trial *t, enum el_scenario_kind kind, int slot, double at, double seconds)
{
    t->scenario.event[t->scenario.events++] =
        (struct el_scenario_event){.at_s = at, .for_s = seconds, .kind = kind, .slot = slot, .text = "idle"};
}

/* No I/O while the machine sleeps; one of the drives wakes up with its settings forgotten. */
static void sleep_and_wake(struct trial *t, int slot, double from, double to)
{
    add_event(t, EL_SCENARIO_WORKLOAD, -1, from, to - from);
    if (below(t, 2))
        add_event(t, EL_SCENARIO_DRIVE_RESET, slot, to - 1, 1);
    t->mute[slot] = true;
}

static int add_own_fault(struct trial *t, int slot, double from, double to)
{
    struct broken_fault *f = &t->b.fault[t->b.faults++];

    *f = (struct broken_fault){(enum broken_kind)below(t, t->early ? BROKEN_KINDS : OLD_KINDS), slot, from, to};
    if (f->kind <= BROKEN_LATE)
        t->mute[slot] = true;
    if (f->kind == BROKEN_SUSPEND)
        sleep_and_wake(t, slot, from, to);
    if (f->kind == BROKEN_PAGE_RANDOM || f->kind == BROKEN_LATE)
        t->lie_c[slot] = 400;
    for (uint32_t i = 0; i < card.slots; i++)
        t->no_hands[i] |=
            (f->kind <= BROKEN_EIO && from == 0 && (int)i == slot) || /* who never said who it is is not written to */
            (f->kind >= BROKEN_WRITE_REFUSED && f->kind <= BROKEN_RESTORE && (int)i == slot) ||
            f->kind >= BROKEN_DISK_FULL;
    note(t, broken_names[f->kind], slot, from, to);
    return (int)f->kind;
}

static void mark_unknown(struct trial *t, int slot, bool silent, double from, double to)
{
    bool unknown = from < TICK_S || (t->again_s >= from - TICK_S && t->again_s <= to);

    for (uint32_t i = 0; i < t->scenario.events; i++) {
        const struct el_scenario_event *e = &t->scenario.event[i];
        double there_s = e->at_s + e->for_s;

        unknown |= e->kind == EL_SCENARIO_DRIVE_SWAPPED && e->slot == slot && there_s >= from && there_s <= to;
    }
    if (silent && unknown && slot >= 0)
        t->no_hands[slot] = true;
}

/* Who cannot say who it is when the daemon starts, or when it is plugged in, is not written to. */
static void mark_all_unknown(struct trial *t)
{
    for (int i = 0; i < t->b.faults; i++)
        mark_unknown(t, t->b.fault[i].slot, t->b.fault[i].kind <= BROKEN_EIO, t->b.fault[i].from_s, t->b.fault[i].to_s);
    for (uint32_t i = 0; i < t->scenario.events; i++) {
        const struct el_scenario_event *e = &t->scenario.event[i];

        mark_unknown(t, e->slot, e->kind == EL_SCENARIO_DRIVE_HUNG, e->at_s, e->at_s + e->for_s);
    }
}

/* In the midst of what happens to it the daemon is told for a while to set nothing, and it ends and begins again. */
static void interrupt(struct trial *t, double from, double to)
{
    size_t n = strlen(t->what);

    t->advise_s = el_rng_between(&t->rng, from, to);
    t->to_s = el_rng_between(&t->rng, t->advise_s, LAST_S);
    t->again_s = el_rng_between(&t->rng, from, to);
    bool cold = below(t, 2);
    for (int i = 0; i < t->b.faults; i++)
        if (t->b.fault[i].kind == BROKEN_RESTORE) { /* which nothing else would come upon */
            cold = true;
            t->advise_s = t->b.fault[i].from_s + 1;
            t->b.fault[i].to_s = LAST_S;
        }
    if (cold) { /* what is not hot is let go */
        add_event(t, EL_SCENARIO_INLET, -1, fmax(1, t->advise_s - 40), 0);
        t->to_s = LAST_S;
    }
    snprintf(t->what + n, sizeof t->what - n, ", advise %.0f..%.0f s, again at %.0f s", t->advise_s, t->to_s,
             t->again_s);
}

void trial_invent(struct trial *t, uint64_t seed)
{
    static const enum el_mode modes[] = {EL_MODE_OBSERVE, EL_MODE_ADVISE,  EL_MODE_ENFORCE,
                                         EL_MODE_ENFORCE, EL_MODE_ENFORCE, EL_MODE_ENFORCE};

    double from = 0, to = 0;

    t->seed = seed;
    t->heat.force_s = t->heat.force_all_s = INFINITY;
    t->early = seed % 4 == 3;
    t->rng = el_rng_seed(t->seed * 0xd1342543de82ef95ULL + 1);
    t->b.rng = el_rng_seed(el_rng_u64(&t->rng));
    el_settings_default(&t->settings);
    snprintf(t->settings.state_dir, sizeof t->settings.state_dir, "%s/state", dir);
    snprintf(t->settings.runtime_dir, sizeof t->settings.runtime_dir, "%s/run", dir);
    el_text_copy(t->settings.profiles_dir, sizeof t->settings.profiles_dir, EL_SOURCE_DIR "/deploy/profiles");
    t->settings.governor.mode = modes[below(t, EL_ARRAY_SIZE(modes))];
    t->settings.governor.use_power_state = below(t, 2);
    t->settings.poll.normal_ms = 2000;
    t->mode = t->settings.governor.mode;
    snprintf(t->what, sizeof t->what, "%s", el_mode_name(t->mode));
    t->scenario.inlet_c = el_rng_between(&t->rng, t->early ? 45 : 25, 52);
    t->scenario.airflow_lfm = el_rng_between(&t->rng, t->early ? 100 : 150, t->early ? 170 : 400);
    for (unsigned n = 1 + below(t, 2); n; n--) {
        int slot = (int)below(t, card.slots);

        from = below(t, t->early ? 2 : 8) ? el_rng_between(&t->rng, 10, 150) : 0;
        to = el_rng_between(&t->rng, from + 4, LAST_S);
        t->fault[t->faults++] = below(t, 2) ? add_twin_fault(t, slot, from, to) : add_own_fault(t, slot, from, to);
    }
    if (t->early)
        interrupt(t, from, to);
    mark_all_unknown(t);
}

/* ---- invariants, after each round ---- */

static bool lies_now(const struct trial *t, uint32_t i, double now)
{
    return t->lie_c[i] > 0 && now < LAST_S + 30;
}

static void check_slot(struct trial *t, const struct el_slot *s, const struct el_twin_slot_truth *truth, uint32_t i,
                       double now)
{
    const struct el_reading *temp = &s->temp_mc[0];
    double seen = (double)temp->value / 1000;

    t->silent_s[i] = truth->present && !broken_now(&t->b, BROKEN_STATUS, (int)i) ? 0 : t->silent_s[i] + TICK_S;
    if (temp->quality == EL_GOOD && !lies_now(t, i, now) && fabs(seen - truth->temp_c) > 8)
        trial_hurt(t, UNTRUE, "at %.0f s slot %u says %.0f C and has %.1f C", now, i, seen, truth->temp_c);
    if (temp->quality == EL_GOOD && (seen < -59 || seen > 226) /* the window of nvme.h */)
        trial_hurt(t, UNTRUE, "at %.0f s slot %u has a good reading of %.0f C", now, i, seen);
    if (t->silent_s[i] > 30 && temp->quality == EL_GOOD)
        trial_hurt(t, UNTRUE, "at %.0f s slot %u is silent for %.0f s and has a good reading", now, i, t->silent_s[i]);
    t->untrue[i] = truth->present && isfinite(s->action.cap_ratio_in_force) && s->action.last_us &&
                           fabs(s->action.cap_ratio_in_force - truth->cap_ratio) > 0.05 &&
                           fabs(s->action.cap_ratio_in_force - t->cap_before[i]) > 0.05
                       ? t->untrue[i] + 1
                       : 0;
    t->cap_before[i] = truth->cap_ratio;
    if (!t->no_hands[i] && !t->mute[i] && t->untrue[i] >= 3)
        trial_hurt(t, UNTRUE, "at %.0f s slot %u: cap in force %.2f is %.2f", now, i, s->action.cap_ratio_in_force,
                   truth->cap_ratio);
}

static void check_healed(struct trial *t, const struct el_snapshot *s, double now)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        const struct el_slot *slot = &el_snapshot_slots(s)[i];

        if (slot->state != EL_SLOT_UP || slot->temp_mc[0].quality != EL_GOOD)
            trial_hurt(t, NOT_HEALED, "at %.0f s slot %u is in state %d (%s), temperature %s", now, i, (int)slot->state,
                       slot->reason, el_quality_name(slot->temp_mc[0].quality));
    }
    if (s->slots.count != card.slots)
        trial_hurt(t, NOT_HEALED, "%u slots are known", s->slots.count);
}

static void check_published(struct trial *t, const struct el_snapshot *mine)
{
    struct el_snapshot *read = NULL;
    const char *why = "";
    char path[EL_PATH_MAX + 16];
    int r;

    snprintf(path, sizeof path, "%s/snapshot", t->settings.runtime_dir);
    r = el_snapshot_read(AT_FDCWD, path, &read, &why);
    if (r == -EBADMSG)
        trial_hurt(t, UNSOUND, "%s", why);
    else if (r == 0 &&
             read->time_us > mine->time_us) /* a new daemon counts from 1 beside an old snapshot, on a full disk */
        trial_hurt(t, UNSOUND, "it is from the future");
    el_snapshot_free(read);
}

static void check_round(struct trial *t, const struct el_twin_truth *truth, double now, int64_t took_us)
{
    const struct el_snapshot *s = el_tick_snapshot(t->tick);

    if (t->quiet)
        return;
    trial_slowest_us = EL_MAX(trial_slowest_us, took_us);
    if (took_us > LATE_US)
        trial_hurt(t, LATE, "at %.0f s one took %lld ms", now, (long long)took_us / 1000);
    if (t->mode != EL_MODE_ENFORCE && t->b.writes + t->b.restores)
        trial_hurt(t, WROTE_UNASKED, "at %.0f s", now);
    for (uint32_t i = 0; i < EL_MIN(s->slots.count, card.slots); i++)
        check_slot(t, &el_snapshot_slots(s)[i], &truth->slot[i], i, now);
    if (now > LAST_S + HEALED_S)
        check_healed(t, s, now);
    if ((int)(now / TICK_S) % 8 == 0)
        check_published(t, s);
}

void trial_check_restored(struct trial *t)
{
    struct el_restore_result result;
    struct el_journal *j = NULL;
    struct el_twin_truth truth;
    int r = -EBUSY;

    for (int i = 0; r == -EBUSY && i < 5000; i++) { /* who was killed is still dying */
        r = el_restore(&t->b.inner, &t->settings, true, &result);
        if (r == -EBUSY)
            usleep(1000);
    }

    if (r < 0 || result.failed || result.held)
        trial_hurt(t, NOT_RESTORED, "restore says %d: %u failed, %u held", r, result.failed, result.held);
    if (el_journal_open(t->settings.state_dir, &j) < 0 || el_journal_count(j))
        trial_hurt(t, NOT_RESTORED, "the journal is not empty");
    el_journal_free(j);
    el_twin_truth(t->b.inner.dev, 0, &truth);
    for (uint32_t i = 0; i < card.slots; i++)
        if (truth.slot[i].cap_ratio < 0.999)
            trial_hurt(t, NOT_RESTORED, "slot %u is left with a cap of %.2f", i, truth.slot[i].cap_ratio);
    if (t->b.unjournalled)
        trial_hurt(t, UNJOURNALLED, "%u", t->b.unjournalled);
    if (t->b.not_original)
        trial_hurt(t, NOT_ORIGINAL, "%u", t->b.not_original);
}

static void clear_dirs(void)
{
    static const char *const files[] = {"state/journal", "state/endurance", "state/learnt", "state/lock",
                                        "run/snapshot"};
    char path[EL_PATH_MAX + 16];

    for (size_t i = 0; i < EL_ARRAY_SIZE(files); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        unlink(path);
    }
}

void trial_name_profile(struct trial *t)
{
    el_card_settings_default(&t->settings.card[0]);
    strcpy(t->settings.card[0].card, "*");
    el_text_copy(t->settings.card[0].profile, sizeof t->settings.card[0].profile, card.name);
    t->settings.cards = 1;
}

bool trial_open(struct trial *t)
{
    const struct el_twin_options o = {.card = &card,
                                      .drives = drives,
                                      .cards = 1,
                                      .inlet_c = t->scenario.inlet_c,
                                      .airflow_lfm = t->scenario.airflow_lfm,
                                      .seed = t->seed + 1,
                                      .virtual_time = true,
                                      .scenario = &t->scenario};
    char why[200];
    int r = el_twin_open(&o, &t->b.inner, why, sizeof why);

    if (r < 0)
        printf("seed %llu: the twin: %s\n", (unsigned long long)t->seed, why);
    clear_dirs();
    t->b.settings = &t->settings;
    memcpy(t->b.critical_c, critical_c, sizeof critical_c);
    return r == 0;
}

int trial_start(struct trial *t)
{
    struct el_device dev = {&broken_ops, &t->b};
    int r;

    t->b.over = false; /* the plant outlives each daemon */
    r = el_tick_new(&dev, &t->settings, &t->tick);
    t->b.over = false;
    t->starts += r == 0;
    return r;
}

void trial_end(struct trial *t, bool killed)
{
    t->b.dead = killed;
    t->tick = el_tick_free(t->tick);
    t->b.dead = false;
}

void trial_round(struct trial *t)
{
    el_tick_begin(t->tick);
    (void)el_tick_finish(t->tick);
}

/* A change of settings that is due. */
static void change_mode(struct trial *t, double now)
{
    enum el_mode mode = now >= t->advise_s && now < t->to_s ? EL_MODE_ADVISE : EL_MODE_ENFORCE;

    if (t->mode != EL_MODE_ENFORCE || !t->early || mode == t->settings.governor.mode)
        return;
    t->settings.governor.mode = mode;
    el_tick_reload(t->tick, &t->settings);
}

/* Starts it, when it does not run, and it is due; ends it, when that is. */
static void start_or_end(struct trial *t, double now)
{
    if (t->tick && t->early && t->starts == 1 && now >= t->again_s)
        trial_end(t, t->seed & 4);
    else if (!t->tick && trial_start(t) < 0 && (!t->early || now > LAST_S))
        trial_hurt(t, NOT_HEALED, "at %.0f s it does not start", now);
}

void trial_live(struct trial *t)
{
    for (double now = 0; now < TRIAL_LIFE_S && (t->starts || t->early || now == 0); now += TICK_S) {
        int64_t begin = el_clock_boottime_us();
        struct el_twin_truth truth;

        if (broken_now(&t->b, BROKEN_SUSPEND, -1)) {
            broken_struck[BROKEN_SUSPEND]++;
        } else {
            if (t->early)
                broken_calls(&t->b);
            start_or_end(t, now);
            broken_calls(&t->b);
            if (t->tick) {
                change_mode(t, now);
                trial_round(t);
            }
            broken_calls(NULL);
            el_twin_truth(t->b.inner.dev, 0, &truth);
            if (t->tick)
                check_round(t, &truth, now, el_clock_boottime_us() - begin);
        }
        el_twin_truth(t->b.inner.dev, 0, &truth);
        heat_round(t, &truth, now);
        el_twin_advance(t->b.inner.dev, TICK_S);
    }
    trial_end(t, below(t, 2));
}

void trial_close(struct trial *t)
{
    t->b.inner.ops->close(t->b.inner.dev);
}

bool trial_setup(const char *name, const char *directory)
{
    struct el_config_error err;

    if (el_config_load_card(EL_SOURCE_DIR "/deploy/profiles", name, &card, &err) < 0)
        return false;
    for (uint32_t i = 0; i < card.slots; i++)
        if (el_config_load_drive(EL_SOURCE_DIR "/deploy/profiles", card.drive[i], &drives[i], &err) < 0)
            return false;
    /* A drive that its own firmware saves proves nothing: it stays out, and the drive says what it always did. */
    for (uint32_t i = 0; i < card.slots; i++) {
        critical_c[i] = drives[i].cctemp_c;
        drives[i].cctemp_c += 40;
        drives[i].firmware_throttle_c = drives[i].cctemp_c;
    }
    dir = directory;
    return true;
}
