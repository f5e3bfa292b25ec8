/* Log lines. Each thread may log; a line is one write(2) or send(2). Messages say what, where and what to do. */
#pragma once

#include "base/base.h"

enum el_log_level { EL_LOG_ERROR = 3, EL_LOG_WARNING = 4, EL_LOG_INFO = 6, EL_LOG_DEBUG = 7 }; /* syslog's numbers */

enum el_log_format {
    EL_LOG_AUTO,    /* EL_LOG_JOURNAL where journald reads our standard error (it says so in $JOURNAL_STREAM, which
                       children inherit: so the descriptor is compared too), else EL_LOG_TEXT */
    EL_LOG_TEXT,    /* for a person at a terminal: "warning: ..." */
    EL_LOG_LOGFMT,  /* ts=... level=warn msg="..." as the Prometheus exporters write it */
    EL_LOG_JSON,    /* one object a line */
    EL_LOG_JOURNAL, /* to journald, with fields; without its socket "<4>..." */
};

/* A field that programs can pick out of a line, under its name in the journal: "MESSAGE_ID", "ELEMENTD_CARD". In logfmt
 * and JSON the name is in small letters without "elementd_"; text leaves fields out. A value of NULL or "" is not known
 * and left out everywhere. */
struct el_log_field {
    const char *name, *value;
};

#define EL_LOG_JOURNAL_SOCKET "/run/systemd/journal/socket"

/* What EL_LOG_AUTO stands for here. */
enum el_log_format el_log_auto(void);

/* Before threads start and before the sandbox: it opens journald's socket. `program` is kept, not copied. */
void el_log_setup(const char *program, enum el_log_level max_level, enum el_log_format format);
void el_log_set_level(enum el_log_level max_level);

/* Sends the lines of EL_LOG_JOURNAL to this socket from now on. 0, or -errno: they go to standard error then. Called by
 * el_log_setup, and by tests. */
int el_log_open_journal(const char *path);

void el_log(enum el_log_level level, const char *fmt, ...) EL_PRINTF(2, 3);
void el_log_with(enum el_log_level level, const struct el_log_field *fields, size_t n, const char *fmt, ...)
    EL_PRINTF(4, 5);

#define el_log_error(...)   el_log(EL_LOG_ERROR, __VA_ARGS__)
#define el_log_warning(...) el_log(EL_LOG_WARNING, __VA_ARGS__)
#define el_log_info(...)    el_log(EL_LOG_INFO, __VA_ARGS__)
#define el_log_debug(...)   el_log(EL_LOG_DEBUG, __VA_ARGS__)
