/* faults_campaign [--first SEED] [--count N] [--seconds S] [--card NAME] [--kills] [--verbose]: random fault scenarios
 * through the whole control loop (discovery, polls, governor, hands, journal, snapshot) over a twin in virtual time,
 * one or two faults each. A seed is a scenario: --first SEED --count 1 --verbose plays it again. Ends after N scenarios
 * or S seconds, prints what was broken and how often, exits 1 when anything was. --kills plays each scenario again and
 * again, killed at its first write, its second, ... and restored. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "control/restore.h"
#include "trial.h"

static char dir[] = "/dev/shm/el-faults-XXXXXX";

/* ---- what was played: fault by fault, and each pair ---- */

static unsigned played[TRIAL_KINDS], pairs[TRIAL_KINDS][TRIAL_KINDS];

static const char *fault_name(int f)
{
    int twin = f - BROKEN_KINDS + (int)TRIAL_TWIN_FIRST;

    return f < BROKEN_KINDS ? broken_names[f] : el_scenario_kind_name((enum el_scenario_kind)twin);
}

static void count_played(const int fault[2], int n)
{
    for (int i = 0; i < n; i++)
        played[fault[i]]++;
    if (n == 2)
        pairs[EL_MIN(fault[0], fault[1])][EL_MAX(fault[0], fault[1])]++;
}

/* 0: a fault that was played was never felt, or was never played. */
static bool tell_played(void)
{
    unsigned met = 0, possible = TRIAL_KINDS * (TRIAL_KINDS + 1) / 2;
    bool all = true;

    for (int f = 0; f < TRIAL_KINDS; f++) {
        for (int k = f; k < TRIAL_KINDS; k++)
            met += pairs[f][k] > 0;
        all &= played[f] && (f >= BROKEN_KINDS || broken_struck[f]);
        printf("  %-18s in %5u scenarios", fault_name(f), played[f]);
        if (f < BROKEN_KINDS)
            printf(", felt %8lu times", broken_struck[f]);
        putchar('\n');
    }
    printf("%u of %u pairs of faults%s\n", met, possible, all ? "" : "; a fault was NEVER PLAYED OR FELT");
    return all;
}

static int play(uint64_t seed, unsigned total[INVARIANTS])
{
    struct trial *t = calloc(1, sizeof *t);
    int bad = 0;

    if (!t)
        return -ENOMEM;
    trial_invent(t, seed);
    if (!trial_open(t)) {
        free(t);
        return -EINVAL;
    }
    if (trial_verbose)
        printf("seed %llu: %s; %.0f C, %.0f LFM\n", (unsigned long long)seed, t->what, t->scenario.inlet_c,
               t->scenario.airflow_lfm);
    count_played(t->fault, t->faults);
    trial_live(t);
    if (trial_verbose)
        printf("%u writes, %u restored while it lived\n", t->b.writes, t->b.restores);
    trial_check_restored(t);
    heat_judge(t);
    for (int i = 0; i < INVARIANTS; i++) {
        total[i] += t->broken[i] > 0;
        bad |= t->broken[i] > 0;
    }
    trial_close(t);
    free(t);
    return bad;
}

/* ---- each call for memory or a descriptor fails once ---- */

static int start_without(struct trial *t, unsigned n)
{
    int r;

    broken_nth_call(n);
    r = trial_start(t);
    if (r == 0)
        trial_round(t);
    return r;
}

static int reload_without(struct trial *t, unsigned n)
{
    static struct el_settings fresh;
    static struct el_config_error err;

    if (trial_start(t) < 0)
        return -EINVAL;
    trial_round(t);
    broken_nth_call(n);
    if (el_config_load(EL_SOURCE_DIR "/tests/fuzz/corpus/config_settings/small.yaml", &fresh, &err) < 0)
        el_tick_reload_failed(t->tick, err.text);
    t->settings.card[0].card_limit_w = 20;
    el_tick_reload(t->tick, &t->settings);
    trial_round(t);
    return 0;
}

static int live_a_while(struct trial *t)
{
    if (trial_start(t) < 0)
        return -EINVAL;
    for (int i = 0; i < 40; i++) {
        trial_round(t);
        el_twin_advance(t->b.inner.dev, TRIAL_TICK_S);
    }
    return 0;
}

/* What one could not restore the next does. */
static int restore_without(struct trial *t, unsigned n)
{
    struct el_restore_result result;
    int r = live_a_while(t);

    trial_end(t, true);
    broken_nth_call(n);
    if (r == 0)
        r = el_restore(&t->b.inner, &t->settings, true, &result);
    return r < 0 || result.failed ? -EIO : 0;
}

/* Killed while it slowed drives, and started again. */
static int recover_without(struct trial *t, unsigned n)
{
    int r = live_a_while(t);

    trial_end(t, true);
    if (r == 0)
        r = start_without(t, n);
    return r;
}

static int plug_in_without(struct trial *t, unsigned n)
{
    t->b.few = true;
    if (trial_start(t) < 0)
        return -EINVAL;
    trial_round(t);
    t->b.few = false;
    t->b.many = true;
    broken_nth_call(n);
    trial_round(t);
    return 0;
}

/* What it goes by, when all is well again. */
static void facts_of(struct trial *t, char *out, size_t size)
{
    const struct el_snapshot *s;
    const struct el_card *c;
    size_t n;

    out[0] = '\0';
    for (int i = 0; t->tick && i < 4; i++) {
        el_twin_advance(t->b.inner.dev, TRIAL_TICK_S);
        trial_round(t);
    }
    if (!t->tick)
        return;
    s = el_tick_snapshot(t->tick);
    c = el_snapshot_cards(s);
    n = (size_t)snprintf(out, size, "%u cards, %u slots, %u sensors; governed %d, inlet %s, %.0f LFM;", s->cards.count,
                         s->slots.count, s->sensors.count, c->governed, el_quality_name(c->inlet_mc.quality),
                         c->airflow_min_lfm);
    for (uint32_t i = 0; i < s->slots.count && n < size; i++) {
        const struct el_slot *slot = &el_snapshot_slots(s)[i];

        n += (size_t)snprintf(out + n, size - n, " %d %.1f C usable %x rated %llu io %d", (int)slot->state,
                              slot->decision.limit_c, slot->action.usable,
                              (unsigned long long)slot->rated_endurance_bytes, slot->io.valid);
    }
}

/* For each n: it does or says no, nothing is left behind, and whatever was set is restored. What came through it knows
 * all it would have known. True: so it was. */
static bool without(const char *what, int (*act)(struct trial *t, unsigned n))
{
    char usual[2048] = "", facts[2048];
    unsigned n = 0, refused = 0, ignorant = 0;
    bool bad = false;
    int r;

    for (bool failed = true; failed && n < 20000; n++) { /* the first time nothing fails */
        struct trial *t = calloc(1, sizeof *t);

        trial_invent(t, 0);
        t->b.faults = 0;
        t->scenario.events = 0;
        t->scenario.inlet_c = 50;
        t->scenario.airflow_lfm = 150;
        t->settings.governor.mode = t->mode = EL_MODE_ENFORCE;
        trial_name_profile(t);
        if (!trial_open(t))
            return false;
        r = act(t, n);
        refused += r < 0;
        failed = !n || broken_call_failed();
        broken_nth_call(0);
        facts_of(t, n ? facts : usual, sizeof facts);
        if (n && r == 0 && strcmp(facts, usual) != 0 && !ignorant++)
            printf("%s: with call %u failing it knows\n  %s\ninstead of\n  %s\n", what, n, facts, usual);
        trial_end(t, n & 1);
        trial_check_restored(t);
        for (int i = 0; i < INVARIANTS; i++)
            bad |= t->broken[i] > 0;
        trial_close(t);
        free(t);
    }
    printf("%s with each of %u calls for memory or a descriptor failing: %u refused, %u know less, none crashed\n",
           what, n - 2, refused, ignorant);
    return n > 2 && !bad && !ignorant;
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
    el_twin_advance(b->inner.dev, TRIAL_LIFE_S);
    b->over = true;
    trial_check_restored(killed);
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
        trial_invent(killed, seed);
        killed->settings.governor.mode = killed->mode = EL_MODE_ENFORCE;
        if (!trial_open(killed))
            _exit(2);
        broken_kill_at(n, die);
        trial_live(killed);
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
            trial_verbose = true;
        else if (c == 'k')
            kills = true;
        else
            return 2;
    }
    if (!mkdtemp(dir) || !trial_setup(name, dir))
        return 2;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* the other half of who was killed */
    el_log_setup("faults", EL_LOG_ERROR, EL_LOG_TEXT);
    if (!trial_verbose && !freopen("/dev/null", "w", stderr)) /* what it says about its faults is expected */
        return 2;
    if (count > 1 && !kills && seconds > 1e8) /* not when there is little time */
        bad += !without("start-up and a round", start_without) + !without("reload and a round", reload_without) +
               !without("a plug-in", plug_in_without) + !without("restore", restore_without) +
               !without("a new start after a kill", recover_without);
    for (; done < count && (double)(el_clock_boottime_us() - begin) / 1e6 < seconds; done++)
        bad += kills ? kill_everywhere(first + done) : play(first + done, total) != 0;
    printf(
        "%llu scenarios in %.0f s, %llu with an invariant broken; slowest round %.1f ms; beyond critical at most %.1f "
        "C "
        "though all was at its floor since it was told, %.1f C where it was told of no danger, %.1f C without a hand\n",
        done, (double)(el_clock_boottime_us() - begin) / 1e6, bad, (double)trial_slowest_us / 1000,
        heat_beyond_c[HEAT_TOLD], heat_beyond_c[HEAT_NOT_TOLD], heat_beyond_c[HEAT_NO_HANDS]);
    for (int i = 0; i < INVARIANTS; i++)
        if (total[i])
            printf("  %s: %u\n", invariant_names[i], total[i]);
    if (done >= 2000 && !kills)
        bad += !tell_played();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 && done && !bad ? 0 : 1;
}
