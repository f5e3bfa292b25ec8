#include "model/reading.h"

const char *el_quality_name(enum el_quality q)
{
    switch (q) {
    case EL_ABSENT:
        return "absent";
    case EL_GOOD:
        return "good";
    case EL_STALE:
        return "stale";
    case EL_IMPLAUSIBLE:
        return "implausible";
    case EL_FAILED:
        return "failed";
    }
    return "absent";
}

const char *el_origin_name(enum el_origin o)
{
    return o == EL_MEASURED ? "measured" : o == EL_ESTIMATED ? "estimated" : "assumed";
}
