/* The hands: a thread that carries out what was decided, so that no tick ever waits for a write. Before the first write
 * to anything its original goes to the journal; after each write it is read back, and what is reported is what was
 * read. In observe and advise the null hand is used: a hand like any other that moves nothing. */
#pragma once

#include "control/journal.h"
#include "model/device.h"

struct el_actuate;

/* The drive or fan that an actuator belongs to. */
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

/* The kinds of actuators that may be moved, a bit each; none = the null hand. What was moved before by any other kind
 * goes back to its original as soon as its drive is not hot. */
#define EL_ACTUATE_ALL ((1u << EL_ACTUATOR_COUNT) - 1)
void el_actuate_set_acting(struct el_actuate *a, uint32_t kinds);

/* One actuator of one drive or fan; valid until el_actuate_free. NULL: out of memory. It is identified by kind and
 * serial; its present key is taken from `t`. */
struct el_actuate_item;
struct el_actuate_item *el_actuate_item(struct el_actuate *a, enum el_actuator kind, const struct el_actuate_target *t);

/* All from the tick thread; none blocks on a device. A newer wish replaces an older one that is not carried out yet.
 * The thread starts on the wishes at el_actuate_go: woken for each of them, it would compete with the tick. */
void el_actuate_go(struct el_actuate *a);
void el_actuate_want(struct el_actuate *a, struct el_actuate_item *it, const struct el_actuator_value *v);
/* As el_actuate_go, but lets the writes go first: returns when they are done, or after `wait_us`. */
void el_actuate_wait_written(struct el_actuate *a, int64_t wait_us);
/* Once a tick for what is still wished: if it failed, or somebody undid it, it is asked for again until it is in force,
 * at once and then at growing intervals of up to 80 s. `now_us`: from any clock, but always the same one. */
void el_actuate_again(struct el_actuate *a, struct el_actuate_item *it, int64_t now_us);
/* Whether it is still the drive that the wish was for. In doubt nothing is written or restored, not even at exit;
 * el_actuate_again asks later for what was not written. With another drive in its place nothing is read either, until
 * the item is asked for by its serial again. */
enum el_doubt { EL_DOUBT_NONE = 0, EL_DOUBT_SOME, EL_DOUBT_REPLACED };
void el_actuate_doubt(struct el_actuate *a, struct el_actuate_item *it, enum el_doubt doubt);
void el_actuate_status(struct el_actuate *a, const struct el_actuate_item *it, struct el_actuate_status *out);
/* Tells and asks everything about it, once a tick. What is hot is not let go: neither by a restore nor at exit. */
void el_actuate_exchange(struct el_actuate *a, struct el_actuate_item *it, bool hot, enum el_doubt doubt,
                         struct el_actuate_status *out);

/* True while its original is in the journal: something of ours may be in force. */
bool el_actuate_moved(struct el_actuate *a, const struct el_actuate_item *it);

/* Takes over the journal entries of an earlier run for this drive: they are held, governed further, and restored in the
 * end; a fan is given back at once. Fills `out` where there is one; what is in force is read by the thread. 1: took
 * something over, 0: nothing to take, -ENOMEM: took only a part. */
int el_actuate_adopt(struct el_actuate *a, const struct el_actuate_target *t, bool hot,
                     struct el_actuate_item *out[EL_ACTUATOR_COUNT]);
/* Once a tick, at its start: looks for hung writes, has everything moved read back, releases what may be released. */
void el_actuate_tick(struct el_actuate *a, int64_t now_us);

/* Restores everything that is not hot, waits at most `wait_us`, frees. Returns how many things stay as they are now,
 * with their originals in the journal. */
size_t el_actuate_free(struct el_actuate *a, int64_t wait_us);
