/* The hands: a thread of their own that carries out what was decided, so that no tick ever waits for a write. Before
 * the first write to anything its original goes to the journal; after each write it is read back, and what is reported
 * is what was read. In observe and advise the null hand is used: a hand like any other, that moves nothing. */
#pragma once

#include "control/journal.h"
#include "model/device.h"

struct el_actuate;

/* What is known of the thing an actuator sits on. */
struct el_actuate_target {
    uint32_t key;
    char serial[64]; /* of the drive; of a fan: the sensor's name */
    char place[96];  /* for people */
};

struct el_actuate_status {
    uint64_t lowered, raised, mismatches, failures;
    int64_t last_us; /* last write; 0 = never */
    bool known;      /* in_force was read back */
    struct el_actuator_value in_force;
    bool failed; /* the last write failed, did not take, or hangs */
};

/* `journal` is taken over. `thread`: use a thread (backends that can block). NULL: out of memory. */
struct el_actuate *el_actuate_new(const struct el_device *dev, struct el_journal *journal, bool thread);

/* The kinds that writes move, a bit each. None: the null hand. What was moved before of other kinds goes back to its
 * original as soon as it is not hot. */
#define EL_ACTUATE_ALL ((1u << EL_ACTUATOR_COUNT) - 1)
void el_actuate_set_acting(struct el_actuate *a, uint32_t kinds);

/* One actuator of one drive or fan; valid until el_actuate_free. NULL: out of memory. Known by kind and serial; the key
 * of the day is taken from `t`. */
struct el_actuate_item;
struct el_actuate_item *el_actuate_item(struct el_actuate *a, enum el_actuator kind, const struct el_actuate_target *t);

/* All from the tick thread; none blocks on a device. The newest wish replaces an older one not yet carried out. The
 * thread begins with what was wished at el_actuate_go: woken for each wish it would take turns with the tick. */
void el_actuate_go(struct el_actuate *a);
void el_actuate_want(struct el_actuate *a, struct el_actuate_item *it, const struct el_actuator_value *v);
/* Goes, and lets the writes go first: returns when they are out, or after `wait_us`. */
void el_actuate_wait_written(struct el_actuate *a, int64_t wait_us);
/* Once a tick for what is still wished: when it failed, or was taken back, it is asked for again, at once and then ever
 * more seldom, 80 s apart at most, until it is in force. `now_us`: of any clock, always the same. */
void el_actuate_again(struct el_actuate *a, struct el_actuate_item *it, int64_t now_us);
/* Whether it is still the drive that the wish was for. In doubt nothing is written or restored, at exit neither; what
 * was not written yet is asked for by el_actuate_again afterwards. With another drive in its place nothing is read
 * either, until it is asked for by its serial again. */
enum el_doubt { EL_DOUBT_NONE = 0, EL_DOUBT_SOME, EL_DOUBT_REPLACED };
void el_actuate_doubt(struct el_actuate *a, struct el_actuate_item *it, enum el_doubt doubt);
void el_actuate_status(struct el_actuate *a, const struct el_actuate_item *it, struct el_actuate_status *out);
/* All that is told of it and by it in a tick. What is hot is not let go: neither by a restore nor at exit. */
void el_actuate_exchange(struct el_actuate *a, struct el_actuate_item *it, bool hot, enum el_doubt doubt,
                         struct el_actuate_status *out);

/* True while its original is in the journal: something of ours may be in force. */
bool el_actuate_moved(struct el_actuate *a, const struct el_actuate_item *it);

/* Journal entries of an earlier run for this drive become ours: held, governed on, restored in the end; a fan is given
 * back at once. Fills `out` where there is one; what is in force is read by the thread. 1: something was taken up now,
 * 0: nothing, -ENOMEM: not all of it. */
int el_actuate_adopt(struct el_actuate *a, const struct el_actuate_target *t, bool hot,
                     struct el_actuate_item *out[EL_ACTUATOR_COUNT]);
/* Once a tick, at its start: looks for hung writes, has everything moved read back, releases what may be released. */
void el_actuate_tick(struct el_actuate *a, int64_t now_us);

/* Restores everything that is not hot, waits at most `wait_us`, frees. Returns how many things stay as they are now,
 * with their originals in the journal. */
size_t el_actuate_free(struct el_actuate *a, int64_t wait_us);
