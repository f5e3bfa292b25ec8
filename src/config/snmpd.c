#include "config/snmpd.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/file.h"
#include "base/oid.h"

#define FILE_SIZE_MAX (1u << 20)
#define WORDS_MAX     8
#define ROOTS         3

/* What was seen so far. */
struct seen {
    bool master, socket, perms, open; /* open: somebody may read everything */
    bool visible[ROOTS];
    const char *root[ROOTS];
};

static int split(char *line, char *word[WORDS_MAX])
{
    int n = 0;

    line[strcspn(line, "#\n\r")] = '\0';
    for (char *p = strtok(line, " \t"); p && n < WORDS_MAX; p = strtok(NULL, " \t"))
        word[n++] = p;
    return n;
}

/* A view that includes `oid` shows everything below it. Names are not looked up: that would need MIB files. */
static void take_view(struct seen *s, const char *oid)
{
    el_oid view[EL_OID_MAX], root[EL_OID_MAX];
    size_t n = strcmp(oid, ".1") == 0 || strcmp(oid, "1") == 0 ? 1 : el_oid_parse(oid, view);

    view[0] = n == 1 ? 1 : view[0];
    for (size_t i = 0; n && i < ROOTS; i++) {
        size_t len = el_oid_parse(s->root[i], root);

        s->visible[i] |= n <= len && el_oid_compare(view, n, root, n) == 0;
    }
}

static bool is_access(const char *word)
{
    static const char *const words[] = {"rocommunity",  "rocommunity6", "rwcommunity",
                                        "rwcommunity6", "rouser",       "rwuser"};

    for (size_t i = 0; i < EL_ARRAY_SIZE(words); i++)
        if (strcasecmp(word, words[i]) == 0)
            return true;
    return false;
}

static void take_line(struct seen *s, char *line)
{
    char *word[WORDS_MAX];
    int n = split(line, word);

    if (n < 2)
        return;
    if (strcasecmp(word[0], "master") == 0)
        s->master |= strcasecmp(word[1], "agentx") == 0;
    else if (strcasecmp(word[0], "agentXSocket") == 0)
        s->socket |= strcmp(word[1], "/var/agentx/master") != 0; /* net-snmp's default: closed to all but root */
    else if (strcasecmp(word[0], "agentXPerms") == 0)
        s->perms = true;
    else if (strcasecmp(word[0], "view") == 0 && n >= 4 && strcasecmp(word[2], "included") == 0)
        take_view(s, word[3]);
    else if (is_access(word[0]) && n <= 3) /* no view and no OID behind name and source or level */
        s->open = true;
}

static int take_file(struct seen *s, const char *path)
{
    EL_AUTO_BUF struct el_buf text = {0};
    int r = el_file_read(AT_FDCWD, path, FILE_SIZE_MAX, &text);

    for (char *line = text.data, *next; r == 0 && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        take_line(s, line);
    }
    return r;
}

int el_snmpd_missing(const char *dir, const char *base_oid, struct el_buf *missing)
{
    struct seen s = {.root = {base_oid, "1.3.6.1.2.1.47", "1.3.6.1.2.1.99"}};
    char path[512];
    glob_t more;
    int r;

    snprintf(path, sizeof path, "%s/snmpd.conf", dir);
    r = take_file(&s, path);
    if (r < 0)
        return r;
    snprintf(path, sizeof path, "%s/snmpd.conf.d/*.conf", dir);
    if (glob(path, 0, NULL, &more) == 0) {
        for (size_t i = 0; i < more.gl_pathc; i++)
            take_file(&s, more.gl_pathv[i]);
        globfree(&more);
    }
    el_buf_puts(missing, s.master ? "" : "master agentx\n");
    el_buf_puts(missing, s.socket ? "" : "agentXSocket /run/agentx/master\n");
    el_buf_puts(missing, s.perms ? "" : "agentXPerms 0660 0755 Debian-snmp elementd-exporter\n");
    for (size_t i = 0; i < ROOTS; i++)
        if (!s.open && !s.visible[i])
            el_buf_printf(missing, "view systemonly included .%s\n", s.root[i] + (*s.root[i] == '.'));
    return missing->failed ? -ENOMEM : 0;
}
