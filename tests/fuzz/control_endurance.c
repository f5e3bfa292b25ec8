#include "control/endurance.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_endurance *e = el_endurance_new();

    if (!e)
        abort();
    el_endurance_load(e, (const char *)data, n);
    el_endurance_free(e);
    return 0;
}
