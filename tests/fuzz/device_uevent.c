#include <string.h>

#include "device/uevent.h"
#include "fuzz.h"

/* Messages of the kernel, each as long as its first byte says at most; what was heard adds up. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_uevents news = {0};

    while (n) {
        size_t want = (size_t)data[0] * 8, take = want < n - 1 ? want : n - 1;
        char *message = malloc(take + 1);

        if (!message)
            abort();
        memcpy(message, data + 1, take);
        message[take] = '\0';
        el_uevents_take(message, take, &news);
        free(message);
        data += take + 1;
        n -= take + 1;
    }
    if (news.n > EL_UEVENT_NAMES || (news.n && !el_uevents_name(&news, news.controller[0])))
        abort();
    return 0;
}
