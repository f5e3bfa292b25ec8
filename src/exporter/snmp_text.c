#include "exporter/snmp_text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

/* What is not plain text is made so, as the other exports do: one byte that is no UTF-8, say half a character where a
 * text was cut, would cost snmp_exporter its whole scrape. */
static bool clean(struct el_snmp_value *v)
{
    char odd[EL_SNMP_TEXT_MAX];
    size_t plain = 0;

    while (plain < v->len && v->text[plain] >= ' ' && v->text[plain] < 0x7f)
        plain++;
    if (plain < v->len) {
        memcpy(odd, v->text, v->len);
        el_text_from_field(v->text, sizeof v->text, odd, v->len);
        v->len = strlen(v->text);
    }
    return true;
}

bool el_snmp_set_text(struct el_snmp_value *out, const char *text, size_t max)
{
    out->len = strnlen(text, EL_MIN(max, (size_t)EL_SNMP_TEXT_MAX - 1));
    memcpy(out->text, text, out->len);
    return clean(out);
}

bool el_snmp_set_format(struct el_snmp_value *out, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(out->text, sizeof out->text, fmt, args);
    va_end(args);
    out->len = (size_t)EL_CLAMP(n, 0, EL_SNMP_TEXT_MAX - 1);
    return clean(out);
}

bool el_snmp_set_integer(struct el_snmp_value *out, double v)
{
    if (isnan(v))
        return false;
    v = round(v);
    if (out->type == EL_SNMP_INTEGER)
        out->integer = (int32_t)EL_CLAMP(v, (double)INT32_MIN, (double)INT32_MAX);
    else if (out->type == EL_SNMP_COUNTER64)
        out->counter64 = v <= 0 ? 0 : v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
    else
        out->gauge = (uint32_t)EL_CLAMP(v, 0.0, (double)UINT32_MAX);
    return true;
}

/* DateAndTime, SNMPv2-TC: year, month, day, hour, minute, second, tenths, direction from UTC, hours, minutes. */
bool el_snmp_set_date(struct el_snmp_value *out, int64_t realtime_us)
{
    time_t seconds = (time_t)(realtime_us / EL_USEC_PER_SEC);
    struct tm t;

    if (realtime_us <= 0 || !gmtime_r(&seconds, &t))
        return false;
    const uint8_t bytes[11] = {(uint8_t)((t.tm_year + 1900) >> 8),
                               (uint8_t)(t.tm_year + 1900),
                               (uint8_t)(t.tm_mon + 1),
                               (uint8_t)t.tm_mday,
                               (uint8_t)t.tm_hour,
                               (uint8_t)t.tm_min,
                               (uint8_t)t.tm_sec,
                               (uint8_t)(realtime_us % EL_USEC_PER_SEC / 100000),
                               '+',
                               0,
                               0};
    out->len = sizeof bytes;
    memcpy(out->text, bytes, sizeof bytes);
    return true;
}
