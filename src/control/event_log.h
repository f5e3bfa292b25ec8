/* Events of a snapshot as log lines, with fields by which `journalctl ELEMENTD_ALARM=drive_lost` finds them. */
#pragma once

#include "model/snapshot.h"

/* Logs those numbered `next` or later; returns the number that follows them. */
uint64_t el_event_log(const struct el_snapshot *s, uint64_t next);

/* Journald's id of a kind of message: alarm `id` raised or cleared. Never changes: people match on it. */
#define EL_MESSAGE_ID_SIZE 33
void el_event_message_id(char out[EL_MESSAGE_ID_SIZE], uint32_t alarm, bool raised);
