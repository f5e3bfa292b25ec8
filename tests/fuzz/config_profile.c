#include "config/config.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct el_card_profile card;
    static struct el_drive_profile drive;
    static struct el_config_error err;
    const char *dir = fuzz_dir("x.yaml", data, n);

    err.text[0] = '\0';
    if (el_config_load_card(dir, "x", &card, &err) < 0 && !err.text[0])
        abort();
    err.text[0] = '\0';
    if (el_config_load_drive(dir, "x", &drive, &err) < 0 && !err.text[0])
        abort();
    return 0;
}
