#include "exporter/snmp_access.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "base/text.h"

#define PASSPHRASE_MIN 8 /* RFC 3414, 11.2 */
#define WORDS_MAX      7
#define FILE_SIZE_MAX  65536

static EL_PRINTF(3, 4) int refuse(char *why, size_t size, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, size, fmt, args);
    va_end(args);
    return -EINVAL;
}

/* Cuts `line` into words in place. Their number, or -1 when a quote is not closed or there are too many. */
static int split(char *line, char *word[WORDS_MAX])
{
    int n = 0;

    for (char *p = line;;) {
        while (*p == ' ' || *p == '\t')
            p++;
        if (*p == '\0' || *p == '#')
            return n;
        if (n == WORDS_MAX)
            return -1;
        const char *end = *p == '"' ? "\"" : " \t";

        p += *p == '"';
        word[n++] = p;
        p += strcspn(p, end);
        if (*p == '\0' && *end == '"')
            return -1;
        if (*p)
            *p++ = '\0';
    }
}

static bool one_of(const char *word, const char *const *list)
{
    while (*list && strcasecmp(word, *list) != 0)
        list++;
    return *list;
}

static bool passphrase_fits(const char *p)
{
    return strlen(p) >= PASSPHRASE_MIN && strlen(p) < sizeof(((struct el_snmp_user *)0)->auth_pass);
}

static int take_user(char *const word[], int n, struct el_snmp_access *out, char *why, size_t size)
{
    static const char *const auths[] = {"SHA-224", "SHA-256", "SHA-384", "SHA-512", NULL};
    static const char *const privs[] = {"AES", "AES-192", "AES-256", NULL};
    struct el_snmp_user *u = &out->user[out->users];

    if (n != 6)
        return refuse(why, size, "expected: user NAME AUTH \"PASSPHRASE\" PRIV \"PASSPHRASE\"");
    if (out->users == EL_SNMP_USERS_MAX)
        return refuse(why, size, "more than %d users", EL_SNMP_USERS_MAX);
    if (!one_of(word[2], auths))
        return refuse(why, size, "\"%s\": expected SHA-224, SHA-256, SHA-384 or SHA-512", word[2]);
    if (!one_of(word[4], privs))
        return refuse(why, size, "\"%s\": expected AES, AES-192 or AES-256", word[4]);
    if (!passphrase_fits(word[3]) || !passphrase_fits(word[5]))
        return refuse(why, size, "a passphrase needs %d to 64 bytes", PASSPHRASE_MIN);
    if (!*word[1] || strlen(word[1]) >= sizeof u->name || el_snmp_access_user(out, word[1]))
        return refuse(why, size, "user \"%s\": the name must be new and have 1 to 32 bytes", word[1]);
    el_text_copy(u->name, sizeof u->name, word[1]);
    el_text_copy(u->auth, sizeof u->auth, word[2]);
    el_text_copy(u->auth_pass, sizeof u->auth_pass, word[3]);
    el_text_copy(u->priv, sizeof u->priv, word[4]);
    el_text_copy(u->priv_pass, sizeof u->priv_pass, word[5]);
    out->users++;
    return 0;
}

static int take_line(char *line, struct el_snmp_access *out, char *why, size_t size)
{
    char *word[WORDS_MAX];
    int n = split(line, word);

    if (n < 0)
        return refuse(why, size, "a quote is not closed, or there are too many words");
    if (n == 0)
        return 0;
    if (strcmp(word[0], "user") == 0)
        return take_user(word, n, out, why, size);
    if (strcmp(word[0], "community") != 0)
        return refuse(why, size, "\"%.40s\": expected user or community", word[0]);
    if (n != 2 || !*word[1] || *out->community || !el_text_copy(out->community, sizeof out->community, word[1]))
        return refuse(why, size, "expected one line: community TEXT (1 to 64 bytes)");
    return 0;
}

static int take_lines(char *line, struct el_snmp_access *out, char *why, size_t why_size)
{
    char reason[160];
    int number = 0;

    for (char *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        number++;
        if (take_line(line, out, reason, sizeof reason) < 0)
            return refuse(why, why_size, "line %d: %s", number, reason);
    }
    return 0;
}

int el_snmp_access_parse(const char *text, struct el_snmp_access *out, char *why, size_t why_size)
{
    struct el_snmp_access a = {0};
    char *copy = strdup(text);
    int r = copy ? take_lines(copy, &a, why, why_size) : -ENOMEM;

    if (r == 0)
        *out = a;
    if (copy)
        explicit_bzero(copy, strlen(text));
    free(copy);
    return r;
}

int el_snmp_access_load(const char *path, struct el_snmp_access *out, char *why, size_t why_size)
{
    EL_AUTO_BUF struct el_buf text = {0};
    char reason[200];
    struct stat st;
    int r;

    if (stat(path, &st) < 0) {
        r = -errno;
        refuse(why, why_size, "%s: %s", path, strerror(-r));
        return r;
    }
    if (st.st_mode & 077) {
        refuse(why, why_size, "%s: others than its owner can read it; run: chmod 0600 %s", path, path);
        return -EPERM;
    }
    r = el_file_read(AT_FDCWD, path, FILE_SIZE_MAX, &text);
    if (r < 0) {
        refuse(why, why_size, "%s: %s", path, strerror(-r));
        return r;
    }
    r = el_snmp_access_parse(text.data ? text.data : "", out, reason, sizeof reason);
    if (text.data)
        explicit_bzero(text.data, text.len);
    if (r < 0)
        refuse(why, why_size, "%s: %s", path, reason);
    return r;
}

const struct el_snmp_user *el_snmp_access_user(const struct el_snmp_access *a, const char *name)
{
    for (uint32_t i = 0; i < a->users; i++)
        if (strcmp(a->user[i].name, name) == 0)
            return &a->user[i];
    return NULL;
}

static char *quote(char *out, const char *text)
{
    *out++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *out++ = '\\';
        *out++ = *text;
    }
    *out++ = '"';
    *out++ = ' ';
    *out = '\0';
    return out;
}

void el_snmp_access_line(const struct el_snmp_user *u, char out[EL_SNMP_USER_LINE])
{
    _Static_assert(EL_SNMP_USER_LINE >= 2 * sizeof(struct el_snmp_user), "everything escaped fits");

    out = quote(out, u->name);
    out = quote(stpcpy(stpcpy(out, u->auth), " "), u->auth_pass);
    quote(stpcpy(stpcpy(out, u->priv), " "), u->priv_pass);
}

bool el_snmp_access_community(const struct el_snmp_access *a, const void *community, size_t len)
{
    return *a->community && len == strlen(a->community) && memcmp(community, a->community, len) == 0;
}

static bool is_name(const char *host, bool six)
{
    uint8_t number[sizeof(struct in6_addr)];

    return host[strspn(host, "0123456789")] && !strchr(host, '%') &&
           inet_pton(six ? AF_INET6 : AF_INET, host, number) != 1;
}

bool el_snmp_address_parse(const char *text, struct el_snmp_address *out)
{
    static const char *const transports[] = {"udp:", "udp6:"};
    struct el_snmp_address a = {0};
    const char *host = text, *end;
    uint64_t number;

    for (size_t i = 0; i < EL_ARRAY_SIZE(transports); i++)
        if (strncmp(text, transports[i], strlen(transports[i])) == 0) {
            host = text + strlen(transports[i]);
            a.six = i == 1;
        }
    if (*host == '[') {
        end = strchr(++host, ']');
        if (!a.six || !end || (end[1] && end[1] != ':'))
            return false;
        a.port = end[1] ? end + 2 : NULL;
    } else {
        end = strchrnul(host, ':');
        a.port = *end ? end + 1 : NULL;
    }
    if (end == host || (size_t)(end - host) >= sizeof a.host ||
        (a.port && (el_num_parse_u64(a.port, &number) < 0 || number == 0 || number > UINT16_MAX)))
        return false;
    memcpy(a.host, host, (size_t)(end - host));
    if (strpbrk(a.host, " \t@,/"))
        return false;
    a.named = is_name(a.host, a.six);
    *out = a;
    return true;
}

/* "0x80001f88..." 5..32 bytes (SnmpEngineID, RFC 3411). */
static bool parse_engine(const char *hex, struct el_snmp_sink *out)
{
    size_t n = strlen(hex);

    if (strncmp(hex, "0x", 2) != 0 || n % 2 || n < 2 + 10 || n > 2 + 64)
        return false;
    for (size_t i = 2; i < n; i += 2) {
        char digits[] = {'0', 'x', hex[i], hex[i + 1], '\0'};
        uint64_t byte;

        if (!isxdigit((unsigned char)hex[i]) || el_num_parse_u64(digits, &byte) < 0)
            return false;
        out->engine[out->engine_len++] = (uint8_t)byte;
    }
    return true;
}

int el_snmp_sink_parse(const char *text, struct el_snmp_sink *out, char *why, size_t why_size)
{
    static const struct {
        const char *prefix;
        enum el_snmp_sink_kind kind;
        bool inform;
    } forms[] = {{"v2c:", EL_SNMP_SINK_V2C, false},
                 {"v2c-inform:", EL_SNMP_SINK_V2C, true},
                 {"v3:", EL_SNMP_SINK_V3, false},
                 {"v3-inform:", EL_SNMP_SINK_V3, true}};
    struct el_snmp_sink s = {.kind = EL_SNMP_SINK_AGENTX};
    struct el_snmp_address address;
    const char *name = NULL, *at = strrchr(text, '@');
    char *engine;

    if (strcmp(text, "agentx") == 0) {
        *out = s;
        return 0;
    }
    for (size_t i = 0; i < EL_ARRAY_SIZE(forms); i++)
        if (strncmp(text, forms[i].prefix, strlen(forms[i].prefix)) == 0) {
            s.kind = forms[i].kind;
            s.inform = forms[i].inform;
            name = text + strlen(forms[i].prefix);
        }
    if (!name || !at || at <= name || !at[1] || (size_t)(at - name) >= sizeof s.name ||
        !el_text_copy(s.address, sizeof s.address, at + 1))
        return refuse(
            why, why_size,
            "\"%s\": expected agentx, v2c:COMMUNITY@ADDRESS, v3:USER@ADDRESS, v2c-inform:COMMUNITY@ADDRESS or "
            "v3-inform:USER/0xENGINEID@ADDRESS",
            text);
    if (!el_snmp_address_parse(s.address, &address))
        return refuse(why, why_size, "\"%s\": " EL_SNMP_ADDRESS_EXPECTED, text);
    memcpy(s.name, name, (size_t)(at - name));
    if (s.kind == EL_SNMP_SINK_V3 && s.inform) {
        engine = strchr(s.name, '/');
        if (!engine || engine == s.name || !parse_engine(engine + 1, &s))
            return refuse(
                why, why_size,
                "\"%s\": an inform by SNMPv3 needs the receiver's engine id: v3-inform:USER/0xENGINEID@ADDRESS", text);
        *engine = '\0';
    }
    *out = s;
    return 0;
}
