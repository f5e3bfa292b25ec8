/* Test support: a plausible snapshot with any number of drives, the same for the same arguments. */
#pragma once

#include "model/snapshot.h"

struct el_test_snapshot {
    uint32_t drives;  /* slots that hold a drive; 8 to a card behind a switch, the rest on a smaller card */
    uint32_t sensors; /* temperature sensors each drive reports beside the composite: 0..8 */
    uint64_t seq;     /* 0 = 1 */
    int64_t time_us;  /* BOOTTIME; 0 = now */
    uint64_t seed;    /* of the values */
    uint32_t events, alarms;
    bool odd;    /* slot 1 empty, slot 2 gone, slot 3 failed, slot 4 with extreme counters and text, a slow link, as far
                    as there are drives */
    bool kinds;  /* events are of every kind in turn, each raised and then cleared */
    bool turned; /* cards numbered backwards, other drives in the slots */
};

/* Sealed; free with el_snapshot_free. NULL: out of memory. */
struct el_snapshot *el_test_snapshot_new(const struct el_test_snapshot *o);
