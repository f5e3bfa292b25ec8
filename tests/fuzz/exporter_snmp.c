/* What a person or an older release wrote for SNMP: users file, sinks, OIDs. */
#include <string.h>

#include "base/oid.h"
#include "exporter/snmp_access.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_snmp_access a = {0};
    struct el_snmp_sink sink = {0};
    el_oid oid[EL_OID_MAX];
    char why[256], line[EL_SNMP_USER_LINE], *text = malloc(n + 1);

    if (!text)
        return 0;
    memcpy(text, data, n);
    text[n] = '\0';
    if (el_snmp_access_parse(text, &a, why, sizeof why) < 0 && !why[0])
        abort();
    for (uint32_t i = 0; i < a.users; i++) {
        el_snmp_access_line(&a.user[i], line);
        if (el_snmp_access_user(&a, a.user[i].name) != &a.user[i])
            abort();
    }
    if (el_snmp_sink_parse(text, &sink, why, sizeof why) == 0 && sink.engine_len > sizeof sink.engine)
        abort();
    if (el_oid_parse(text, oid) > EL_OID_TEXT_MAX)
        abort();
    free(text);
    return 0;
}
