/* Handles that identify a drive or sensor for good and are never reused: index + 1 of an identity text. Identities are
 * only added, one for each drive or sensor ever seen. Not thread-safe. */
#pragma once

#include <stdint.h>

struct el_keys {
    char (*id)[200];
    uint32_t n;
};

/* The key of `id`, new when it is. 0 = out of memory. */
uint32_t el_keys_get(struct el_keys *k, const char *id);
void el_keys_free(struct el_keys *k);
