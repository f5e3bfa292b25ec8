#include "device/keys.h"

#include "base/rows.h"
#include "base/text.h"

uint32_t el_keys_get(struct el_keys *k, const char *id)
{
    char *row;

    for (uint32_t i = 0; i < k->n; i++)
        if (strncmp(k->id[i], id, sizeof *k->id - 1) == 0)
            return i + 1;
    row = el_row_append(&k->id, &k->n, sizeof *k->id);
    if (!row)
        return 0;
    el_text_copy(row, sizeof *k->id, id);
    return k->n;
}

void el_keys_free(struct el_keys *k)
{
    free(k->id);
    *k = (struct el_keys){0};
}
