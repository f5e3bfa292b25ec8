/* Events of a snapshot as log lines, with fields by which `journalctl ELEMENTD_ALARM=drive_lost` finds them. */
#pragma once

#include "model/snapshot.h"

/* Logs those numbered `next` or later; returns the number that follows them. */
uint64_t el_event_log(const struct el_snapshot *s, uint64_t next);
