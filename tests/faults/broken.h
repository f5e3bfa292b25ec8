/* A machine that breaks: a backend between the daemon and the twin, and the system calls under the daemon (see
 * broken.c). */
#pragma once

#include <stdbool.h>

#include "base/rng.h"
#include "model/device.h"
#include "model/settings.h"
#include "twin/twin.h"

/* Faults that the twin does not play by itself. */
enum broken_kind {
    BROKEN_PAGE_ZERO = 0, /* every page of the drive reads zero */
    BROKEN_PAGE_ONES,
    BROKEN_PAGE_RANDOM,   /* but Identify: a drive that names itself anew each time is another drive each time */
    BROKEN_STATUS,        /* commands answer an NVMe error */
    BROKEN_EIO,           /* commands fail */
    BROKEN_LATE,          /* pages come that were true when the fault began */
    BROKEN_IO_COUNTERS,   /* I/O counters jump about */
    BROKEN_WRITE_REFUSED, /* actuators: an error */
    BROKEN_WRITE_HALF,    /* half way between what was and what was asked for */
    BROKEN_READ_BACK,     /* what is in force cannot be read */
    BROKEN_SAVE,          /* what stands there cannot be read before the first write */
    BROKEN_RESTORE,
    BROKEN_DISCOVERY, /* looking for drives fails */
    BROKEN_DISK_FULL, /* writing any file stops half way */
    BROKEN_READ_ONLY, /* no file can be made */
    BROKEN_RENAME,
    BROKEN_FSYNC,
    BROKEN_DESCRIPTORS, /* no descriptor is left */
    BROKEN_EINTR,       /* each second call is interrupted first */
    BROKEN_SHORT,       /* writes take half of it */
    BROKEN_READ,        /* files that were opened cannot be read */
    BROKEN_MEMORY,      /* one in thirty allocations fails */
    BROKEN_CLOCK,       /* the time of day jumps by years */
    BROKEN_THREADS,     /* no thread can be made */
    BROKEN_SUSPEND,     /* the machine sleeps: no I/O, no round */
    BROKEN_KINDS
};
extern const char *const broken_names[BROKEN_KINDS];
extern unsigned long broken_struck[BROKEN_KINDS]; /* how often each of them changed what happened */

struct broken_fault {
    enum broken_kind kind;
    int slot; /* of a drive */
    double from_s, to_s;
};

#define BROKEN_FAULTS 2
#define BROKEN_SAVED  64

struct broken {
    struct el_device inner;
    const struct el_settings *settings;
    struct broken_fault fault[BROKEN_FAULTS];
    int faults;
    struct el_rng rng;
    bool dead; /* killed: writes nothing any more */
    bool few;  /* half of the drives and sensors are not plugged in yet */
    bool many; /* they have just come */
    bool over; /* the daemon has ended: nothing breaks any more */
    uint8_t late[EL_CARD_SLOTS_MAX][512];
    bool late_known[EL_CARD_SLOTS_MAX];
    double critical_c[EL_CARD_SLOTS_MAX]; /* that drives say they have; 0 = the twin's */
    struct {
        enum el_actuator kind;
        char serial[24], original[512];
    } saved[BROKEN_SAVED];
    int n_saved;
    unsigned writes, restores, unjournalled, not_original;
};

extern const struct el_device_ops broken_ops;

/* The fault of this kind is on now (for this slot, or -1 for any). */
bool broken_now(const struct broken *b, enum broken_kind kind, int slot);

/* The serial of the drive that is there, by its own word, even while it does not answer the daemon. */
bool broken_serial(struct broken *b, uint32_t key, char out[24]);

/* Whose system calls break; NULL = nobody's. */
void broken_calls(struct broken *b);
/* Calls `die` at the nth place from now where something is written, to a file or to a drive, before or after it; 0 =
 * never. */
void broken_kill_at(unsigned n, void (*die)(struct broken *b));
/* The nth call from now that takes memory or a descriptor fails; 0 = none. True: it did. */
void broken_nth_call(unsigned n);
bool broken_call_failed(void);
