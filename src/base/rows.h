/* Arrays that grow row by row, and a hash of what they hold. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A zeroed row at the end of `*array` (of `*n` rows, doubling); NULL = out of memory, array untouched. Rows move: keep
 * no pointer over the next call. Only this function may grow an array that it made. */
static inline void *el_row_append(void *array, uint32_t *n, size_t row)
{
    char **rows = array;

    if ((*n & (*n - 1)) == 0) {
        void *grown = realloc(*rows, row * (*n ? *n * 2 : 1));

        if (!grown)
            return NULL;
        *rows = grown;
    }
    return memset(*rows + row * (*n)++, 0, row);
}

/* FNV-1a: tells things apart; it is no signature. */
#define EL_HASH_START 0xcbf29ce484222325ULL
static inline uint64_t el_hash(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *p = bytes; n; n--)
        h = (h ^ *p++) * 0x100000001b3ULL;
    return h;
}
/* Of a text including its end, so that "ab", "c" and "a", "bc" differ. */
static inline uint64_t el_hash_text(uint64_t h, const char *text)
{
    return el_hash(el_hash(h, text, strlen(text)), "\n", 1);
}
