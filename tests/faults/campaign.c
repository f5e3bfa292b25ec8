/* faults_campaign [--first SEED] [--count N] [--seconds S] [--card NAME] [--kills] [--verbose]: random fault scenarios
 * through the whole control loop (discovery, polls, governor, hands, journal, snapshot) over a twin in virtual time,
 * one or two faults each. A seed is a scenario: --first SEED --count 1 --verbose plays it again. Ends after N scenarios
 * or S seconds, prints what was broken and how often, exits 1 when anything was. --kills plays each scenario again and
 * again, killed at its first write, its second, ... and restored. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "broken.h"
#include "config/config.h"
#include "control/journal.h"
#include "control/restore.h"
#include "control/tick.h"

#define TICK_S     2.0
#define LIFE_S     420.0 /* of a scenario */
#define LAST_S     220.0 /* by then every fault is over */
#define HEALED_S   120.0 /* from then on nothing may be left of it */
#define LATE_US    (4 * EL_USEC_PER_SEC)
#define TWIN_FIRST EL_SCENARIO_SENSOR_STUCK

enum invariant {
    LATE,
    WROTE_UNASKED,
    UNJOURNALLED,
    NOT_ORIGINAL,
    NOT_RESTORED,
    TOO_HOT,
    UNTRUE,
    NOT_HEALED,
    UNSOUND,
    INVARIANTS
};
static const char *const invariant_names[INVARIANTS] = {"a round over two periods",
                                                        "a write in observe or advise",
                                                        "a write without journal",
                                                        "a journal with another original",
                                                        "not restored",
                                                        "above critical though it could be slowed",
                                                        "an untrue value",
                                                        "still hurt after the fault",
                                                        "an unsound snapshot"};

struct trial {
    uint64_t seed;
    struct el_rng rng;
    struct el_settings settings;
    struct el_scenario scenario;
    struct broken b;
    struct el_tick *tick;
    char what[256];
    double lie_c[EL_CARD_SLOTS_MAX]; /* how far its readings may be off, by what was done to them */
    double hot_s[EL_CARD_SLOTS_MAX], silent_s[EL_CARD_SLOTS_MAX];
    double cap_before[EL_CARD_SLOTS_MAX];                      /* what a round reports was read before it wrote */
    unsigned untrue[EL_CARD_SLOTS_MAX];                        /* rounds in a row */
    bool mute[EL_CARD_SLOTS_MAX], no_hands[EL_CARD_SLOTS_MAX]; /* cannot be seen, cannot be slowed, at some time */
    unsigned broken[INVARIANTS];
};

static struct el_card_profile card;
static struct el_drive_profile drives[EL_CARD_SLOTS_MAX];
static double critical_c[EL_CARD_SLOTS_MAX];
static char dir[] = "/dev/shm/el-faults-XXXXXX";
static bool verbose;
static int64_t slowest_us;
static double hottest_beyond_c = -99;

static void hurt(struct trial *t, enum invariant what, const char *fmt, ...) EL_PRINTF(3, 4);
static void hurt(struct trial *t, enum invariant what, const char *fmt, ...)
{
    va_list ap;

    if (t->broken[what]++ && !verbose)
        return;
    printf("seed %llu (%s): %s: ", (unsigned long long)t->seed, t->what, invariant_names[what]);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
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

static void add_twin_fault(struct trial *t, int slot, double from, double to)
{
    struct el_scenario_event *e = &t->scenario.event[t->scenario.events++];

    *e = (struct el_scenario_event){
        .at_s = from,
        .for_s = to - from,
        .kind = (enum el_scenario_kind)(TWIN_FIRST + below(t, EL_SCENARIO_KIND_COUNT - TWIN_FIRST)),
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

static void add_own_fault(struct trial *t, int slot, double from, double to)
{
    struct broken_fault *f = &t->b.fault[t->b.faults++];

    *f = (struct broken_fault){(enum broken_kind)below(t, BROKEN_KINDS), slot, from, to};
    if (f->kind <= BROKEN_LATE)
        t->mute[slot] = true;
    if (f->kind == BROKEN_SUSPEND)
        sleep_and_wake(t, slot, from, to);
    if (f->kind == BROKEN_PAGE_RANDOM || f->kind == BROKEN_LATE)
        t->lie_c[slot] = 400;
    for (uint32_t i = 0; i < card.slots; i++)
        t->no_hands[i] |= (f->kind >= BROKEN_WRITE_REFUSED && f->kind <= BROKEN_RESTORE && (int)i == slot) ||
                          f->kind >= BROKEN_DISK_FULL;
    note(t, broken_names[f->kind], slot, from, to);
}

static void invent(struct trial *t)
{
    static const enum el_mode modes[] = {EL_MODE_OBSERVE, EL_MODE_ADVISE,  EL_MODE_ENFORCE,
                                         EL_MODE_ENFORCE, EL_MODE_ENFORCE, EL_MODE_ENFORCE};

    t->rng = el_rng_seed(t->seed * 0xd1342543de82ef95ULL + 1);
    t->b.rng = el_rng_seed(el_rng_u64(&t->rng));
    el_settings_default(&t->settings);
    snprintf(t->settings.state_dir, sizeof t->settings.state_dir, "%s/state", dir);
    snprintf(t->settings.runtime_dir, sizeof t->settings.runtime_dir, "%s/run", dir);
    el_text_copy(t->settings.profiles_dir, sizeof t->settings.profiles_dir, EL_SOURCE_DIR "/deploy/profiles");
    t->settings.governor.mode = modes[below(t, EL_ARRAY_SIZE(modes))];
    t->settings.governor.use_power_state = below(t, 2);
    t->settings.poll.normal_ms = 2000;
    snprintf(t->what, sizeof t->what, "%s", el_mode_name(t->settings.governor.mode));
    t->scenario.inlet_c = el_rng_between(&t->rng, 25, 52);
    t->scenario.airflow_lfm = el_rng_between(&t->rng, 150, 400);
    for (unsigned n = 1 + below(t, 2); n; n--) {
        int slot = (int)below(t, card.slots);
        double from = below(t, 8) ? el_rng_between(&t->rng, 10, 150) : 0,
               to = el_rng_between(&t->rng, from + 4, LAST_S);

        if (below(t, 2))
            add_twin_fault(t, slot, from, to);
        else
            add_own_fault(t, slot, from, to);
    }
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
        hurt(t, UNTRUE, "at %.0f s slot %u says %.0f C and has %.1f C", now, i, seen, truth->temp_c);
    if (temp->quality == EL_GOOD && (seen < -59 || seen > 226) /* the window of nvme.h */)
        hurt(t, UNTRUE, "at %.0f s slot %u has a good reading of %.0f C", now, i, seen);
    if (t->silent_s[i] > 30 && temp->quality == EL_GOOD)
        hurt(t, UNTRUE, "at %.0f s slot %u is silent for %.0f s and has a good reading", now, i, t->silent_s[i]);
    t->untrue[i] = truth->present && isfinite(s->action.cap_ratio_in_force) && s->action.last_us &&
                           fabs(s->action.cap_ratio_in_force - truth->cap_ratio) > 0.05 &&
                           fabs(s->action.cap_ratio_in_force - t->cap_before[i]) > 0.05
                       ? t->untrue[i] + 1
                       : 0;
    t->cap_before[i] = truth->cap_ratio;
    if (!t->no_hands[i] && !t->mute[i] && t->untrue[i] >= 3)
        hurt(t, UNTRUE, "at %.0f s slot %u: cap in force %.2f is %.2f", now, i, s->action.cap_ratio_in_force,
             truth->cap_ratio);
}

/* Above critical for a minute though there is a hand left to slow it with. What lies within plausibility is left out.
 */
static void check_heat(struct trial *t, const struct el_twin_slot_truth *truth, uint32_t i, double now)
{
    double beyond = truth->temp_c - critical_c[i];
    bool could = t->settings.governor.mode == EL_MODE_ENFORCE && !(t->no_hands[i] && now < LAST_S + 60) &&
                 !lies_now(t, i, now) && truth->cap_ratio > 0.1;

    if (!truth->present || !isfinite(beyond))
        return;
    if (could)
        hottest_beyond_c = fmax(hottest_beyond_c, beyond);
    t->hot_s[i] = could && beyond > 0 ? t->hot_s[i] + TICK_S : 0;
    if (t->hot_s[i] >= 60)
        hurt(t, TOO_HOT, "at %.0f s slot %u has %.1f C with a cap of %.2f", now, i, truth->temp_c, truth->cap_ratio);
}

static void check_healed(struct trial *t, const struct el_snapshot *s, double now)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        const struct el_slot *slot = &el_snapshot_slots(s)[i];

        if (slot->state != EL_SLOT_UP || slot->temp_mc[0].quality != EL_GOOD)
            hurt(t, NOT_HEALED, "at %.0f s slot %u is in state %d (%s), temperature %s", now, i, (int)slot->state,
                 slot->reason, el_quality_name(slot->temp_mc[0].quality));
    }
    if (s->slots.count != card.slots)
        hurt(t, NOT_HEALED, "%u slots are known", s->slots.count);
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
        hurt(t, UNSOUND, "%s", why);
    else if (r == 0 && read->seq > mine->seq)
        hurt(t, UNSOUND, "it is from the future");
    el_snapshot_free(read);
}

static void check_round(struct trial *t, double now, int64_t took_us)
{
    const struct el_snapshot *s = el_tick_snapshot(t->tick);
    struct el_twin_truth truth;

    slowest_us = EL_MAX(slowest_us, took_us);
    if (took_us > LATE_US)
        hurt(t, LATE, "at %.0f s one took %lld ms", now, (long long)took_us / 1000);
    if (t->settings.governor.mode != EL_MODE_ENFORCE && t->b.writes + t->b.restores)
        hurt(t, WROTE_UNASKED, "at %.0f s", now);
    el_twin_truth(t->b.inner.dev, 0, &truth);
    for (uint32_t i = 0; i < EL_MIN(s->slots.count, card.slots); i++) {
        check_slot(t, &el_snapshot_slots(s)[i], &truth.slot[i], i, now);
        check_heat(t, &truth.slot[i], i, now);
    }
    if (now > LAST_S + HEALED_S)
        check_healed(t, s, now);
    if ((int)(now / TICK_S) % 8 == 0)
        check_published(t, s);
}

/* After the end: what is still set stands in the journal, and `elementd restore` undoes it. */
static void check_restored(struct trial *t)
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
        hurt(t, NOT_RESTORED, "restore says %d: %u failed, %u held", r, result.failed, result.held);
    if (el_journal_open(t->settings.state_dir, &j) < 0 || el_journal_count(j))
        hurt(t, NOT_RESTORED, "the journal is not empty");
    el_journal_free(j);
    el_twin_truth(t->b.inner.dev, 0, &truth);
    for (uint32_t i = 0; i < card.slots; i++)
        if (truth.slot[i].cap_ratio < 0.999)
            hurt(t, NOT_RESTORED, "slot %u is left with a cap of %.2f", i, truth.slot[i].cap_ratio);
    if (t->b.unjournalled)
        hurt(t, UNJOURNALLED, "%u", t->b.unjournalled);
    if (t->b.not_original)
        hurt(t, NOT_ORIGINAL, "%u", t->b.not_original);
}

static void clear_dirs(const struct el_settings *s)
{
    static const char *const files[] = {"journal", "endurance", "learnt", "lock"};
    char path[EL_PATH_MAX + 16];

    for (size_t i = 0; i < EL_ARRAY_SIZE(files); i++) {
        snprintf(path, sizeof path, "%s/%s", s->state_dir, files[i]);
        unlink(path);
    }
}

static int open_machine(struct trial *t)
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
    t->b.settings = &t->settings;
    return r;
}

static void live(struct trial *t)
{
    struct el_device dev = {&broken_ops, &t->b};

    if (el_tick_new(&dev, &t->settings, &t->tick) < 0) {
        hurt(t, NOT_HEALED, "it did not start");
        return;
    }
    for (double now = 0; now < LIFE_S; now += TICK_S) {
        int64_t begin = el_clock_boottime_us();

        if (!broken_now(&t->b, BROKEN_SUSPEND, -1)) {
            broken_calls(&t->b);
            el_tick_begin(t->tick);
            (void)el_tick_finish(t->tick);
            broken_calls(NULL);
            check_round(t, now, el_clock_boottime_us() - begin);
        }
        el_twin_advance(t->b.inner.dev, TICK_S);
    }
    t->b.dead = below(t, 2); /* half of them end as by SIGKILL: nothing is let go, the journal has it all */
    el_tick_free(t->tick);
}

static int play(uint64_t seed, unsigned total[INVARIANTS])
{
    struct trial *t = calloc(1, sizeof *t);
    int bad = 0;

    if (!t)
        return -ENOMEM;
    t->seed = seed;
    invent(t);
    clear_dirs(&t->settings);
    if (open_machine(t) < 0) {
        free(t);
        return -EINVAL;
    }
    if (verbose)
        printf("seed %llu: %s; %.0f C, %.0f LFM\n", (unsigned long long)seed, t->what, t->scenario.inlet_c,
               t->scenario.airflow_lfm);
    live(t);
    check_restored(t);
    for (int i = 0; i < INVARIANTS; i++) {
        total[i] += t->broken[i] > 0;
        bad |= t->broken[i] > 0;
    }
    t->b.inner.ops->close(t->b.inner.dev);
    free(t);
    return bad;
}

static void one_round(struct trial *t)
{
    el_tick_begin(t->tick);
    (void)el_tick_finish(t->tick);
}

static void reload_without(struct trial *t, unsigned n)
{
    static struct el_settings fresh;
    static struct el_config_error err;

    one_round(t);
    broken_nth_allocation(n);
    if (el_config_load(EL_SOURCE_DIR "/tests/fuzz/corpus/config_settings/small.yaml", &fresh, &err) < 0)
        el_tick_reload_failed(t->tick, err.text);
    t->settings.card[0].card_limit_w = 20;
    el_tick_reload(t->tick, &t->settings);
    one_round(t);
}

/* Start-up, or a reload to other settings, and a round, with the nth allocation failing, for each n: it does or says
 * no, and nothing is left behind. */
static unsigned without_memory(bool reload)
{
    unsigned n = 0, refused = 0;

    for (bool failed = true; failed && n < 5000;) {
        struct trial *t = calloc(1, sizeof *t);
        struct el_device dev = {&broken_ops, &t->b};

        invent(t);
        t->b.faults = 0;
        clear_dirs(&t->settings);
        if (open_machine(t) < 0)
            return 0;
        n++;
        broken_nth_allocation(reload ? 0 : n);
        if (el_tick_new(&dev, &t->settings, &t->tick) < 0)
            refused++;
        if (t->tick && !reload)
            one_round(t);
        if (t->tick && reload)
            reload_without(t, n);
        failed = broken_allocation_failed();
        broken_nth_allocation(0);
        el_tick_free(t->tick);
        t->b.inner.ops->close(t->b.inner.dev);
        free(t);
    }
    printf("%s and a round with each of %u allocations failing: %u refused, none crashed\n",
           reload ? "reload" : "start-up", n - 1, refused);
    return n;
}

/* ---- SIGKILL ---- */

static struct trial *killed;

/* Where the process would die it splits: one half ends on the spot, with its threads and locks; the other keeps the
 * machine as it is then and, when its faults are over, restores as the next start would. */
static void die(struct broken *b)
{
    pid_t first = getpid();

    fflush(stdout);
    if (fork() != 0)
        _exit(0);
    while (getppid() == first)
        usleep(500);
    broken_calls(NULL);
    close_range(3, ~0u, 0);
    el_twin_advance(b->inner.dev, LIFE_S);
    b->over = true;
    check_restored(killed);
    fflush(stdout);
    for (int i = NOT_RESTORED; i >= UNJOURNALLED; i--)
        if (killed->broken[i])
            _exit(1);
    _exit(0);
}

/* The life of a seed, enforcing, killed at its nth write. 0 or 1 as it was restored; -1: it ended before. */
static int kill_once(uint64_t seed, unsigned n)
{
    int status = 1, died;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        killed = calloc(1, sizeof *killed);
        killed->seed = seed;
        invent(killed);
        killed->settings.governor.mode = EL_MODE_ENFORCE;
        clear_dirs(&killed->settings);
        if (open_machine(killed) < 0)
            _exit(2);
        broken_kill_at(n, die);
        live(killed);
        _exit(3);
    }
    if (waitpid(pid, &died, 0) != pid || !WIFEXITED(died) || WEXITSTATUS(died) == 2)
        return 1;
    if (WEXITSTATUS(died) == 3)
        return -1;
    return wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

static unsigned kill_everywhere(uint64_t seed)
{
    unsigned bad = 0, n = 0;
    int r;

    while ((r = kill_once(seed, ++n)) >= 0)
        bad += (unsigned)r;
    printf("seed %llu: killed at each of %u writes, %u not restored\n", (unsigned long long)seed, n - 1, bad);
    return bad;
}

static int load(const char *name)
{
    struct el_config_error err;

    if (el_config_load_card(EL_SOURCE_DIR "/deploy/profiles", name, &card, &err) < 0)
        return -EINVAL;
    for (uint32_t i = 0; i < card.slots; i++)
        if (el_config_load_drive(EL_SOURCE_DIR "/deploy/profiles", card.drive[i], &drives[i], &err) < 0)
            return -EINVAL;
    for (uint32_t i = 0; i < card.slots; i++) { /* a drive that its own firmware saves proves nothing */
        critical_c[i] = drives[i].cctemp_c;
        drives[i].cctemp_c += 40;
        drives[i].firmware_throttle_c = drives[i].cctemp_c;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"first", required_argument, NULL, 'f'},
                                            {"count", required_argument, NULL, 'n'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"card", required_argument, NULL, 'c'},
                                            {"verbose", no_argument, NULL, 'v'},
                                            {"kills", no_argument, NULL, 'k'},
                                            {0}};
    unsigned long long first = 1, count = 10000, done = 0, bad = 0;
    unsigned total[INVARIANTS] = {0};
    double seconds = 1e9;
    bool kills = false;
    const char *name = "element-aic";
    int64_t begin = el_clock_boottime_us();
    char command[64];
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'f')
            first = strtoull(optarg, NULL, 10);
        else if (c == 'n')
            count = strtoull(optarg, NULL, 10);
        else if (c == 's')
            seconds = strtod(optarg, NULL);
        else if (c == 'c')
            name = optarg;
        else if (c == 'v')
            verbose = true;
        else if (c == 'k')
            kills = true;
        else
            return 2;
    }
    if (!mkdtemp(dir) || load(name) < 0)
        return 2;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* the other half of who was killed */
    el_log_setup("faults", EL_LOG_ERROR, EL_LOG_TEXT);
    if (!verbose && !freopen("/dev/null", "w", stderr)) /* what it says about its faults is expected */
        return 2;
    if (count > 1 && !kills && (!without_memory(false) || !without_memory(true)))
        return 1;
    for (; done < count && (double)(el_clock_boottime_us() - begin) / 1e6 < seconds; done++)
        bad += kills ? kill_everywhere(first + done) : play(first + done, total) != 0;
    printf("%llu scenarios in %.0f s, %llu with an invariant broken; slowest round %.1f ms, hottest %.1f C beyond "
           "critical where it could be helped\n",
           done, (double)(el_clock_boottime_us() - begin) / 1e6, bad, (double)slowest_us / 1000, hottest_beyond_c);
    for (int i = 0; i < INVARIANTS; i++)
        if (total[i])
            printf("  %s: %u\n", invariant_names[i], total[i]);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 && done && !bad ? 0 : 1;
}
