/* Events of a snapshot as log lines, with fields by which `journalctl ELEMENTD_ALARM=drive_lost` finds them. */
#pragma once

#include "model/snapshot.h"

/* Logs those numbered `next` or later, and counts in `daemon.events_lost` those that the ring has dropped before they
 * could be logged. Returns the number that follows them. */
uint64_t el_event_log(struct el_snapshot *s, uint64_t next);

/* The settings were refused, for what is said line by line: one line, each time; the alarm of it adds none. */
void el_event_log_refused(const char *why);
