#include "config/config.h"
#include "config/webconfig.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct el_config_error err;
    struct el_web_config *web = NULL;

    err.text[0] = '\0';
    if (el_web_config_parse("/tmp/web.yml", data, n, &web, &err) < 0) {
        if (!err.text[0])
            abort();
        return 0;
    }
    el_web_config_free(web);
    return 0;
}
