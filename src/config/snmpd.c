#include "config/snmpd.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/base.h"
#include "base/confine.h"
#include "base/file.h"
#include "base/oid.h"
#include "base/text.h"

#define FILE_SIZE_MAX (1u << 20)
#define WORDS_MAX     8
#define ROOTS         3
#define VIEW_MAX      33 /* vacmViewTreeFamilyViewName, RFC 3415 */
#define GROUPS_MAX    64
#define ANSWER_S      2 /* a master that is well answers in milliseconds */

/* What was seen so far. */
struct seen {
    const char *wanted;               /* AgentX socket; "" = any but net-snmp's default, which only root may open */
    bool master, socket, perms, open; /* open: some access line shows everything */
    const char *root[ROOTS];
    size_t visible[ROOTS];      /* length of the OID that shows it; 0 = hidden */
    char view[ROOTS][VIEW_MAX]; /* by which view */
};

static int split(char *line, char *word[WORDS_MAX])
{
    int n = 0;

    line[strcspn(line, "#\n\r")] = '\0';
    for (char *p = strtok(line, " \t"); p && n < WORDS_MAX; p = strtok(NULL, " \t"))
        word[n++] = p;
    return n;
}

/* A view that includes `oid` shows everything below it, but for what the same view excludes further down. Names are not
 * looked up: that would need MIB files. */
static void take_view(struct seen *s, const char *name, bool included, const char *oid)
{
    el_oid view[EL_OID_MAX], root[EL_OID_MAX];
    size_t n = strcmp(oid, ".1") == 0 || strcmp(oid, "1") == 0 ? 1 : el_oid_parse(oid, view);

    view[0] = n == 1 ? 1 : view[0];
    for (size_t i = 0; n && i < ROOTS; i++) {
        size_t len = el_oid_parse(s->root[i], root);

        if (n > len || el_oid_compare(view, n, root, n) != 0)
            continue;
        if (included && !s->visible[i]) {
            s->visible[i] = n;
            el_text_copy(s->view[i], sizeof s->view[i], name);
        } else if (!included && n >= s->visible[i] && strcmp(s->view[i], name) == 0) {
            s->visible[i] = 0;
        }
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
        s->socket |= *s->wanted ? strstr(word[1], s->wanted) != NULL : strcmp(word[1], "/var/agentx/master") != 0;
    else if (strcasecmp(word[0], "agentXPerms") == 0)
        s->perms = true;
    else if (strcasecmp(word[0], "view") == 0 && n >= 4)
        take_view(s, word[1], strcasecmp(word[2], "included") == 0, word[3]);
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

int el_snmpd_missing(const char *dir, const char *base_oid, const char *socket, struct el_buf *missing)
{
    struct seen s = {.wanted = socket ? socket : "",
                     .master = !socket,
                     .socket = !socket,
                     .perms = !socket,
                     .root = {base_oid, "1.3.6.1.2.1.47", "1.3.6.1.2.1.99"}};
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
    if (!s.socket)
        el_buf_printf(missing, "agentXSocket %s\n", *s.wanted ? s.wanted : "/run/agentx/master");
    el_buf_puts(missing, s.perms ? "" : "agentXPerms 0660 0755 Debian-snmp elementd-exporter\n");
    for (size_t i = 0; i < ROOTS; i++)
        if (!s.open && !s.visible[i])
            el_buf_printf(missing, "view systemonly included .%s\n", s.root[i] + (*s.root[i] == '.'));
    return missing->failed ? -ENOMEM : 0;
}

/* Is `want` (of rwx) allowed to the user on `path`? */
static bool permits(const char *path, mode_t want, uid_t uid, const gid_t *group, int groups)
{
    struct stat st;
    bool ours = false;

    if (stat(path, &st) < 0)
        return false;
    for (int i = 0; i < groups; i++)
        ours |= group[i] == st.st_gid;
    return (st.st_mode >> (st.st_uid == uid ? 6 : ours ? 3 : 0) & want) == want;
}

bool el_snmpd_permits(const char *socket, const char *user)
{
    const struct passwd *pw = getpwnam(user);
    uid_t uid = pw ? pw->pw_uid : EL_NOBODY;
    gid_t gid = pw ? pw->pw_gid : EL_NOBODY, group[GROUPS_MAX] = {gid};
    int groups = GROUPS_MAX;
    char path[sizeof((struct sockaddr_un *)0)->sun_path];

    if (!pw || getgrouplist(user, gid, group, &groups) < 0)
        groups = 1;
    if (!el_text_copy(path, sizeof path, socket) || !permits(path, S_IWOTH, uid, group, groups))
        return false;
    while (strcmp(dirname(path), "/") != 0)
        if (!permits(path, S_IXOTH, uid, group, groups))
            return false;
    return true;
}

/* RFC 2741, 6.2.1: opens a session without a name. The master ends it when we hang up. */
static int converse(int fd)
{
    static const uint8_t open_pdu[20 + 12] = {
        1, 1, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 12}; /* version, Open, network byte order, ... */
    const struct timeval patience = {.tv_sec = ANSWER_S};
    uint8_t answer[20];

    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
        send(fd, open_pdu, sizeof open_pdu, MSG_NOSIGNAL) < 0)
        return -errno;
    if (recv(fd, answer, sizeof answer, MSG_WAITALL) != sizeof answer)
        return -ETIMEDOUT;
    return answer[1] == 18 ? 0 : -EPROTO; /* Response */
}

int el_snmpd_ask(const char *socket_path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    EL_AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || !el_text_copy(a.sun_path, sizeof a.sun_path, socket_path))
        return fd < 0 ? -errno : -ENAMETOOLONG;
    return connect(fd, (struct sockaddr *)&a, sizeof a) < 0 ? -errno : converse(fd);
}
