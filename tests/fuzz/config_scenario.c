#include "config/config.h"
#include "fuzz.h"
#include "model/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct el_scenario scenario;
    static struct el_config_error err;

    err.text[0] = '\0';
    if (el_config_load_scenario(fuzz_file(data, n), &scenario, &err) < 0 && !err.text[0])
        abort();
    return 0;
}
