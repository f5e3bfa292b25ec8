/* Standard error, and journald's own protocol: a datagram of NAME=value lines
 * (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/). */
#include "base/log.h"

#include <ctype.h>
#include <endian.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/notify.h"
#include "base/text.h"

#define OURS "ELEMENTD_"

struct entry {
    enum el_log_level level;
    const char *message;
    const struct el_log_field *field;
    size_t fields;
};

static const char *program_name = "elementd";
static _Atomic int log_level = EL_LOG_INFO;
static enum el_log_format log_format = EL_LOG_TEXT;
static int journal_fd = -1;

enum el_log_format el_log_auto(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat st;

    return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && fstat(STDERR_FILENO, &st) == 0 &&
                   st.st_dev == device && st.st_ino == inode
               ? EL_LOG_JOURNAL
               : EL_LOG_TEXT;
}

int el_log_open_journal(const char *path)
{
    int fd = el_unix_connect(path);

    if (journal_fd >= 0)
        close(journal_fd);
    journal_fd = fd < 0 ? -1 : fd;
    return fd < 0 ? fd : 0;
}

void el_log_setup(const char *program, enum el_log_level max_level, enum el_log_format format)
{
    program_name = program;
    log_level = max_level;
    log_format = format == EL_LOG_AUTO ? el_log_auto() : format;
    if (log_format == EL_LOG_JOURNAL)
        (void)el_log_open_journal(EL_LOG_JOURNAL_SOCKET);
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

static bool is_known(const struct el_log_field *f)
{
    return f->value && f->value[0];
}

/* A value of several lines goes with its length, 64 bits, little endian. */
static void put_field(struct el_buf *b, const char *name, const char *value)
{
    uint64_t n = htole64(strlen(value));

    el_buf_puts(b, name);
    if (strchr(value, '\n')) {
        el_buf_putc(b, '\n');
        el_buf_put(b, &n, sizeof n);
    } else {
        el_buf_putc(b, '=');
    }
    el_buf_puts(b, value);
    el_buf_putc(b, '\n');
}

/* False: nobody took it. A journal that does not keep up must never block us. */
static bool send_to_journal(const struct entry *e)
{
    EL_AUTO_BUF struct el_buf b = {0};

    if (journal_fd < 0)
        return false;
    el_buf_printf(&b, "PRIORITY=%d\nSYSLOG_IDENTIFIER=%.*s\n", (int)e->level, (int)strcspn(program_name, " "),
                  program_name);
    put_field(&b, "MESSAGE", e->message);
    for (size_t i = 0; i < e->fields; i++)
        if (is_known(&e->field[i]))
            put_field(&b, e->field[i].name, e->field[i].value);
    return !b.failed && send(journal_fd, b.data, b.len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)b.len;
}

static void put_text(struct el_buf *b, const struct entry *e)
{
    bool named = e->level != EL_LOG_INFO;

    el_buf_printf(b, "%s: %s%s%s\n", program_name, named ? level_name(e->level) : "", named ? ": " : "", e->message);
}

/* logfmt quotes as JSON does. */
static void put_pairs(struct el_buf *b, const struct entry *e)
{
    bool json = log_format == EL_LOG_JSON;
    char ts[32];

    el_text_rfc3339(el_clock_realtime_us(), ts);
    el_buf_printf(
        b, json ? "{\"ts\":\"%s\",\"level\":\"%s\",\"program\":\"%s\",\"msg\":\"" : "ts=%s level=%s program=%s msg=\"",
        ts, e->level == EL_LOG_WARNING ? "warn" : level_name(e->level), program_name);
    el_text_json_escape(b, e->message);
    for (size_t i = 0; i < e->fields; i++) {
        const char *name = e->field[i].name;

        if (!is_known(&e->field[i]))
            continue;
        el_buf_puts(b, json ? "\",\"" : "\" ");
        for (name += strncmp(name, OURS, strlen(OURS)) == 0 ? strlen(OURS) : 0; *name; name++)
            el_buf_putc(b, (char)tolower((unsigned char)*name));
        el_buf_puts(b, json ? "\":\"" : "=\"");
        el_text_json_escape(b, e->field[i].value);
    }
    el_buf_puts(b, json ? "\"}\n" : "\"\n");
}

static void put(const struct entry *e)
{
    EL_AUTO_BUF struct el_buf line = {0};

    if (log_format == EL_LOG_JOURNAL && send_to_journal(e))
        return;
    if (log_format == EL_LOG_TEXT)
        put_text(&line, e);
    else if (log_format == EL_LOG_JOURNAL)
        el_buf_printf(&line, "<%d>%s\n", (int)e->level, e->message);
    else
        put_pairs(&line, e);
    if (line.len && write(STDERR_FILENO, line.data, line.len) < 0)
        return; /* nowhere left to complain */
}

static void say(enum el_log_level level, const struct el_log_field *fields, size_t n, const char *fmt, va_list ap)
{
    char message[1024];

    if ((int)level > log_level)
        return;
    vsnprintf(message, sizeof message, fmt, ap);
    for (char *c = message; *c; c++) /* nothing that moves a terminal's cursor, whatever a file put into it */
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
            *c = ' ';
    put(&(struct entry){.level = level, .message = message, .field = fields, .fields = n});
}

void el_log(enum el_log_level level, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(level, NULL, 0, fmt, ap);
    va_end(ap);
}

void el_log_with(enum el_log_level level, const struct el_log_field *fields, size_t n, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(level, fields, n, fmt, ap);
    va_end(ap);
}
