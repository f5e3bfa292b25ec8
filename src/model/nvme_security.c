/* What a drive says of its own encryption and locks: the list of its security protocols and the TCG Level 0 Discovery.
 */
#include <errno.h>

#include "model/nvme.h"
#include "model/nvme_layout.h"

bool el_nvme_security_lists(const uint8_t *page, size_t size, uint8_t protocol)
{
    size_t n, i;

    if (size < EL_SECP_LIST)
        return false;
    n = el_be_get(page + EL_SECP_LENGTH, 2);
    for (i = 0; i < EL_MIN(n, size - EL_SECP_LIST); i++)
        if (page[EL_SECP_LIST + i] == protocol)
            return true;
    return false;
}

/* Security subsystem classes: the features that say by which rules a drive is locked. */
const char *el_nvme_ssc_name(uint16_t feature)
{
    switch (feature) {
    case 0x0100:
        return "enterprise";
    case 0x0200:
        return "opal-1";
    case 0x0203:
        return "opal-2";
    case 0x0301:
        return "opalite";
    case 0x0302:
        return "pyrite-1";
    case 0x0303:
        return "pyrite-2";
    case 0x0304:
        return "ruby";
    case 0x0305:
        return "key-per-io";
    default:
        return "";
    }
}

static void take_feature(struct el_nvme_security *out, const uint8_t *d, size_t length)
{
    uint16_t code = (uint16_t)el_be_get(d, 2);

    if (code == EL_TCG_FEATURE_LOCKING && length >= 1) {
        uint8_t bits = d[EL_TCG_FEATURE_DATA];

        out->locking_supported = bits & EL_TCG_LOCKING_SUPPORTED;
        out->locking_enabled = bits & EL_TCG_LOCKING_ENABLED;
        out->locked = bits & EL_TCG_LOCKED;
        out->media_encryption = bits & EL_TCG_MEDIA_ENCRYPTION;
    }
    if (el_nvme_ssc_name(code)[0] && code > out->ssc)
        out->ssc = code;
}

int el_nvme_decode_security(struct el_nvme_security *out, const uint8_t *page, size_t size)
{
    struct el_nvme_security s = {.tcg = true};
    size_t end, at = EL_TCG_HEADER_SIZE;

    if (size < EL_TCG_HEADER_SIZE)
        return -EBADMSG;
    end = el_be_get(page + EL_TCG_LENGTH, 4) + EL_TCG_LENGTH_COUNTS_FROM;
    if (end < EL_TCG_HEADER_SIZE)
        return -EBADMSG;
    end = EL_MIN(end, size);
    while (at + EL_TCG_FEATURE_DATA <= end) {
        size_t length = page[at + EL_TCG_FEATURE_LENGTH];

        if (at + EL_TCG_FEATURE_DATA + length > end)
            break; /* cut short: what came before it stands */
        take_feature(&s, page + at, length);
        at += EL_TCG_FEATURE_DATA + length;
    }
    *out = s;
    return 0;
}
