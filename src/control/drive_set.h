/* The drives of all slots and their polls: who is due, who answered, who does not. One poll at a time per drive, on a
 * worker of its own where the backend can block. Tick thread only. */
#pragma once

#include "control/actuate.h"
#include "control/poll.h"
#include "control/worker.h"
#include "control/world.h"
#include "model/settings.h"

struct el_drive {
    struct el_worker *worker; /* NULL: no drive to ask */
    struct el_poll *poll;     /* the worker's while `running` */
    uint32_t key;
    bool running, identify, tried, quiet;
    bool taken;   /* its answer, since the last el_drive_set_collect */
    bool confirm; /* `identify` is only to see whether it is still the same */
    bool renewed; /* `identify` was asked for during a poll, whose answer may be older */
    int64_t start_us, due_us, logs_due_us, quiet_since_us;
    uint64_t io_seen;            /* operations at quiet_since_us */
    struct el_slot_io io_before; /* of the last tick */
    uint32_t failures;           /* polls that failed since the last good one */
    uint32_t usable;             /* bit per el_actuator */
    int64_t asked_us;            /* when `usable` was last looked at */
    bool inherited;              /* a cap of an earlier run is in force, and nothing was written since */
    bool owed;                   /* a cap may have been decided that was not set on this drive */
    struct el_actuate_item *hand[EL_ACTUATOR_COUNT]; /* NULL: never used on this drive */
    bool swapped;                                    /* the hands are still those of the drive that was here before */
    int64_t say_fall_us;                             /* from when on a further drop is reported again */
    int32_t power_state_wanted;                      /* last asked for; -1 = none */
    bool fresh;                                      /* identified since the governor's facts were taken */
};

struct el_drive_set {
    struct el_device dev;
    struct el_drive *drive; /* one per slot row */
    uint32_t n;
    int done_fd;
    bool threads;
    bool fallen; /* a drive is no longer up, so look at what the kernel says of it. Cleared by the tick */
    bool hung;   /* after el_drive_set_free: a worker is still inside the backend */
};

void el_drive_set_init(struct el_drive_set *d, const struct el_device *dev, int done_fd);
/* At the end: logs whose commands have not come back. In an uninterruptible sleep the kernel keeps their threads, and so
 * the process. */
void el_drive_set_tell_hung(const struct el_drive_set *ds, const struct el_world *w);
void el_drive_set_free(struct el_drive_set *d);

/* After a merge: drives follow their slots; what is new or named is identified (again). 0 or -ENOMEM (no drive is asked
 * then).
 */
int el_drive_set_remap(struct el_drive_set *d, const struct el_world *w, const struct el_remap *r);

/* Drives may have changed without anybody noticing: each must identify itself again. */
void el_drive_set_doubt(struct el_drive_set *d);

/* Starts the polls that are due; returns how many run that were started now. */
uint32_t el_drive_set_start(struct el_drive_set *d, const struct el_world *w, const struct el_settings *s,
                            int64_t now_us);
/* True while a poll started at or after `since_us` still runs. */
bool el_drive_set_waiting(const struct el_drive_set *d, int64_t since_us);
/* True while a command to a drive that is not up is pending: its return, whenever it comes, is news. */
bool el_drive_set_missing(const struct el_drive_set *d, const struct el_world *w);
/* True while an answer waits to be taken. */
bool el_drive_set_answered(const struct el_drive_set *d);
/* Takes answers that came between rounds, so that a drive that is back can be polled in the coming round. */
void el_drive_set_return(struct el_drive_set *d, struct el_world *w, const struct el_settings *s, int64_t now_us);
/* Takes the answer of the next drive from row `from` on that has one; its row, or -1 when there is none. */
int el_drive_set_take(struct el_drive_set *d, struct el_world *w, uint32_t from, int64_t now_us);
/* Takes the remaining answers, reports what changed, and decides which drives are up, stale or failed. */
void el_drive_set_collect(struct el_drive_set *d, struct el_world *w, const struct el_settings *s, int64_t now_us);
bool el_drive_set_all_tried(const struct el_drive_set *d);
