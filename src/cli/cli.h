/* The subcommands of `elementd`, and what they share. To add one: write el_cmd_NAME in cli/NAME.c and add its row
 * below. */
#pragma once

#include "base/buf.h"
#include "cli/flags.h"
#include "model/device.h"

/* name, one line of help; in the order of `elementd --help`: to look and to run, to plan, to look up. */
#define EL_COMMANDS(X)                                                                                                 \
    X(run, "the daemon and the exporter together, without a service manager")                                          \
    X(scan, "what is plugged in: cards, drives, links, limits, actuators, and what is missing")                        \
    X(status, "what drives, limits and caps are like now, and why")                                                    \
    X(check, "what is wrong with a settings file, by file:line")                                                       \
    X(doctor, "what keeps elementd from doing its work here, and how to mend it")                                      \
    X(govern, "the daemon: read, decide, act, publish")                                                                \
    X(pause, "for a while, move nothing")                                                                              \
    X(restore, "undo what a daemon that was killed left set")                                                          \
    X(simulate, "a governor against a simulated card, and how well it did")                                            \
    X(envelope, "what a card can sustain over inlet temperature and airflow")                                          \
    X(decode, "what one drive with these raw NVMe pages would export")                                                 \
    X(capture, "records this machine, for --root")                                                                     \
    X(metrics, "the reference of all metrics")                                                                         \
    X(mib, "the SNMP module of the exporter")

#define EL_COMMAND_DECLARE(name, help) int el_cmd_##name(int argc, char **argv);
EL_COMMANDS(EL_COMMAND_DECLARE)
#undef EL_COMMAND_DECLARE

static inline int el_cli_no_memory(void)
{
    fputs("elementd: out of memory\n", stderr);
    return EL_EXIT_BAD;
}

/* Prints an answer: EL_EXIT_OK, or EL_EXIT_BAD without printing anything when memory ran out. Main notices when it
 * could not be written. */
static inline int el_cli_print(const struct el_buf *b)
{
    if (b->failed)
        return el_cli_no_memory();
    if (b->len)
        fwrite(b->data, 1, b->len, stdout);
    return EL_EXIT_OK;
}

/* Flags that say which machine is meant: EL_MACHINE_FLAGS in a command's table of flags. */
struct el_machine_flags {
    const char *config; /* settings file; NULL = the installed one if it is there, else defaults */
    const char *simulate, *workload, *scenario; /* a twin of this card */
    const char *root;                           /* a recorded machine */
    double inlet_c, airflow_lfm;                /* NAN = not given */
    uint64_t cards, seed;
};
#define EL_MACHINE_FLAGS_INIT                                                                                          \
    {                                                                                                                  \
        .inlet_c = NAN, .airflow_lfm = NAN, .cards = 1, .seed = 1                                                      \
    }
#define EL_MACHINE_FLAGS(m)                                                                                            \
    {"config", EL_FLAG_TEXT, &(m).config}, {"simulate", EL_FLAG_TEXT, &(m).simulate},                                  \
        {"workload", EL_FLAG_TEXT, &(m).workload}, {"inlet", EL_FLAG_NUMBER, &(m).inlet_c, -40, 90},                   \
        {"airflow", EL_FLAG_NUMBER, &(m).airflow_lfm, 0, 5000}, {"cards", EL_FLAG_COUNT, &(m).cards, 1, 256},          \
        {"scenario", EL_FLAG_TEXT, &(m).scenario}, {"seed", EL_FLAG_COUNT, &(m).seed, 0, UINT64_MAX},                  \
    {                                                                                                                  \
        "root", EL_FLAG_TEXT, &(m).root                                                                                \
    }
#define EL_MACHINE_HELP                                                                                                \
    "  --config FILE      settings (default: " EL_CONFIG_FILE " if it is there)\n"                                     \
    "  --simulate CARD    a simulated card instead of this machine: element-aic, lqd4500\n"                            \
    "  --cards N          how many of them (1)\n"                                                                      \
    "  --workload NAME    what its drives do (random-write-4k); a name from the card's profile, or idle\n"             \
    "  --inlet C          its inlet temperature (25)\n"                                                                \
    "  --airflow LFM      its air (400)\n"                                                                             \
    "  --scenario FILE    changes and faults over time\n"                                                              \
    "  --seed N           of everything random (1)\n"                                                                  \
    "  --root DIR         a recorded machine (see `elementd capture`)\n"

/* EL_EXIT_OK, or EL_EXIT_USAGE for flags that contradict each other (printed). */
int el_machine_check(const struct el_machine_flags *f);

/* Defaults of this machine: those of el_settings_default, but a simulated one enforces. */
void el_machine_defaults(const struct el_machine_flags *f, struct el_settings *out);

/* The settings file these flags name, or the installed one when it is there; NULL = none. */
const char *el_machine_config(const struct el_machine_flags *f);

/* Looks up the host of a notification sink (snmp.sinks), which may take seconds. NULL, or why it is not found. */
const char *el_sink_unfound(const char *sink);

/* The settings these flags stand for: the file over the defaults, with the profiles' directory found. 0, or -errno with
 * the reason printed (also that `out` is NULL because memory ran out). */
int el_machine_settings(const struct el_machine_flags *f, struct el_settings *out);

/* Opens the machine. 0, or -errno with the reason printed. */
int el_machine_open(const struct el_machine_flags *f, const struct el_settings *settings, struct el_device *out);

/* True for a machine that is not real hardware, where nothing can be harmed. */
bool el_machine_is_play(const struct el_machine_flags *f);

/* Sets the profiles' directory: that of the settings if it exists, else the one beside an executable that is not
 * installed. */
void el_cli_find_profiles(struct el_settings *s);
