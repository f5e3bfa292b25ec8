/* Log lines to standard error. Each thread may log; a line is one write(2). Messages say what, where and what to do. */
#pragma once

#include "base/base.h"

enum el_log_level { EL_LOG_ERROR = 3, EL_LOG_WARNING = 4, EL_LOG_INFO = 6, EL_LOG_DEBUG = 7 }; /* syslog's numbers */

enum el_log_format {
    EL_LOG_TEXT,    /* for a person at a terminal: "warning: ..." */
    EL_LOG_LOGFMT,  /* ts=... level=warn msg="..." as the Prometheus exporters write it */
    EL_LOG_JSON,    /* one object a line */
    EL_LOG_JOURNAL, /* "<4>..." for journald, which adds the rest */
};

/* Before threads start. `program` is kept, not copied. */
void el_log_setup(const char *program, enum el_log_level max_level, enum el_log_format format);
void el_log_set_level(enum el_log_level max_level);

void el_log(enum el_log_level level, const char *fmt, ...) EL_PRINTF(2, 3);

#define el_log_error(...)   el_log(EL_LOG_ERROR, __VA_ARGS__)
#define el_log_warning(...) el_log(EL_LOG_WARNING, __VA_ARGS__)
#define el_log_info(...)    el_log(EL_LOG_INFO, __VA_ARGS__)
#define el_log_debug(...)   el_log(EL_LOG_DEBUG, __VA_ARGS__)
