/* The service manager's notify protocol (sd_notify(3)): one datagram of VAR=VALUE lines. Absent manager: every call
 * does nothing. The socket is opened once, before any sandbox, and kept. Thread-safe after el_notify_open. */
#pragma once

#include "base/base.h"

/* Connects to $NOTIFY_SOCKET and removes it from the environment (children must not speak for us). 0, or -errno when
 * there is one that cannot be used. */
int el_notify_open(void);

/* A datagram socket connected to `path` ("@name" is abstract), or -errno. Journald's is opened so too. */
int el_unix_connect(const char *path);

/* "READY=1\nSTATUS=..." and the like. */
void el_notify(const char *fmt, ...) EL_PRINTF(1, 2);

/* How often the manager wants "WATCHDOG=1", microseconds; 0 = never (also when $WATCHDOG_PID names another process). */
int64_t el_notify_watchdog_us(void);
