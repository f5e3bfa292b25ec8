/* elementd metrics: the reference of all metrics, from the catalog. */
#include "base/text.h"
#include "cli/cli.h"
#include "model/catalog.h"

static const char help[] = "usage: elementd metrics [--json | --markdown]\n"
                           "Prints the reference of all metrics: name, type, labels, group and meaning.\n"
                           "Groups marked * are off by default; --collect of the exporter chooses them.\n";

/* "card, slot, sensor" */
static void put_label_names(const struct el_metric *m, const char *quote, struct el_buf *b)
{
    const char *row = el_scope_label_names(m->scope);
    const char *separator = quote[0] ? "\", \"" : ", ";

    el_buf_puts(b, row[0] || m->sub[0] ? quote : "");
    for (const char *p = row; *p; p++)
        if (*p == ',')
            el_buf_puts(b, separator);
        else if (*p != ' ')
            el_buf_putc(b, *p);
    for (int i = 0; i < 2 && m->sub[i]; i++) {
        if (row[0] || i)
            el_buf_puts(b, separator);
        el_buf_puts(b, m->sub[i]->label);
    }
    el_buf_puts(b, row[0] || m->sub[0] ? quote : "");
}

static bool on_by_default(const struct el_metric *m)
{
    return el_metric_groups_default() & 1ull << m->group;
}

static void put_text(const struct el_metric *m, struct el_buf *b)
{
    el_buf_printf(b, "%s%s  %s, %s%s {", m->name, el_metric_suffix(m), el_metric_type_name(m->type),
                  el_metric_group_name(m->group), on_by_default(m) ? "" : "*");
    put_label_names(m, "", b);
    el_buf_printf(b, "}\n    %s\n", m->help);
}

static void put_json(const struct el_metric *m, struct el_buf *b)
{
    el_buf_printf(b,
                  "{\"name\": \"%s%s\", \"type\": \"%s\", \"unit\": \"%s\", \"group\": \"%s\", \"default\": %s, "
                  "\"scope\": \"%s\", ",
                  m->name, el_metric_suffix(m), el_metric_type_name(m->type), m->unit, el_metric_group_name(m->group),
                  on_by_default(m) ? "true" : "false", el_metric_scope_name(m->scope));
    el_buf_puts(b, "\"labels\": [");
    put_label_names(m, "\"", b);
    el_buf_puts(b, "], \"help\": \"");
    el_text_json_escape(b, m->help);
    el_buf_puts(b, "\"}");
}

static void put_markdown(const struct el_metric *m, struct el_buf *b)
{
    el_buf_printf(b, "| `%s%s` | %s | ", m->name, el_metric_suffix(m), el_metric_type_name(m->type));
    put_label_names(m, "", b);
    el_buf_printf(b, " | %s |\n", m->help);
}

static void put_group(enum el_metric_group g, struct el_buf *b)
{
    el_buf_printf(b, "\n## %s\n\n%s%s.\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n",
                  el_metric_group_name(g), el_metric_group_help(g),
                  el_metric_groups_default() & 1ull << g ? "" : "; off by default");
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT; i++)
        if (el_metric(i)->group == g)
            put_markdown(el_metric(i), b);
}

static void put_all(int form, struct el_buf *b)
{
    if (form == 'm') {
        el_buf_puts(b, "# Metrics\n");
        for (uint32_t g = 0; g < EL_GROUP_COUNT; g++)
            put_group(g, b);
        return;
    }
    if (form == 'j')
        el_buf_puts(b, "{\"metrics\": [\n");
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT; i++) {
        if (form == 'j') {
            el_buf_puts(b, i ? ",\n" : "");
            put_json(el_metric(i), b);
        } else {
            put_text(el_metric(i), b);
        }
    }
    if (form == 'j')
        el_buf_puts(b, "\n]}\n");
}

int el_cmd_metrics(int argc, char **argv)
{
    bool json = false, markdown = false;
    const struct el_flag flags[] = {{"json", EL_FLAG_SWITCH, &json}, {"markdown", EL_FLAG_SWITCH, &markdown}, {0}};
    EL_AUTO_BUF struct el_buf b = {0};
    int r = el_flags_read(argc, argv, flags, help, false);

    if (r >= 0)
        return r;
    put_all(markdown ? 'm' : json ? 'j' : 't', &b);
    return el_cli_print(&b);
}
