/* A growable byte buffer. The bytes are always NUL-terminated after a successful append. Not thread-safe. */
#pragma once

#include "base/base.h"

struct el_buf {
    char *data; /* owned; NULL while empty */
    size_t len, cap;
    bool failed; /* an allocation failed: contents are cut, every later append is refused */
};

void el_buf_free(struct el_buf *b);                /* frees the bytes, leaves an empty buffer */
void el_buf_clear(struct el_buf *b);               /* keeps the memory, forgets the bytes and the failure */
int el_buf_reserve(struct el_buf *b, size_t more); /* 0 or -ENOMEM */
void el_buf_put(struct el_buf *b, const void *bytes, size_t n);
void el_buf_puts(struct el_buf *b, const char *text);
void el_buf_putc(struct el_buf *b, char c);
void el_buf_printf(struct el_buf *b, const char *fmt, ...) EL_PRINTF(2, 3);

/* Numbers, independent of the locale. */
void el_buf_u64(struct el_buf *b, uint64_t v);
void el_buf_i64(struct el_buf *b, int64_t v);
void el_buf_double(struct el_buf *b, double v); /* see el_num_double */

#define EL_AUTO_BUF __attribute__((cleanup(el_buf_free)))
