#include "exporter/snmp_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "base/text.h"

#define ENGINE_PREFIX "80001f8805" /* RFC 3411, SnmpEngineID: enterprise 8072 (net-snmp), format 5: octets */
#define ENGINE_RANDOM 8
#define ENGINE_MIN    10 /* hex digits */

static void place(char *out, size_t size, const char *dir, const char *name)
{
    snprintf(out, size, "%s/%s", dir, name);
}

static int make_engine(char id[65])
{
    uint8_t random[ENGINE_RANDOM];
    size_t n = strlen(ENGINE_PREFIX);

    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -EIO;
    el_text_copy(id, 65, ENGINE_PREFIX);
    for (size_t i = 0; i < sizeof random; i++, n += 2)
        snprintf(id + n, 65 - n, "%02x", random[i]);
    return 0;
}

/* "HEXDIGITS STARTS". An engine whose next start would be the last number there is answers nobody from then on (RFC
 * 3414, 2.2.2): as good as none, and another one is made. */
static int read_engine(const char *path, char id[65], uint64_t *boots)
{
    char text[128];
    uint64_t v = 0;
    size_t n;
    int r = el_file_read_line(AT_FDCWD, path, text, sizeof text);

    n = r == 0 ? strspn(text, "0123456789abcdef") : 0;
    if (n < ENGINE_MIN || n > 64 || n % 2 || text[n] != ' ' || el_num_parse_u64(text + n, &v) < 0 || v >= INT32_MAX - 1)
        return -EBADMSG;
    text[n] = '\0';
    el_text_copy(id, 65, text);
    *boots = v;
    return 0;
}

int el_snmp_state_engine(const char *dir, char id[65], unsigned *boots)
{
    char path[512], text[128];
    uint64_t before = 0;
    int r;

    place(path, sizeof path, dir, "snmp-engine");
    r = read_engine(path, id, &before) == 0 ? 0 : make_engine(id);
    snprintf(text, sizeof text, "%s %llu\n", id, (unsigned long long)before + 1);
    if (r == 0)
        r = el_file_replace(AT_FDCWD, path, text, strlen(text), 0600, true);
    *boots = (unsigned)before + 1;
    if (r == 0)
        return 0;
    el_log_error("%s: %s; SNMPv3 counts its starts there: until that is mended each start is another engine, whose v3 "
                 "traps receivers do not know",
                 path, strerror(-r));
    *boots = 1; /* an engine that never started before can be replayed nothing */
    return make_engine(id);
}

void el_snmp_state_load(const char *dir, struct el_snmp_notifier *n, int64_t now_us)
{
    char path[512], text[64];

    el_snmp_notifier_init(n, now_us);
    place(path, sizeof path, dir, "snmp-notified");
    if (el_file_read_line(AT_FDCWD, path, text, sizeof text) == 0)
        el_snmp_notifier_load(n, text);
}

void el_snmp_state_save(const char *dir, const struct el_snmp_notifier *n, bool *failed)
{
    char path[512], text[64];
    int r;

    if (!*dir)
        return;
    place(path, sizeof path, dir, "snmp-notified");
    el_snmp_notifier_save(n, text, sizeof text);
    r = el_file_replace(AT_FDCWD, path, text, strlen(text), 0600, false);
    if (r < 0 && !*failed)
        el_log_warning("%s: %s; what is notified now may be notified again after a restart", path, strerror(-r));
    *failed = r < 0;
}
