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
    switch (data[0] % 10) {
    case 0:
        el_fill_identify(&slot, bytes, 1000000);
        break;
    case 1:
        el_fill_smart(&slot, bytes, 1000000);
        break;
    case 2:
        el_fill_namespace(&ns, bytes);
        break;
    case 3:
        el_fill_error_log(&slot, bytes, (n - 1) / 64 * 64 > sizeof bytes ? sizeof bytes : (n - 1) / 64 * 64, 1000000);
        break;
    case 4:
        el_fill_firmware(&slot, bytes, 1000000);
        break;
    case 5:
        el_fill_self_test(&slot, bytes, 1000000);
        break;
    case 6:
        el_fill_endurance(&slot, 1, bytes, 1000000);
        break;
    case 7:
        el_fill_sanitize(&slot, bytes, 1000000);
        break;
    case 8:
        el_fill_ocp(&slot, bytes, 1000000);
        break;
    default: /* only as long as the input: a read beyond it is seen */
        el_fill_security(&slot, data + 1, n - 1, 1000000);
        el_nvme_security_lists(data + 1, n - 1, EL_NVME_NSID_ALL & 0xff);
        break;
    }
    return 0;
}
