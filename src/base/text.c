#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Length of the valid UTF-8 sequence at p, 0 if there is none. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
    static const struct {
        unsigned char lo, hi, lo2, hi2;
        size_t len;
    } kinds[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t k = 0; k < EL_ARRAY_SIZE(kinds); k++) {
        if (p[0] < kinds[k].lo || p[0] > kinds[k].hi || kinds[k].len > n)
            continue;
        if (kinds[k].len > 1 && (p[1] < kinds[k].lo2 || p[1] > kinds[k].hi2))
            return 0;
        for (size_t i = 2; i < kinds[k].len; i++)
            if ((p[i] & 0xc0) != 0x80)
                return 0;
        return kinds[k].len;
    }
    return 0;
}

void el_text_from_field(char *out, size_t size, const void *field, size_t n)
{
    const unsigned char *p = field;
    size_t used = 0, len;

    n = strnlen(field, n);
    while (n && p[n - 1] <= ' ')
        n--;
    while (n) {
        len = utf8_len(p, n);
        const char *piece = len ? (const char *)p : "\xef\xbf\xbd";
        size_t piece_len = len ? len : 3;

        if (len == 1 && (*p < ' ' || *p == 0x7f))
            piece = " ";
        if (used + piece_len >= size)
            break;
        memcpy(out + used, piece, piece_len);
        used += piece_len;
        p += len ? len : 1;
        n -= len ? len : 1;
    }
    if (size)
        out[used] = '\0';
}

void el_text_clean(char *out, size_t size, const char *text)
{
    el_text_from_field(out, size, text, strlen(text));
}

const char *el_text_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool el_text_copy(char *out, size_t size, const char *text)
{
    size_t n = 0;

    /* Not strnlen: the compiler would take the bound of `out` for one of `text`. */
    while (n < size - 1 && text[n])
        n++;
    memcpy(out, text, n);
    out[n] = '\0';
    return text[n] == '\0';
}

/* Leading bytes that need no thought: printable ASCII but for quote and backslash. */
static size_t plain_len(const unsigned char *p, size_t n)
{
    size_t i = 0;

    while (i < n && p[i] >= ' ' && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

/* What JSON strings and exposition labels share; they differ in what stands for a control character. */
static void escape(struct el_buf *b, const char *text, bool json)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = strlen(text), len;

    for (; n; p += len, n -= len) {
        len = plain_len(p, n);
        if (len) {
            el_buf_put(b, p, len);
            continue;
        }
        len = utf8_len(p, n);
        if (!len) {
            el_buf_puts(b, "\xef\xbf\xbd");
            len = 1;
        } else if (*p == '"' || *p == '\\') {
            el_buf_putc(b, '\\');
            el_buf_putc(b, (char)*p);
        } else if (*p == '\n') {
            el_buf_puts(b, "\\n");
        } else if (*p < ' ' || *p == 0x7f) {
            if (json)
                el_buf_printf(b, "\\u%04x", *p);
            else
                el_buf_putc(b, ' ');
        } else {
            el_buf_put(b, p, len);
        }
    }
}

void el_text_json_escape(struct el_buf *b, const char *text)
{
    escape(b, text, true);
}

void el_text_label_escape(struct el_buf *b, const char *text)
{
    escape(b, text, false);
}

void el_text_xml_escape(struct el_buf *b, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            el_buf_puts(b, "&amp;");
            break;
        case '<':
            el_buf_puts(b, "&lt;");
            break;
        case '>':
            el_buf_puts(b, "&gt;");
            break;
        case '"':
            el_buf_puts(b, "&quot;");
            break;
        default:
            el_buf_putc(b, *text);
        }
}

void el_text_rfc3339(int64_t realtime_us, char out[32])
{
    time_t s = (time_t)(realtime_us / EL_USEC_PER_SEC);
    struct tm tm;
    char date[24];

    if (!gmtime_r(&s, &tm) || !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm))
        el_text_copy(date, sizeof date, "?");
    snprintf(out, 32, "%s.%03dZ", date, (int)(realtime_us / 1000 % 1000));
}

int el_text_parse_date(const char *text, int64_t *out_s)
{
    struct tm tm = {0};
    char again[16];
    time_t t;

    if (strlen(text) != strlen("2026-01-31") || !strptime(text, "%Y-%m-%d", &tm))
        return -EINVAL;
    t = timegm(&tm); /* turns 30 February into March, which then prints differently */
    if (!strftime(again, sizeof again, "%Y-%m-%d", &tm) || strcmp(again, text) != 0)
        return -EINVAL;
    *out_s = t;
    return 0;
}

void el_text_duration(int64_t us, char out[32])
{
    double s = (double)us / EL_USEC_PER_SEC;

    if (s < 1)
        snprintf(out, 32, "%d ms", (int)(s * 1000));
    else if (s < 120)
        snprintf(out, 32, "%d s", (int)s);
    else if (s < 7200)
        snprintf(out, 32, "%d min", (int)(s / 60));
    else if (s < 172800)
        snprintf(out, 32, "%d h", (int)(s / 3600));
    else
        snprintf(out, 32, "%d d", (int)(s / 86400));
}

const char *el_text_cut_short(struct el_text_shape now, struct el_text_shape next)
{
    if (next.empty && !now.empty)
        return "states nothing: half written? Mend it, or restart to do without";
    if (next.open_ended && !now.open_ended)
        return "its last line has no end: half written? Mend it, or end the line";
    return NULL;
}
