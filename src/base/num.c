#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* "00" to "99" */
static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

size_t el_num_u128(char *out, el_u128 v)
{
    char digits[EL_NUM_MAX], *end = digits + sizeof digits, *at = end;

    if (v < 10) { /* most numbers there are */
        out[0] = (char)('0' + (int)v);
        out[1] = '\0';
        return 1;
    }
    *--at = '\0';
    while (v > UINT64_MAX) { /* 128-bit division is slow: leave it as soon as the rest fits 64 bits */
        *--at = (char)('0' + (int)(v % 10));
        v /= 10;
    }
    uint64_t rest = (uint64_t)v;
    for (; rest >= 100; rest /= 100)
        at = memcpy(at - 2, &pairs[2 * (rest % 100)], 2);
    if (rest >= 10)
        at = memcpy(at - 2, &pairs[2 * rest], 2);
    else
        *--at = (char)('0' + (int)rest);
    memcpy(out, at, (size_t)(end - at));
    return (size_t)(end - at) - 1;
}

size_t el_num_fixed(char *out, int64_t v, unsigned decimals)
{
    uint64_t scale = 1, abs = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, frac;
    size_t n = 0;
    unsigned i;

    for (i = 0; i < decimals; i++)
        scale *= 10;
    if (v < 0)
        out[n++] = '-';
    n += el_num_u128(out + n, abs / scale);
    frac = abs % scale;
    if (frac) {
        out[n++] = '.';
        while (frac) {
            scale /= 10;
            out[n++] = (char)('0' + (int)(frac / scale));
            frac %= scale;
        }
        out[n] = '\0';
    }
    return n;
}

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t use_c_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_c_locale);
    return c_locale ? uselocale(c_locale) : uselocale((locale_t)0);
}

size_t el_num_double(char *out, double v)
{
    int digits, n;
    locale_t old;

    if (isnan(v))
        return (size_t)sprintf(out, "NaN");
    if (isinf(v))
        return (size_t)sprintf(out, v > 0 ? "+Inf" : "-Inf");
    if (v == 0)
        return (size_t)sprintf(out, "0");
    if (fabs(v) < 1e15 && v == trunc(v)) {
        out[0] = '-';
        return el_num_u128(out + (v < 0), (el_u128)fabs(v)) + (v < 0);
    }
    old = use_c_locale();
    for (digits = 15; digits < 17; digits++) {
        n = snprintf(out, EL_NUM_MAX, "%.*g", digits, v);
        if (strtod(out, NULL) == v)
            break;
    }
    if (digits == 17)
        n = snprintf(out, EL_NUM_MAX, "%.17g", v);
    uselocale(old);
    return (size_t)n;
}

/* The text between its white space; false when nothing is left. */
static bool trimmed(const char *text, char *out, size_t size)
{
    size_t n;

    while (isspace((unsigned char)*text))
        text++;
    n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    if (!n || n >= size)
        return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

int el_num_parse_u64(const char *text, uint64_t *out)
{
    char t[EL_NUM_MAX], *end;
    unsigned long long v;
    int base = 10;

    if (!trimmed(text, t, sizeof t) || !isdigit((unsigned char)t[0]))
        return -EINVAL;
    if (t[0] == '0' && (t[1] == 'x' || t[1] == 'X'))
        base = 16;
    errno = 0;
    v = strtoull(t, &end, base);
    if (*end)
        return -EINVAL;
    if (errno)
        return -ERANGE;
    *out = v;
    return 0;
}

int el_num_parse_i64(const char *text, int64_t *out)
{
    char t[EL_NUM_MAX];
    uint64_t v;
    int r;

    if (!trimmed(text, t, sizeof t))
        return -EINVAL;
    r = el_num_parse_u64(t[0] == '-' ? t + 1 : t, &v);
    if (r < 0)
        return r;
    if (v > (uint64_t)INT64_MAX + (t[0] == '-'))
        return -ERANGE;
    *out = t[0] == '-' ? (int64_t)(0 - v) : (int64_t)v;
    return 0;
}

int el_num_parse_double(const char *text, double *out)
{
    char t[EL_NUM_MAX], *end;
    double v;
    locale_t old;

    if (!trimmed(text, t, sizeof t) || strspn(t, "+-.0123456789eE") != strlen(t))
        return -EINVAL;
    old = use_c_locale();
    v = strtod(t, &end);
    uselocale(old);
    if (*end || end == t)
        return -EINVAL;
    if (!isfinite(v))
        return -ERANGE;
    *out = v;
    return 0;
}
