/* The commented example, generated from the table of settings so that the two cannot disagree. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "config/config.h"
#include "config/settings_table.h"

static void put_text(struct el_buf *b, const char *text)
{
    if (text[strcspn(text, ":#*\"'[]{},&!|>%@` ")] || !text[0])
        el_buf_printf(b, "\"%s\"", text);
    else
        el_buf_puts(b, text);
}

static const char *enum_name(const struct el_field *s, uint32_t value)
{
    for (size_t i = 0; s->names[i]; i++)
        if ((s->values ? s->values[i] : i) == value)
            return s->names[i];
    return "";
}

static void put_value(struct el_buf *b, const struct el_field *s, const char *base)
{
    const void *field = base + s->offset;

    switch (s->type) {
    case EL_FIELD_DOUBLE_OR_NULL:
        if (isnan(*(const double *)field))
            el_buf_puts(b, "null");
        else
            el_buf_double(b, *(const double *)field);
        break;
    case EL_FIELD_UNSIGNED:
        el_buf_u64(b, *(const uint32_t *)field);
        break;
    case EL_FIELD_BOOL:
        el_buf_puts(b, *(const bool *)field ? "true" : "false");
        break;
    case EL_FIELD_ENUM:
        put_text(b, enum_name(s, *(const uint32_t *)field));
        break;
    case EL_FIELD_TEXT:
        put_text(b, field);
        break;
    default:
        el_buf_puts(b, "[]");
        break;
    }
}

static void put_doc(struct el_buf *b, int indent, const char *lead, const struct el_field *s)
{
    el_buf_printf(b, "%*s%s# %s", indent, "", lead, s->doc);
    if (s->type == EL_FIELD_UNSIGNED || s->type == EL_FIELD_DOUBLE_OR_NULL) {
        el_buf_puts(b, " (");
        el_buf_double(b, s->min);
        el_buf_puts(b, "..");
        el_buf_double(b, s->max);
        el_buf_putc(b, ')');
    }
    el_buf_putc(b, '\n');
}

static bool is_empty(const struct el_field *s, const char *base)
{
    return s->type == EL_FIELD_TEXTS || s->type == EL_FIELD_DOUBLES || (s->type == EL_FIELD_TEXT && !base[s->offset]);
}

static void put_row(struct el_buf *b, int indent, const struct el_field *s, const char *base)
{
    const char *dot = strrchr(s->key, '.'), *key = dot ? dot + 1 : s->key;

    put_doc(b, indent, "", s);
    if (is_empty(s, base) && s->example) {
        el_buf_printf(b, "%*s# %s: %s\n", indent, "", key, s->example);
        return;
    }
    el_buf_printf(b, "%*s%s: ", indent, "", key);
    put_value(b, s, base);
    el_buf_putc(b, '\n');
}

/* A list that is empty by default: shown with one entry, commented out. */
static void put_list(struct el_buf *b, const char *name, const char *doc, const struct el_setting_table *t,
                     const char *base)
{
    el_buf_printf(b, "\n# %s\n%s: []\n", doc, name);
    for (size_t i = 0; i < t->n; i++) {
        const struct el_field *s = &t->row[i];

        put_doc(b, 0, "#     ", s);
        el_buf_printf(b, "#   %s %s: ", i ? " " : "-", s->key);
        if (s->example)
            el_buf_puts(b, s->example);
        else
            put_value(b, s, base);
        el_buf_putc(b, '\n');
    }
}

void el_config_example(struct el_buf *b)
{
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    struct el_config_error err;
    char section[32] = "";

    if (!s || el_config_load(NULL, s, &err) < 0)
        return;
    el_buf_puts(
        b, "# elementd: every setting at its default. All of them may be left out.\n"
           "# `elementd check FILE` says what is wrong with a file; a running elementd takes a new one on SIGHUP.\n\n");
    for (size_t i = 0; i < el_settings_root.n; i++) {
        const struct el_field *r = &el_settings_root.row[i];
        size_t n = strcspn(r->key, ".");
        bool nested = r->key[n] == '.';

        if (nested && (strncmp(section, r->key, n) != 0 || section[n])) {
            snprintf(section, sizeof section, "%.*s", (int)n, r->key);
            el_buf_printf(b, "\n%s:\n", section);
        }
        put_row(b, nested ? 2 : 0, r, (const char *)s);
    }
    put_list(b, "cards", "Limits and wishes, per card or for all.", &el_settings_card, (const char *)&s->card[0]);
    put_list(b, "sensors", "Board sensors and what they tell; see `elementd scan`.", &el_settings_sensor,
             (const char *)&s->sensor[0]);
}
