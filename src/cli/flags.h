/* A command's flags as a table: its name, what it takes, where that goes. One reader for both programs. */
#pragma once

#include <math.h>

#include "config/config.h"

/* Exit codes of every command. Daemons use the last one also for settings that cannot work and for a required sandbox
 * that is not available: started again they would end the same way, so their units do not restart them. */
enum { EL_EXIT_OK = 0, EL_EXIT_BAD = 1 /* it ran, the answer is bad */, EL_EXIT_USAGE = 2 };

enum el_flag_kind {
    EL_FLAG_SWITCH,  /* bool: it was given */
    EL_FLAG_TEXT,    /* const char *: as it was given, never empty */
    EL_FLAG_NAME,    /* char[hi]: a copy, never empty */
    EL_FLAG_NUMBER,  /* double, lo..hi */
    EL_FLAG_COUNT,   /* uint64_t, lo..hi */
    EL_FLAG_CHOICE,  /* int or an enumeration: an index into `names` */
    EL_FLAG_SETTING, /* struct el_overrides: a setting, within the bounds that it has in the file */
};

struct el_flag {
    const char *name; /* without its dashes; NULL ends the table */
    enum el_flag_kind kind;
    void *into;
    double lo, hi;
    const char *const *names; /* of a choice, NULL at the end */
    const char *setting;
};
#define EL_FLAG_SANDBOX(into_)                                                                                         \
    {                                                                                                                  \
        "sandbox", EL_FLAG_CHOICE, into_, .names = el_sandbox_names                                                    \
    }
extern const char *const el_sandbox_names[]; /* in the order of enum el_sandbox_mode */

/* Settings given as flags, which override those of the file at the start and at each reload. */
struct el_overrides {
    struct {
        const char *setting, *flag, *text;
    } row[64];
    size_t n;
};
/* A list given by flags replaces that of the file. 0 or -errno with the reason in `err`. */
int el_overrides_apply(const struct el_overrides *o, struct el_settings *s, struct el_config_error *err);

/* Reads the flags of a command whose name stands in argv[0], and `--help`; when `operand` is true, at most one operand
 * may be left, at argv[optind]. -1: go on; else the exit code, with everything printed. */
int el_flags_read(int argc, char **argv, const struct el_flag *flags, const char *help, bool operand);

static inline int el_flags_ended(int r, int in_vain)
{
    return r == in_vain ? EL_EXIT_USAGE : r < 0 ? EL_EXIT_BAD : EL_EXIT_OK;
}

/* The exit code of a program that has answered; `code` unless the answer could not be written (to a full disk, say). */
int el_flags_answered(const char *program, int code);

/* Prints "COMMAND: message" and a hint to --help; returns EL_EXIT_USAGE. */
int el_flags_usage(const char *command, const char *fmt, ...) EL_PRINTF(2, 3);
