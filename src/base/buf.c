#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/num.h"

void el_buf_free(struct el_buf *b)
{
    free(b->data);
    *b = (struct el_buf){0};
}

void el_buf_clear(struct el_buf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->data)
        b->data[0] = '\0';
}

int el_buf_reserve(struct el_buf *b, size_t more)
{
    size_t cap = b->cap ? b->cap : 256;
    char *data;

    if (b->failed)
        return -ENOMEM;
    if (b->len + more + 1 <= b->cap)
        return 0;
    while (cap < b->len + more + 1)
        cap *= 2;
    data = realloc(b->data, cap);
    if (!data) {
        b->failed = true;
        return -ENOMEM;
    }
    b->data = data;
    b->cap = cap;
    return 0;
}

void el_buf_put(struct el_buf *b, const void *bytes, size_t n)
{
    if ((b->failed || b->len + n >= b->cap) && el_buf_reserve(b, n) < 0) /* mostly there is room: no call */
        return;
    if (n)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void el_buf_puts(struct el_buf *b, const char *text)
{
    el_buf_put(b, text, strlen(text));
}

void el_buf_putc(struct el_buf *b, char c)
{
    el_buf_put(b, &c, 1);
}

void el_buf_printf(struct el_buf *b, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0 || el_buf_reserve(b, (size_t)n) < 0)
        return;
    va_start(ap, fmt);
    vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

void el_buf_u64(struct el_buf *b, uint64_t v)
{
    char text[EL_NUM_MAX];

    el_buf_put(b, text, el_num_u128(text, v));
}

void el_buf_i64(struct el_buf *b, int64_t v)
{
    if (v < 0)
        el_buf_putc(b, '-');
    el_buf_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void el_buf_double(struct el_buf *b, double v)
{
    char text[EL_NUM_MAX];

    el_buf_put(b, text, el_num_double(text, v));
}
