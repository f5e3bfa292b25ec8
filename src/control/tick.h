/* One round of the daemon: read, decide, act, publish. A round has parts, so that the caller can wait for the readers
 * without this blocking: el_tick_begin starts them, el_tick_take takes what has come in, el_tick_finish does the rest.
 * One thread. */
#pragma once

#include "model/device.h"
#include "model/settings.h"

#define EL_PAUSE_FILE "pause"        /* in the runtime directory: BOOTTIME microseconds until which nothing is moved */
#define EL_AIR_FILE   "airflow-wish" /* there too: LFM that the cards would like, for whatever drives the fans */

struct el_tick;

/* Takes the device over (also on failure). Settings are copied. Makes the state and runtime directories when they are
 * missing. 0, -EBUSY (another elementd has the state directory), or -errno; the reason is logged. */
int el_tick_new(const struct el_device *dev, const struct el_settings *settings, struct el_tick **out);

/* Restores what may be restored, removes the snapshot, frees. Waits at most about a second. Takes NULL, returns NULL.
 */
struct el_tick *el_tick_free(struct el_tick *t);

/* New settings, whole. What cannot change while running (directories, sensor maps) is said in the log. */
void el_tick_reload(struct el_tick *t, const struct el_settings *settings);
/* A reload was refused: the old settings stay, the snapshot and an alarm say so. */
void el_tick_reload_failed(struct el_tick *t, const char *why);

void el_tick_begin(struct el_tick *t);
/* Takes what has come in, so that less is left to do when the last reader is done. True while it is worth waiting for
 * one that el_tick_begin started; `done_fd` turns readable when one is done (or was in an earlier round), and whoever
 * waits reads it empty. */
bool el_tick_take(struct el_tick *t);
int el_tick_done_fd(const struct el_tick *t);
/* Between rounds: true while a drive that is not up may come back at any time, as `done_fd` tells: begin a round soon.
 */
bool el_tick_missing(const struct el_tick *t);
/* One of them has answered since the round looked for it last. */
bool el_tick_answered(const struct el_tick *t);
/* 0, or -errno when the snapshot could not be written (the round counts nevertheless). */
int el_tick_finish(struct el_tick *t);

/* Readable when something may have been plugged in or out: begin a round soon. -1 = none. */
int el_tick_event_fd(const struct el_tick *t);

/* What was published last; valid until the next call with `t`. */
const struct el_snapshot *el_tick_snapshot(const struct el_tick *t);
