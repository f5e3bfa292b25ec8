#include "control/tick.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pair.h"
#include "base/text.h"
#include "control/board.h"
#include "control/cards.h"
#include "control/endurance.h"
#include "control/event_log.h"
#include "control/proc.h"
#include "control/saver.h"

#define EXIT_WAIT_US (1200 * EL_USEC_PER_MSEC) /* for writes under way: SIGTERM to exit stays below 2 s */
#define WRITE_WAIT_US                                                                                                  \
    (5 *                                                                                                               \
     EL_USEC_PER_MSEC) /* the rest of a round is in less of a hurry than its writes, but waits for none that hangs */
#define PROC_EVERY 15  /* rounds between looks at our own memory */

struct el_tick {
    struct el_device dev;
    struct el_settings settings;
    struct el_world world;
    struct el_drive_set drives;
    struct el_cards cards;
    struct el_board *board;
    struct el_actuate *hands;
    struct el_alarm_table *alarms;
    struct el_endurance *wear;
    struct el_saver *saver;
    struct el_card_numbers *numbers;
    int done_fd, lock_fd, runtime_fd;
    struct el_file_pair file; /* the snapshot's */
    int64_t begin_us, begin_cpu_us, saved_us, due_us;
    uint64_t log_next;     /* number of the first event not yet logged */
    bool discovered, news; /* news: something may have changed since drives were looked for */
    bool numbers_new;      /* not yet given to the saver */
    bool lost_journal;     /* that of an earlier run cannot be read */
    bool paused;           /* by the administrator, or for that */
    bool linked;           /* links were read, and what is expected of them not yet looked at */
    int64_t dir_us;        /* when files last came or went in the runtime directory, by its own time */
    double air_wish_lfm;   /* last written; NAN = none */
    int write_error;       /* of the last snapshot, said once */
};

static int64_t now_us(const struct el_tick *t)
{
    return t->dev.ops->now_us ? t->dev.ops->now_us(t->dev.dev) : el_clock_boottime_us();
}

/* One daemon per state directory (and one per runtime directory, which is locked itself): two would fight over drives
 * and journal. */
static int lock_state(struct el_tick *t)
{
    char path[EL_PATH_MAX + 8];

    snprintf(path, sizeof path, "%s/lock", t->settings.state_dir);
    t->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (t->lock_fd < 0)
        return -errno;
    return flock(t->lock_fd, LOCK_EX | LOCK_NB) < 0 ? errno == EWOULDBLOCK ? -EBUSY : -errno : 0;
}

static int open_dirs(struct el_tick *t)
{
    const struct el_settings *s = &t->settings;
    int r = el_file_make_dirs(s->state_dir, 0700);

    if (r == 0)
        r = lock_state(t);
    if (r == -EBUSY)
        el_log_error("%s: another elementd is at work with this state directory", s->state_dir);
    else if (r < 0)
        el_log_error("%s: %s; state_dir must be a directory that elementd may write", s->state_dir, strerror(-r));
    if (r < 0)
        return r;
    r = el_file_make_dirs(s->runtime_dir, 0755);
    if (r == 0)
        t->runtime_fd = open(s->runtime_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r == 0 && (t->runtime_fd < 0 || faccessat(t->runtime_fd, ".", W_OK | X_OK, AT_EACCESS) < 0))
        r = -errno;
    if (r == 0 && flock(t->runtime_fd, LOCK_EX | LOCK_NB) < 0)
        r = errno == EWOULDBLOCK ? -EBUSY : -errno;
    if (r < 0 && t->runtime_fd >= 0) {
        close(t->runtime_fd); /* what is in it is not ours */
        t->runtime_fd = -1;
    }
    if (r == -EBUSY)
        el_log_error("%s: another elementd is at work with this runtime directory", s->runtime_dir);
    else if (r < 0)
        el_log_error("%s: %s; runtime_dir must be a directory that elementd may write", s->runtime_dir, strerror(-r));
    return r;
}

/* A journal that no start will ever be able to read must not keep drives from being watched: until somebody has looked
 * at it nothing is set. */
static int open_journal(struct el_tick *t, struct el_journal **out)
{
    const char *dir = t->settings.state_dir;
    int r = el_journal_open(dir, out);

    if (r == -EBADMSG) {
        el_log_error("%s/" EL_JOURNAL_FILE ": not a journal of elementd, so what it set before cannot be given back: "
                     "paused, nothing is set. Look at it, remove it, then restart elementd",
                     dir);
        t->lost_journal = true;
        *out = el_journal_none();
        r = *out ? 0 : -ENOMEM;
    } else if (r < 0) {
        el_log_error("%s/" EL_JOURNAL_FILE ": %s", dir, strerror(-r));
    }
    return r;
}

static int take_wear(void *ctx, const char *text, size_t n)
{
    return el_endurance_load(((struct el_tick *)ctx)->wear, text, n);
}

static int take_learnt(void *ctx, const char *text, size_t n)
{
    struct el_tick *t = ctx;

    if (strncmp(text, "drive ", 6) != 0) /* so begins what el_governor_save gives; what else is in it governors skip */
        return -EBADMSG;
    t->cards.learnt = strndup(text, n);
    return t->cards.learnt ? 0 : -ENOMEM;
}

static int take_numbers(void *ctx, const char *text, size_t n)
{
    (void)n; /* the saver ends it */
    return el_card_numbers_load(((struct el_tick *)ctx)->numbers, text);
}

static void load_history(struct el_tick *t)
{
    el_saver_load(t->saver, EL_SAVED_WEAR, take_wear, t);
    el_saver_load(t->saver, EL_SAVED_LEARNT, take_learnt, t);
    if (t->dev.ops->by_order)
        el_saver_load(t->saver, EL_SAVED_CARDS, take_numbers, t);
}

static void describe_daemon(struct el_tick *t)
{
    struct el_daemon *d = &t->world.s->daemon;

    el_text_copy(d->version, sizeof d->version, EL_VERSION);
    el_text_copy(d->backend, sizeof d->backend, t->dev.ops->name);
    d->pid = (int32_t)getpid();
    d->config_ok = true;
    d->start_realtime_us = d->config_success_realtime_us = el_clock_realtime_us();
    (void)el_clock_boot_id(t->world.s->boot_id);
}

static int set_up(struct el_tick *t)
{
    struct el_journal *journal = NULL;
    int r = open_dirs(t);

    if (r == 0)
        r = open_journal(t, &journal);
    if (r < 0)
        return r;
    t->hands = el_actuate_new(&t->dev, journal, t->dev.ops->may_block);
    if (!t->hands) {
        el_journal_free(journal);
        return -ENOMEM;
    }
    t->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->done_fd < 0)
        return -errno;
    r = el_world_init(&t->world);
    t->alarms = el_alarm_table_new();
    t->wear = el_endurance_new();
    t->saver = el_saver_new(t->settings.state_dir);
    t->numbers = el_card_numbers_new();
    t->board = el_board_new(&t->dev, t->done_fd);
    t->cards.profiles = el_profiles_new(t->settings.profiles_dir);
    if (r < 0 || !t->alarms || !t->wear || !t->saver || !t->numbers || !t->board || !t->cards.profiles)
        return -ENOMEM;
    t->cards.dev = t->dev;
    t->cards.settings = &t->settings;
    t->cards.hands = t->hands;
    el_drive_set_init(&t->drives, &t->dev, t->done_fd);
    load_history(t);
    describe_daemon(t);
    return 0;
}

int el_tick_new(const struct el_device *dev, const struct el_settings *settings, struct el_tick **out)
{
    struct el_tick *t = calloc(1, sizeof *t);
    int r;

    if (!t) {
        dev->ops->close(dev->dev);
        return -ENOMEM;
    }
    t->dev = *dev;
    t->settings = *settings;
    t->done_fd = t->lock_fd = t->runtime_fd = -1;
    el_file_pair_init(&t->file);
    t->log_next = 1;
    t->air_wish_lfm = NAN;
    r = set_up(t);
    if (r < 0) {
        el_tick_free(t);
        return r;
    }
    *out = t;
    return 0;
}

static void save_history(struct el_tick *t)
{
    struct el_buf text[EL_SAVED] = {0};

    if (!el_saver_idle(t->saver))
        return;
    if (t->numbers_new)
        el_card_numbers_save(t->numbers, &text[EL_SAVED_CARDS]);
    t->numbers_new = false;
    el_endurance_save(t->wear, &text[EL_SAVED_WEAR]);
    el_cards_save(&t->cards, &text[EL_SAVED_LEARNT]);
    el_saver_save(t->saver, text);
    t->saved_us = now_us(t);
}

static void wait_saved(struct el_tick *t, int64_t until_us)
{
    while (!el_saver_idle(t->saver) && el_clock_boottime_us() < until_us)
        el_clock_sleep_until_us(el_clock_boottime_us() + 5 * EL_USEC_PER_MSEC, NULL);
}

struct el_tick *el_tick_free(struct el_tick *t)
{
    int64_t until = el_clock_boottime_us() + EXIT_WAIT_US;
    bool hung;
    size_t held;

    if (!t)
        return NULL;
    hung = t->board && el_board_busy(t->board);
    if (t->saver && t->discovered)
        save_history(t);
    held = el_actuate_free(t->hands, EXIT_WAIT_US);
    if (held && t->dev.ops->lasts)
        el_log_warning("%zu settings stay in force because their drives are hot or do not answer; `elementd restore` "
                       "lets them go later",
                       held);
    if (t->saver)
        wait_saved(t, until);
    el_drive_set_tell_hung(&t->drives, &t->world);
    el_drive_set_free(&t->drives);
    el_board_free(t->board);
    el_saver_free(t->saver);
    el_card_numbers_free(t->numbers);
    el_cards_free(&t->cards);
    el_alarm_table_free(t->alarms);
    el_endurance_free(t->wear);
    el_world_free(&t->world);
    if (t->runtime_fd >= 0) {
        el_file_pair_remove(&t->file, t->runtime_fd, EL_SNAPSHOT_FILE);
        unlinkat(t->runtime_fd, EL_AIR_FILE, 0);
        close(t->runtime_fd);
    }
    if (t->lock_fd >= 0)
        close(t->lock_fd);
    /* With a drive that hangs a worker may still stand inside of the backend: then it is left to the end of the
     * process. */
    hung |= t->drives.hung;
    if (!hung)
        t->dev.ops->close(t->dev.dev);
    if (t->done_fd >= 0)
        close(t->done_fd);
    free(t);
    return NULL;
}

void el_tick_reload(struct el_tick *t, const struct el_settings *settings)
{
    struct el_daemon *d = &t->world.s->daemon;
    struct el_settings fresh = *settings;

    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c): NAN is NAN, nothing is padded */
    if (memcmp(fresh.sensor, t->settings.sensor, sizeof fresh.sensor) != 0 ||
        strcmp(fresh.state_dir, t->settings.state_dir) != 0 || strcmp(fresh.runtime_dir, t->settings.runtime_dir) != 0)
        el_log_warning("changes to sensors, state_dir and runtime_dir take effect at the next start");
    el_text_copy(fresh.state_dir, sizeof fresh.state_dir, t->settings.state_dir);
    el_text_copy(fresh.runtime_dir, sizeof fresh.runtime_dir, t->settings.runtime_dir);
    memcpy(fresh.sensor, t->settings.sensor, sizeof fresh.sensor);
    fresh.sensors = t->settings.sensors;
    t->settings = fresh;
    el_log_set_level(fresh.log_level);
    el_cards_reconfigure(&t->cards);
    d->config_ok = true;
    d->config_success_realtime_us = el_clock_realtime_us();
    el_world_say(&t->world, EL_SEVERITY_INFO, -1, -1, "configuration reloaded");
}

void el_tick_reload_failed(struct el_tick *t, const char *why)
{
    t->world.s->daemon.config_ok = false;
    el_alarm_refused(t->alarms, why);
    el_event_log_refused(why);
}

/* ---- discovery ---- */

static int take_inventory(struct el_tick *t, struct el_inventory *inv)
{
    struct el_remap remap = {0};
    int r = t->dev.ops->by_order ? el_card_numbers_apply(t->numbers, inv) : 0, drives, cards, board;

    t->numbers_new |= r > 0;
    if (r >= 0)
        r = el_world_merge(&t->world, inv, &remap);
    if (r < 0)
        return r;
    /* The rows have moved: each is told, also when another had no memory for it. */
    drives = el_drive_set_remap(&t->drives, &t->world, &remap);
    cards = el_cards_remap(&t->cards, &t->world, &remap);
    board = el_board_remap(t->board, &t->world);
    el_remap_free(&remap);
    return drives < 0 || cards < 0 || board < 0 ? -ENOMEM : 0;
}

static void discover(struct el_tick *t)
{
    struct el_inventory inv = {0};
    bool asked, fallen = t->drives.fallen;
    int r;

    t->news |= t->dev.ops->changed && t->dev.ops->changed(t->dev.dev);
    t->drives.fallen = false;
    asked = !t->discovered || t->news;
    if (!asked && !fallen)
        return;
    r = t->dev.ops->discover(t->dev.dev, &inv);
    /* A drive that hangs can be slowed only while it is known for the one it was: a look for its sake alone makes none
     * of another, where the backend does not tell which changed. */
    if (r == 0 && (asked || inv.named)) {
        r = take_inventory(t, &inv);
        asked |= r < 0; /* half of it may be taken: it must be done again */
    }
    el_inventory_free(&inv);
    if (r == 0) {
        t->discovered = true;
    } else if (asked) {
        el_log_error("looking for drives failed: %s; what was known stays", strerror(-r));
        el_drive_set_doubt(&t->drives);
    }
    t->news = r < 0 && asked;
    el_cards_doubt(&t->cards, &t->drives);
}

/* ---- a round ---- */

/* Files came or went in the runtime directory since the last look. A second look within the second that its time tells:
 * a change may follow another without moving it. */
static bool dir_changed(struct el_tick *t)
{
    struct stat st;
    int64_t was_us = t->dir_us;

    if (fstat(t->runtime_fd, &st) < 0)
        return true;
    t->dir_us = st.st_mtim.tv_sec * EL_USEC_PER_SEC + st.st_mtim.tv_nsec / 1000;
    return t->dir_us != was_us || llabs(t->world.s->realtime_us - t->dir_us) < EL_USEC_PER_SEC;
}

/* The administrator has paused us, and the time is not over. Only root or ourselves may say so. */
static bool is_paused(const struct el_tick *t, int64_t now)
{
    struct stat st;
    int64_t until;

    if (fstatat(t->runtime_fd, EL_PAUSE_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
        (st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return false;
    if (el_file_read_i64(t->runtime_fd, EL_PAUSE_FILE, &until) < 0)
        return false;
    if (until > now)
        return true;
    unlinkat(t->runtime_fd, EL_PAUSE_FILE, 0);
    return false;
}

void el_tick_begin(struct el_tick *t)
{
    t->begin_us = now_us(t);
    t->begin_cpu_us = el_clock_thread_cpu_us();
    t->world.s->realtime_us = el_clock_realtime_us();
    discover(t);
    if (dir_changed(t) || t->paused)
        t->paused = is_paused(t, t->begin_us) || t->lost_journal;
    /* What is in force is read beside the drives: a cap lost is seen in this round. */
    el_actuate_tick(t->hands, el_clock_boottime_us());
    el_board_start(t->board, t->begin_us);
    el_drive_set_return(&t->drives, &t->world, &t->settings, t->begin_us);
    el_drive_set_start(&t->drives, &t->world, &t->settings, t->begin_us);
}

/* What the board says is read first: a drive is taken with its I/O. */
bool el_tick_take(struct el_tick *t)
{
    int64_t now = now_us(t);

    t->linked |= el_board_collect(t->board, &t->world, now, 3 * t->settings.poll.tick_ms * EL_USEC_PER_MSEC);
    if (el_board_waiting(t->board))
        return true;
    for (int row = -1; (row = el_drive_set_take(&t->drives, &t->world, (uint32_t)(row + 1), now)) >= 0;)
        el_cards_observe(&t->cards, &t->world, &t->drives, (uint32_t)row, t->begin_us);
    return el_drive_set_waiting(&t->drives, t->begin_us);
}

bool el_tick_missing(const struct el_tick *t)
{
    return t->drives.n == t->world.s->slots.count && el_drive_set_missing(&t->drives, &t->world);
}

bool el_tick_answered(const struct el_tick *t)
{
    return el_tick_missing(t) && el_drive_set_answered(&t->drives);
}

int el_tick_done_fd(const struct el_tick *t)
{
    return t->done_fd;
}

int el_tick_event_fd(const struct el_tick *t)
{
    return t->dev.ops->event_fd ? t->dev.ops->event_fd(t->dev.dev) : -1;
}

static void emit(void *ctx, const struct el_event *e)
{
    struct el_tick *t = ctx;

    el_world_event(&t->world, e);
}

/* Events may make the block move while the table reads it, so it is given room beforehand. */
static void step_alarms(struct el_tick *t)
{
    if (el_world_reserve_events(&t->world) == 0)
        el_alarm_table_step(t->alarms, t->world.s, emit, t);
    if (el_world_alarms(&t->world, t->alarms) < 0)
        el_log_error("out of memory: not all alarms are shown");
}

static void write_air_wish(struct el_tick *t)
{
    double wish = NAN;
    char text[32];

    for (uint32_t i = 0; i < t->world.s->cards.count; i++)
        wish = fmax(wish, el_snapshot_cards(t->world.s)[i].airflow_wish_lfm);
    if (isfinite(wish))
        wish = ceil(wish / 10) * 10;
    if (wish == t->air_wish_lfm || (isnan(wish) && isnan(t->air_wish_lfm)))
        return;
    t->air_wish_lfm = wish;
    if (isnan(wish)) {
        unlinkat(t->runtime_fd, EL_AIR_FILE, 0);
        return;
    }
    int n = snprintf(text, sizeof text, "%.0f\n", wish);
    (void)el_file_replace(t->runtime_fd, EL_AIR_FILE, text, (size_t)n, 0644,
                          false); /* a wish; the next change tries again */
}

static void account(struct el_tick *t, int64_t now)
{
    struct el_daemon *d = &t->world.s->daemon;

    d->mode = t->settings.governor.mode;
    d->ready = el_drive_set_all_tried(&t->drives) && t->discovered;
    if (d->ticks % PROC_EVERY == 0)
        el_proc_self(d);
    d->ticks++;
    if (t->due_us && t->begin_us > t->due_us + t->settings.poll.tick_ms * EL_USEC_PER_MSEC)
        d->ticks_late++;
    t->due_us = t->begin_us + t->settings.poll.tick_ms * EL_USEC_PER_MSEC;
    d->tick_duration_us = now - t->begin_us;
    d->tick_cpu_us = el_clock_thread_cpu_us() - t->begin_cpu_us;
}

static int publish(struct el_tick *t)
{
    struct el_snapshot *s = t->world.s;
    int r;

    s->seq++;
    s->period_ms = t->settings.poll.tick_ms;
    el_snapshot_seal(s);
    r = el_file_pair_write(&t->file, t->runtime_fd, EL_SNAPSHOT_FILE, s, s->size, 0644);
    if (r < 0 && r != t->write_error)
        el_log_error("%s/" EL_SNAPSHOT_FILE ": %s; exporters see the last one that could be written",
                     t->settings.runtime_dir, strerror(-r));
    t->write_error = r;
    return r;
}

int el_tick_finish(struct el_tick *t)
{
    const struct el_settings *s = &t->settings;
    int64_t now = now_us(t);

    t->world.s->time_us = now;
    (void)el_tick_take(t);
    el_drive_set_collect(&t->drives, &t->world, s, now);
    el_cards_step(&t->cards, &t->world, &t->drives, t->paused, t->begin_us);
    el_actuate_wait_written(t->hands, WRITE_WAIT_US);
    el_cards_ask(&t->cards, &t->world, &t->drives, t->begin_us);
    if (t->linked)
        el_cards_refresh(&t->cards, &t->world);
    t->linked = false;
    el_endurance_step(t->wear, t->world.s);
    step_alarms(t);
    t->log_next = el_event_log(t->world.s, t->log_next);
    write_air_wish(t);
    if (el_endurance_due(t->wear, now) || t->numbers_new || now - t->saved_us > EL_ENDURANCE_SAVE_US)
        save_history(t);
    account(t, now_us(t));
    return publish(t);
}

const struct el_snapshot *el_tick_snapshot(const struct el_tick *t)
{
    return t->world.s;
}
