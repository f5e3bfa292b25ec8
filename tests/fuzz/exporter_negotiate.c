#include <string.h>

#include "exporter/negotiate.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *header = malloc(n + 1);

    if (!header)
        abort();
    memcpy(header, data, n);
    header[n] = '\0';
    if (el_negotiate_media(header) >= EL_MEDIA_COUNT)
        abort();
    el_negotiate_gzip(header);
    free(header);
    return 0;
}
