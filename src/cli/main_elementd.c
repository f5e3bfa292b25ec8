/* elementd: finds the subcommand and runs it. */
#include <string.h>

#include "base/base.h"
#include "cli/cli.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
#define EL_COMMAND_ROW(name, help) {#name, el_cmd_##name, help},
    EL_COMMANDS(EL_COMMAND_ROW)
#undef EL_COMMAND_ROW
};

static void print_help(FILE *to)
{
    fputs("usage: elementd COMMAND [flags]\n\n", to);
    for (size_t i = 0; i < EL_ARRAY_SIZE(commands); i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
    fputs("\nelementd COMMAND --help says more. Exit codes: 0 good, 1 it ran and the answer is bad, 2 wrong usage.\n",
          to);
}

static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

static int unknown(const char *name)
{
    const char *best = NULL;
    size_t best_n = 1;

    for (size_t i = 0; i < EL_ARRAY_SIZE(commands); i++)
        if (common_prefix(commands[i].name, name) > best_n) {
            best = commands[i].name;
            best_n = common_prefix(best, name);
        }
    fprintf(stderr, "elementd: unknown command \"%s\"", name);
    if (best)
        fprintf(stderr, "; did you mean \"%s\"?", best);
    fputs("\nelementd --help lists the commands\n", stderr);
    return EL_EXIT_USAGE;
}

/* getopt complains in the name of the program: that is the command too. */
static int run(const struct command *c, int argc, char **argv)
{
    char name[64];

    snprintf(name, sizeof name, "elementd %s", c->name);
    argv[0] = name;
    return el_flags_answered("elementd", c->run(argc, argv));
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EL_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return el_flags_answered("elementd", EL_EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("elementd " EL_VERSION);
        return el_flags_answered("elementd", EL_EXIT_OK);
    }
    for (size_t i = 0; i < EL_ARRAY_SIZE(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run(&commands[i], argc - 1, argv + 1);
    return unknown(argv[1]);
}
