/* elementd check: says everything that is wrong with a settings file. */
#include <stdio.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "config/config.h"

static const char help[] = "usage: elementd check FILE\n"
                           "       elementd check --example\n"
                           "Says all that is wrong with a settings file as FILE:LINE: what was expected; exit 1.\n"
                           "  --example  prints the commented file with every setting at its default\n";

static int check(const char *path)
{
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    struct el_config_error err;

    if (!s || el_config_load(path, s, &err) < 0) {
        fprintf(stderr, "%s\n", s ? err.text : "elementd check: out of memory");
        return EL_EXIT_BAD;
    }
    printf("%s: good\n", path);
    return EL_EXIT_OK;
}

int el_cmd_check(int argc, char **argv)
{
    static const struct option options[] = {
        {"example", no_argument, NULL, 'e'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    EL_AUTO_BUF struct el_buf b = {0};
    int c;

    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EL_EXIT_OK;
        }
        if (c != 'e')
            return EL_EXIT_USAGE;
        el_config_example(&b);
        return fputs(b.data, stdout) == EOF ? EL_EXIT_BAD : EL_EXIT_OK;
    }
    if (optind + 1 != argc)
        return el_cli_usage("check", "expected one file");
    return check(argv[optind]);
}
