/* faults_soak [--hours H]: the whole control loop over 8 drives in virtual time, a week after one to settle unless told
 * otherwise, with faults of every kind coming and going, reloads, and all views rendered now and then. What the process
 * holds in the last quarter is within 1 % of what it held in the first: memory in use, resident memory, descriptors. */
#include <dirent.h>
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "broken.h"
#include "config/config.h"
#include "control/tick.h"
#include "exporter/snmp_view.h"
#include "exporter/view.h"

#define TICK_S   2.0
#define SAMPLE_S 600.0 /* also how often faults change */
#define SETTLED  0.5   /* of the time: a week, in which each row, hand and history has found its room */

enum held { IN_USE, RESIDENT, DESCRIPTORS, HELD };
static const char *const held_names[HELD] = {"memory in use, KB", "resident, KB", "descriptors"};

struct sum {
    double of[HELD];
    unsigned n;
};

static struct el_card_profile card;
static struct el_drive_profile drives[EL_CARD_SLOTS_MAX];
static struct el_scenario scenario = {.inlet_c = 35, .airflow_lfm = 300};
static struct el_settings settings;
static struct broken broken;

static bool load(void)
{
    struct el_config_error err;

    if (el_config_load_card(EL_SOURCE_DIR "/deploy/profiles", "lqd4500", &card, &err) < 0)
        return false;
    for (uint32_t i = 0; i < card.slots; i++)
        if (el_config_load_drive(EL_SOURCE_DIR "/deploy/profiles", card.drive[i], &drives[i], &err) < 0)
            return false;
    return true;
}

/* As many events as a scenario holds, over all of the time. Each drive is swapped while it settles; of every serial it
 * has seen the daemon keeps a history, of up to 2,048 of them, which is no leak. */
static void make_scenario(double seconds)
{
    for (scenario.events = 0; scenario.events < EL_SCENARIO_EVENTS_MAX; scenario.events++) {
        uint32_t i = scenario.events, kinds = EL_SCENARIO_KIND_COUNT - EL_SCENARIO_SENSOR_STUCK;
        struct el_scenario_event *e = &scenario.event[i];

        *e = (struct el_scenario_event){.at_s = 100 + seconds * i / EL_SCENARIO_EVENTS_MAX,
                                        .for_s = 0.7 * seconds / EL_SCENARIO_EVENTS_MAX,
                                        .kind = i < card.slots ? EL_SCENARIO_DRIVE_SWAPPED
                                                               : EL_SCENARIO_SENSOR_STUCK + i % kinds,
                                        .slot = (int32_t)(i % card.slots),
                                        .value = 1};
        if (i >= card.slots && e->kind == EL_SCENARIO_DRIVE_SWAPPED)
            e->kind = EL_SCENARIO_DRIVE_GONE;
        if (e->kind == EL_SCENARIO_FAN_DEAD)
            e->slot = -1;
    }
}

static void change_faults(double now)
{
    for (broken.faults = 0; broken.faults < BROKEN_FAULTS; broken.faults++)
        broken.fault[broken.faults] =
            (struct broken_fault){(enum broken_kind)(el_rng_u64(&broken.rng) % BROKEN_KINDS),
                                  (int)(el_rng_u64(&broken.rng) % card.slots), now, now + SAMPLE_S / 2};
}

static bool start(double seconds, struct el_tick **out)
{
    const struct el_twin_options o = {.card = &card,
                                      .drives = drives,
                                      .cards = 1,
                                      .inlet_c = scenario.inlet_c,
                                      .airflow_lfm = scenario.airflow_lfm,
                                      .seed = 1,
                                      .virtual_time = true,
                                      .scenario = &scenario};
    struct el_device dev = {&broken_ops, &broken};
    char why[200];

    make_scenario(seconds);
    broken.rng = el_rng_seed(1);
    broken.settings = &settings;
    return el_twin_open(&o, &broken.inner, why, sizeof why) == 0 && el_tick_new(&dev, &settings, out) == 0;
}

static void show(const struct el_snapshot *s)
{
    struct el_view_options o = {.groups = UINT64_MAX, .now_us = s->time_us};
    struct el_snmp_view_options snmp = {.entity = true};
    EL_AUTO_BUF struct el_buf text = {0};

    el_view_metrics(s, EL_VIEW_PROMETHEUS, &o, &text);
    el_view_json(s, &o, &text);
    snmp.base_len = el_oid_parse("1.3.6.1.4.1.8072.9999.9999.10450", snmp.base);
    el_snmp_view_free(el_snmp_view_new(s, &snmp));
}

static void add(struct sum *sum)
{
    DIR *d = opendir("/proc/self/fd");
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!d || !f || fscanf(f, "%*u %lu", &pages) != 1)
        abort();
    while (readdir(d))
        sum->of[DESCRIPTORS]++;
    fclose(f);
    closedir(d);
    sum->of[IN_USE] += (double)(mallinfo2().uordblks + mallinfo2().hblkhd) / 1024;
    sum->of[RESIDENT] += (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
    sum->n++;
}

static void live(struct el_tick *t, double seconds, struct sum quarter[4])
{
    double sampled = 0;

    for (double now = 0; now < seconds; now += TICK_S) {
        broken_calls(&broken);
        el_tick_begin(t);
        (void)el_tick_finish(t);
        broken_calls(NULL);
        el_twin_advance(broken.inner.dev, TICK_S);
        if (now - sampled < SAMPLE_S)
            continue;
        sampled = now;
        show(el_tick_snapshot(t));
        if (now > SETTLED * seconds)
            add(&quarter[(int)((now / seconds - SETTLED) / (1 - SETTLED) * 4)]);
        change_faults(now);
        el_tick_reload(t, &settings);
    }
}

static int judge(const struct sum quarter[4])
{
    int bad = 0;

    for (int i = 0; i < HELD; i++) {
        double first = quarter[0].of[i] / quarter[0].n, last = quarter[3].of[i] / quarter[3].n;
        bool flat = last <= 1.01 * first;

        printf("%-20s first quarter %10.1f  last quarter %10.1f  %+.2f %%%s\n", held_names[i], first, last,
               100 * (last - first) / first, flat ? "" : "  FAILED");
        bad |= !flat;
    }
    return bad;
}

int main(int argc, char **argv)
{
    double seconds = 3600 * (argc == 3 && strcmp(argv[1], "--hours") == 0 ? strtod(argv[2], NULL) : 14 * 24);
    static char dir[] = "/dev/shm/el-soak-XXXXXX";
    struct sum quarter[4] = {0};
    int64_t begin = el_clock_boottime_us();
    struct el_tick *t = NULL;
    char command[64];
    int bad = 1;

    if (!mkdtemp(dir) || !load() || !freopen("/dev/null", "w", stderr)) /* what it says about its faults is expected */
        return 2;
    mallopt(M_ARENA_MAX, 1); /* as both daemons do */
    mallopt(M_MMAP_THRESHOLD, 64 * 1024);
    el_log_setup("soak", EL_LOG_ERROR, EL_LOG_TEXT);
    el_settings_default(&settings);
    snprintf(settings.state_dir, sizeof settings.state_dir, "%s/state", dir);
    snprintf(settings.runtime_dir, sizeof settings.runtime_dir, "%s/run", dir);
    el_text_copy(settings.profiles_dir, sizeof settings.profiles_dir, EL_SOURCE_DIR "/deploy/profiles");
    settings.governor.mode = EL_MODE_ENFORCE;
    if (start(seconds, &t)) {
        live(t, seconds, quarter);
        printf("%.0f h of %u drives in %.0f s\n", seconds / 3600, card.slots,
               (double)(el_clock_boottime_us() - begin) / 1e6);
        bad = judge(quarter);
    }
    el_tick_free(t);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 ? bad : 1;
}
