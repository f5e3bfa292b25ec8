/* The settings that elementd found before it first changed them, kept so that they can be restored after a crash: one
 * JSON file in the state directory, replaced whole (write, fsync, rename) before the first write to anything. Entries
 * of another boot are void, because the kernel and the drives have forgotten our settings too; except those of fans,
 * whose chips can outlive a reboot. Not thread-safe; every change blocks on the disk. */
#pragma once

#include "model/device.h"

#define EL_JOURNAL_FILE     "journal"
#define EL_JOURNAL_FILE_MAX (4u << 20)

struct el_journal_entry {
    enum el_actuator actuator;
    char serial[64];                /* of the drive; of a fan: the sensor's name */
    char place[96];                 /* for people: "lqd4500-0 slot 3" */
    char original[EL_ORIGINAL_MAX]; /* what actuator_save gave */
};

struct el_journal;

/* The journal in `dir`; a missing file is an empty journal. 0, -ENOMEM, -EBADMSG (not a journal of ours, or too long
 * for one: left as it is), or another -errno. */
int el_journal_open(const char *dir, struct el_journal **out);
/* In place of one that cannot be read: empty, and nothing can be added (-EBADMSG), so that nothing is set that could not
 * be given back. The file stays. NULL: out of memory. */
struct el_journal *el_journal_none(void);
struct el_journal *el_journal_free(struct el_journal *j); /* takes NULL, returns NULL; the file stays */

size_t el_journal_count(const struct el_journal *j);
const struct el_journal_entry *el_journal_at(const struct el_journal *j, size_t i);
const struct el_journal_entry *el_journal_find(const struct el_journal *j, enum el_actuator a, const char *serial);

/* Durable when 0 is returned; on -errno neither file nor memory changed. An empty journal has no file. */
int el_journal_add(struct el_journal *j, const struct el_journal_entry *e);
int el_journal_remove(struct el_journal *j, enum el_actuator a, const char *serial);
