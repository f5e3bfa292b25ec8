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
    EL_AUTO_BUF struct el_buf b = {0};
    bool example = false;
    int r = el_flags_read(argc, argv, (struct el_flag[]){{"example", EL_FLAG_SWITCH, &example}, {0}}, help, true);

    if (r >= 0)
        return r;
    if (example) {
        el_config_example(&b);
        return fputs(b.data, stdout) == EOF ? EL_EXIT_BAD : EL_EXIT_OK;
    }
    return argv[optind] ? check(argv[optind]) : el_flags_usage(argv[0], "expected one file");
}
