/* elementd mib: prints ELEMENT-MIB, for the OID below which it is served. */
#include <string.h>

#include "base/oid.h"
#include "cli/cli.h"
#include "cli/mib_text.h"

static const char help[] = "usage: elementd mib [--base OID]\n"
                           "Prints ELEMENT-MIB, the SNMP module of elementd-exporter.\n\n"
                           "  --base OID   where it is rooted; the same as snmp.base_oid in the settings\n"
                           "               (1.3.6.1.4.1.8072.9999.9999.10450, for experiments)\n";

static const el_oid enterprises[] = {1, 3, 6, 1, 4, 1};
#define ENTERPRISES EL_ARRAY_SIZE(enterprises)

/* "{ enterprises elBase1(8072) 10450 }": SMIv2 wants a name for each number but the last. */
static void put_base(struct el_buf *b, const el_oid *base, size_t n)
{
    el_buf_puts(b, "    ::= { enterprises");
    for (size_t i = ENTERPRISES; i + 1 < n; i++)
        el_buf_printf(b, " elBase%zu(%lu)", i - ENTERPRISES + 1, base[i]);
    el_buf_printf(b, " %lu }", base[n - 1]);
}

/* The text with the assignment of its MODULE-IDENTITY, the first in it, replaced. */
static void put_module(struct el_buf *b, const el_oid *base, size_t n)
{
    const char *from = strstr(el_mib_text, "    ::= { enterprises"), *to = from ? strchr(from, '}') : NULL;

    if (!to) {
        b->failed = true;
        return;
    }
    el_buf_put(b, el_mib_text, (size_t)(from - el_mib_text));
    put_base(b, base, n);
    el_buf_puts(b, to + 1);
}

int el_cmd_mib(int argc, char **argv)
{
    const char *rooted = NULL;
    EL_AUTO_BUF struct el_buf text = {0};
    el_oid base[EL_OID_MAX];
    size_t n = 0;
    int r = el_flags_read(argc, argv, (struct el_flag[]){{"base", EL_FLAG_TEXT, &rooted}, {0}}, help, false);

    if (r >= 0)
        return r;
    if (rooted) {
        n = el_oid_parse(rooted, base);
        if (n <= ENTERPRISES || memcmp(base, enterprises, sizeof enterprises) != 0)
            return el_flags_usage(argv[0], "--base: \"%s\": expected an OID below enterprises (1.3.6.1.4.1)", rooted);
    }
    if (n)
        put_module(&text, base, n);
    else
        el_buf_puts(&text, el_mib_text);
    return el_cli_print(&text);
}
