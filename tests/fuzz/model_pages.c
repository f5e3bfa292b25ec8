#include <string.h>

#include "fuzz.h"
#include "model/fill.h"
#include "model/nvme_layout.h"

static void page(uint8_t *out, size_t size, const uint8_t *data, size_t n)
{
    memset(out, 0, size);
    memcpy(out, data, n < size ? n : size);
}

/* First byte: which page; the rest: its bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint8_t bytes[EL_NVME_IDENTIFY_SIZE];
    static struct el_slot slot;
    struct el_namespace ns;

    if (n < 1)
        return 0;
    page(bytes, sizeof bytes, data + 1, n - 1);
    switch (data[0] % (EL_READ_COUNT + 1)) {
    case EL_READ_ERROR_LOG:
        el_fill_page(&slot, EL_READ_ERROR_LOG, bytes,
                     (n - 1) / 64 * 64 > sizeof bytes ? sizeof bytes : (n - 1) / 64 * 64, 1000000);
        break;
    case EL_READ_SECURITY: /* only as long as the input: a read beyond it is seen */
        el_fill_page(&slot, EL_READ_SECURITY, data + 1, n - 1, 1000000);
        el_nvme_security_lists(data + 1, n - 1, EL_NVME_NSID_ALL & 0xff);
        break;
    case EL_READ_COUNT:
        el_fill_namespace(&ns, bytes);
        break;
    default:
        el_fill_page(&slot, data[0] % (EL_READ_COUNT + 1), bytes, 0, 1000000);
        break;
    }
    return 0;
}
