/* The subcommands of `elementd`, and what they share. To add one: write el_cmd_NAME in cli/NAME.c and add its row
 * below. */
#pragma once

#include <getopt.h>
#include <math.h>
#include <stdint.h>

#include "model/device.h"
#include "model/settings.h"

/* Exit codes of every command. */
enum { EL_EXIT_OK = 0, EL_EXIT_BAD = 1 /* it ran, the answer is bad */, EL_EXIT_USAGE = 2 };

/* name, one line of help; the order is that of `elementd --help`. */
#define EL_COMMANDS(X)                                                                                                 \
    X(run, "the daemon and the exporter together, without a service manager")                                          \
    X(envelope, "what a card can sustain over inlet temperature and airflow")                                          \
    X(govern, "the daemon: read, decide, act, publish")                                                                \
    X(scan, "what is plugged in: cards, drives, links, limits, actuators, and what is missing")                        \
    X(decode, "what one drive with these raw NVMe pages would export")                                                 \
    X(metrics, "the reference of all metrics")                                                                         \
    X(mib, "the SNMP module of the exporter")                                                                          \
    X(status, "what drives, limits and caps are like now, and why")                                                    \
    X(simulate, "a governor against a simulated card, and how well it did")                                            \
    X(check, "what is wrong with a settings file, by file:line")                                                       \
    X(pause, "for a while, move nothing")                                                                              \
    X(restore, "undo what a daemon that was killed left set")                                                          \
    X(capture, "records this machine, for --root")                                                                     \
    X(doctor, "what keeps elementd from doing its work here, and how to mend it")

#define EL_COMMAND_DECLARE(name, help) int el_cmd_##name(int argc, char **argv);
EL_COMMANDS(EL_COMMAND_DECLARE)
#undef EL_COMMAND_DECLARE

/* Flags that say which machine is meant. Add EL_MACHINE_OPTIONS to a getopt_long table, give each code that getopt
 * returns to el_machine_flag, then open the machine. */
struct el_machine_flags {
    const char *config; /* settings file; NULL = the installed one if it is there, else defaults */
    const char *simulate, *workload, *scenario; /* a twin of this card */
    const char *root;                           /* a recorded machine */
    double inlet_c, airflow_lfm;                /* NAN = not given */
    uint32_t cards;
    uint64_t seed;
};
#define EL_MACHINE_FLAGS_INIT                                                                                          \
    {                                                                                                                  \
        .inlet_c = NAN, .airflow_lfm = NAN, .cards = 1, .seed = 1                                                      \
    }

enum {
    EL_FLAG_CONFIG = 0x100,
    EL_FLAG_SIMULATE,
    EL_FLAG_WORKLOAD,
    EL_FLAG_INLET,
    EL_FLAG_AIRFLOW,
    EL_FLAG_CARDS,
    EL_FLAG_SCENARIO,
    EL_FLAG_SEED,
    EL_FLAG_ROOT,
    EL_FLAG_OWN /* a command's own codes start here */
};
#define EL_MACHINE_OPTIONS                                                                                             \
    {"config", required_argument, NULL, EL_FLAG_CONFIG}, {"simulate", required_argument, NULL, EL_FLAG_SIMULATE},      \
        {"workload", required_argument, NULL, EL_FLAG_WORKLOAD}, {"inlet", required_argument, NULL, EL_FLAG_INLET},    \
        {"airflow", required_argument, NULL, EL_FLAG_AIRFLOW}, {"cards", required_argument, NULL, EL_FLAG_CARDS},      \
        {"scenario", required_argument, NULL, EL_FLAG_SCENARIO}, {"seed", required_argument, NULL, EL_FLAG_SEED},      \
    {                                                                                                                  \
        "root", required_argument, NULL, EL_FLAG_ROOT                                                                  \
    }
#define EL_MACHINE_HELP                                                                                                \
    "  --config FILE      settings (default: /etc/elementd/elementd.yaml if it is there)\n"                            \
    "  --simulate CARD    a simulated card instead of this machine: element-aic, lqd4500\n"                            \
    "  --cards N          how many of them (1)\n"                                                                      \
    "  --workload NAME    what its drives do (random-write-4k); a name from the card's profile, or idle\n"             \
    "  --inlet C          its inlet temperature (25)\n"                                                                \
    "  --airflow LFM      its air (400)\n"                                                                             \
    "  --scenario FILE    changes and faults over time\n"                                                              \
    "  --seed N           of everything random (1)\n"                                                                  \
    "  --root DIR         a recorded machine (see `elementd capture`)\n"

/* 1 taken, 0 not a machine flag, -EINVAL (already said what is wrong with it). */
int el_machine_flag(struct el_machine_flags *f, int code, const char *arg);

/* Flags that contradict each other: says so, -EINVAL. */
int el_machine_check(const struct el_machine_flags *f);

/* A bounded number given to a flag; says what is wrong. 0 or -EINVAL. */
int el_cli_number(const char *flag, const char *arg, double min, double max, double *out);

/* Defaults of this machine: those of el_settings_default, but a simulated one enforces. */
void el_machine_defaults(const struct el_machine_flags *f, struct el_settings *out);

/* The settings file these flags name, or the installed one when it is there; NULL = none. */
const char *el_machine_config(const struct el_machine_flags *f);

/* The settings these flags stand for: the file over the defaults, profiles found. Says what is wrong. 0 or -errno. */
int el_machine_settings(const struct el_machine_flags *f, struct el_settings *out);

/* Opens the machine. Says what is wrong. 0 or -errno. */
int el_machine_open(const struct el_machine_flags *f, const struct el_settings *settings, struct el_device *out);

/* True for a machine that is not real hardware: nothing can be harmed. */
bool el_machine_is_play(const struct el_machine_flags *f);

/* Where profiles are: the settings' directory when it is there, else those beside an uninstalled executable. */
void el_cli_find_profiles(struct el_settings *s);

/* Keeps SIGTERM, SIGINT and SIGHUP waiting until the command takes them from its signal descriptor: the first thing
 * that a daemon does, so that no moment of its start is one where it would die of them. */
void el_cli_hold_signals(void);

/* Prints "elementd COMMAND: message" and a hint to --help; returns EL_EXIT_USAGE. */
/* The values of --mode and --log-level. 0 or -EINVAL, said in the name of `command`. */
int el_cli_mode(const char *command, const char *arg, int *out);
int el_cli_log_level(const char *command, const char *arg, int *out);

int el_cli_usage(const char *command, const char *fmt, ...) EL_PRINTF(2, 3);
