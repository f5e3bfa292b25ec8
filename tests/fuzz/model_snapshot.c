#include <string.h>

#include "fuzz.h"
#include "model/snapshot.h"
#include "support/make_snapshot.h"

/* Walks whatever the check lets pass: every reference in it must lead inside the block. */
static void walk(const struct el_snapshot *s)
{
    static volatile size_t sum;

    for (uint32_t i = 0; i < s->slots.count; i++) {
        const struct el_slot *slot = &el_snapshot_slots(s)[i];

        sum += el_snapshot_cards(s)[slot->card].slots + strlen(slot->identify.model) + strlen(slot->reason);
    }
    for (uint32_t i = 0; i < s->links.count; i++) {
        const struct el_link *link = &el_snapshot_links(s)[i];

        sum += strlen(el_snapshot_cards(s)[link->card].name) + strlen(link->address);
        if (link->slot >= 0)
            sum += el_snapshot_slots(s)[link->slot].number;
    }
    for (uint32_t i = 0; i < s->events.count; i++)
        sum += strlen(el_snapshot_events(s)[i].text);
    for (uint32_t i = 0; i < s->alarms.count; i++)
        sum += strlen(el_snapshot_alarms(s)[i].text);
}

/* First byte odd: the rest is a block. Even: the rest are edits (offset 3 bytes, value 1 byte) of a sound one, which is
 * sealed again so that the checks behind the checksum are reached. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_test_snapshot options = {.drives = 2, .sensors = 1, .seq = 1, .events = 2, .alarms = 1};
    const struct el_snapshot *s;
    struct el_snapshot *made;
    const char *why = NULL;

    if (n < 1)
        return 0;
    if (data[0] & 1) {
        void *block = aligned_alloc(16, (n + 31) / 16 * 16);

        memcpy(block, data + 1, n - 1);
        s = el_snapshot_check(block, n - 1, &why);
        if (!s && !why)
            abort();
        free(block);
        return 0;
    }
    made = el_test_snapshot_new(&options);
    if (!made)
        abort();
    size_t size = made->size;
    for (size_t i = 1; i + 4 <= n; i += 4) {
        size_t at = (size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2];

        ((uint8_t *)made)[at % size] = data[i + 3];
    }
    if (made->size == size)
        el_snapshot_seal(made);
    s = el_snapshot_check(made, size, &why);
    if (s)
        walk(s);
    else if (!why)
        abort();
    el_snapshot_free(made);
    return 0;
}
