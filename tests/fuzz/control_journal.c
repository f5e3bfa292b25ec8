#include <string.h>

#include "base/clock.h"
#include "control/journal.h"
#include "fuzz.h"

#define BOOT "00000000000000000000000000000000" /* stands for this boot's id: entries of another boot are not read */

/* A journal that is opened must be readable to its end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_journal *j = NULL;
    uint8_t *text = malloc(n + 1);
    void *at;
    char boot[33];
    int r;

    if (!text)
        abort();
    memcpy(text, data, n);
    at = memmem(text, n, BOOT, sizeof BOOT - 1);
    el_clock_boot_id(boot);
    if (at)
        memcpy(at, boot, sizeof BOOT - 1);
    r = el_journal_open(fuzz_dir(EL_JOURNAL_FILE, text, n), &j);
    free(text);
    if (r < 0)
        return 0;
    for (size_t i = 0; i < el_journal_count(j); i++) {
        const struct el_journal_entry *e = el_journal_at(j, i);

        if (e->actuator >= EL_ACTUATOR_COUNT || !el_journal_find(j, e->actuator, e->serial))
            abort();
    }
    el_journal_free(j);
    return 0;
}
