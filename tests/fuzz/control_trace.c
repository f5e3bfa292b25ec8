#include <string.h>

#include "control/trace.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_trace_replay found;
    char why[200] = "";
    FILE *f = n ? fmemopen((void *)(uintptr_t)data, n, "r") : NULL;

    if (!f)
        return 0;
    if (el_trace_replay(f, &found, why, sizeof why) < 0 && !why[0])
        abort();
    fclose(f);
    return 0;
}
