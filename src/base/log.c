#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"

static const char *program_name = "elementd";
static _Atomic int log_level = EL_LOG_INFO;
static enum el_log_format log_format = EL_LOG_TEXT;

void el_log_setup(const char *program, enum el_log_level max_level, enum el_log_format format)
{
    program_name = program;
    log_level = max_level;
    log_format = format;
}

void el_log_set_level(enum el_log_level max_level)
{
    log_level = max_level;
}

static const char *level_name(enum el_log_level level)
{
    switch (level) {
    case EL_LOG_ERROR:
        return "error";
    case EL_LOG_WARNING:
        return "warning";
    case EL_LOG_INFO:
        return "info";
    case EL_LOG_DEBUG:
        break;
    }
    return "debug";
}

void el_log(enum el_log_level level, const char *fmt, ...)
{
    EL_AUTO_BUF struct el_buf line = {0};
    char message[1024];
    va_list ap;

    if ((int)level > log_level)
        return;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);

    switch (log_format) {
    case EL_LOG_TEXT:
        if (level == EL_LOG_INFO)
            el_buf_printf(&line, "%s: %s\n", program_name, message);
        else
            el_buf_printf(&line, "%s: %s: %s\n", program_name, level_name(level), message);
        break;
    case EL_LOG_JOURNAL:
        el_buf_printf(&line, "<%d>%s\n", (int)level, message);
        break;
    case EL_LOG_LOGFMT:
    case EL_LOG_JSON: {
        char ts[32];
        el_text_rfc3339(el_clock_realtime_us(), ts);
        el_buf_printf(&line,
                      log_format == EL_LOG_JSON ? "{\"ts\":\"%s\",\"level\":\"%s\",\"program\":\"%s\",\"msg\":\""
                                                : "ts=%s level=%s program=%s msg=\"",
                      ts, level == EL_LOG_WARNING ? "warn" : level_name(level), program_name);
        el_text_json_escape(&line, message);
        el_buf_puts(&line, log_format == EL_LOG_JSON ? "\"}\n" : "\"\n");
        break;
    }
    }
    if (line.len && write(STDERR_FILENO, line.data, line.len) < 0)
        return; /* nowhere left to complain */
}
