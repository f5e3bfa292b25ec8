#include "config/config.h"
#include "fuzz.h"

/* A refused file leaves the settings alone and says why; a taken one is taken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct el_settings settings;
    static struct el_config_error err;

    err.text[0] = '\0';
    if (el_config_load(fuzz_file(data, n), &settings, &err) < 0 && !err.text[0])
        abort();
    return 0;
}
